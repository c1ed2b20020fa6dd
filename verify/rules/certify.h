// Certificates of simplifications: what verify/certificate checks without knowing the rules.
#ifndef AFFIRM_VERIFY_RULES_CERTIFY_H_
#define AFFIRM_VERIFY_RULES_CERTIFY_H_

#include <string>

#include "core/indexing/indexing_map.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"
#include "llvm/Support/Error.h"

namespace affirm {

// The certificate that `after` is `before`, by the steps of the trace (docs/certificates.md). The
// checker has accepted it. An error when it would not: a step whose arithmetic is beyond it.
llvm::Expected<std::string> Certify(const IndexingMap& before, const IndexingMap& after,
                                    const Trace& trace, const RuleTable& rules);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_RULES_CERTIFY_H_
