#include "verify/kernel/proof/correspondences.h"

#include <limits>
#include <numbers>

#include "core/hlo/float_format.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/kernel/proof/reduced_precision.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using hlo::PrimitiveType;
using terms::Term;

namespace {

// Floats that are computed with as f32.
bool IsNarrow(PrimitiveType type) { return hlo::IsFloat(type) && hlo::BitWidth(type) <= 16; }

Term One(terms::Pool& pool, PrimitiveType type) {
  const bool wide = type == PrimitiveType::kF64;
  const llvm::APFloat one(wide ? llvm::APFloat::IEEEdouble() : llvm::APFloat::IEEEsingle(), 1);
  return pool.Literal(type, one.bitcastToAPInt().getZExtValue());
}

// The float type whose bits order: the type itself, or f32 for those of at most eight bits.
PrimitiveType KeyType(PrimitiveType type) {
  return hlo::BitWidth(type) <= 8 ? PrimitiveType::kF32 : type;
}

// A signed integer that orders as the float does in the total order: x ^ (x >>s (w - 1) >>u 1).
Term TotalOrderKey(terms::Scope& scope, Term value) {
  terms::Pool& pool = scope.pool();
  const PrimitiveType type = KeyType(value->type);
  const int64_t width = hlo::BitWidth(type);
  Term wide = terms::Convert(scope, value, value->type, type);
  Term bits = pool.IntegerOf(terms::WithBits(pool, wide, terms::IntegerType(width)));
  Term sign = terms::ShiftRightArithmetic(scope, bits, pool.Number(width - 1), width);
  Term flip = terms::ShiftRightLogical(scope, sign, pool.Number(1), width);
  return terms::Xor(scope, bits, flip, width);
}

// Whether an integer has one rounding on its way to the type through f32: it is exact in f32, or
// beyond whatever the type has.
bool RoundsOnce(terms::Scope& scope, Term integer, PrimitiveType to) {
  if (to != PrimitiveType::kBF16 && to != PrimitiveType::kF8E8M0FNU) return true;
  constexpr terms::Int128 kExact = terms::Int128{1} << 24;
  const terms::Range range = scope.RangeOf(scope.pool().IntegerOf(integer));
  return range.lo >= -kExact && range.hi <= kExact;
}

// Conversions between integers and narrow floats, through f32.
Term ThroughF32(terms::Pool& pool, terms::Scope& scope, Term hlo) {
  if ((hlo->name != "convert" && hlo->name != "convert-unsigned") || hlo->args.size() != 1)
    return nullptr;
  Term arg = hlo->args[0];
  const bool from_integer = terms::IntegerWidth(arg->type) > 0;
  if (from_integer && IsNarrow(hlo->type) && RoundsOnce(scope, arg, hlo->type)) {
    Term wide = pool.Apply(hlo->name, PrimitiveType::kF32, {arg});
    return pool.Apply("convert", hlo->type, {wide});
  }
  if (terms::IntegerWidth(hlo->type) > 0 && hlo::IsFloat(arg->type) && IsNarrow(arg->type)) {
    Term wide = terms::Convert(scope, arg, arg->type, PrimitiveType::kF32);
    return pool.Apply(hlo->name, hlo->type, {wide});
  }
  return nullptr;
}

// Where both are zero, their signs decide: 0 or pi, with the sign of y.
Term ArcTangentOfZeros(terms::Pool& pool, Term atan2) {
  Term y = atan2->args[0], x = atan2->args[1], zero = pool.Literal(atan2->type, 0);
  auto is = [&](llvm::StringRef direction, Term a) {
    return pool.Holds(terms::CompareFloats(pool, direction, false, a, zero));
  };
  auto literal = [&](double number) {
    return pool.Literal(atan2->type,
                        static_cast<terms::Int128>(hlo::EncodeFloat(atan2->type, number)));
  };
  Term sign_of_x = pool.Apply("copysign", atan2->type, {literal(1), x});
  Term half_turn = pool.Select(is("LT", sign_of_x), literal(std::numbers::pi), zero);
  return pool.Select(pool.And({is("EQ", x), is("EQ", y)}),
                     pool.Apply("copysign", atan2->type, {half_turn, y}), atan2);
}

// reduce-precision-5-10 of an f32 or f64; null where the name has no such numbers.
Term ReducedPrecision(terms::Scope& scope, Term hlo) {
  llvm::StringRef name = hlo->name;
  int64_t exponent = 0, mantissa = 0;
  if (!name.consume_front("reduce-precision-")) return nullptr;
  auto [first, second] = name.split('-');
  if (first.getAsInteger(10, exponent) || second.getAsInteger(10, mantissa) || exponent < 1)
    return nullptr;
  return ReducedByBits(scope, hlo->args[0], exponent, mantissa);
}

// Each part of each value once: products have both parts of their operands twice.
class PartBuilder {
 public:
  explicit PartBuilder(terms::Pool& pool) : pool_(pool) {}

