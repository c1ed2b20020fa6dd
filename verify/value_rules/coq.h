// Exact rules about integers and predicates as propositions of Coq, over
// verify/coq/machine_integers.v:
//
//   Definition rule_integer_negate_as_not : Prop :=
//     forall (w : Z) (s : bool) (x : Z),
//       8 <= w ->
//       is_int w x ->
//       (int_negate w x) = (int_add w (int_not w x) (wrap w 1)).
//
// The width of a type variable is any number of bits from 8 on; s says whether it is signed. A rule
// that is also for floats is stated for integers only.
//
// This file and machine_integers.v decide which statement a proof in Coq proves, so they are
// trusted.
#ifndef AFFIRM_VERIFY_VALUE_RULES_COQ_H_
#define AFFIRM_VERIFY_VALUE_RULES_COQ_H_

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "verify/value_rules/value_rule.h"

namespace affirm::value_rules {

struct CoqPropositions {
  std::string definitions;
  // The rules that have none: "negate.twice: T has no integers".
  std::vector<std::string> left_out;
};
CoqPropositions CoqDefinitions(llvm::ArrayRef<ValueRule> rules);

// A file that stands alone: machine_integers.v, the definitions, and in a comment what is left out.
std::string CoqFileOf(llvm::ArrayRef<ValueRule> rules);

// verify/coq/machine_integers.v
struct CoqFile {
  llvm::StringRef name;
  llvm::StringRef text;
};
llvm::ArrayRef<CoqFile> CoqMachineIntegers();

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_COQ_H_
