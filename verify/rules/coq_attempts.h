// A file for Coq that stands alone: rules as propositions (coq.h), and an attempt to prove each.
//
// Not trusted: Coq checks the proofs, and the propositions come from coq.cc.
#ifndef AFFIRM_VERIFY_RULES_COQ_ATTEMPTS_H_
#define AFFIRM_VERIFY_RULES_COQ_ATTEMPTS_H_

#include <string>

#include "core/simplify/rule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::rules {

// The text of the file. coqc compiles it whether or not all attempts succeed, and prints which did.
llvm::Expected<std::string> CoqAttempts(llvm::ArrayRef<Rule> rules);

// verify/coq/tactics.v
struct CoqFile {
  llvm::StringRef name;
  llvm::StringRef text;
};
llvm::ArrayRef<CoqFile> CoqTactics();

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_COQ_ATTEMPTS_H_
