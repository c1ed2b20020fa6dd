// All arguments of a computation whose parameters have few bits in all.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_ALL_ARGUMENTS_H_
#define AFFIRM_DRIVER_EQUIVALENCE_ALL_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace affirm::driver {

// All values of integers, predicates and floats of at most kMostBits bits together: a u8[] has 256
// arguments, a pred[2] beside it makes 1024.
class AllArguments {
 public:
  static constexpr int64_t kMostBits = 16;

  // nullopt where there are more, or a parameter has a size that is known at run time only.
  static std::optional<AllArguments> Of(const hlo::Computation& computation);

  int64_t size() const { return int64_t{1} << bits_; }
  // Each once, for numbers below size().
  std::vector<hlo::Literal> Make(int64_t number) const;

 private:
  AllArguments(const hlo::Computation& computation, int64_t bits)
      : computation_(&computation), bits_(bits) {}

  const hlo::Computation* computation_;
  int64_t bits_;
};

// Whether HLO defines every bit of the results, but for those of NaNs, on one device: no operation
// is approximated, sums floats in an order of its own, or may leave elements open.
bool IsDefinedToTheBit(const hlo::Computation& computation);

// Compares arrays of one type: the same elements, where NaNs are one value and zeros of two signs
// are not.
bool IsSameToTheBit(const hlo::Literal& a, const hlo::Literal& b);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_ALL_ARGUMENTS_H_
