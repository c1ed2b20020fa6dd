// Values that are the same at all values of few elements: what no one says of the bits of a NaN
// proves nothing.
#include <gtest/gtest.h>

#include "core/hlo/float_format.h"
#include "verify/compare/narrow_values.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::compare {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

class NarrowValues : public testing::Test {
 protected:
  Term Apply(Op op, std::initializer_list<Term> args) {
    return pool_.Apply(op, PrimitiveType::kF16, llvm::ArrayRef<Term>(args));
  }
  Term Bits(Term value) {
    return pool_.IntegerOf(terms::WithBits(pool_, value, PrimitiveType::kS16));
  }
  Term Literal(double number) {
    return pool_.Literal(PrimitiveType::kF16,
                         static_cast<terms::Int128>(hlo::EncodeFloat(PrimitiveType::kF16, number)));
  }
  std::optional<bool> Same(Term a, Term b) {
    int64_t steps = int64_t{1} << 26;
    return SameAtAllValues(a, b, [](Term x, Term y) { return x == y; }, steps);
  }
  std::optional<bool> IsTrue(Term condition) {
    return Same(pool_.OfCondition(condition), pool_.OfCondition(pool_.True()));
  }
  Term IsNumber(Term value) {
    return pool_.Holds(terms::CompareFloats(pool_, "EQ", false, value, value));
  }

  Pool pool_;
  Term x_ = pool_.Load(0, pool_.Number(0), PrimitiveType::kF16);
};

// 2 * x and x + x are one number, and two NaNs.
TEST_F(NarrowValues, TwoComputedNansMayDiffer) {
  const Term twice = Apply(Op::kMultiply, {x_, Literal(2)}), sum = Apply(Op::kAdd, {x_, x_});
  EXPECT_EQ(Same(twice, sum), true);
  const Term same_bits = pool_.Equal(Bits(twice), Bits(sum));
  EXPECT_EQ(IsTrue(pool_.Or({pool_.Not(IsNumber(x_)), same_bits})), true);
  EXPECT_NE(IsTrue(same_bits), true);
  // The bits of one NaN are its own, and each side may have a NaN of its own.
  const Term shifted = pool_.Add(Bits(sum), pool_.Number(1));
  EXPECT_EQ(IsTrue(pool_.Equal(pool_.Subtract(shifted, Bits(sum)), pool_.Number(1))), true);
}

TEST_F(NarrowValues, ThreeComputedNansAreTooMany) {
  const Term a = Apply(Op::kAdd, {x_, x_}), b = Apply(Op::kMultiply, {x_, Literal(2)}),
             c = Apply(Op::kMultiply, {x_, Literal(3)});
  const Term sum = pool_.Sum(0, {{1, Bits(a)}, {1, Bits(b)}, {1, Bits(c)}});
  EXPECT_EQ(
      Same(pool_.OfInteger(sum, PrimitiveType::kS32), pool_.OfInteger(sum, PrimitiveType::kS32)),
      std::nullopt);
}

// A NaN with the other sign is another one.
TEST_F(NarrowValues, ANanAndItsNegative) {
  const Term sum = Apply(Op::kAdd, {x_, x_}), less = Apply(Op::kNegate, {sum});
  EXPECT_NE(IsTrue(pool_.Or({IsNumber(x_), pool_.Equal(Bits(sum), Bits(less))})), true);
}

// An element and a number have their bits, also where they are chosen.
TEST_F(NarrowValues, NansThatAreNotComputed) {
  const Term chosen = pool_.Select(IsNumber(x_), Apply(Op::kAdd, {x_, x_}), x_);
  EXPECT_EQ(IsTrue(pool_.Or({IsNumber(x_), pool_.Equal(Bits(chosen), Bits(x_))})), true);
  const Term nan = pool_.Literal(PrimitiveType::kF16, 0x7E01);
  const Term canonical = pool_.Select(IsNumber(x_), x_, nan);
  EXPECT_EQ(IsTrue(pool_.Or({IsNumber(x_), pool_.Equal(Bits(canonical), pool_.Number(0x7E01))})),
            true);
}

}  // namespace
}  // namespace affirm::compare
