// A value rule with its types chosen, as an HLO computation: whose root is the left side, the right
// side and the condition. So what operations mean, and on which types they exist, is what HLO's
// verifier and interpreter say.
//
//   InstancesOf(rule)              // T = f16; T = bf16; ...
//   Instance::Create(rule, {f16})
//     ENTRY e { x = f16[] parameter(0) v0 = f16[] negate(x) ... ROOT r = (...) tuple(v1, x, v2) }
#ifndef AFFIRM_VERIFY_VALUE_RULES_INSTANCE_H_
#define AFFIRM_VERIFY_VALUE_RULES_INSTANCE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "verify/value_rules/value_rule.h"

namespace affirm::value_rules {

// One of each type variable's types.
using Types = std::vector<hlo::PrimitiveType>;
// Every choice, the first type variable's changing last. One, empty, for a rule without any.
std::vector<Types> TypesOf(const ValueRule& rule);
// "T = f16, U = s8"; "" without type variables.
std::string ToString(const ValueRule& rule, const Types& types);

class Instance {
 public:
  // An error where an operation does not exist on the types: "a.rules:1: rule r, T = s8: ...".
  static llvm::Expected<Instance> Create(const ValueRule& rule, const Types& types);

  // Parameters are the variables in their order; the root is a tuple (left, right, condition).
  const hlo::Computation& computation() const { return *module_->entry; }
  const hlo::Instruction& left() const { return *computation().root->operands[0]; }
  const hlo::Instruction& right() const { return *computation().root->operands[1]; }
  const hlo::Instruction& condition() const { return *computation().root->operands[2]; }
  std::vector<hlo::PrimitiveType> VariableTypes() const;
  hlo::PrimitiveType type() const { return left().shape.type; }  // of both sides
  // The bits of all variables together.
  int64_t NumBits() const;

 private:
  explicit Instance(std::unique_ptr<hlo::Module> module) : module_(std::move(module)) {}
  std::unique_ptr<hlo::Module> module_;
};

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_INSTANCE_H_
