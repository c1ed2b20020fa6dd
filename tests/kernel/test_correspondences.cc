// Where a kernel's value may differ in form from the computation's: what holds, and beside it what
// does not.
#include <gtest/gtest.h>

#include "verify/kernel/proof/narrow_values.h"
#include "verify/kernel/proof/same_value.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {
namespace {

using hlo::PrimitiveType;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF16 = PrimitiveType::kF16, kF32 = PrimitiveType::kF32,
                        kBF16 = PrimitiveType::kBF16, kC64 = PrimitiveType::kC64,
                        kS32 = PrimitiveType::kS32, kS8 = PrimitiveType::kS8,
                        kF8 = PrimitiveType::kF8E5M2;

struct Values {
  Pool pool;
  Scope scope{pool};
  Term i = pool.Variable("i", {0, 31});

  Term Load(int64_t buffer, PrimitiveType type) { return pool.Load(buffer, i, type); }
  Term Apply(const char* name, PrimitiveType type, std::vector<Term> args) {
    return pool.Apply(name, type, args);
  }
  testing::AssertionResult Same(Term kernel, Term hlo) {
    SameValue same(scope, {});
    if (same.Prove(kernel, hlo)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << same.reason();
  }
};

TEST(Correspondences, WideningIsExact) {
  Values v;
  Term x = v.Load(0, kBF16), wide = v.Apply("convert", kF32, {x});
  EXPECT_TRUE(v.Same(v.Apply("convert", kBF16, {wide}), x));
  // f32 does not fit into bf16, and bf16 not into f16.
  Term y = v.Load(0, kF32), narrow = v.Apply("convert", kBF16, {y});
  EXPECT_FALSE(v.Same(v.Apply("convert", kF32, {narrow}), y));
  Term half = v.Apply("convert", kF16, {x});
  EXPECT_FALSE(v.Same(v.Apply("convert", kBF16, {half}), x));
  EXPECT_TRUE(v.Same(v.Apply("convert", kF16, {wide}), half));
}

TEST(Correspondences, ComplexNumbersByParts) {
  Values v;
  Term a = v.Load(0, kC64), b = v.Load(1, kC64);
  Term ar = terms::RealPart(v.pool, a), ai = terms::ImaginaryPart(v.pool, a);
  Term br = terms::RealPart(v.pool, b), bi = terms::ImaginaryPart(v.pool, b);
  auto mul = [&](Term x, Term y) { return v.Apply("multiply", kF32, {x, y}); };
  Term re = v.Apply("subtract", kF32, {mul(ar, br), mul(ai, bi)});
  Term im = v.Apply("add", kF32, {mul(ar, bi), mul(ai, br)});
  Term product = v.Apply("multiply", kC64, {a, b});
  EXPECT_TRUE(v.Same(terms::ComplexOf(v.pool, re, im, kC64), product));
  EXPECT_FALSE(v.Same(terms::ComplexOf(v.pool, im, re, kC64), product));
  Term wrong = v.Apply("add", kF32, {mul(ar, br), mul(ai, bi)});
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
  Term total = v.Apply("compare-LT-total", PrimitiveType::kPred, {a, b});
  EXPECT_TRUE(v.Same(less(1), total));
  EXPECT_FALSE(v.Same(less(2), total));
  EXPECT_FALSE(v.Same(less(1), v.Apply("compare-LT-total", PrimitiveType::kPred, {b, a})));
  EXPECT_FALSE(v.Same(less(1), v.Apply("compare-LT", PrimitiveType::kPred, {a, b})));
}

// f8e5m2 is the upper half of f16.
TEST(Correspondences, NarrowValuesAreTried) {
  Values v;
  Term x = v.Load(0, kF8), bits = v.pool.IntegerOf(terms::WithBits(v.pool, x, kS8));
  auto widened = [&](int64_t factor) {
    Term upper = v.pool.OfInteger(v.pool.Scale(bits, factor), PrimitiveType::kS16);
    return terms::WithBits(v.pool, upper, kF16);
  };
  Term wanted = v.Apply("convert", kF16, {x});
  EXPECT_TRUE(v.Same(widened(256), wanted));
  EXPECT_FALSE(v.Same(widened(128), wanted));
  auto never = [](Term, Term) { return false; };
  EXPECT_EQ(SameAtAllValues(widened(128), wanted, never), false);
  // Of another element, or with a function that devices compute each in their own way, or of too
  // many bits, nothing is said.
  Term other = v.Apply("convert", kF16, {v.Load(1, kF8)});
  EXPECT_EQ(SameAtAllValues(widened(256), other, never), false);
  EXPECT_EQ(SameAtAllValues(v.Apply("tanh", kF16, {wanted}), v.Apply("tanh", kF16, {widened(256)}),
                            never),
            std::nullopt);
  EXPECT_EQ(SameAtAllValues(v.Load(0, kF32), v.Load(1, kF32), never), std::nullopt);
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
  Term fold = v.pool.IntegerOf(v.pool.Fold("add", v.pool.True(), at(r), {r}));
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
}  // namespace affirm::kernel
