#include "verify/enclosure/folds.h"

#include <cmath>

#include "core/hlo/fold_opcodes.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/complex_functions.h"
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
  if (hlo::IsComplex(type_)) {
    magnitude_ *= ComplexMagnitude(PartOf(type_), element).hi;
    ++count_;
  }
  if (!folded_) {
    folded_ = element;
    return;
  }
  folded_ = Elementwise(*operation_, {*folded_, element}, *exact_, freedom_);
  // The operation may be one of a wider type than the elements.
  if (hlo::IsFloat(type_) && operation_->shape.type != type_)
    folded_->real = Rounded(folded_->real, type_);
}

void AnyOrderFold::AddPerhaps(const Enclosure& element) {
  // A sum may have it as zero.
  if (is_sum_) return Add(Hull(type_, element, Enclosure::Of(type_, {})));
  const std::optional<Enclosure> without = folded_;
  Add(element);
  folded_ = Hull(type_, *without, *folded_);
}

Enclosure AnyOrderFold::Result() const {
  if (is_sum_) return {.real = real_.Result(), .imaginary = imaginary_.Result()};
  if (!folded_) return Enclosure::Whole(type_);
  // Parts of a product may leave the numbers of the type in one order and not in another.
  const double most = hlo::RoundTo(type_, 0x1p100) == 0x1p100 ? 126 : 14;
  if (is_product_ && (grows_ > most || shrinks_ > most)) return Enclosure::Whole(type_);
  if (!hlo::IsComplex(type_)) return *folded_;
  // In another order other parts are rounded: a product is off by 2 sqrt(2) u of its magnitude
  // (Higham, section 3.6).
  const double error = 4 * static_cast<double>(count_) * UnitRoundoff(PartOf(type_)) * magnitude_;
  if (!std::isfinite(hlo::RoundTo(PartOf(type_), 2 * magnitude_))) return Enclosure::Whole(type_);
  const Interval spread = {.lo = -error, .hi = error};
  return {.real = enclosure::Sum(folded_->real, spread),
          .imaginary = enclosure::Sum(folded_->imaginary, spread)};
}

namespace {

// Whether a value is always one of two parameters, by selections alone.
bool IsOneOf(const Instruction& value, const Instruction* a, const Instruction* b) {
  if (value.opcode == Opcode::kCopy) return IsOneOf(*value.operands[0], a, b);
  if (value.opcode == Opcode::kSelect)
    return IsOneOf(*value.operands[1], a, b) && IsOneOf(*value.operands[2], a, b);
  return &value == a || &value == b;
}

}  // namespace

TupleFold::TupleFold(const hlo::Computation& combiner, ScalarEnclosures& function, int64_t arity,
                     int64_t leaf, bool keeps_order)
    : function_(&function), arity_(arity), leaf_(leaf), keeps_order_(keeps_order) {
  const Instruction& root = *combiner.root;
  picks_ = !keeps_order && Selects(combiner) &&
           IsOneOf(root.opcode == Opcode::kTuple ? *root.operands[leaf] : root,
                   combiner.parameters[leaf], combiner.parameters[arity + leaf]);
}

Enclosure TupleFold::Combined(const EnclosureTuple& first, const EnclosureTuple& second) const {
  EnclosureTuple both = first;
  both.append(second);
  return function_->Apply(both)[leaf_];
}

TupleFold::Winner TupleFold::WinnerOf(const EnclosureTuple& first,
                                      const EnclosureTuple& second) const {
  Combined(first, second);
  const int64_t chosen = function_->ChosenParameter(leaf_);
  return chosen < 0 ? Winner::kUnknown : chosen < arity_ ? Winner::kFirst : Winner::kSecond;
}

std::optional<Enclosure> TupleFold::Result(PrimitiveType type,
                                           llvm::ArrayRef<EnclosureTuple> tuples) const {
  if (tuples.size() == 1) return tuples[0][leaf_];
  if (!picks_) {
    if (tuples.size() != 2) return std::nullopt;
    const Enclosure forth = Combined(tuples[0], tuples[1]);
    return keeps_order_ ? forth : Hull(type, forth, Combined(tuples[1], tuples[0]));
  }
  // Comparisons order numbers, not NaN.
  const bool orders = llvm::none_of(tuples, [](const EnclosureTuple& tuple) {
    return llvm::any_of(tuple, [](const Enclosure& each) { return MayBeNaN(each); });
  });
  std::vector<const EnclosureTuple*> candidates;
  for (const EnclosureTuple& tuple : tuples) {
    bool is_beaten = false;
    if (orders)
      llvm::erase_if(candidates, [&](const EnclosureTuple* other) {
        const Winner forth = WinnerOf(*other, tuple), back = WinnerOf(tuple, *other);
        if (forth == Winner::kFirst && back == Winner::kSecond) is_beaten = true;
        return forth == Winner::kSecond && back == Winner::kFirst;
      });
    if (!is_beaten) candidates.push_back(&tuple);
  }
  Enclosure result = (*candidates[0])[leaf_];
  for (const EnclosureTuple* candidate : candidates)
    result = Hull(type, result, (*candidate)[leaf_]);
  return result;
}

}  // namespace affirm::enclosure
