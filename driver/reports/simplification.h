// Whether a simplification by unproved rules may be printed.
#ifndef AFFIRM_DRIVER_REPORTS_SIMPLIFICATION_H_
#define AFFIRM_DRIVER_REPORTS_SIMPLIFICATION_H_

#include "core/indexing/indexing_map.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// Rules of a file have not been proved by a test of this program. So each step is replayed by the
// checker that shares no code with the engine, and the outcome is compared with the map: what is
// wrong is not printed.
llvm::Error ConfirmSimplification(const IndexingMap& map, const IndexingMap& simplified,
                                  const Trace& trace, const RuleTable& rules);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_SIMPLIFICATION_H_
