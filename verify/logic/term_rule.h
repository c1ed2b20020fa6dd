// Value rules over terms: what has the form of a rule's left side may be written as its right side.
//
//   const TermRules& rules = TermRules::Builtin();
//   // subtract(load0[i], negate(load1[i]))
//   for (const TermRule* rule : rules.RulesFor(term))
//     if (terms::Term after = rule->Apply(scope, term)) ...  // add(load0[i], load1[i])
//
// Both sides are the value terms (verify/hlo/values) of the computation that the rule is at its
// types (verify/value_rules/instance.h), whose variables stand for any values: what operations mean
// is written there alone. An application is an instance of the rule, and of an exact one that is
// equal to the bit, all NaNs being one: not for a value whose bits are looked at where it is a NaN.
#ifndef AFFIRM_VERIFY_LOGIC_TERM_RULE_H_
#define AFFIRM_VERIFY_LOGIC_TERM_RULE_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "verify/scalar/scalar_program.h"
#include "verify/terms/scope.h"
#include "verify/value_rules/value_rule.h"

namespace affirm::logic {

// A rule at its types.
class TermRule {
 public:
  // nullopt for a rule that does nothing to terms: about integers, which have a normal form; with a
  // left side that is a variable, or one term with the right side, as terms are built; or with a
  // variable that the left side does not have. `pool` outlives it, and is none that it is applied
  // in.
  static std::optional<TermRule> Create(terms::Pool& pool, const value_rules::ValueRule& rule,
                                        const std::vector<hlo::PrimitiveType>& types);

  // The right side, where the term has the form of the left side and the condition is seen to hold:
  // by the facts of the scope, or because what it is about are numbers. Null elsewhere.
  terms::Term Apply(terms::Scope& scope, terms::Term term) const;

  const value_rules::ValueRule& rule() const { return *rule_; }
  // Whether both sides compute whatever NaN they give, so that they are equal to its bits.
  bool ComputesNans() const;
  // Whether the right side is written with more operations.
  bool Grows() const;
  // Whether it is written with fewer, and with no variable more often: rules that do come to an
  // end.
  bool Shrinks() const;
  // Whether it holds under a condition: then an application may rest on the facts of the scope.
  bool HasCondition() const { return condition_->kind != terms::Kind::kTrue; }

 private:
  using Bindings = llvm::SmallVector<terms::Term, 4>;  // by variable
  using Pairs = llvm::SmallVector<std::pair<terms::Term, terms::Term>, 8>;

  TermRule(const value_rules::ValueRule& rule, hlo::ScalarProgram program)
      : rule_(&rule), program_(std::move(program)) {}
  bool Matches(terms::Scope& scope, Pairs open, Bindings& bindings) const;
  bool Holds(terms::Scope& scope, const Bindings& bindings) const;
  std::optional<bool> HoldsOfNumbers(const Bindings& bindings) const;
  terms::Term Build(terms::Pool& pool, terms::Term side, const Bindings& bindings) const;

  const value_rules::ValueRule* rule_;
  hlo::ScalarProgram program_;                    // of both sides and the condition
  terms::Term left_ = nullptr, right_ = nullptr;  // with loads of buffer k for variable k
  terms::Term condition_ = nullptr;               // kTrue without one
  std::vector<bool> in_condition_;                // which variables are
};

// A table of rules at all their types, each made a TermRule when it is asked for first.
class TermRules {
 public:
  explicit TermRules(llvm::ArrayRef<value_rules::ValueRule> rules);
  // Those of verify/value_rules/values.rules.
  static const TermRules& Builtin();

  // Those whose left side has the operation that the term is, or chooses as it does, in the order
  // of the table. They live as long as this. May be asked by several threads.
  llvm::ArrayRef<TermRule> RulesFor(terms::Term term) const;

 private:
  struct OfOpcode {
    std::vector<const value_rules::ValueRule*> rules;
    std::optional<std::vector<TermRule>> made;
  };

  mutable std::mutex mutex_;
  mutable terms::Pool pool_;
  mutable std::map<hlo::Opcode, OfOpcode> by_opcode_;
};

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_TERM_RULE_H_
