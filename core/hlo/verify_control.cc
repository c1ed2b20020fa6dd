// Shape rules of tuples and of the operations that call computations.
#include "core/hlo/attribute_values.h"
#include "core/hlo/shape_inference.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {

// A combiner takes n accumulated scalars and n new ones and returns n scalars.
llvm::Error CheckCombiner(const Instruction& instruction, size_t n) {
  if (instruction.called.size() != 1) {
    return Violation("expected to_apply, the computation that combines two elements");
  }
  const Computation& combiner = *instruction.called[0];
  if (combiner.parameters.size() != 2 * n) {
    return Violation("expected " + llvm::Twine(2 * n) + " parameters of computation " +
                     combiner.name + ", found " + llvm::Twine(combiner.parameters.size()));
  }
  for (const Instruction* parameter : combiner.parameters) {
    if (parameter != nullptr && parameter->shape.IsScalar()) continue;
    return Violation("expected scalar parameters of computation " + combiner.name);
  }
  const Shape& result = combiner.root->shape;
  const bool returns_n = n == 1
                             ? result.IsScalar() || (result.IsTuple() && result.tuple.size() == 1)
                             : result.IsTuple() && result.tuple.size() == n;
  if (returns_n) return llvm::Error::success();
  return Violation("expected computation " + combiner.name + " to return " + llvm::Twine(n) +
                   " scalars, found " + result.ToString(false));
}

namespace {

using Expected = llvm::Expected<Shape>;

const Shape& Operand(const Instruction& instruction, int64_t i) {
  return instruction.operands[i]->shape;
}

llvm::Error CheckCallees(const Instruction& instruction, size_t count) {
  if (instruction.called.size() == count) return llvm::Error::success();
  return Violation("expected " + llvm::Twine(count) + " called computations of " +
                   instruction.opcode_text + ", found " + llvm::Twine(instruction.called.size()));
}

llvm::Error CheckParameterCount(const Computation& callee, size_t count) {
  if (callee.parameters.size() == count) return llvm::Error::success();
  return Violation("expected " + llvm::Twine(callee.parameters.size()) +
                   " operands, one for each parameter of computation " + callee.name + ", found " +
                   llvm::Twine(count));
}

llvm::Error CheckBinding(const Computation& callee, int64_t number, const Shape& argument) {
  if (callee.parameters[number] == nullptr) {
    return Violation("expected a parameter " + llvm::Twine(number) + " of computation " +
                     callee.name);
  }
  const Shape& parameter = callee.parameters[number]->shape;
  if (Compatible(parameter, argument)) return llvm::Error::success();
  return Violation("expected the shape " + argument.ToString(false) + " of parameter " +
                   llvm::Twine(number) + " of computation " + callee.name + ", found " +
                   parameter.ToString(false));
}

Expected Parameter(const Instruction& instruction) {
  if (instruction.parameter_number < 0) return Violation("expected the number of the parameter");
  return WrittenShape(instruction);
}

Expected Constant(const Instruction& instruction) {
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  if (instruction.literal && !instruction.literal->shape().SameIgnoringLayout(*written)) {
    return Violation("expected a value of the shape " + written->ToString(false) + ", found " +
                     instruction.literal->shape().ToString(false));
  }
  return written;
}

Expected Tuple(const Instruction& instruction) {
  std::vector<Shape> elements;
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

// Scalar parameters, one for each operand, whose elements it maps.
Expected Map(const Instruction& instruction) {
  if (llvm::Error error = CheckCallees(instruction, 1)) return error;
  const Computation& callee = *instruction.called[0];
  if (instruction.operands.empty()) return Violation("expected at least 1 operand of map");
  if (llvm::Error error = CheckParameterCount(callee, instruction.operands.size())) return error;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
    const Shape& operand = Operand(instruction, i);
    if (!SameSizes(operand.dims, Operand(instruction, 0).dims)) {
      return Violation("expected operands of map of one size");
    }
    if (llvm::Error error =
            CheckBinding(callee, static_cast<int64_t>(i), Shape::Array(operand.type, {}))) {
      return error;
    }
  }
  if (!callee.root->shape.IsScalar()) {
    return Violation("expected a scalar from computation " + callee.name + ", found " +
                     callee.root->shape.ToString(false));
  }
  return Shape::Array(callee.root->shape.type, Operand(instruction, 0).dims);
}

llvm::Error CheckPredicate(const Computation& callee) {
  const Shape& result = callee.root->shape;
  if (result.IsScalar() && result.type == PrimitiveType::kPred) return llvm::Error::success();
  return Violation("expected a pred[] from computation " + callee.name + ", found " +
                   result.ToString(false));
}

Expected Sort(const Instruction& instruction) {
  if (llvm::Error error = CheckCallees(instruction, 1)) return error;
  if (instruction.operands.empty()) return Violation("expected at least 1 operand of sort");
  const Computation& comparator = *instruction.called[0];
  if (llvm::Error error = CheckPredicate(comparator)) return error;
  if (llvm::Error error = CheckParameterCount(comparator, 2 * instruction.operands.size())) {
    return error;
  }
  std::vector<Shape> results;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
    const Shape& operand = Operand(instruction, i);
    if (!SameSizes(operand.dims, Operand(instruction, 0).dims)) {
      return Violation("expected operands of sort of one size");
    }
    for (size_t side : {0, 1}) {
      const auto number = static_cast<int64_t>(2 * i + side);
      if (llvm::Error error = CheckBinding(comparator, number, Shape::Array(operand.type, {}))) {
        return error;
      }
    }
    results.push_back(operand);
  }
  if (llvm::Error error = CheckDimensions(instruction.attributes.dimensions, results[0].rank(),
                                          "dimensions to sort")) {
    return error;
  }
  return results.size() == 1 ? results[0] : Shape::Tuple(std::move(results));
}

