// Rules as statements for Coq. Each rule gives two definitions over Z, where floordiv and mod are
// Z.div and Z.modulo and x ceildiv c is -((-x) / c):
//
//   Definition rule_floordiv_split : Prop :=
//     forall c x y : Z,
//       c <> 0 ->
//       c > 1 ->
//       (((c * x) + y) / c) = (x + (y / c)).
//
//   Definition defined_floordiv_split : Prop :=
//     forall c x y : Z,
//       c <> 0 ->
//       c > 1 ->
//       True.
//
// Together they are the theorem of prove.h. `defined_NAME` says that each division which must be
// shown to be legal is: its divisor is not zero, its modulus is positive. `rule_NAME` assumes that,
// so that it never rests on the values that Coq gives to x / 0 and to x mod 0.
//
// This file and theorem.h decide which statement a proof in Coq proves, so they are trusted.
#ifndef AFFIRM_VERIFY_RULES_COQ_H_
#define AFFIRM_VERIFY_RULES_COQ_H_

#include <string>

#include "core/simplify/rule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::rules {

// The name of the rule as a part of a name in Coq: "floordiv_split". Distinct rules may have one
// name.
std::string CoqName(const Rule& rule);

// The definitions of all rules, each with the rule in a comment. An error names the rule that
// cannot be said in Coq, and why.
llvm::Expected<std::string> CoqDefinitions(llvm::ArrayRef<Rule> rules);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_COQ_H_
