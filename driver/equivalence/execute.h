// Two modules executed by the interpreter on the same arguments.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_EXECUTE_H_
#define AFFIRM_DRIVER_EQUIVALENCE_EXECUTE_H_

#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "driver/equivalence/equivalence.h"
#include "driver/validate/argument_sets.h"

namespace affirm::driver {

// Sets of arguments for two computations of one signature, from a seed: those of a kernel's runs
// (driver/validate/argument_sets.h) for the constants of either, then one of each kind from each of
// some further seeds, then sets of kinds that show single terms and initial values of folds,
// constants, and roundings (kUniform, kEnds, kConstants, kEdges of verify/reference/arguments.h).
class PairedArgumentSets {
 public:
  PairedArgumentSets(const hlo::Computation& a, const hlo::Computation& b, uint64_t seed);

  int64_t size() const;
  std::vector<hlo::Literal> Make(int64_t number) const;
  std::string KindOf(int64_t number) const;  // "small", ..., "constants"

 private:
  const hlo::Computation &a_, &b_;
  uint64_t seed_;
  ArgumentSets of_a_, of_b_;
};

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