  Term Build(Term value, ComplexPart part) {
    auto [known, fresh] = known_.try_emplace({value, static_cast<int>(part)}, nullptr);
    if (!fresh) return known->second;
    Term built = BuildNew(value, part);
    known_[{value, static_cast<int>(part)}] = built;
    return built;
  }

 private:
  Term BuildNew(Term value, ComplexPart part) {
    using enum ComplexPart;
    const bool operation = value->kind == terms::Kind::kApply && !value->args.empty() &&
                           value->args[0]->type == value->type;
    auto arg = [&](int k, ComplexPart of) { return Build(value->args[k], of); };
    auto apply = [&](llvm::StringRef name, llvm::ArrayRef<Term> args) {
      return pool_.Apply(name, args[0]->type, args);
    };
    if (operation && value->name == "negate") return apply("negate", {arg(0, part)});
    if (operation && (value->name == "add" || value->name == "subtract"))
      return apply(value->name, {arg(0, part), arg(1, part)});
    if (operation && value->name == "multiply") {
      const ComplexPart other = part == kReal ? kImaginary : kReal;
      Term first = apply("multiply", {arg(0, kReal), arg(1, part)});
      Term second = apply("multiply", {arg(0, kImaginary), arg(1, other)});
      return apply(part == kReal ? "subtract" : "add", {first, second});
    }
    return part == kReal ? terms::RealPart(pool_, value) : terms::ImaginaryPart(pool_, value);
  }

  terms::Pool& pool_;
  llvm::DenseMap<std::pair<Term, int>, Term> known_;
};

}  // namespace

Term PartOf(terms::Pool& pool, Term value, ComplexPart part) {
  return PartBuilder(pool).Build(value, part);
}

