#include "verify/enclosure/folds.h"

#include <cmath>

#include "core/hlo/fold_opcodes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/enclosure/complex_functions.h"
#include "verify/scalar/float_limits.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::ScalarKind;
using hlo::ScalarKindOf;

namespace {

// The value without the conversions on the way to it, whose types are added.
const Instruction& Unconverted(const Instruction& value,
                               llvm::SmallVectorImpl<PrimitiveType>& types) {
  const Instruction* op = &value;
  for (; op->opcode == Opcode::kConvert || op->opcode == Opcode::kCopy; op = op->operands[0])
    types.push_back(op->shape.type);
  types.push_back(op->shape.type);
  return *op;
}

// The one type whose numbers all others of them have; kInvalid where none is.
PrimitiveType NarrowestOf(llvm::ArrayRef<PrimitiveType> types) {
  if (llvm::all_equal(types)) return types.front();
  if (!llvm::all_of(types, hlo::IsFloat)) return PrimitiveType::kInvalid;
  auto is_within = [](PrimitiveType a, PrimitiveType b) {
    return UnitRoundoff(a) >= UnitRoundoff(b) && hlo::LargestFinite(a) <= hlo::LargestFinite(b) &&
           LeastNumber(a) >= LeastNumber(b);
  };
  for (PrimitiveType type : types) {
    if (llvm::all_of(types, [&](PrimitiveType other) { return is_within(type, other); }))
      return type;
  }
  return PrimitiveType::kInvalid;
}

}  // namespace

FoldStep FoldStepOf(const hlo::Computation& combiner, int64_t arity, int64_t leaf) {
  if (std::ssize(combiner.parameters) != 2 * arity) return {};
  const Instruction* result = combiner.root;
  if (result->opcode == Opcode::kTuple) result = result->operands[leaf];
  llvm::SmallVector<PrimitiveType> types;
  const Instruction& operation = Unconverted(*result, types);
  if (!hlo::FoldsInAnyOrder(operation.opcode) || operation.operands.size() != 2) return {};
  const Instruction *x = &Unconverted(*operation.operands[0], types),
                    *y = &Unconverted(*operation.operands[1], types);
  const Instruction *running = combiner.parameters[leaf],
                    *element = combiner.parameters[arity + leaf];
  if (!(x == running && y == element) && !(x == element && y == running)) return {};
  // Integers that a conversion cuts off are another fold.
  const PrimitiveType type = NarrowestOf(types);
  if (type == PrimitiveType::kInvalid) return {};
  return {&operation, type, /*rounds_elements=*/type != running->shape.type};
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

AnyOrderFold::AnyOrderFold(const FoldStep& step, const hlo::ScalarOp& exact, Freedom freedom)
    : step_(step),
      exact_(&exact),
      freedom_(freedom),
      is_sum_(step.operation->opcode == Opcode::kAdd &&
              ScalarKindOf(step.type) != ScalarKind::kInt),
      is_product_(step.operation->opcode == Opcode::kMultiply && hlo::IsFloat(step.type)),
      real_(is_sum_ ? hlo::PartType(step.type) : PrimitiveType::kF64),
      imaginary_(is_sum_ ? hlo::PartType(step.type) : PrimitiveType::kF64),
      product_(is_product_ ? step.type : PrimitiveType::kF64) {}

void AnyOrderFold::Add(const Enclosure& given) {
  Enclosure element = given;
  if (step_.rounds_elements) element.real = InStepType(element.real);
  if (is_sum_) {
    real_.Add(element.real);
    if (hlo::IsComplex(step_.type)) imaginary_.Add(element.imaginary);
    return;
  }
  if (is_product_) return product_.Add(element.real);
  if (hlo::IsComplex(step_.type)) {
    magnitude_ *= ComplexMagnitude(hlo::PartType(step_.type), element).hi;
    ++count_;
  }
  if (!folded_) {
    folded_ = element;
    return;
  }
  folded_ = Elementwise(*step_.operation, {*folded_, element}, *exact_, freedom_);
  // The operation may be one of a wider type than the elements.
  if (hlo::IsFloat(step_.type) && step_.operation->shape.type != step_.type)
    folded_->real = InStepType(folded_->real);
}

Interval AnyOrderFold::InStepType(const Interval& a) const {
  return Rounded(a, step_.type, {.excess = freedom_.excess_precision});
}

void AnyOrderFold::AddPerhaps(const Enclosure& element) {
  // A sum may have it as zero, a product as one.
  if (is_sum_) return Add(Hull(step_.type, element, Enclosure::Of(step_.type, {})));
  if (is_product_) return Add({.real = Hull(element.real, Interval::Of(1))});
  const std::optional<Enclosure> without = folded_;
  Add(element);
  folded_ = Hull(step_.type, *without, *folded_);
}

Enclosure AnyOrderFold::Result() const {
  // The last partial result of a narrow type is one of its numbers, unless it is kept in f32.
  const bool is_narrow = hlo::IsFloat(step_.type) && hlo::BitWidth(step_.type) < 32;
  auto last = [&](const Interval& a) {
    return is_narrow && !freedom_.excess_precision ? InStepType(a) : a;
  };
  if (is_sum_) return {.real = last(real_.Result()), .imaginary = imaginary_.Result()};
  if (is_product_) return Enclosure::Real(last(product_.Result()));
  if (!folded_) return Enclosure::Whole(step_.type);
  if (!hlo::IsComplex(step_.type)) return *folded_;
  // In another order other parts are rounded: a product is off by 2 sqrt(2) u of its magnitude
  // (Higham, section 3.6).
  const PrimitiveType part = hlo::PartType(step_.type);
  const double error = 4 * static_cast<double>(count_) * UnitRoundoff(part) * magnitude_;
  if (!std::isfinite(hlo::RoundTo(part, 2 * magnitude_))) return Enclosure::Whole(step_.type);
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

Enclosure TupleFold::InOrder(llvm::ArrayRef<EnclosureTuple> tuples) const {
  EnclosureTuple running = tuples[0];
  for (const EnclosureTuple& tuple : tuples.drop_front()) {
    EnclosureTuple both = running;
    both.append(tuple);
    running = llvm::to_vector<2>(function_->Apply(both));
  }
  return running[leaf_];
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
