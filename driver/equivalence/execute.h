// Two modules executed by the interpreter on the same arguments.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_EXECUTE_H_
#define AFFIRM_DRIVER_EQUIVALENCE_EXECUTE_H_

#include <cstdint>
#include <vector>

#include "driver/equivalence/equivalence.h"

namespace affirm::driver {

// Which results of two modules are compared, and how.
struct ExecuteOptions {
  EquivalenceOptions equivalence;
  // Leaves that are compared by their roundings, whatever the options say: those that are proved.
  std::vector<int64_t> proved;
  bool all_sets = true;  // else one of each kind
  // All is proved, by a law that changes roundings: sets of small numbers, and of zeros and ones.
  bool licensed = false;
};

// Fills what is executed: sets, elements, largest_ulp, difference, not_executed.
void ExecuteBoth(const hlo::Module& a, const hlo::Module& b, const ExecuteOptions& options,
                 ModuleEquivalence& result);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_EXECUTE_H_
