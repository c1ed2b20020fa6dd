// Where a kernel's value may differ in form from the computation's: what holds, and beside it what
// does not.
#include <gtest/gtest.h>

#include <limits>

#include "core/hlo/float_format.h"
#include "verify/compare/narrow_values.h"
#include "verify/compare/reduced_precision.h"
#include "verify/compare/same_value.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::compare {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF16 = PrimitiveType::kF16, kF32 = PrimitiveType::kF32,
                        kBF16 = PrimitiveType::kBF16, kC64 = PrimitiveType::kC64,
                        kS32 = PrimitiveType::kS32, kS8 = PrimitiveType::kS8,
                        kF8 = PrimitiveType::kF8E5M2;

std::optional<bool> AtAllValues(Term a, Term b, llvm::function_ref<bool(Term, Term)> same) {
  int64_t steps = int64_t{1} << 32;
  return SameAtAllValues(a, b, same, steps);
}

struct Values {
  Pool pool;
  Scope scope{pool};
  Term i = pool.Variable("i", {0, 31});

  Term Load(int64_t buffer, PrimitiveType type) { return pool.Load(buffer, i, type); }
  Term Apply(terms::Op op, PrimitiveType type, std::vector<Term> args) {
    return pool.Apply(op, type, args);
  }
  testing::AssertionResult Same(Term kernel, Term hlo) {
    SameValue same(scope, {});
    if (same.Prove(kernel, hlo)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << same.reason();
  }
};

TEST(Correspondences, WideningIsExact) {
  Values v;
  Term x = v.Load(0, kBF16), wide = v.Apply(Op::kConvert, kF32, {x});
  EXPECT_TRUE(v.Same(v.Apply(Op::kConvert, kBF16, {wide}), x));
  // f32 does not fit into bf16, and bf16 not into f16.
  Term y = v.Load(0, kF32), narrow = v.Apply(Op::kConvert, kBF16, {y});
  EXPECT_FALSE(v.Same(v.Apply(Op::kConvert, kF32, {narrow}), y));
  Term half = v.Apply(Op::kConvert, kF16, {x});
  EXPECT_FALSE(v.Same(v.Apply(Op::kConvert, kBF16, {half}), x));
  EXPECT_TRUE(v.Same(v.Apply(Op::kConvert, kF16, {wide}), half));
}

TEST(Correspondences, ExtremaOfLimits) {
  for (PrimitiveType type : {kF32, kF16, kBF16}) {
    Values v;
    Term x = v.Load(0, type);
    auto infinity = [&](bool negative) {
      const double number = std::numeric_limits<double>::infinity();
      return v.pool.Literal(
          type, static_cast<terms::Int128>(hlo::EncodeFloat(type, negative ? -number : number)));
    };
    EXPECT_TRUE(v.Same(x, v.Apply(Op::kMaximum, type, {x, infinity(true)})));
    EXPECT_TRUE(v.Same(x, v.Apply(Op::kMinimum, type, {infinity(false), x})));
    EXPECT_FALSE(v.Same(x, v.Apply(Op::kMaximum, type, {x, infinity(false)})));
    EXPECT_FALSE(v.Same(x, v.Apply(Op::kMinimum, type, {x, infinity(true)})));
    EXPECT_FALSE(v.Same(x, v.Apply(Op::kAdd, type, {x, infinity(true)})));
  }
}

TEST(Correspondences, ComplexNumbersByParts) {
  Values v;
  Term a = v.Load(0, kC64), b = v.Load(1, kC64);
  Term ar = terms::RealPart(v.pool, a), ai = terms::ImaginaryPart(v.pool, a);
  Term br = terms::RealPart(v.pool, b), bi = terms::ImaginaryPart(v.pool, b);
  auto mul = [&](Term x, Term y) { return v.Apply(Op::kMultiply, kF32, {x, y}); };
  Term re = v.Apply(Op::kSubtract, kF32, {mul(ar, br), mul(ai, bi)});
  Term im = v.Apply(Op::kAdd, kF32, {mul(ar, bi), mul(ai, br)});
  Term product = v.Apply(Op::kMultiply, kC64, {a, b});
  EXPECT_TRUE(v.Same(terms::ComplexOf(v.pool, re, im, kC64), product));
  EXPECT_FALSE(v.Same(terms::ComplexOf(v.pool, im, re, kC64), product));
  Term wrong = v.Apply(Op::kAdd, kF32, {mul(ar, br), mul(ai, bi)});
  EXPECT_FALSE(v.Same(terms::ComplexOf(v.pool, wrong, im, kC64), product));
}

TEST(Correspondences, TheTotalOrderIsThatOfIntegers) {
  Values v;
  Term a = v.Load(0, kF32), b = v.Load(1, kF32);
  auto key = [&](Term x, int64_t shift) {
    Term bits = v.pool.IntegerOf(terms::WithBits(v.pool, x, kS32));
    Term sign = terms::ShiftRightArithmetic(v.scope, bits, v.pool.Number(31), 32);
    Term flip = terms::ShiftRightLogical(v.scope, sign, v.pool.Number(shift), 32);
    return terms::Xor(v.scope, bits, flip, 32);
  };
  auto less = [&](int64_t shift) {
    return v.pool.OfCondition(terms::SignedLess(v.scope, key(a, shift), key(b, shift), 32));
  };
  Term total = v.Apply(Op::kCompareLtTotal, PrimitiveType::kPred, {a, b});
  EXPECT_TRUE(v.Same(less(1), total));
  EXPECT_FALSE(v.Same(less(2), total));
  EXPECT_FALSE(v.Same(less(1), v.Apply(Op::kCompareLtTotal, PrimitiveType::kPred, {b, a})));
  EXPECT_FALSE(v.Same(less(1), v.Apply(Op::kCompareLt, PrimitiveType::kPred, {a, b})));
}

// f8e5m2 is the upper half of f16.
TEST(Correspondences, NarrowValuesAreTried) {
  Values v;
  Term x = v.Load(0, kF8), bits = v.pool.IntegerOf(terms::WithBits(v.pool, x, kS8));
  auto widened = [&](int64_t factor) {
    Term upper = v.pool.OfInteger(v.pool.Scale(bits, factor), PrimitiveType::kS16);
    return terms::WithBits(v.pool, upper, kF16);
  };
  Term wanted = v.Apply(Op::kConvert, kF16, {x});
  EXPECT_TRUE(v.Same(widened(256), wanted));
  EXPECT_FALSE(v.Same(widened(128), wanted));
  auto never = [](Term, Term) { return false; };
  EXPECT_EQ(AtAllValues(widened(128), wanted, never), false);
  // Undecided: another element, a function that devices compute each in their own way, too many
  // bits.
  Term other = v.Apply(Op::kConvert, kF16, {v.Load(1, kF8)});
  EXPECT_EQ(AtAllValues(widened(256), other, never), false);
  EXPECT_EQ(AtAllValues(v.Apply(Op::kTanh, kF16, {wanted}),
                        v.Apply(Op::kTanh, kF16, {widened(256)}), never),
            std::nullopt);
  EXPECT_EQ(AtAllValues(v.Load(0, kF32), v.Load(1, kF32), never), std::nullopt);
}

// f8e4m3fn has no infinity, so that every number of it is finite, and NaN is not.
TEST(Correspondences, FiniteSmallFloats) {
  Values v;
  for (PrimitiveType type : {kF8, PrimitiveType::kF8E4M3FN}) {
    Term x = v.Load(0, type), wide = v.Apply(Op::kConvert, kF32, {x});
    Term finite = v.Apply(Op::kIsFinite, PrimitiveType::kPred, {x});
    Term infinity = v.pool.Literal(kF32, 0x7F800000);
    Term below =
        terms::CompareFloats(v.pool, "LT", false, v.Apply(Op::kAbs, kF32, {wide}), infinity);
    EXPECT_TRUE(v.Same(below, finite));
    // -inf is below it too.
    EXPECT_EQ(static_cast<bool>(
                  v.Same(terms::CompareFloats(v.pool, "LT", false, wide, infinity), finite)),
              type != kF8);
    EXPECT_FALSE(v.Same(v.pool.OfCondition(v.pool.False()), finite));
    EXPECT_FALSE(v.Same(v.pool.OfCondition(v.pool.True()), finite));
  }
}

// An integer of 32 bits goes to f8 through f32, where it is exact or beyond f8; to bf16 it would be
// rounded twice.
// Whether a value is finite shows in one that it was widened to, and not in one that it was rounded
// to.
TEST(Correspondences, FiniteNarrowFloats) {
  for (PrimitiveType type : {kF16, kBF16}) {
    Values v;
    auto is_finite = [&](Term x) { return v.Apply(Op::kIsFinite, PrimitiveType::kPred, {x}); };
    Term x = v.Load(0, type), y = v.Load(1, kF32);
    EXPECT_EQ(is_finite(v.Apply(Op::kConvert, kF32, {x})), is_finite(x));
    EXPECT_NE(is_finite(v.Apply(Op::kConvert, type, {y})), is_finite(y));
    EXPECT_FALSE(v.Same(is_finite(v.Apply(Op::kConvert, type, {y})), is_finite(y)));
  }
}

TEST(Correspondences, SumsOfConstants) {
  Values v;
  ConstantSums sums(v.scope);
  auto number = [&](PrimitiveType type, double value) {
    return v.pool.Literal(type, static_cast<terms::Int128>(hlo::EncodeFloat(type, value)));
  };
  auto sum = [&](Term a, Term b) { return v.Apply(Op::kAdd, a->type, {a, b}); };
  EXPECT_EQ(sums.Replaced(sum(number(kF32, -1), number(kF32, 0))), number(kF32, -1));
  EXPECT_EQ(sums.Replaced(sum(number(kF32, 2), sum(number(kF32, 1), number(kF32, 4)))),
            number(kF32, 7));
  // Rounded to even in the type that they are of.
  EXPECT_EQ(sums.Replaced(sum(number(kBF16, 256), number(kBF16, 1))), number(kBF16, 256));
  EXPECT_EQ(sums.Replaced(sum(number(kF32, 256), number(kF32, 1))), number(kF32, 257));
  // In a choice, and not in what is no constant.
  Term x = v.Load(0, kF32);
  Term here = v.pool.AtLeastZero(v.pool.Subtract(v.i, v.pool.Number(3)));
  EXPECT_EQ(sums.Replaced(v.pool.Select(here, sum(number(kF32, 3), number(kF32, 4)), x)),
            v.pool.Select(here, number(kF32, 7), x));
  EXPECT_EQ(sums.Replaced(sum(x, number(kF32, 0))), sum(x, number(kF32, 0)));
  Term power = v.Apply(Op::kPower, kF32, {number(kF32, 2), number(kF32, 3)});
  EXPECT_EQ(sums.Replaced(power), power);
  // NaNs have more than one form.
  const double infinity = std::numeric_limits<double>::infinity();
  Term nan = sum(number(kF32, infinity), number(kF32, -infinity));
  EXPECT_EQ(sums.Replaced(nan), nan);
}

// Conversions of a choice are those of what is chosen.
TEST(Correspondences, ConvertedChoices) {
  Values v;
  Term here = v.pool.AtLeastZero(v.pool.Subtract(v.i, v.pool.Number(3)));
  Term integer = v.pool.OfInteger(v.pool.PickAtom(here, v.pool.Number(7), v.pool.Number(-2)),
                                  PrimitiveType::kS64);
  auto number = [&](PrimitiveType type, double value) {
    return v.pool.Literal(type, static_cast<terms::Int128>(hlo::EncodeFloat(type, value)));
  };
  EXPECT_EQ(v.Apply(Op::kConvert, kF32, {integer}),
            v.pool.Select(here, number(kF32, 7), number(kF32, -2)));
  Term x = v.Load(0, kBF16), y = v.Load(1, kBF16);
  auto wide = [&](Term narrow) { return v.Apply(Op::kConvert, kF32, {narrow}); };
  Term sum = v.Apply(Op::kAdd, kF32, {v.pool.Select(here, wide(x), number(kF32, 0.5)), wide(y)});
  EXPECT_EQ(v.Apply(Op::kConvert, kBF16, {sum}),
            v.Apply(Op::kAdd, kBF16, {v.pool.Select(here, x, number(kBF16, 0.5)), y}));
  // A third is none of bf16.
  Term third = v.pool.Select(here, wide(x), number(kF32, 1.0 / 3));
  Term other = v.Apply(Op::kConvert, kBF16, {v.Apply(Op::kAdd, kF32, {third, wide(y)})});
  EXPECT_EQ(other->op(), Op::kConvert);
}

TEST(Correspondences, IntegersThroughF32) {
  Values v;
  Term n = v.pool.OfInteger(v.pool.IntegerOf(v.Load(0, kS32)), PrimitiveType::kS64);
  auto through = [&](PrimitiveType to) {
    return v.Apply(Op::kConvert, to, {v.Apply(Op::kConvert, kF32, {n})});
  };
  for (PrimitiveType to : {kF8, kF16})
    EXPECT_TRUE(v.Same(through(to), v.Apply(Op::kConvert, to, {n})));
  for (PrimitiveType to : {kBF16, PrimitiveType::kF8E8M0FNU})
    EXPECT_FALSE(v.Same(through(to), v.Apply(Op::kConvert, to, {n})));
  Term small = v.pool.OfInteger(v.i, PrimitiveType::kS64);
  EXPECT_TRUE(v.Same(v.Apply(Op::kConvert, kBF16, {v.Apply(Op::kConvert, kF32, {small})}),
                     v.Apply(Op::kConvert, kBF16, {small})));
}

// Both ends of the exponent and every place at which the upper half is rounded.
TEST(Correspondences, ReducedPrecisionByIntegers) {
  auto never = [](Term, Term) { return false; };
  for (auto [exponent, mantissa] : {std::pair(6, 5), {5, 10}, {8, 7}, {11, 10}, {3, 0}, {2, 23}}) {
    bool differs = mantissa == 23;
    for (int64_t low : {0, 1, 0x3210, 0x7FFF, 0x8000, 0xFFFF}) {
      Values v;
      Term high = v.pool.IntegerOf(v.Load(0, PrimitiveType::kS16));
      Term bits = v.pool.Add(v.pool.Scale(high, 1 << 16), v.pool.Number(low));
      Term x = terms::WithBits(v.pool, v.pool.OfInteger(bits, kS32), kF32);
      auto reduced = [&](int m) {
        return v.pool.Apply(terms::Operation::ReducePrecision(exponent, m), kF32, {x});
      };
      Term form = ReducedByBits(v.scope, x, exponent, mantissa);
      EXPECT_EQ(AtAllValues(form, reduced(mantissa), never), true)
          << exponent << ", " << mantissa << ", lower bits " << low;
      differs = differs || AtAllValues(form, reduced(mantissa + 1), never) == false;
    }
    EXPECT_TRUE(differs) << exponent << ", " << mantissa;
  }
}

// f16 has subnormal numbers where f32 with five bits of an exponent has zeros.
TEST(Correspondences, PrecisionOfNarrowFloatsIsTheirOwn) {
  Values v;
  for (const auto& [exponent, mantissa] : {std::pair(5, 5), {8, 3}, {5, 10}}) {
    const terms::Operation reduce = terms::Operation::ReducePrecision(exponent, mantissa);
    Term x = v.Load(0, kF16), wide = v.Apply(Op::kConvert, kF32, {x});
    Term through = v.Apply(Op::kConvert, kF16, {v.pool.Apply(reduce, kF32, {wide})});
    EXPECT_FALSE(v.Same(through, v.pool.Apply(reduce, kF16, {x}))) << exponent << " " << mantissa;
  }
}

// Each exact rule is a form that a kernel may have; where the bits of a NaN are seen, none is.
TEST(Correspondences, ValueRulesAreForms) {
  Values v;
  Term x = v.Load(0, kF32), y = v.Load(1, kF32);
  auto number = [&](double of) { return v.pool.Literal(kF32, hlo::EncodeFloat(kF32, of)); };
  auto apply = [&](Op op, std::vector<Term> args) { return v.Apply(op, kF32, std::move(args)); };
  Term half = apply(Op::kMultiply, {x, number(0.5)});
  EXPECT_TRUE(v.Same(half, apply(Op::kDivide, {x, number(2)})));
  EXPECT_FALSE(
      v.Same(apply(Op::kMultiply, {x, number(1.0 / 3)}), apply(Op::kDivide, {x, number(3)})));
  Term sum = apply(Op::kAdd, {x, apply(Op::kNegate, {y})});
  EXPECT_TRUE(v.Same(sum, apply(Op::kSubtract, {x, y})));
  EXPECT_FALSE(v.Same(apply(Op::kAdd, {x, y}), apply(Op::kSubtract, {x, y})));
  EXPECT_TRUE(v.Same(apply(Op::kSubtract, {x, y}), sum));
  EXPECT_FALSE(v.Same(apply(Op::kSubtract, {y, x}), sum));
  // And of what the kernel has, those that make it no larger.
  Term minus = apply(Op::kNegate, {x});
  EXPECT_TRUE(v.Same(apply(Op::kAbs, {minus}), apply(Op::kAbs, {x})));
  EXPECT_TRUE(
      v.Same(apply(Op::kMultiply, {minus, apply(Op::kNegate, {y})}), apply(Op::kMultiply, {x, y})));
  EXPECT_FALSE(v.Same(apply(Op::kSign, {minus}), apply(Op::kSign, {x})));
  // Licensed ones are none.
  EXPECT_FALSE(v.Same(x, apply(Op::kAdd, {x, number(0)})));
  Term twice = apply(Op::kNegate, {apply(Op::kNegate, {x})});
  Term zero = apply(Op::kAdd, {x, number(-0.0)});
  EXPECT_TRUE(v.Same(x, twice));
  EXPECT_TRUE(v.Same(x, zero));
  auto bits = [&](Term of) { return terms::WithBits(v.pool, of, kS32); };
  EXPECT_FALSE(v.Same(bits(x), bits(zero)));
  auto before = [&](Term of) {
    return v.Apply(Op::kCompareLtTotal, PrimitiveType::kPred, {y, of});
  };
  EXPECT_TRUE(v.Same(before(x), before(x)));
  EXPECT_FALSE(v.Same(before(x), before(zero)));
}

// Maxima in whatever order, and bits: each once, or in pairs.
TEST(SameValue, CombinesInAnyOrder) {
  Values v;
  std::vector<Term> x;
  for (int64_t k = 0; k < 4; ++k) x.push_back(v.pool.Load(k, v.i, kS32));
  auto n = [&](int k) { return v.pool.IntegerOf(x[k]); };
  auto max = [&](Term a, Term b) { return v.scope.Max(a, b); };
  auto value = [&](Term integer) { return v.pool.OfInteger(integer, kS32); };
  Term forward = max(max(max(n(0), n(1)), n(2)), n(3)),
       backward = max(n(0), max(n(3), max(n(2), n(1))));
  EXPECT_TRUE(v.Same(value(forward), value(backward)));
  EXPECT_TRUE(v.Same(value(v.pool.Scale(forward, -1)), value(v.pool.Scale(backward, -1))));
  EXPECT_FALSE(v.Same(value(v.pool.Scale(forward, -1)), value(backward)));
  EXPECT_FALSE(v.Same(value(forward), value(max(n(0), max(n(3), n(2))))));
  EXPECT_FALSE(v.Same(value(forward), value(v.pool.Add(backward, v.pool.Number(1)))));
  for (const Op bits : {Op::kAnd, Op::kOr, Op::kXor}) {
    auto op = [&](Term a, Term b) { return v.Apply(bits, kS32, {a, b}); };
    Term left = op(op(op(x[0], x[1]), x[2]), x[3]), right = op(x[2], op(x[0], op(x[3], x[1])));
    EXPECT_TRUE(v.Same(left, right)) << terms::Name(bits).str();
    EXPECT_FALSE(v.Same(left, op(x[2], op(x[0], x[3])))) << terms::Name(bits).str();
    // One more of the same: nothing to "and" and "or".
    const bool cancels = bits == Op::kXor;
    EXPECT_EQ(static_cast<bool>(v.Same(op(left, x[1]), right)), !cancels)
        << terms::Name(bits).str();
    EXPECT_EQ(static_cast<bool>(v.Same(op(op(left, x[1]), x[1]), right)), true)
        << terms::Name(bits).str();
  }
}

// A proof under one guard says nothing under another.
TEST(SameValue, ForgetsWithTheFacts) {
  Values v;
  Term j = v.pool.Variable("j", {0, 31});
  Term a = v.pool.Load(0, v.i, kF32), b = v.pool.Load(0, j, kF32);
  SameValue same(v.scope, {});
  size_t saved = v.scope.Save();
  ASSERT_TRUE(v.scope.Assume(v.pool.Equal(v.i, j)));
  EXPECT_TRUE(same.Prove(a, b));
  v.scope.Restore(saved);
  EXPECT_FALSE(same.Prove(a, b));
  ASSERT_TRUE(v.scope.Assume(v.pool.Equal(v.i, v.pool.Add(j, v.pool.Number(1)))));
  EXPECT_FALSE(same.Prove(a, b));
}

TEST(SameValue, FoldsInsideOfIntegers) {
  Values v;
  Term r = v.pool.Variable("r", {0, 3});
  auto at = [&](Term k) { return v.pool.Load(0, k, kS32); };
  Term fold = v.pool.IntegerOf(v.pool.Fold(Op::kAdd, v.pool.True(), at(r), {r}));
  auto sum = [&](int64_t last) {
    Term total = v.pool.Number(5);
    for (int64_t k = 0; k <= last; ++k)
      total = v.pool.Add(total, v.pool.IntegerOf(at(v.pool.Number(k))));
    return terms::FloatOfInteger(v.scope, terms::Signed(v.scope, total, 32), kF32);
  };
  Term plus = v.pool.Add(fold, v.pool.Number(5));
  Term wanted = terms::FloatOfInteger(v.scope, terms::Signed(v.scope, plus, 32), kF32);
  EXPECT_TRUE(v.Same(sum(3), wanted));
  EXPECT_FALSE(v.Same(sum(2), wanted));
  // Without the wrap the sum is another number.
  EXPECT_FALSE(v.Same(sum(3), terms::FloatOfInteger(v.scope, plus, kF32)));
}

}  // namespace
}  // namespace affirm::compare