// The k largest or smallest of each row of the last dimension, and where they stand in it.
Expected TopK(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  const Shape& operand = Operand(instruction, 0);
  const std::optional<int64_t> k = IntegerAttribute(instruction.attributes, "k");
  if (!k || operand.dims.empty() || *k < 0 ||
      (operand.dims.back() != kUnboundedSize && *k > operand.dims.back())) {
    return Violation("expected k, at most the size of the last dimension of " +
                     operand.ToString(false));
  }
  std::vector<int64_t> sizes = operand.dims;
  sizes.back() = *k;
  return Shape::Tuple(
      {Shape::Array(operand.type, sizes), Shape::Array(PrimitiveType::kS32, sizes)});
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

// inputs, initial carries -> outputs, carries. The computation takes and returns slices of them.
Expected Scan(const Instruction& instruction) {
  if (llvm::Error error = CheckCallees(instruction, 1)) return error;
  const Computation& callee = *instruction.called[0];
  const int64_t carries = instruction.attributes.num_carries;
  if (carries < 0 || carries > static_cast<int64_t>(instruction.operands.size())) {
    return Violation("expected num_carries from 0 to " + llvm::Twine(instruction.operands.size()) +
                     ", found " + llvm::Twine(carries));
  }
  if (llvm::Error error = CheckParameterCount(callee, instruction.operands.size())) return error;
  return WrittenShape(instruction);
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

Expected PartitionNumber(const Instruction&) { return Shape::Array(PrimitiveType::kU32, {}); }

constexpr OpcodeRule kRules[] = {
    {Opcode::kAddDependency, SameAsFirst},
    {Opcode::kAfterAll, AfterAll},
    {Opcode::kCall, Call},
    {Opcode::kConditional, Conditional},
    {Opcode::kConstant, Constant},
    {Opcode::kDomain, SameAsFirst},
    {Opcode::kFusion, Call},
    {Opcode::kGetTupleElement, GetTupleElement},
    {Opcode::kMap, Map},
    {Opcode::kOptimizationBarrier, OptimizationBarrier},
    {Opcode::kParameter, Parameter},
    {Opcode::kPartitionId, PartitionNumber},
    {Opcode::kReplicaId, PartitionNumber},
    {Opcode::kScan, Scan},
    {Opcode::kSort, Sort},
    {Opcode::kTopk, TopK},
    {Opcode::kTuple, Tuple},
    {Opcode::kWhile, While},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> ControlRules() { return kRules; }

}  // namespace affirm::hlo
