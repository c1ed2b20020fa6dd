#include "verify/compare/correspondences.h"

#include <numbers>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/compare/narrowed_values.h"
#include "verify/compare/reduced_precision.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::compare {

using hlo::PrimitiveType;
using terms::Op;
using terms::Term;

namespace {

bool IsPlain(PrimitiveType type) {
  return type == PrimitiveType::kF32 || type == PrimitiveType::kF64;
}

// Floats of at most eight bits have no operations of their own; kernels use those of f32.
bool HasSmallOperand(Term hlo) {
  return !hlo->args.empty() && hlo->args[0]->sort() == terms::Sort::kValue &&
         IsNarrowFloat(hlo->args[0]->type) && hlo::BitWidth(hlo->args[0]->type) <= 8;
}

Term LiteralOf(terms::Pool& pool, PrimitiveType type, double number) {
  return pool.Literal(type, static_cast<terms::Int128>(hlo::EncodeFloat(type, number)));
}

// Whether a float's bits, as sign and magnitude, order as IEEE 754's totalOrder. False for types
// whose pattern of -0 is a NaN, for unsigned types, and for f8 types with several NaN payloads,
// which the interpreter identifies.
bool OrdersByBits(PrimitiveType type) {
  return hlo::BitWidth(type) >= 16 || type == PrimitiveType::kF8E4M3FN ||
         type == PrimitiveType::kF4E2M1FN;
}

// A signed integer that orders as the float does in the total order: x ^ (x >>s (w - 1) >>u 1). It
// takes the bits of the type itself, since converting a NaN may change its sign.
Term TotalOrderKey(terms::Scope& scope, Term value) {
  terms::Pool& pool = scope.pool();
  const int64_t width = hlo::BitWidth(value->type);
  Term bits = pool.IntegerOf(terms::WithBits(pool, value, terms::IntegerType(width)));
  Term sign = terms::ShiftRightArithmetic(scope, bits, pool.Number(width - 1), width);
  Term flip = terms::ShiftRightLogical(scope, sign, pool.Number(1), width);
  return terms::Xor(scope, bits, flip, width);
}

// atan2(y, x) where both are zero: 0 or pi by the sign of x, with the sign of y.
Term ArcTangentOfZeros(terms::Scope& scope, Term atan2) {
  if (atan2->op() != Op::kAtan2 || !IsPlain(atan2->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  Term y = atan2->args[0], x = atan2->args[1], zero = pool.Literal(atan2->type, 0);
  auto is = [&](llvm::StringRef direction, Term a) {
    return pool.Holds(terms::CompareFloats(pool, direction, false, a, zero));
  };
  Term sign_of_x = pool.Apply(Op::kCopysign, atan2->type, {LiteralOf(pool, atan2->type, 1), x});
  Term half_turn =
      pool.Select(is("LT", sign_of_x), LiteralOf(pool, atan2->type, std::numbers::pi), zero);
  return pool.Select(pool.And({is("EQ", x), is("EQ", y)}),
                     pool.Apply(Op::kCopysign, atan2->type, {half_turn, y}), atan2);
}

// reduce-precision of an f32 or f64 by its bits.
Term ReducedPrecision(terms::Scope& scope, Term hlo) {
  const terms::Operation& operation = hlo->operation;
  if (!IsPlain(hlo->type) || operation.op() != Op::kReducePrecision ||
      operation.exponent_bits() < 1) {
    return nullptr;
  }
  return ReducedByBits(scope, hlo->args[0], operation.exponent_bits(), operation.mantissa_bits());
}

// Memoizes the parts: a product uses both parts of each operand twice.
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
    auto apply = [&](Op op, llvm::ArrayRef<Term> args) {
      return pool_.Apply(op, args[0]->type, args);
    };
    if (operation && value->op() == Op::kNegate) return apply(Op::kNegate, {arg(0, part)});
    if (operation && (value->op() == Op::kAdd || value->op() == Op::kSubtract))
      return apply(value->op(), {arg(0, part), arg(1, part)});
    if (operation && value->op() == Op::kMultiply) {
      const ComplexPart other = part == kReal ? kImaginary : kReal;
      Term first = apply(Op::kMultiply, {arg(0, kReal), arg(1, part)});
      Term second = apply(Op::kMultiply, {arg(0, kImaginary), arg(1, other)});
      return apply(part == kReal ? Op::kSubtract : Op::kAdd, {first, second});
    }
    return part == kReal ? terms::RealPart(pool_, value) : terms::ImaginaryPart(pool_, value);
  }

  terms::Pool& pool_;
  llvm::DenseMap<std::pair<Term, int>, Term> known_;
};

// A row of the table: the other form of an operation, or null where the row does not apply.
using Row = Term (*)(terms::Scope& scope, Term hlo);

Term SignByCopying(terms::Scope& scope, Term hlo) {
  const bool floats = IsPlain(hlo->type) || IsNarrowFloat(hlo->type);
  if (hlo->op() != Op::kSign || !floats || HasSmallOperand(hlo)) return nullptr;
  terms::Pool& pool = scope.pool();
  Term x = hlo->args[0], zero = pool.Literal(x->type, 0);
  Term is_number = pool.Holds(terms::CompareFloats(pool, "EQ", false, x, x));
  Term is_zero = pool.Holds(terms::CompareFloats(pool, "EQ", false, x, zero));
  Term one = LiteralOf(pool, x->type, 1);
  return pool.Select(pool.Or({pool.Not(is_number), is_zero}), x,
                     pool.Apply(Op::kCopysign, x->type, {one, x}));
}

Term TotalOrderOfIntegers(terms::Scope& scope, Term hlo) {
  if (!terms::IsTotalComparison(hlo->op()) || !OrdersByBits(hlo->args[0]->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  Term a = TotalOrderKey(scope, hlo->args[0]), b = TotalOrderKey(scope, hlo->args[1]);
  const int64_t width = hlo::BitWidth(hlo->args[0]->type);
  if (hlo->op() == Op::kCompareEqTotal)
    return pool.OfCondition(terms::MachineEqual(scope, a, b, width));
  if (hlo->op() == Op::kCompareLtTotal)
    return pool.OfCondition(terms::SignedLess(scope, a, b, width));
  return pool.OfCondition(pool.Not(terms::SignedLess(scope, b, a, width)));
}

// ---- complex numbers

Term EqualParts(terms::Scope& scope, Term hlo) {
  if (hlo->op() != Op::kCompareEq || !hlo::IsComplex(hlo->args[0]->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  auto equal = [&](ComplexPart part) {
    return pool.Holds(terms::CompareFloats(pool, "EQ", false, PartOf(pool, hlo->args[0], part),
                                           PartOf(pool, hlo->args[1], part)));
  };
  return pool.OfCondition(pool.And({equal(ComplexPart::kReal), equal(ComplexPart::kImaginary)}));
}

Term PartOfParts(terms::Scope& scope, Term hlo) {
  if (hlo->op() != Op::kReal && hlo->op() != Op::kImag) return nullptr;
  return PartOf(scope.pool(), hlo->args[0],
                hlo->op() == Op::kReal ? ComplexPart::kReal : ComplexPart::kImaginary);
}

Term ByParts(terms::Scope& scope, Term hlo) {
  if (!hlo::IsComplex(hlo->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  return terms::ComplexOf(pool, PartOf(pool, hlo, ComplexPart::kReal),
                          PartOf(pool, hlo, ComplexPart::kImaginary), hlo->type);
}

// ---- integers, and floats narrower than f32

Term PowerBySquares(terms::Scope& scope, Term hlo) {
  const bool is_unsigned = hlo->op() == Op::kPowerUnsigned;
  const int64_t width = terms::IntegerWidth(hlo->type);
  if ((hlo->op() != Op::kPower && !is_unsigned) || width <= 1) return nullptr;
  terms::Pool& pool = scope.pool();
  Term power = terms::Power(scope, pool.IntegerOf(hlo->args[0]), pool.IntegerOf(hlo->args[1]),
                            width, !is_unsigned);
  return pool.OfInteger(power, hlo->type);
}

// ---- functions of devices

bool IsShort(PrimitiveType type) {
  return type == PrimitiveType::kF16 || type == PrimitiveType::kBF16;
}

// Types whose quotients and square roots a device may approximate in f32.
bool HasFunctionOfDevice(PrimitiveType type) {
  return type == PrimitiveType::kF32 || IsShort(type);
}

Term OfDevice(terms::Scope& scope, Term hlo) {
  const bool divides = hlo->op() == Op::kDivide, is_short = IsShort(hlo->type);
  if ((!divides && hlo->op() != Op::kSqrt) || !HasFunctionOfDevice(hlo->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  llvm::SmallVector<Term, 2> operands(hlo->args.begin(), hlo->args.end());
  for (Term& operand : operands) {
    if (operand->type != hlo->type) return nullptr;
    if (is_short) operand = pool.Apply(Op::kConvert, PrimitiveType::kF32, {operand});
  }
  const Op function = divides ? Op::kDivideFull : Op::kSqrtOfDevice;
  Term result = pool.Apply(function, PrimitiveType::kF32, operands);
  return is_short ? pool.Apply(Op::kConvert, hlo->type, {result}) : result;
}

// exp(x) rounded to 16 bits, with the exponential marked as within an error bound.
Term FastExponential(terms::Scope& scope, Term hlo) {
  if (!IsShort(hlo->type)) return nullptr;
  terms::Pool& pool = scope.pool();
  Term exponential = nullptr;
  if (hlo->op() == Op::kExponential) {
    const Term operand = pool.Apply(Op::kConvert, PrimitiveType::kF32, {hlo->args[0]});
    exponential = pool.Apply(Op::kExponential, PrimitiveType::kF32, {operand});
  } else if (hlo->op() == Op::kConvert && hlo->args[0]->op() == Op::kExponential &&
             hlo->args[0]->type == PrimitiveType::kF32) {
    exponential = hlo->args[0];
  } else {
    return nullptr;
  }
  const Term fast = pool.Apply(Op::kWithinError, PrimitiveType::kF32, {exponential});
  return pool.Apply(Op::kConvert, hlo->type, {fast});
}

// Whether an operand of Op::kWithinError has another use.
bool HasTwoValues(Term hlo) {
  llvm::DenseSet<Term> approximated, exact;
  terms::ForEachPart(hlo, [&](Term part) {
    llvm::DenseSet<Term>& used = part->op() == Op::kWithinError ? approximated : exact;
    used.insert(part->args.begin(), part->args.end());
    return terms::Visit::kInto;
  });
  return llvm::any_of(approximated, [&](Term term) { return exact.contains(term); });
}

// In the order of the header.
constexpr Row kRows[] = {
    SignByCopying, ArcTangentOfZeros, ReducedPrecision, TotalOrderOfIntegers, PowerBySquares,
    EqualParts,    PartOfParts,       ByParts,          NarrowedThroughF32,   NarrowedThroughOddF32,
    OfDevice,
};

}  // namespace

Term PartOf(terms::Pool& pool, Term value, ComplexPart part) {
  return PartBuilder(pool).Build(value, part);
}

FunctionsOfDevice FunctionOfDevice(Term operation) {
  FunctionsOfDevice found;
  if (operation->kind != terms::Kind::kApply) return found;
  const Op op = operation->op();
  found.exact_quotients = op == Op::kDivide && HasFunctionOfDevice(operation->type);
  found.exact_roots = op == Op::kSqrt && HasFunctionOfDevice(operation->type);
  found.quotients = op == Op::kDivideFull;
  found.roots = op == Op::kSqrtOfDevice;
  found.fast_exponentials = op == Op::kWithinError && operation->args[0]->op() == Op::kExponential;
  return found;
}

Term WithFunctionsOfDevice(terms::Scope& scope, Term hlo, const FunctionsOfDevice& of_kernel) {
  constexpr int kMostNested = 64;  // operands are replaced after what they are operands of
  for (int k = 0; k < kMostNested && of_kernel.Any(); ++k) {
    llvm::DenseMap<Term, Term> functions;
    terms::ForEachPart(hlo, [&](Term part) {
      if (part->kind != terms::Kind::kApply) return terms::Visit::kInto;
      const bool is_wanted = (part->op() == Op::kDivide && of_kernel.quotients) ||
                             (part->op() == Op::kSqrt && of_kernel.roots);
      Term function = is_wanted ? OfDevice(scope, part) : nullptr;
      if (of_kernel.fast_exponentials && !function) function = FastExponential(scope, part);
      if (function) functions[part] = function;
      return function ? terms::Visit::kPast : terms::Visit::kInto;
    });
    if (functions.empty()) break;
    hlo = scope.Substitute(hlo, functions);
  }
  return of_kernel.fast_exponentials && HasTwoValues(hlo) ? nullptr : hlo;
}

std::vector<Term> CorrespondencesOf(terms::Scope& scope, Term hlo) {
  std::vector<Term> forms;
  for (Row row : kRows) {
    Term form = row(scope, hlo);
    if (form && form != hlo) forms.push_back(form);
  }
  return forms;
}

}  // namespace affirm::compare
