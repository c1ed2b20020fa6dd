// The arguments on which a kernel is run.
#ifndef AFFIRM_DRIVER_VALIDATE_ARGUMENT_SETS_H_
#define AFFIRM_DRIVER_VALIDATE_ARGUMENT_SETS_H_

#include <cstdint>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace affirm::driver {

// Sets of arguments from a seed: one of each kind (verify/reference/arguments.h), and, where the
// computation compares integers, sets in which its small integer parameters are the constants that
// it has and their neighbours: `compare(x, 0), direction=EQ` of a scalar is true in one of them.
class ArgumentSets {
 public:
  ArgumentSets(const hlo::Computation& computation, uint64_t seed);

  int64_t size() const { return kinds_ + static_cast<int64_t>(constants_.size()); }
  std::vector<hlo::Literal> Make(int64_t number) const;

 private:
  const hlo::Computation& computation_;
  uint64_t seed_;
  int64_t kinds_ = 0;
  std::vector<int64_t> constants_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_ARGUMENT_SETS_H_
