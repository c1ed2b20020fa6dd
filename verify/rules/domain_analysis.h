// The domain of a map at one step of a trace, and what holds at all of its points: by interval
// arithmetic over normal forms first, by the deciders where that is too weak.
#ifndef AFFIRM_VERIFY_RULES_DOMAIN_ANALYSIS_H_
#define AFFIRM_VERIFY_RULES_DOMAIN_ANALYSIS_H_

#include <map>
#include <optional>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "verify/decide/decider.h"
#include "verify/rules/bounds_propagation.h"
#include "verify/rules/polynomial_normal_forms.h"

namespace affirm::rules {

class DomainAnalysis {
 public:
  // The bounds of the map's variables, and its constraints but those left out.
  DomainAnalysis(const IndexingMap& map, llvm::ArrayRef<Constraint> left_out,
                 PolynomialNormalForms& forms, const Budget& budget);

  // lower <= e <= upper at every point; absent ends are infinite.
  bool Within(SymbolicExpr e, std::optional<BigInt> lower, std::optional<BigInt> upper);
  // a = b at every point.
  bool Same(SymbolicExpr a, SymbolicExpr b);

 private:
  Range RangeOf(const Poly& p, int depth);
  Range RangeOfAtom(int atom, int depth);
  Range ComputeRangeOfAtom(int atom, int depth);
  bool Decided(const Formula& claim);
  SymbolicExpr AsDims(SymbolicExpr e) const;

  const IndexingMap& map_;
  PolynomialNormalForms& forms_;
  Budget budget_;
  std::vector<Constraint> facts_;
  std::vector<std::pair<Poly, Range>> known_forms_;  // of the facts
  std::map<int, Range> atom_ranges_;
};

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_DOMAIN_ANALYSIS_H_
