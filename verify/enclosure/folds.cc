#include "verify/enclosure/folds.h"

#include <cmath>

#include "core/hlo/fold_opcodes.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/elementwise_convert.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::ScalarKind;
using hlo::ScalarKindOf;

namespace {

const Instruction& Unconverted(const Instruction& value) {
  const Instruction* op = &value;
  while (op->opcode == Opcode::kConvert || op->opcode == Opcode::kCopy) op = op->operands[0];
  return *op;
}

PrimitiveType PartOf(PrimitiveType type) {
  return hlo::IsComplex(type) ? hlo::PartType(type) : type;
}

}  // namespace

const Instruction* FoldOperationOf(const hlo::Computation& combiner, int64_t arity, int64_t leaf) {
  if (std::ssize(combiner.parameters) != 2 * arity) return nullptr;
  const Instruction* result = combiner.root;
  if (result->opcode == Opcode::kTuple) result = result->operands[leaf];
  const Instruction& operation = Unconverted(*result);
  if (!hlo::FoldsInAnyOrder(operation.opcode) || operation.operands.size() != 2) return nullptr;
  const Instruction *x = &Unconverted(*operation.operands[0]),
                    *y = &Unconverted(*operation.operands[1]);
  const Instruction *running = combiner.parameters[leaf],
                    *element = combiner.parameters[arity + leaf];
  const bool combines = (x == running && y == element) || (x == element && y == running);
  // Integers that a conversion cuts off are another fold.
  const bool converts = operation.shape.type != result->shape.type;
  const bool is_float = hlo::IsFloat(operation.shape.type) && hlo::IsFloat(result->shape.type);
  return combines && (!converts || is_float) ? &operation : nullptr;
}

bool Selects(const hlo::Computation& combiner) {
  return llvm::all_of(combiner.instructions, [](const auto& op) {
    switch (op->opcode) {
      case Opcode::kAnd:
      case Opcode::kCompare:
      case Opcode::kConstant:
      case Opcode::kCopy:
      case Opcode::kGetTupleElement:
      case Opcode::kMaximum:
      case Opcode::kMinimum:
      case Opcode::kNot:
      case Opcode::kOr:
      case Opcode::kParameter:
      case Opcode::kSelect:
      case Opcode::kTuple:
      case Opcode::kXor:
        return true;
      default:
        return false;
    }
  });
}

AnyOrderFold::AnyOrderFold(const Instruction& operation, PrimitiveType type,
                           const hlo::ScalarOp& exact, Freedom freedom)
    : operation_(&operation),
      type_(type),
      exact_(&exact),
      freedom_(freedom),
      is_sum_(operation.opcode == Opcode::kAdd && ScalarKindOf(type) != ScalarKind::kInt),
      is_product_(operation.opcode == Opcode::kMultiply && hlo::IsFloat(type)),
      real_(is_sum_ ? PartOf(type) : PrimitiveType::kF64),
      imaginary_(is_sum_ ? PartOf(type) : PrimitiveType::kF64) {}

void AnyOrderFold::MultiplyBy(const Interval& factor) {
  const Interval magnitude = Magnitude(factor);
  if (!magnitude.HasNumbers()) return;
  if (magnitude.hi > 0) grows_ += std::max(0.0, std::log2(magnitude.hi));
  shrinks_ += magnitude.lo > 0 ? std::max(0.0, -std::log2(magnitude.lo)) : 0;
}

void AnyOrderFold::Add(const Enclosure& element) {
  if (is_sum_) {
    real_.Add(element.real);
    if (hlo::IsComplex(type_)) imaginary_.Add(element.imaginary);
    return;
  }
  if (is_product_) MultiplyBy(element.real);
  if (!folded_) {
    folded_ = element;
    return;
  }
  folded_ = Elementwise(*operation_, {*folded_, element}, *exact_, freedom_);
  // The operation may be one of a wider type than the elements.
  if (hlo::IsFloat(type_) && operation_->shape.type != type_)
    folded_->real = Rounded(folded_->real, type_);
}

Enclosure AnyOrderFold::Result() const {
  if (is_sum_) return {.real = real_.Result(), .imaginary = imaginary_.Result()};
  if (!folded_) return Enclosure::Whole(type_);
  // Parts of a product may leave the numbers of the type in one order and not in another.
  const double most = hlo::RoundTo(type_, 0x1p100) == 0x1p100 ? 126 : 14;
  if (is_product_ && (grows_ > most || shrinks_ > most)) return Enclosure::Whole(type_);
  return *folded_;
}

}  // namespace affirm::enclosure
