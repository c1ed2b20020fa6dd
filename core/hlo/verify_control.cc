// Shape rules of tuples, of the operations that call computations (call, fusion, while,
// conditional) and of those that only order others (after-all, add-dependency,
// optimization-barrier, domain).
#include "core/hlo/shape_inference.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

Expected Tuple(const Instruction& instruction) {
  std::vector<Shape> elements;
  elements.reserve(instruction.operands.size());
  for (const Instruction* operand : instruction.operands) elements.push_back(operand->shape);
  return Shape::Tuple(std::move(elements));
}

Expected GetTupleElement(const Instruction& instruction) {
  const Shape& tuple = Operand(instruction, 0);
  const int64_t index = instruction.attributes.tuple_index;
  if (!tuple.IsTuple() || index < 0 || index >= static_cast<int64_t>(tuple.tuple.size())) {
    return Violation("expected a tuple with an element " + llvm::Twine(index) + ", found " +
                     tuple.ToString(false));
  }
  return tuple.tuple[index];
}

// Fusion and call. XLA's reader does not hold the shapes of arguments against the parameters; only
// VerifyExecutable does.
Expected Call(const Instruction& instruction) {
  static constexpr llvm::StringLiteral kKinds[] = {"", "kLoop", "kInput", "kOutput", "kCustom"};
  if (!llvm::is_contained(kKinds, llvm::StringRef(instruction.attributes.fusion_kind))) {
    return Violation("expected kind=kLoop, kInput, kOutput or kCustom, found '" +
                     instruction.attributes.fusion_kind + "'");
  }
  if (llvm::Error error = CheckCallees(instruction, 1)) return error;
  const Computation& callee = *instruction.called[0];
  if (llvm::Error error = CheckParameterCount(callee, instruction.operands.size())) return error;
  return callee.root->shape;
}

const Computation* Callee(const Instruction& instruction, llvm::StringRef key) {
  for (size_t i = 0; i < instruction.called.size() && i < instruction.called_as.size(); ++i) {
    if (instruction.called_as[i] == key) return instruction.called[i];
  }
  return nullptr;
}

Expected While(const Instruction& instruction) {
  const Computation* condition = Callee(instruction, "condition");
  const Computation* body = Callee(instruction, "body");
  if (condition == nullptr || body == nullptr) {
    return Violation("expected condition and body of the while loop");
  }
  const Shape& state = Operand(instruction, 0);
  for (const Computation* callee : {condition, body}) {
    if (llvm::Error error = CheckParameterCount(*callee, 1)) return error;
    if (llvm::Error error = CheckBinding(*callee, 0, state)) return error;
  }
  if (llvm::Error error = CheckPredicate(*condition)) return error;
  if (!Compatible(body->root->shape, state)) {
    return Violation("expected the shape " + state.ToString(false) + " from computation " +
                     body->name + ", found " + body->root->shape.ToString(false));
  }
  return state;
}

// The choice, a pred[] or the number of a branch, and an argument for each branch.
Expected Conditional(const Instruction& instruction) {
  const size_t branches = instruction.called.size();
  // Either a list, or one for true and one for false; with both, nothing says which is which.
  if (branches > 1 &&
      !(branches == 2 && instruction.called_as[0] == "true_computation" &&
        instruction.called_as[1] == "false_computation") &&
      !llvm::all_of(instruction.called_as,
                    [](llvm::StringRef key) { return key == "branch_computations"; })) {
    return Violation(
        "expected branch_computations, or true_computation and false_computation, of " +
        instruction.opcode_text);
  }
  if (branches == 0 || instruction.operands.size() != branches + 1) {
    return Violation("expected an operand for each of " + llvm::Twine(branches) +
                     " branches, and the one that chooses, found " +
                     llvm::Twine(instruction.operands.size()));
  }
  const Shape& choice = Operand(instruction, 0);
  const bool chooses =
      choice.IsScalar() && (choice.type == PrimitiveType::kS32 ||
                            (choice.type == PrimitiveType::kPred && branches == 2));
  if (!chooses) {
    return Violation(
        "expected an s32[], or a pred[] for two branches, to choose the branch, found " +
        choice.ToString(false));
  }
  const Shape& result = instruction.called[0]->root->shape;
  for (size_t i = 0; i < branches; ++i) {
    const Computation& branch = *instruction.called[i];
    if (llvm::Error error = CheckParameterCount(branch, 1)) return error;
    if (llvm::Error error = CheckBinding(branch, 0, Operand(instruction, i + 1))) return error;
    if (!Compatible(branch.root->shape, result)) {
      return Violation("expected the shape " + result.ToString(false) + " from computation " +
                       branch.name + ", found " + branch.root->shape.ToString(false));
    }
  }
  return result;
}

Expected OptimizationBarrier(const Instruction& instruction) {
  if (instruction.operands.size() == 1) return Operand(instruction, 0);
  return Tuple(instruction);
}

Expected AfterAll(const Instruction&) {
  Shape token;
  token.type = PrimitiveType::kToken;
  return token;
}

Expected SameAsFirst(const Instruction& instruction) { return Operand(instruction, 0); }

constexpr OpcodeRule kControlRules[] = {
    {Opcode::kAddDependency, SameAsFirst},
    {Opcode::kAfterAll, AfterAll},
    {Opcode::kCall, Call},
    {Opcode::kConditional, Conditional},
    {Opcode::kDomain, SameAsFirst},
    {Opcode::kFusion, Call},
    {Opcode::kGetTupleElement, GetTupleElement},
    {Opcode::kOptimizationBarrier, OptimizationBarrier},
    {Opcode::kTuple, Tuple},
    {Opcode::kWhile, While},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> ControlRules() { return kControlRules; }

}  // namespace affirm::hlo
