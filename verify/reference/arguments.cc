// Arguments for computations from a random seed: numbers by kind, with indices in and around the
// bounds that FindIndexUses gives.
#include "verify/reference/arguments.h"

#include <cmath>

#include "core/hlo/float_format.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/reference/argument_values.h"
#include "verify/reference/index_uses.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/ops.h"
#include "verify/scalar/elementwise_convert.h"
#include "verify/scalar/nan_bits.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

bool IsFloat(const Shape& shape) {
  return shape.IsArray() && ScalarKindOf(shape.type) == ScalarKind::kFloat;
}

// Whether a NaN may decide more than that values computed from it are NaN: by its sign or payload,
// or because it is in no order.
bool DependsOnNaN(const Instruction& op) {
  return SeesBitsOfNaN(op) || op.opcode == Opcode::kReducePrecision || op.opcode == Opcode::kSort;
}

// Whether each float of the result is one of the operands', or has its magnitude.
bool MovesFloats(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kNegate:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

// Whether floats are finite where those of the computation's parameters are.
bool IsFinite(const Instruction& op, const Computation& computation) {
  if (!IsFloat(op.shape)) return true;
  if (op.opcode == Opcode::kParameter) return llvm::is_contained(computation.parameters, &op);
  if (op.opcode == Opcode::kConstant)
    return op.literal && op.literal->NumElements() == 1 && std::isfinite(op.literal->GetFloat(0));
  return MovesFloats(op.opcode) && llvm::all_of(op.operands, [&](const Instruction* operand) {
           return IsFinite(*operand, computation);
         });
}

// Whether there is no NaN among them then. Types of few bits have one where others have infinity.
bool IsNeverNaN(const Instruction& op, const Computation& computation) {
  auto operands = [&](bool (*are)(const Instruction&, const Computation&)) {
    return llvm::all_of(op.operands,
                        [&](const Instruction* operand) { return are(*operand, computation); });
  };
  if (IsFinite(op, computation)) return true;
  if (BitWidth(op.shape.type) < 16) return false;
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kSubtract:
      return operands(IsFinite);
    case Opcode::kReducePrecision:
      return operands(IsNeverNaN);
    default:
      return MovesFloats(op.opcode) && operands(IsNeverNaN);
  }
}

// Functions of complex numbers have bounded errors for parts of moderate size alone.
bool IsComplexFunction(const Instruction& op) {
  auto is_complex = [](const Shape& shape) {
    return shape.IsArray() && ScalarKindOf(shape.type) == ScalarKind::kComplex;
  };
  if (!IsElementwise(op.opcode) || op.operands.empty()) return false;
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kCompare:
    case Opcode::kComplex:
    case Opcode::kCopy:
    case Opcode::kImag:
    case Opcode::kNegate:
    case Opcode::kReal:
    case Opcode::kSelect:
    case Opcode::kSubtract:
      return false;
    default:
      return is_complex(op.operands[0]->shape);
  }
}

// Whether the predicate holds for an instruction of the computation, or of what it calls.
bool AnyInstruction(const Computation& computation,
                    llvm::function_ref<bool(const Instruction&)> predicate) {
  llvm::SetVector<const Computation*> reached;
  reached.insert(&computation);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& op : reached[i]->instructions) {
      if (predicate(*op)) return true;
      reached.insert(op->called.begin(), op->called.end());
    }
  }
  return false;
}

// The scalar constants of the computation and of what it calls, the first ones that differ.
Constants FindConstants(const Computation& computation) {
  constexpr size_t kMost = 64;
  Constants constants;
  AnyInstruction(computation, [&](const Instruction& op) {
    if (op.opcode != Opcode::kConstant || !op.literal || !op.shape.IsArray()) return false;
    if (op.literal->NumElements() != 1) return false;
    const Scalar value = Load(*op.literal, 0);
    auto add = [&](auto& to, auto number) {
      if (to.size() < kMost && !llvm::is_contained(to, number)) to.push_back(number);
    };
    if (ScalarKindOf(op.shape.type) == ScalarKind::kInt) add(constants.ints, value.i);
    if (IsFloat(op.shape) && std::isfinite(value.re)) add(constants.floats, value.re);
    return false;
  });
  return constants;
}

// Which of the values, or patterns, of a patterned kind an argument has.
uint64_t NumberOfPattern(ArgumentKind kind, uint64_t seed, uint64_t parameter) {
  if (kind == ArgumentKind::kRows) return seed + 2 * parameter;
  return seed + parameter * (seed / kUniformValues);
}

// Whether floats have to be moderate, so that no bits of a NaN are seen.
bool NeedsPlainFloats(const Computation& computation, ArgumentKind kind) {
  if (kind == ArgumentKind::kSmall || kind == ArgumentKind::kPositive) return false;
  return AnyInstruction(computation, [&](const Instruction& op) {
    if (!DependsOnNaN(op)) return false;
    return kind != ArgumentKind::kEdges ||
           !llvm::all_of(op.operands, [&](const Instruction* operand) {
             return IsNeverNaN(*operand, computation);
           });
  });
}

}  // namespace

