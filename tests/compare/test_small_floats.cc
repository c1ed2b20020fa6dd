// The forms by integers of conversions between f32 and small floats are these conversions: for all
// values of the small types, and for those of f32 where rounding may change.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/hlo/float_format.h"
#include "tests/compare/single_operations.h"
#include "verify/compare/narrow_values.h"
#include "verify/compare/scalar_operations.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/small_floats.h"

namespace affirm::compare {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

TEST(SmallFloats, WideningIsTheConversion) {
  for (PrimitiveType type : SmallFloats()) {
    Pool pool;
    Scope scope(pool);
    Term x = pool.Load(0, pool.Number(0), type);
    Term converted = pool.Apply(Op::kConvert, PrimitiveType::kF32, {x});
    auto never = [](Term, Term) { return false; };
    int64_t steps = int64_t{1} << 26;
    EXPECT_EQ(SameAtAllValues(terms::WidenedByBits(scope, x), converted, never, steps), true)
        << hlo::Name(type).str();
    EXPECT_LT(steps, int64_t{1} << 26);
    // Not all values were looked at: no answer.
    int64_t few = 100;
    EXPECT_EQ(SameAtAllValues(terms::WidenedByBits(scope, x), converted, never, few), std::nullopt);
    // And one step away it is not.
    Term next = pool.Apply(Op::kAdd, PrimitiveType::kF32, {converted, converted});
    EXPECT_EQ(SameAtAllValues(terms::WidenedByBits(scope, x), next, never, steps), false)
        << hlo::Name(type).str();
  }
}

// The greater of two values that were widened is one of them; a number that the narrow type does
// not have is none.
TEST(SmallFloats, ExtremaOfWidenedValuesAreThoseOfTheValues) {
  for (PrimitiveType type : SmallFloats()) {
    for (terms::Op op : {Op::kMaximum, Op::kMinimum, Op::kMaximumNumber, Op::kMinimumNumber}) {
      Pool pool;
      Term x = pool.Load(0, pool.Number(0), type), y = pool.Load(0, pool.Number(1), type);
      auto wide = [&](Term of) { return pool.Apply(Op::kConvert, PrimitiveType::kF32, {of}); };
      auto narrowed = [&](Term a, Term b) {
        return pool.Apply(Op::kConvert, type, {pool.Apply(op, PrimitiveType::kF32, {a, b})});
      };
      EXPECT_EQ(narrowed(wide(x), wide(y)), pool.Apply(op, type, {x, y}));
      Term third = pool.Literal(PrimitiveType::kF32, 0x3EAAAAAB);
      EXPECT_EQ(narrowed(wide(x), third)->op(), Op::kConvert);

      const auto to_wide =
          llvm::cantFail(ScalarOperations::Resolve(Op::kConvert, PrimitiveType::kF32, {type}));
      const auto to_narrow =
          llvm::cantFail(ScalarOperations::Resolve(Op::kConvert, type, {PrimitiveType::kF32}));
      auto in_wide = ScalarOperations::Resolve(op, PrimitiveType::kF32,
                                               {PrimitiveType::kF32, PrimitiveType::kF32});
      auto in_narrow = ScalarOperations::Resolve(op, type, {type, type});
      ASSERT_EQ(static_cast<bool>(in_wide), static_cast<bool>(in_narrow));
      if (!in_wide) {
        llvm::consumeError(in_wide.takeError());
        llvm::consumeError(in_narrow.takeError());
        continue;
      }
      int64_t different = 0;
      for (int64_t a = 0; a < int64_t{1} << hlo::BitWidth(type); ++a) {
        for (int64_t b = 0; b < int64_t{1} << hlo::BitWidth(type); ++b) {
          const TypedScalar p = OfBits(a, type), q = OfBits(b, type);
          const TypedScalar one = to_narrow({(*in_wide)({to_wide({p}), to_wide({q})})});
          different += BitsOf(one) != BitsOf((*in_narrow)({p, q}));
        }
      }
      EXPECT_EQ(different, 0) << terms::Name(op).str() << " of " << hlo::Name(type).str();
    }
  }
}

// f16 and bf16 are computed as f32 and rounded: of pairs at, and between, the edges of the types.
TEST(SmallFloats, OperationsOnF32ThatAreRoundedAreThoseOfTheType) {
  for (PrimitiveType type : {PrimitiveType::kF16, PrimitiveType::kBF16}) {
    for (terms::Op op : {Op::kAdd, Op::kSubtract, Op::kMultiply, Op::kDivide}) {
      Pool pool;
      Term x = pool.Load(0, pool.Number(0), type), y = pool.Load(0, pool.Number(1), type);
      auto wide = [&](Term of) { return pool.Apply(Op::kConvert, PrimitiveType::kF32, {of}); };
      auto on_f32 = [&](Term a, Term b) { return pool.Apply(op, PrimitiveType::kF32, {a, b}); };
      EXPECT_EQ(pool.Apply(Op::kConvert, type, {on_f32(wide(x), wide(y))}),
                pool.Apply(op, type, {x, y}));
      // A sum with more places than the type is rounded once more.
      Term sum = on_f32(on_f32(wide(x), wide(y)), wide(y));
      EXPECT_EQ(pool.Apply(Op::kConvert, type, {sum})->op(), Op::kConvert);

      const auto to_wide =
          llvm::cantFail(ScalarOperations::Resolve(Op::kConvert, PrimitiveType::kF32, {type}));
      const auto to_narrow =
          llvm::cantFail(ScalarOperations::Resolve(Op::kConvert, type, {PrimitiveType::kF32}));
      const auto in_wide = llvm::cantFail(ScalarOperations::Resolve(
          op, PrimitiveType::kF32, {PrimitiveType::kF32, PrimitiveType::kF32}));
      const auto in_narrow = llvm::cantFail(ScalarOperations::Resolve(op, type, {type, type}));
      for (int64_t a = 0; a < 1 << 16; a += 97) {
        for (int64_t b = a % 7; b < 1 << 16; b += 389) {
          const TypedScalar p = OfBits(a, type), q = OfBits(b, type);
          const TypedScalar one = to_narrow({in_wide({to_wide({p}), to_wide({q})})});
          ASSERT_EQ(BitsOf(one), BitsOf(in_narrow({p, q})))
              << terms::Name(op).str() << " of " << a << " and " << b;
        }
      }
    }
  }
}

// Rounding keeps the order of numbers: at the ends of the types, beyond them, and between their
// neighbors.
TEST(SmallFloats, ExtremaThatAreRoundedAreThoseOfWhatIsRounded) {
  std::vector<TypedScalar> numbers;
  for (uint64_t high = 0; high < 1 << 16; high += 331) {
    for (uint64_t low : {0x0000, 0x0001, 0x1000, 0x7fff, 0x8000, 0xf001})
      numbers.push_back(OfBits(static_cast<int64_t>(high << 16 | low), PrimitiveType::kF32));
  }
  for (int64_t bits :
       {0x00000000L, 0x80000000L, 0x7f800000L, 0xff800000L, 0x7fc00000L, 0x7f7fffffL})
    numbers.push_back(OfBits(bits, PrimitiveType::kF32));
  for (PrimitiveType type : {PrimitiveType::kF16, PrimitiveType::kBF16}) {
    for (terms::Op op : {Op::kMaximum, Op::kMinimum}) {
      Pool pool;
      Term x = pool.Load(0, pool.Number(0), PrimitiveType::kF32);
      Term y = pool.Load(0, pool.Number(1), PrimitiveType::kF32);
      auto rounded = [&](Term of) { return pool.Apply(Op::kConvert, type, {of}); };
      EXPECT_EQ(rounded(pool.Apply(op, PrimitiveType::kF32, {x, y})),
                pool.Apply(op, type, {rounded(x), rounded(y)}));

      const auto to_narrow =
          llvm::cantFail(ScalarOperations::Resolve(Op::kConvert, type, {PrimitiveType::kF32}));
      const auto in_wide = llvm::cantFail(ScalarOperations::Resolve(
          op, PrimitiveType::kF32, {PrimitiveType::kF32, PrimitiveType::kF32}));
      const auto in_narrow = llvm::cantFail(ScalarOperations::Resolve(op, type, {type, type}));
      for (const TypedScalar& p : numbers) {
        for (const TypedScalar& q : numbers) {
          const TypedScalar want = in_narrow({to_narrow({p}), to_narrow({q})});
          ASSERT_EQ(BitsOf(to_narrow({in_wide({p, q})})), BitsOf(want)) << terms::Name(op).str();
        }
      }
    }
  }
  // A type without infinities has NaN beyond its numbers, whichever of the two types is smaller.
  Pool pool;
  Term x = pool.Load(0, pool.Number(0), PrimitiveType::kF32);
  Term y = pool.Load(0, pool.Number(1), PrimitiveType::kF32);
  Term least = pool.Apply(Op::kMinimum, PrimitiveType::kF32, {x, y});
  EXPECT_EQ(pool.Apply(Op::kConvert, PrimitiveType::kF8E4M3FN, {least})->op(), Op::kConvert);
}

// Operands that terms leave out change no value of the type.
TEST(SmallFloats, OperandsThatChangeNothing) {
  struct Case {
    terms::Op op;
    double number;
    bool either_side;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<PrimitiveType> types = SmallFloats();
  types.insert(types.end(), {PrimitiveType::kBF16, PrimitiveType::kF16});
  int64_t tried = 0;
  for (PrimitiveType type : types) {
    for (const Case& c :
         {Case{Op::kMultiply, 1, true}, Case{Op::kDivide, 1, false}, Case{Op::kSubtract, 0, false},
          Case{Op::kMaximum, -infinity, true}, Case{Op::kMinimum, infinity, true}}) {
      Pool pool;
      Term x = pool.Load(0, pool.Number(0), type);
      Term neutral = pool.Literal(type, hlo::EncodeFloat(type, c.number));
      const bool left_out = pool.Apply(c.op, type, {x, neutral}) == x;
      // Not every type has a zero or an infinity.
      EXPECT_EQ(left_out,
                hlo::DecodeFloat(type, static_cast<uint64_t>(neutral->number)) == c.number)
          << terms::Name(c.op).str() << " of " << hlo::Name(type).str();
      EXPECT_EQ(pool.Apply(c.op, type, {neutral, x}) == x, left_out && c.either_side);
      if (!left_out) continue;
      const auto function = llvm::cantFail(ScalarOperations::Resolve(c.op, type, {type, type}));
      const TypedScalar other = OfBits(neutral->number, type);
      for (int64_t bits = 0; bits < int64_t{1} << hlo::BitWidth(type); ++bits) {
        const TypedScalar value = OfBits(bits, type);
        ASSERT_EQ(BitsOf(function({value, other})), BitsOf(value))
            << terms::Name(c.op).str() << " of " << bits;
        if (c.either_side) {
          ASSERT_EQ(BitsOf(function({other, value})), BitsOf(value));
        }
        ++tried;
      }
      Term negative_zero = pool.Literal(type, hlo::EncodeFloat(type, -0.0));
      if (std::signbit(hlo::DecodeFloat(type, static_cast<uint64_t>(negative_zero->number)))) {
        EXPECT_NE(pool.Apply(Op::kSubtract, type, {x, negative_zero}), x);
      }
    }
  }
  EXPECT_GT(tried, 500'000);
}

// All upper halves of the 32 bits, which decide what is kept and whether it lies in the middle; of
// the lower halves those that lie on, or next to, an edge, and more of them for AFFIRM_CASES.
TEST(SmallFloats, NarrowingIsTheConversion) {
  const char* wanted = std::getenv("AFFIRM_CASES");
  std::vector<int64_t> lows = {0, 1};
  for (int64_t k = 2, more = wanted ? std::atoll(wanted) >> 16 : 0;
       k < std::min<int64_t>(more, 1 << 16); ++k)
    lows.push_back(k * 40503 % (1 << 16));
  for (PrimitiveType type : SmallFloats()) {
    for (int64_t low : lows) {
      Pool pool;
      Scope scope(pool);
      Term high = pool.IntegerOf(pool.Load(0, pool.Number(0), PrimitiveType::kS16));
      Term bits = pool.Add(pool.Scale(high, 1 << 16), pool.Number(low));
      Term x =
          terms::WithBits(pool, pool.OfInteger(bits, PrimitiveType::kS32), PrimitiveType::kF32);
      Term converted = pool.Apply(Op::kConvert, type, {x});
      auto never = [](Term, Term) { return false; };
      int64_t steps = int64_t{1} << 26;
      ASSERT_EQ(SameAtAllValues(terms::NarrowedByBits(scope, x, type), converted, never, steps),
                true)
          << hlo::Name(type).str() << ", lower bits " << low;
    }
  }
}

TEST(SmallFloats, FormsAreRecognized) {
  for (PrimitiveType type : SmallFloats()) {
    Pool pool;
    Scope scope(pool);
    const int64_t width = hlo::BitWidth(type);
    Term x = pool.Load(0, pool.Number(0), PrimitiveType::kF32);
    Term small = pool.Load(1, pool.Number(0), type);
    auto bits = [&](Term value) {
      return pool.IntegerOf(
          terms::WithBits(pool, value, terms::IntegerType(hlo::BitWidth(value->type))));
    };
    Term narrow = bits(terms::NarrowedByBits(scope, x, type)),
         wide = bits(terms::WidenedByBits(scope, small));
    EXPECT_EQ(terms::ConversionToSmall(scope, narrow, width), pool.Apply(Op::kConvert, type, {x}));
    EXPECT_EQ(terms::ConversionFromSmall(scope, wide),
              pool.Apply(Op::kConvert, PrimitiveType::kF32, {small}));
    EXPECT_EQ(terms::ConversionToSmall(scope, pool.Add(narrow, pool.Number(1)), width), nullptr);
    EXPECT_EQ(terms::ConversionFromSmall(scope, pool.Add(wide, pool.Number(1))), nullptr);
  }
}

// All upper halves of the 32 bits, and lower ones next to an edge.
TEST(SmallFloats, NarrowingByAnInstructionIsTheConversion) {
  for (PrimitiveType type : {PrimitiveType::kF8E4M3FN, PrimitiveType::kF8E5M2}) {
    for (int64_t low : {0, 0xFFFF}) {
      Pool pool;
      Scope scope(pool);
      Term high = pool.IntegerOf(pool.Load(0, pool.Number(0), PrimitiveType::kS16));
      Term bits = pool.Add(pool.Scale(high, 1 << 16), pool.Number(low));
      Term x =
          terms::WithBits(pool, pool.OfInteger(bits, PrimitiveType::kS32), PrimitiveType::kF32);
      auto never = [](Term, Term) { return false; };
      auto is_same = [&](Term integer, Term value) {
        Term small =
            terms::WithBits(pool, pool.OfInteger(integer, PrimitiveType::kS8), value->type);
        int64_t steps = int64_t{1} << 26;
        return SameAtAllValues(small, value, never, steps);
      };
      Term converted = pool.Apply(Op::kConvert, type, {x});
      EXPECT_EQ(is_same(terms::NarrowedByInstruction(scope, x, type), converted), true)
          << hlo::Name(type).str() << ", lower bits " << low;
      // The instruction alone has no infinity, and no NaN for what lies beyond.
      int64_t steps = int64_t{1} << 26;
      EXPECT_EQ(SameAtAllValues(terms::NarrowedWithinRange(pool, x, type), converted, never, steps),
                false);
    }
    Pool pool;
    Scope scope(pool);
    Term x = pool.Load(0, pool.Number(0), PrimitiveType::kF32);
    Term form = terms::NarrowedByInstruction(scope, x, type);
    Term found = terms::ConversionByInstruction(scope, form);
    ASSERT_TRUE(found);
    EXPECT_EQ(terms::WithBits(pool, pool.OfInteger(found, PrimitiveType::kS8), type),
              pool.Apply(Op::kConvert, type, {x}));
    Term other = scope.Pick(pool.Not(form->args[0]), form->args[1], form->args[2]);
    EXPECT_FALSE(terms::ConversionByInstruction(scope, other));
  }
}

TEST(SmallFloats, AChoiceIsTheSameInteger) {
  Pool pool;
  Scope scope(pool);
  const PrimitiveType type = PrimitiveType::kF8E5M2;
  Term condition = pool.AtLeastZero(pool.Add(pool.Variable("i", {0, 9}), pool.Number(-5)));
  auto bits = [&](int64_t buffer) {
    Term value = pool.Load(buffer, pool.Number(0), type);
    return pool.IntegerOf(terms::WithBits(pool, value, PrimitiveType::kS8));
  };
  Term chosen = terms::ChosenSmallFloat(scope, condition, bits(0), bits(1));
  ASSERT_TRUE(chosen);
  EXPECT_EQ(terms::WithBits(pool, pool.OfInteger(chosen, PrimitiveType::kS8), type)->kind,
            terms::Kind::kSelect);
  EXPECT_TRUE(terms::ChosenSmallFloat(scope, condition, bits(0), pool.Number(-100)));
  // More than eight bits: a signed integer that was made wider.
  EXPECT_FALSE(terms::ChosenSmallFloat(scope, condition, bits(0), pool.Number(200)));
  EXPECT_FALSE(terms::ChosenSmallFloat(scope, condition, pool.Number(1), pool.Number(2)));
}

}  // namespace
}  // namespace affirm::compare
