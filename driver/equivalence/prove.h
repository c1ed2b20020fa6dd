// Two HLO modules proved equal, result by result, without executing either.
//
//   auto e = ProveModules(*before, *after, {.allowed_laws = {}});
//   e->verdict;  // proved: equal for all arguments; unknown: some result is not proved
#ifndef AFFIRM_DRIVER_EQUIVALENCE_PROVE_H_
#define AFFIRM_DRIVER_EQUIVALENCE_PROVE_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/equivalence/module_equivalence.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// Each result is proved where both modules are one graph, or where its elements are equal as value
// terms, by the exact laws and those that `allowed_laws` names (verify/equivalence/laws.h). The
// verdict is at most unknown where an effect, a promise of B or a count of devices is not proved to
// be the same. An error for another signature, arguments of calls that do not fit, or a law that
// does not exist.
llvm::Expected<ModuleEquivalence> ProveModules(const hlo::Module& a, const hlo::Module& b,
                                               llvm::ArrayRef<std::string> allowed_laws);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_PROVE_H_
