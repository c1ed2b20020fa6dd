#include "verify/kernel/proof/correspondences.h"

#include <limits>

#include "core/hlo/float_format.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
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
  const bool real = plain || IsNarrow(hlo->type);
  if (real && hlo->name == "sign") {
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
