// Ranges of the variables of a system, found by bounds propagation through its facts: from
// x - 2 >= 0 and 10 - x - y >= 0 with y >= 0, that x lies in [2, 10].
#ifndef AFFIRM_VERIFY_RULES_BOUNDS_PROPAGATION_H_
#define AFFIRM_VERIFY_RULES_BOUNDS_PROPAGATION_H_

#include <optional>
#include <vector>

#include "verify/rules/system.h"

namespace affirm::rules {

struct Range {
  std::optional<BigInt> lower, upper;
  bool Positive() const { return lower && *lower >= 1; }
  bool Negative() const { return upper && *upper <= -1; }
};

class BoundsPropagation {
 public:
  explicit BoundsPropagation(const System& system);

  // False when some variable's range is empty: the system has no solution.
  bool consistent() const { return consistent_; }
  const Range& of(int v) const { return ranges_[v]; }
  Range Of(const Poly& p) const;
  // Whether the fact follows from the ranges alone, and whether it contradicts them.
  bool Implied(const PolyFact& f) const;
  bool Excluded(const PolyFact& f) const;

 private:
  Range OfTerm(const Monomial& m, const BigInt& coefficient) const;
  bool Learn(const Poly& p);
  bool Raise(int v, const BigInt& lower);
  bool Lower(int v, const BigInt& upper);

  std::vector<Range> ranges_;
  bool consistent_ = true;
};

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_BOUNDS_PROPAGATION_H_
