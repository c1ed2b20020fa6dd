#include "driver/equivalence/all_arguments.h"

#include <cmath>
#include <cstring>

#include "core/hlo/leaves.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/folds.h"
#include "verify/reference/compare.h"
#include "verify/reference/devices.h"
#include "verify/reference/open_elements.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {
namespace {

using hlo::Literal;
using hlo::Opcode;

// Bits of the leaves that they have together; nullopt for more than `most`.
std::optional<int64_t> BitsOfLeaves(const hlo::Shape& shape, int64_t most) {
  int64_t bits = 0;
  for (const hlo::Shape* leaf : hlo::LeafShapes(shape)) {
    if (!leaf->IsArray() || !(hlo::IsInt(leaf->type) || hlo::IsFloat(leaf->type)))
      return std::nullopt;
    const int64_t width = leaf->type == hlo::PrimitiveType::kPred ? 1 : hlo::BitWidth(leaf->type);
    int64_t elements = 1;
    for (auto [d, size] : llvm::enumerate(leaf->dims)) {
      if (leaf->IsDynamic(static_cast<int64_t>(d)) || size > most) return std::nullopt;
      elements *= size;
      if (elements > most) return std::nullopt;
    }
    bits += elements * width;
    if (bits > most) return std::nullopt;
  }
  return bits;
}

// Takes the bits of its elements from the lowest of `bits`.
void FillWithBits(Literal& literal, uint64_t& bits) {
  if (literal.shape().IsTuple()) {
    for (Literal& element : literal.tuple()) FillWithBits(element, bits);
    return;
  }
  const hlo::PrimitiveType type = literal.shape().type;
  const int64_t width = type == hlo::PrimitiveType::kPred ? 1 : hlo::BitWidth(type);
  for (int64_t i = 0; i < literal.NumElements(); ++i, bits >>= width) {
    const uint64_t element = bits & ((uint64_t{1} << width) - 1);
    if (hlo::IsInt(type)) {
      literal.SetInt(i, hlo::IntType::Of(type).Wrap(element));
    } else if (width > 8) {
      literal.Set<uint16_t>(i, static_cast<uint16_t>(element));
    } else {
      literal.Set<uint8_t>(i, static_cast<uint8_t>(element));
    }
  }
}

bool ComputesFloats(const hlo::Shape& shape) {
  return llvm::any_of(hlo::LeafShapes(shape), [](const hlo::Shape* leaf) {
    return hlo::IsFloat(leaf->type) || hlo::IsComplex(leaf->type);
  });
}

// Whether a fold by the combiner is one value whatever its order.
bool IsAnyOrderFold(const hlo::Computation& combiner) {
  const auto arity = static_cast<int64_t>(combiner.parameters.size() / 2);
  for (int64_t leaf = 0; leaf < arity; ++leaf) {
    const enclosure::FoldStep step = enclosure::FoldStepOf(combiner, arity, leaf);
    if (step.operation == nullptr) return false;
    const Opcode opcode = step.operation->opcode;
    const bool rounds = opcode == Opcode::kAdd || opcode == Opcode::kMultiply;
    if (rounds && ComputesFloats(step.operation->shape)) return false;
  }
  return true;
}

// Whether devices compute it by formulas, or in orders, of their own.
bool HasFormulasOrOrders(const hlo::Instruction& op) {
  if (hlo::HasFormulasOfItsOwn(op)) return true;
  switch (op.opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kCholesky:
    case Opcode::kConvolution:
    case Opcode::kDivide:
    case Opcode::kDot:
    case Opcode::kFft:
    case Opcode::kRaggedDot:
    case Opcode::kReducePrecision:
    case Opcode::kRsqrt:
    case Opcode::kScaledDot:
    case Opcode::kSqrt:
    case Opcode::kTriangularSolve:
      return ComputesFloats(op.shape);
    case Opcode::kAllReduce:
    case Opcode::kReduceScatter:
    case Opcode::kScan:
      return true;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
      return op.called.empty() || !IsAnyOrderFold(*op.called.back());
    case Opcode::kSelectAndScatter: {
      const auto combiner = llvm::find(op.called_as, "scatter");
      return combiner == op.called_as.end() ||
             !IsAnyOrderFold(*op.called[combiner - op.called_as.begin()]);
    }
    default:
      return hlo::MathBoundOf(op.opcode) > 0 && ComputesFloats(op.shape);
  }
}

}  // namespace

std::optional<AllArguments> AllArguments::Of(const hlo::Computation& computation) {
  int64_t bits = 0;
  for (const hlo::Instruction* parameter : computation.parameters) {
    const auto more = BitsOfLeaves(parameter->shape, kMostBits - bits);
    if (!more) return std::nullopt;
    bits += *more;
  }
  return AllArguments(computation, bits);
}

std::vector<Literal> AllArguments::Make(int64_t number) const {
  std::vector<Literal> arguments;
  auto bits = static_cast<uint64_t>(number);
  for (const hlo::Instruction* parameter : computation_->parameters) {
    arguments.emplace_back(parameter->shape);
    FillWithBits(arguments.back(), bits);
  }
  return arguments;
}

bool IsDefinedToTheBit(const hlo::Computation& computation) {
  return !hlo::DependsOnDevices(computation) && !hlo::MayLeaveOpen(computation) &&
         llvm::none_of(AllInstructions(computation),
                       [](const hlo::Instruction* op) { return HasFormulasOrOrders(*op); });
}

bool IsSameToTheBit(const Literal& a, const Literal& b) {
  if (a.shape().dims != b.shape().dims) return false;
  const auto width = static_cast<size_t>(hlo::ByteWidth(a.shape().type));
  for (int64_t i = 0; i < a.NumElements(); ++i) {
    const auto at = static_cast<size_t>(i) * width;
    if (std::memcmp(a.data() + at, b.data() + at, width) == 0) continue;
    const bool are_nan =
        hlo::IsFloat(a.shape().type) && std::isnan(a.GetFloat(i)) && std::isnan(b.GetFloat(i));
    if (!are_nan) return false;
  }
  return true;
}

}  // namespace affirm::driver
