// Value rules as rewrites of terms: an instance of a rule's left side becomes its right side.
//
//   const TermRules& rules = TermRules::Builtin();
//   // subtract(load0[i], negate(load1[i]))
//   for (const TermRule* rule : rules.RulesFor(term))
//     if (terms::Term after = rule->Apply(scope, term)) ...  // add(load0[i], load1[i])
//
// Both sides are value terms (verify/hlo/values), built from the rule's HLO computation at its
// types (verify/value_rules/instance.h); so the semantics of operations are defined there alone.
// Applying an exact rule gives an equal value, to the bit up to NaN payloads: it must not be used
// where an operation observes these.
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
  // nullopt for a rule that is no rewrite of terms: on integers, which have a normal form; with a
  // variable as left side; with both sides equal as terms; or with a variable that the left side
  // does not bind. `pool` must outlive the rule, and differ from the pools of terms it is applied
  // to.
  static std::optional<TermRule> Create(terms::Pool& pool, const value_rules::ValueRule& rule,
                                        const std::vector<hlo::PrimitiveType>& types);

  // The instantiated right side, if the term matches the left side and the condition holds: by
  // evaluation on literals, or by the facts of the scope. Null otherwise.
  terms::Term Apply(terms::Scope& scope, terms::Term term) const;

  const value_rules::ValueRule& rule() const { return *rule_; }
  // Whether a NaN result of either side is a computed one, so that the sides are equal to the bit.
  bool ComputesNans() const;
  // Whether the right side has more operations.
  bool Grows() const;
  // Whether the right side has fewer operations, and no variable more often: such rules terminate.
  bool Shrinks() const;
  // Whether the rule has a condition, so that an application may rest on the facts of the scope.
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
  hlo::ScalarProgram program_;                    // evaluates both sides and the condition
  terms::Term left_ = nullptr, right_ = nullptr;  // variable k is a load of buffer k
  terms::Term condition_ = nullptr;               // kTrue without one
  std::vector<bool> in_condition_;                // whether the condition uses variable k
};

// A table of rules at all their types. TermRules are created lazily.
class TermRules {
 public:
  explicit TermRules(llvm::ArrayRef<value_rules::ValueRule> rules);
  // The rules of verify/value_rules/values.rules.
  static const TermRules& Builtin();

  // The rules whose left side has the term's operation, or is a select like it, in the order of the
  // table. They live as long as this object. Thread-safe.
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
