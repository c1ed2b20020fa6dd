// Prints attempts to prove rules in Coq.
#include "verify/rules/coq_attempts.h"

#include "verify/rules/coq.h"

namespace affirm::rules {
namespace {

constexpr const char* kHead =
    R"((* Rules as propositions of Coq, and an attempt to prove each; printed by `affirm audit --coq`.

   `coqc` compiles this file whether or not every attempt succeeds. It prints a line for each
   proposition, the propositions that stay open, and at the end their names.

   To finish one by hand, replace `attempt "NAME".` by `apply proved.` and a proof. *)
)";

constexpr const char* kStatus = R"(
(* A proposition is proved, with a proof that the kernel of Coq has checked, or open. *)
Inductive status (P : Prop) : Type := proved (proof : P) | open.
Arguments proved {P} proof.
Arguments open {P}.

Ltac attempt name :=
  lazymatch goal with
  | |- status ?P =>
      first
        [ let proof := constr:(ltac:(prove_rule) : P) in
          idtac name ": proved"; exact (proved proof)
        | let statement := eval hnf in P in
          idtac name ": OPEN" statement; exact open ]
  end.

Definition if_open {P : Prop} (name : string) (s : status P) (names : list string) : list string :=
  match s with proved _ => names | open => cons name names end.

)";

constexpr const char* kFoot = R"(
(* The names of the propositions that are open, as Coq computes them from the attempts. *)
Eval lazy in open_propositions.

(* No proof rests on an axiom: Coq answers "Closed under the global context". *)
Print Assumptions open_propositions.

(* Take the comment away for a file that coqc accepts only when nothing is open.
Example nothing_is_open : open_propositions = nil.
Proof. reflexivity. Qed.
*)
)";

}  // namespace

llvm::Expected<std::string> CoqAttempts(llvm::ArrayRef<Rule> rules) {
  llvm::Expected<std::string> definitions = CoqDefinitions(rules);
  if (!definitions) return definitions.takeError();
  std::string attempts, open = "nil";
  for (const Rule& rule : rules) {
    const std::string name = CoqName(rule);
    for (auto [theorem, proposition] : {std::pair("sound_", "rule_"), {"safe_", "defined_"}}) {
      attempts += "Definition " + (theorem + name) + " : status " + proposition + name +
                  ".\nProof. attempt \"" + proposition + name + "\". Defined.\n";
    }
  }
  for (const Rule& rule : llvm::reverse(rules)) {
    const std::string name = CoqName(rule);
    open = "if_open \"rule_" + name + "\" sound_" + name + "\n  (if_open \"defined_" + name +
           "\" safe_" + name + "\n  (" + open + "))";
  }
  std::string text = kHead;
  for (const CoqFile& file : CoqTactics()) text += file.text;
  return text +
         "\nFrom Coq Require Import String.\nOpen Scope string_scope.\nOpen Scope Z_scope.\n" +
         kStatus + *definitions + "\n" + attempts +
         "\nDefinition open_propositions : list string :=\n  " + open + ".\n" + kFoot;
}

}  // namespace affirm::rules
