// Writes certificates of simplifications, which verify/certificate checks without knowing the
// rules: the map after each step, and hints on why it equals the one before.
#ifndef AFFIRM_VERIFY_RULES_CERTIFY_H_
#define AFFIRM_VERIFY_RULES_CERTIFY_H_

#include <string>

#include "core/indexing/indexing_map.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"
#include "llvm/Support/Error.h"

namespace affirm {

// The certificate that `after` equals `before`, by the steps of the trace (docs/certificates.md).
// It has been checked. An error when the checker does not accept it, since the arithmetic of some
// step is beyond it.
llvm::Expected<std::string> Certify(const IndexingMap& before, const IndexingMap& after,
                                    const Trace& trace, const RuleTable& rules);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_CERTIFY_H_