std::vector<Term> CorrespondencesOf(terms::Scope& scope, Term hlo) {
  terms::Pool& pool = scope.pool();
  std::vector<Term> forms;
  const bool plain = hlo->type == PrimitiveType::kF32 || hlo->type == PrimitiveType::kF64;
  if (plain && hlo->name == "rsqrt") {
    Term root = pool.Apply("sqrt", hlo->type, {hlo->args[0]});
    forms.push_back(pool.Apply("divide", hlo->type, {One(pool, hlo->type), root}));
  }
  if (plain && hlo->name == "logistic") {
    Term power =
        pool.Apply("exponential", hlo->type, {pool.Apply("negate", hlo->type, {hlo->args[0]})});
    Term sum = pool.Apply("add", hlo->type, {One(pool, hlo->type), power});
    forms.push_back(pool.Apply("divide", hlo->type, {One(pool, hlo->type), sum}));
  }
  if (plain && hlo->name == "atan2") forms.push_back(ArcTangentOfZeros(pool, hlo));
  if (plain) {
    if (Term reduced = ReducedPrecision(scope, hlo)) forms.push_back(reduced);
  }
  // Floats of at most eight bits have no operations of their own: by those of f32.
  const bool small = !hlo->args.empty() && hlo->args[0]->sort() == terms::Sort::kValue &&
                     IsNarrow(hlo->args[0]->type) && hlo::BitWidth(hlo->args[0]->type) <= 8;
  if ((plain || IsNarrow(hlo->type)) && !small && hlo->name == "sign") {
    Term x = hlo->args[0], zero = pool.Literal(x->type, 0);
    Term is_number = pool.Holds(terms::CompareFloats(pool, "EQ", false, x, x));
    Term is_zero = pool.Holds(terms::CompareFloats(pool, "EQ", false, x, zero));
    Term itself = pool.Or({pool.Not(is_number), is_zero});
    Term one = pool.Literal(x->type, static_cast<terms::Int128>(hlo::EncodeFloat(x->type, 1)));
    forms.push_back(pool.Select(itself, x, pool.Apply("copysign", x->type, {one, x})));
  }
  if (hlo->name.ends_with("-total") && hlo->name.starts_with("compare-")) {
    Term a = TotalOrderKey(scope, hlo->args[0]), b = TotalOrderKey(scope, hlo->args[1]);
    const int64_t width = hlo::BitWidth(KeyType(hlo->args[0]->type));
    Term holds = hlo->name == "compare-EQ-total" ? terms::MachineEqual(scope, a, b, width)
                 : hlo->name == "compare-LT-total"
                     ? terms::SignedLess(scope, a, b, width)
                     : pool.Not(terms::SignedLess(scope, b, a, width));
    forms.push_back(pool.OfCondition(holds));
  }
  if (hlo->name == "is-finite") {
    Term x = hlo->args[0];
    if (small) x = terms::Convert(scope, x, x->type, PrimitiveType::kF32);
    const double infinity = std::numeric_limits<double>::infinity();
    Term limit =
        pool.Literal(x->type, static_cast<terms::Int128>(hlo::EncodeFloat(x->type, infinity)));
    forms.push_back(
        terms::CompareFloats(pool, "LT", false, pool.Apply("abs", x->type, {x}), limit));
  }
  if (hlo->name == "compare-EQ" && hlo::IsComplex(hlo->args[0]->type)) {
    auto equal = [&](ComplexPart part) {
      return pool.Holds(terms::CompareFloats(pool, "EQ", false, PartOf(pool, hlo->args[0], part),
                                             PartOf(pool, hlo->args[1], part)));
    };
    forms.push_back(
        pool.OfCondition(pool.And({equal(ComplexPart::kReal), equal(ComplexPart::kImaginary)})));
  }
  if (hlo->name == "real" || hlo->name == "imag") {
    const ComplexPart part = hlo->name == "real" ? ComplexPart::kReal : ComplexPart::kImaginary;
    Term form = PartOf(pool, hlo->args[0], part);
    if (form != hlo) forms.push_back(form);
  }
  if (hlo::IsComplex(hlo->type)) {
    Term re = PartOf(pool, hlo, ComplexPart::kReal),
         im = PartOf(pool, hlo, ComplexPart::kImaginary);
    Term parts = terms::ComplexOf(pool, re, im, hlo->type);
    if (parts != hlo) forms.push_back(parts);
  }
  if (Term wide = ThroughF32(pool, scope, hlo)) forms.push_back(wide);
  const bool narrow_operands = !hlo->args.empty() && llvm::all_of(hlo->args, [&](Term arg) {
    return arg->sort() == terms::Sort::kValue && IsNarrow(arg->type) &&
           arg->type == hlo->args[0]->type;
  });
  const bool compares = hlo->name.starts_with("compare-") && !hlo->name.ends_with("-total");
  if (narrow_operands && hlo->name != "convert" && hlo->name != "bitcast" &&
      (compares || hlo->type == hlo->args[0]->type)) {
    llvm::SmallVector<Term, 2> wide;
    for (Term arg : hlo->args)
      wide.push_back(terms::Convert(scope, arg, arg->type, PrimitiveType::kF32));
    if (compares) {
      forms.push_back(pool.Apply(hlo->name, hlo->type, wide));
    } else {
      Term value = pool.Apply(hlo->name, PrimitiveType::kF32, wide);
      forms.push_back(terms::Convert(scope, value, PrimitiveType::kF32, hlo->type));
    }
  }
  return forms;
}

}  // namespace affirm::kernel