const char* Name(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kSmall:
      return "small";
    case ArgumentKind::kRounding:
      return "rounding";
    case ArgumentKind::kSpecial:
      return "special";
    case ArgumentKind::kWide:
      return "wide";
    case ArgumentKind::kPositive:
      return "positive";
    case ArgumentKind::kEdges:
      return "edges";
    case ArgumentKind::kUniform:
      return "uniform";
    case ArgumentKind::kEnds:
      return "ends";
    case ArgumentKind::kRows:
      return "rows";
    case ArgumentKind::kConstants:
      return "constants";
  }
  return "?";
}

std::vector<Literal> MakeArguments(const Computation& computation, uint64_t seed,
                                   ArgumentKind kind) {
  const std::vector<std::vector<IndexUse>> uses = FindIndexUses(computation);
  const bool plain_floats = NeedsPlainFloats(computation, kind);
  const bool plain_complex =
      kind != ArgumentKind::kSmall && AnyInstruction(computation, IsComplexFunction);
  const Constants constants =
      kind == ArgumentKind::kConstants ? FindConstants(computation) : Constants();
  std::vector<Literal> arguments;
  for (size_t k = 0; k < computation.parameters.size(); ++k) {
    // A sequence for each parameter, so that adding one leaves the others alone.
    const uint64_t of_kind = static_cast<uint64_t>(kind) << 32;
    Random random(Random(seed ^ Random(k | of_kind).Next()).Next());
    const Instruction* parameter = computation.parameters[k];
    Result literal = parameter == nullptr ? Literal() : NewLiteral(*parameter, parameter->shape);
    if (!literal) {
      llvm::consumeError(literal.takeError());
      arguments.emplace_back();
      continue;
    }
    llvm::ArrayRef<IndexUse> of_parameter = uses[k];
    if (parameter != nullptr) {
      const uint64_t number = NumberOfPattern(kind, seed, k);
      ArgumentFiller{kind, plain_floats, plain_complex, random, number, &constants}.Fill(
          *literal, of_parameter);
    }
    arguments.push_back(std::move(*literal));
  }
  EnforceIndexPromises(computation, arguments);
  return arguments;
}

struct ArgumentElements::Impl {
  ArgumentKind kind;
  bool plain_floats, plain_complex;
  std::vector<std::vector<IndexUse>> uses;
  std::vector<std::vector<const Shape*>> shapes;  // of the leaves of each parameter
  std::vector<uint64_t> seeds, numbers;           // of each parameter
};

ArgumentElements::ArgumentElements(const Computation& computation, uint64_t seed, ArgumentKind kind)
    : impl_(std::make_unique<Impl>()) {
  impl_->kind = kind;
  impl_->plain_floats = NeedsPlainFloats(computation, kind);
  impl_->plain_complex =
      kind != ArgumentKind::kSmall && AnyInstruction(computation, IsComplexFunction);
  impl_->uses = FindIndexUses(computation);
  for (size_t k = 0; k < computation.parameters.size(); ++k) {
    const uint64_t of_kind = static_cast<uint64_t>(kind) << 32;
    impl_->seeds.push_back(Random(seed ^ Random(k | of_kind).Next()).Next());
    impl_->numbers.push_back(NumberOfPattern(kind, seed, k));
    impl_->shapes.push_back(LeafShapes(computation.parameters[k]->shape));
  }
}
ArgumentElements::~ArgumentElements() = default;

Scalar ArgumentElements::At(int64_t parameter, int64_t leaf, int64_t linear) const {
  // A sequence for each element.
  const auto place = static_cast<uint64_t>(linear) + (static_cast<uint64_t>(leaf) << 48);
  Random random(Random(impl_->seeds[parameter] ^ Random(place).Next()).Next());
  const Shape& shape = *impl_->shapes[parameter][leaf];
  const PrimitiveType type = shape.type;
  const IndexUse& use = impl_->uses[parameter][leaf];
  ArgumentFiller filler{impl_->kind, impl_->plain_floats, impl_->plain_complex, random,
                        impl_->numbers[parameter]};
  Scalar value = impl_->kind == ArgumentKind::kRows ? filler.RowValue(shape, use, linear)
                                                    : filler.Value(type, use);
  if (ScalarKindOf(type) == ScalarKind::kFloat) value.re = RoundTo(type, value.re);
  if (ScalarKindOf(type) == ScalarKind::kComplex) {
    value.re = RoundTo(PartType(type), value.re);
    value.im = RoundTo(PartType(type), value.im);
  }
  return value;
}

bool ArgumentElements::NeedUniqueIndices(const Computation& computation) {
  return AnyInstruction(computation, [](const Instruction& op) {
    return op.opcode == Opcode::kScatter && op.attributes.unique_indices;
  });
}

std::vector<Literal> MakeArguments(const Computation& computation, uint64_t seed) {
  return MakeArguments(computation, seed, ArgumentKind::kSmall);
}

}  // namespace affirm::hlo
