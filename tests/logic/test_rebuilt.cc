// The rule by which terms are rewritten from the inside: equal parts, an equal whole.
#include <gtest/gtest.h>

#include "core/hlo/float_format.h"
#include "verify/logic/inference.h"
#include "verify/terms/operations.h"

namespace affirm::logic {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF32 = PrimitiveType::kF32, kS32 = PrimitiveType::kS32;

class RebuiltTest : public testing::Test {
 protected:
  Theorem Say(Term a, Term b, Equality equality = Equality::kBits, const Facts& facts = {}) {
    return *infer_.Believe(Oracles::One(Oracle::kFolds), facts, a, b, equality);
  }
  Term Load(int64_t buffer) { return pool_.Load(buffer, i_, kF32); }
  Term Apply(Op op, llvm::ArrayRef<Term> args) { return pool_.Apply(op, kF32, args); }

  Pool pool_;
  Scope scope_{pool_};
  Inference infer_{scope_};
  Term i_ = pool_.Variable("i", {0, 9}), j_ = pool_.Variable("j", {0, 9});
  Term x_ = Load(0), y_ = Load(1), z_ = Load(2);
};

TEST_F(RebuiltTest, PartsAreReplaced) {
  Term sum = Apply(Op::kAdd, {x_, y_});
  const Facts fact = Facts::One(pool_.AtLeast(i_, pool_.Number(3)));
  const auto rebuilt =
      infer_.Rebuilt(sum, {Say(x_, z_, Equality::kNansAreOne, fact), std::nullopt});
  ASSERT_TRUE(rebuilt.has_value());
  EXPECT_TRUE(rebuilt->States(sum, Apply(Op::kAdd, {z_, y_})));
  EXPECT_EQ(rebuilt->facts(), fact);
  EXPECT_EQ(rebuilt->equality(), Equality::kNansAreOne);
  EXPECT_TRUE(rebuilt->oracles().Has(Oracle::kFolds));
  // As the pool writes it: x - 0.0 is x.
  Term zero = pool_.Literal(kF32, 0), difference = Apply(Op::kSubtract, {x_, y_});
  EXPECT_TRUE(infer_.Rebuilt(difference, {std::nullopt, Say(y_, zero)})->States(difference, x_));
  // The parts of a sum are the integers that it has multiples of.
  Term twice = pool_.Add(pool_.Scale(i_, 2), pool_.Scale(j_, 3));
  EXPECT_TRUE(
      infer_.Rebuilt(twice, {Say(i_, j_), std::nullopt})->States(twice, pool_.Scale(j_, 5)));
}

TEST_F(RebuiltTest, PremisesAreOfThePartsInOrder) {
  Term sum = Apply(Op::kAdd, {x_, y_});
  EXPECT_FALSE(infer_.Rebuilt(sum, {Say(y_, z_), std::nullopt}));
  EXPECT_FALSE(infer_.Rebuilt(sum, {Say(z_, x_), std::nullopt}));
  EXPECT_FALSE(infer_.Rebuilt(sum, {Say(x_, z_)}));
  EXPECT_FALSE(infer_.Rebuilt(sum, {Say(x_, z_), std::nullopt, std::nullopt}));
  EXPECT_FALSE(infer_.Rebuilt(i_, {}));
}

TEST_F(RebuiltTest, BitsOfNansAreKept) {
  Term bits = terms::WithBits(pool_, x_, kS32);
  EXPECT_TRUE(infer_.Rebuilt(bits, {Say(x_, y_)}));
  EXPECT_FALSE(infer_.Rebuilt(bits, {Say(x_, y_, Equality::kNansAreOne)}));
  Term before = pool_.Apply(Op::kCompareLtTotal, PrimitiveType::kPred, {x_, y_});
  EXPECT_FALSE(infer_.Rebuilt(before, {Say(x_, z_, Equality::kNansAreOne), std::nullopt}));
  EXPECT_FALSE(infer_.Rebuilt(Apply(Op::kCopysign, {x_, y_}),
                              {std::nullopt, Say(y_, z_, Equality::kNansAreOne)}));
}

TEST_F(RebuiltTest, FactsAboutAFoldsVariablesStayOutside) {
  Term fold = pool_.Fold(Op::kAdd, pool_.True(), x_, {i_});
  const Facts about_i = Facts::One(pool_.AtLeast(i_, pool_.Number(3)));
  const Facts about_j = Facts::One(pool_.AtLeast(j_, pool_.Number(3)));
  auto of_value = [&](const Facts& facts) {
    return infer_.Rebuilt(fold, {std::nullopt, Say(x_, y_, Equality::kBits, facts), std::nullopt});
  };
  EXPECT_TRUE(of_value({}));
  EXPECT_TRUE(of_value(about_j));
  EXPECT_FALSE(of_value(about_i));
  EXPECT_FALSE(infer_.Rebuilt(fold, {std::nullopt, std::nullopt, Say(i_, j_)}));
}

}  // namespace
}  // namespace affirm::logic
