// The arguments on which a kernel is run.
#ifndef AFFIRM_DRIVER_VALIDATE_ARGUMENT_SETS_H_
#define AFFIRM_DRIVER_VALIDATE_ARGUMENT_SETS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {

// Sets of arguments from a seed: one of each kind (verify/reference/arguments.h), and, where the
// computation compares integers, sets in which its small integer parameters are the constants that
// it has and their neighbours: `compare(x, 0), direction=EQ` of a scalar is true in one of them.
class ArgumentSets {
 public:
  ArgumentSets(const hlo::Computation& computation, uint64_t seed);

  int64_t size() const { return kinds_ + static_cast<int64_t>(constants_.size()); }
  // Further sets, from size() on, for kernels of which a run costs little: numbers at which
  // roundings change (kEdges), the kinds under other seeds, and integers that differ from each
  // other and predicates, or floats, of which few are not as the others, so that in an extremum, an
  // "and" or an "or" each element counts in one of them.
  static constexpr int64_t kFurther = 72;
  std::vector<hlo::Literal> Make(int64_t number) const;
  // A set of the same kind whose elements are made one by one (ArgumentElements), for arrays that
  // are too large. The computation outlives the function.
  using Elements = std::function<hlo::Scalar(int64_t parameter, int64_t leaf, int64_t linear)>;
  Elements MakeElements(int64_t number) const;

 private:
  const hlo::Computation& computation_;
  uint64_t seed_;
  int64_t kinds_ = 0;
  std::vector<hlo::Literal> MakeFurther(int64_t number) const;

  std::vector<int64_t> constants_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_ARGUMENT_SETS_H_
