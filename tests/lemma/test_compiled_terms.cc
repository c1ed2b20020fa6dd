// Compiled terms have the values that the interpreter gives: conversions of floats at all edges,
// and random terms of all operations and types at directed and random points.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "core/hlo/float_format.h"
#include "verify/compare/narrow_values.h"
#include "verify/lemma/machine_code.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::lemma {
namespace {

using hlo::PrimitiveType;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF32 = PrimitiveType::kF32, kF64 = PrimitiveType::kF64,
                        kS32 = PrimitiveType::kS32, kS64 = PrimitiveType::kS64;
constexpr PrimitiveType kNarrow[] = {PrimitiveType::kF16,           PrimitiveType::kBF16,
                                     PrimitiveType::kF8E5M2,        PrimitiveType::kF8E4M3,
                                     PrimitiveType::kF8E3M4,        PrimitiveType::kF8E4M3FN,
                                     PrimitiveType::kF8E4M3B11FNUZ, PrimitiveType::kF8E5M2FNUZ,
                                     PrimitiveType::kF8E4M3FNUZ,    PrimitiveType::kF4E2M1FN};

bool OnlyItself(Term a, Term b) { return a == b; }

// Both sides of a statement about elements, as machine code.
std::optional<MachineCode> Compile(Term left, Term right,
                                   Generality generality = Generality::kOfElements) {
  auto statement = MakeStatement(left, right, generality, OnlyItself);
  if (!statement) return std::nullopt;
  auto code = MachineCode::Create(*statement);
  if (code) return std::move(*code);
  llvm::consumeError(code.takeError());
  return std::nullopt;
}

// Whether bits of a type are those that the interpreter gives of a value, all NaNs being one.
bool Encodes(PrimitiveType type, uint64_t bits, double value) {
  const uint64_t expected = hlo::EncodeFloat(type, value);
  return bits == expected ||
         (std::isnan(hlo::DecodeFloat(type, bits)) && std::isnan(hlo::DecodeFloat(type, expected)));
}

// Every exponent with mantissas at and around each place where a narrower type rounds.
std::vector<uint32_t> EdgesOfF32() {
  std::set<uint32_t> edges;
  for (uint32_t high = 0; high < 1u << 13; ++high) {
    for (uint32_t low : {0u, 1u, 0x3FFFFu, 0x40000u, 0x40001u, 0x7FFFFu})
      edges.insert(high << 19 | low);
  }
  for (uint32_t exponent = 0; exponent < 1u << 9; ++exponent) {
    for (int place = 0; place < 23; ++place) {
      for (int delta : {-1, 0, 1}) {
        edges.insert((exponent << 23 | 1u << place) + static_cast<uint32_t>(delta));
        edges.insert((exponent << 23 | 3u << place) + static_cast<uint32_t>(delta));
      }
    }
  }
  return {edges.begin(), edges.end()};
}

TEST(CompiledFloats, RoundAsTheInterpreterDoes) {
  const std::vector<uint32_t> edges = EdgesOfF32();
  for (PrimitiveType type : kNarrow) {
    Pool pool;
    Term x = pool.Load(0, pool.Number(0), kF32);
    auto code = Compile(pool.Apply(terms::Op::kConvert, type, {x}), pool.Literal(type, 1));
    ASSERT_TRUE(code) << hlo::Name(type).str();
    int64_t wrong = 0;
    for (uint32_t bits : edges) {
      const double value = hlo::DecodeFloat(kF32, bits);
      wrong += !Encodes(type, code->Evaluate(bits, 0).left, value);
    }
    EXPECT_EQ(wrong, 0) << hlo::Name(type).str() << " of " << edges.size();
  }
}

TEST(CompiledFloats, RoundDoublesOnce) {
  const std::vector<uint32_t> edges = EdgesOfF32();
  std::vector<PrimitiveType> types(std::begin(kNarrow), std::end(kNarrow));
  types.push_back(kF32);
  for (PrimitiveType type : types) {
    Pool pool;
    Term x = pool.Load(0, pool.Number(0), kF32);
    // A little more than each edge: what is rounded to f32 first goes wrong.
    Term wide = pool.Apply(terms::Op::kConvert, kF64, {x});
    Term more =
        pool.Apply(terms::Op::kMultiply, kF64, {wide, pool.Literal(kF64, 0x3FF0000000000001)});
    auto code = Compile(pool.Apply(terms::Op::kConvert, type, {more}), pool.Literal(type, 1));
    ASSERT_TRUE(code) << hlo::Name(type).str();
    int64_t wrong = 0;
    for (uint32_t bits : edges) {
      const double value = hlo::DecodeFloat(kF32, bits) * std::bit_cast<double>(0x3FF0000000000001);
      wrong += !Encodes(type, code->Evaluate(bits, 0).left, value);
    }
    EXPECT_EQ(wrong, 0) << hlo::Name(type).str();
  }
}

TEST(CompiledFloats, HaveTheValuesOfTheirBits) {
  for (PrimitiveType type : kNarrow) {
    Pool pool;
    Term x = pool.Load(0, pool.Number(0), type);
    auto code = Compile(pool.Apply(terms::Op::kConvert, kF32, {x}), pool.Literal(kF32, 1));
    ASSERT_TRUE(code) << hlo::Name(type).str();
    for (uint32_t bits = 0; bits < 1u << hlo::BitWidth(type); ++bits) {
      ASSERT_TRUE(Encodes(kF32, code->Evaluate(bits, 0).left, hlo::DecodeFloat(type, bits)))
          << hlo::Name(type).str() << " " << bits;
    }
  }
}

// ---- random terms

// Terms over one or two elements, from the operations of both sides of a proof.
class RandomTerms {
 public:
  RandomTerms(Scope& scope, std::vector<Term> elements) : scope_(scope), elements_(elements) {}

  Term Value(PrimitiveType type, int depth) {
    if (depth <= 0 || Chance(12)) return Leaf(type);
    if (type == PrimitiveType::kPred) return pool().OfCondition(Condition(depth));
    return hlo::IsFloat(type) ? Float(type, depth) : IntegerValue(type, depth);
  }

 private:
  Pool& pool() { return scope_.pool(); }
  static int Below(int end) { return *rc::gen::inRange(0, end); }
  static bool Chance(int in) { return Below(in) == 0; }
  template <typename T>
  static T OneOf(std::initializer_list<T> items) {
    return *rc::gen::elementOf(std::vector<T>(items));
  }

  static PrimitiveType AnyFloat() {
    const int k = Below(14);
    return k < 4 ? kF32 : k == 4 ? kF64 : kNarrow[k % std::size(kNarrow)];
  }
  static PrimitiveType AnyInteger() {
    return OneOf({PrimitiveType::kS4, PrimitiveType::kS8, PrimitiveType::kS16, kS32, kS64});
  }

  Term Leaf(PrimitiveType type) {
    Term element = elements_[static_cast<size_t>(Below(static_cast<int>(elements_.size())))];
    const int64_t width = hlo::BitWidth(type);
    if (element->type == type) return element;
    if (hlo::BitWidth(element->type) == width && type != PrimitiveType::kPred &&
        element->type != PrimitiveType::kPred && !Chance(3)) {
      return terms::WithBits(pool(), element, type);
    }
    if (!Chance(3)) {
      Term converted = terms::Convert(scope_, element, element->type, type);
      if (converted) return converted;
    }
    const auto bits = static_cast<uint64_t>(*rc::gen::arbitrary<uint32_t>());
    if (type == kF32 || type == kF64 || hlo::IsFloat(type)) {
      const double numbers[] = {0, -0.0, 1, -1, 0.5, 255, 448, 65504, 1e-7, 3e9, double(bits) / 3};
      const double number = numbers[bits % std::size(numbers)];
      return pool().Literal(type, static_cast<Int128>(hlo::EncodeFloat(type, number)));
    }
    if (type == PrimitiveType::kPred) return pool().OfCondition(pool().True());
    return pool().OfInteger(pool().Number(SmallNumber()), type);
  }

  static Int128 SmallNumber() {
    return OneOf<Int128>(
        {0, 1, -1, 2, 7, 31, 127, -128, 255, 4096, 0x7F800000, -(Int128{1} << 31)});
  }

  Term Float(PrimitiveType type, int depth) {
    switch (Below(10)) {
      case 0: {
        const terms::Operation op = OneOf<terms::Operation>(
            {terms::Op::kAbs, terms::Op::kNegate, terms::Op::kSign, terms::Op::kCeil,
             terms::Op::kFloor, terms::Op::kRoundNearestEven, terms::Op::kRoundNearestAfz,
             terms::Op::kSqrt, terms::Op::kTruncate, terms::Operation::ReducePrecision(5, 10),
             terms::Operation::ReducePrecision(8, 7), terms::Operation::ReducePrecision(3, 0),
             terms::Operation::ReducePrecision(11, 30)});
        return pool().Apply(op, type, {Value(type, depth - 1)});
      }
      case 1:
      case 2:
      case 3: {
        const terms::Op op =
            OneOf({terms::Op::kAdd, terms::Op::kSubtract, terms::Op::kMultiply, terms::Op::kDivide,
                   terms::Op::kMaximum, terms::Op::kMinimum, terms::Op::kMaximumNumber,
                   terms::Op::kMinimumNumber, terms::Op::kCopysign, terms::Op::kRemainder});
        return pool().Apply(op, type, {Value(type, depth - 1), Value(type, depth - 1)});
      }
      case 4:
      case 5:
        return pool().Apply(terms::Op::kConvert, type, {Value(AnyFloat(), depth - 1)});
      case 6:
        return pool().Apply(OneOf({terms::Op::kConvert, terms::Op::kConvertUnsigned}), type,
                            {Value(AnyInteger(), depth - 1)});
      case 7: {
        const int width = hlo::BitWidth(type);
        return pool().Apply(terms::Op::kBitcast, type,
                            {Value(terms::IntegerType(width), depth - 1)});
      }
      default:
        return pool().Select(Condition(depth - 1), Value(type, depth - 1), Value(type, depth - 1));
    }
  }

  Term IntegerValue(PrimitiveType type, int depth) {
    switch (Below(9)) {
      case 0: {
        const terms::Op op =
            OneOf({terms::Op::kAbs, terms::Op::kNegate, terms::Op::kSign, terms::Op::kNot,
                   terms::Op::kPopcnt, terms::Op::kCountLeadingZeros});
        return pool().Apply(op, type, {Value(type, depth - 1)});
      }
      case 1:
      case 2: {
        const terms::Op op =
            OneOf({terms::Op::kAdd, terms::Op::kSubtract, terms::Op::kMultiply, terms::Op::kAnd,
                   terms::Op::kOr, terms::Op::kXor, terms::Op::kDivide, terms::Op::kDivideUnsigned,
                   terms::Op::kRemainder, terms::Op::kRemainderUnsigned, terms::Op::kMaximum,
                   terms::Op::kMaximumUnsigned, terms::Op::kMinimum, terms::Op::kMinimumUnsigned,
                   terms::Op::kShiftLeft, terms::Op::kShiftRightLogical,
                   terms::Op::kShiftRightArithmetic});
        return pool().Apply(op, type, {Value(type, depth - 1), Value(type, depth - 1)});
      }
      case 3:
        return pool().Apply(OneOf({terms::Op::kConvert, terms::Op::kConvertUnsigned,
                                   terms::Op::kConvertInRange, terms::Op::kConvertInRangeUnsigned}),
                            type, {Value(AnyFloat(), depth - 1)});
      case 4:
        return pool().Apply(OneOf({terms::Op::kConvert, terms::Op::kConvertUnsigned}), type,
                            {Value(AnyInteger(), depth - 1)});
      case 5: {
        const int width = hlo::BitWidth(type);
        PrimitiveType from = width == 64   ? kF64
                             : width == 32 ? kF32
                             : width == 16 ? OneOf({PrimitiveType::kF16, PrimitiveType::kBF16})
                             : width == 8  ? kNarrow[2 + Below(7)]
                                           : PrimitiveType::kF4E2M1FN;
        return pool().Apply(terms::Op::kBitcast, type, {Value(from, depth - 1)});
      }
      default:
        return pool().OfInteger(Integer(depth - 1), type);
    }
  }

  Term Integer(int depth) {
    if (depth <= 0 || Chance(8)) return pool().Number(SmallNumber());
    auto operand = [&] {
      return Chance(2) ? Integer(depth - 1) : pool().IntegerOf(Value(AnyInteger(), depth - 1));
    };
    switch (Below(7)) {
      case 0:
        return pool().Add(operand(), operand());
      case 1:
        return pool().Scale(operand(), SmallNumber());
      case 2:
        return pool().Multiply(operand(), operand());
      case 3:
        return pool().QuotientAtom(
            operand(), OneOf<Int128>({1, 2, 3, 7, 256, 1 << 20, Int128{1} << 31, Int128{1} << 40}));
      case 4:
        return pool().MaxAtom(operand(), operand());
      case 5:
        return pool().PickAtom(Condition(depth - 1), operand(), operand());
      default:
        return terms::Unsigned(scope_, operand(), 32);
    }
  }

  Term Condition(int depth) {
    if (depth <= 0) return Chance(2) ? pool().True() : pool().AtLeastZero(Integer(1));
    switch (Below(7)) {
      case 0:
        return pool().AtLeast(Integer(depth - 1), Integer(depth - 1));
      case 1:
        return pool().Equal(Integer(depth - 1), Integer(depth - 1));
      case 2:
        return pool().Not(Condition(depth - 1));
      case 3:
        return pool().And({Condition(depth - 1), Condition(depth - 1)});
      case 4: {
        const PrimitiveType type = AnyFloat();
        return pool().Holds(
            pool().Apply(terms::Op::kIsFinite, PrimitiveType::kPred, {Value(type, depth - 1)}));
      }
      default: {
        const PrimitiveType type = AnyFloat();
        const terms::Op op = OneOf({terms::Op::kCompareEq, terms::Op::kCompareLt,
                                    terms::Op::kCompareLe, terms::Op::kCompareEqTotal,
                                    terms::Op::kCompareLtTotal, terms::Op::kCompareLeTotal});
        return pool().Holds(pool().Apply(op, PrimitiveType::kPred,
                                         {Value(type, depth - 1), Value(type, depth - 1)}));
      }
    }
  }

  Scope& scope_;
  std::vector<Term> elements_;
};

// Bits with all their forms: small numbers, powers of two, ends, exponents.
std::vector<uint64_t> Points(int bits) {
  std::vector<uint64_t> points;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (uint64_t k = 0; k < 24; ++k) {
    points.push_back(k & mask);
    points.push_back(~k & mask);
    points.push_back((uint64_t{1} << (k * static_cast<uint64_t>(bits) / 24)) & mask);
    points.push_back((k * 0x9E3779B97F4A7C15 >> 17) & mask);
    points.push_back((k << (bits > 9 ? bits - 9 : 0)) * 23 & mask);
  }
  for (uint64_t special : std::initializer_list<uint64_t>{0x7F800000, 0xFF800000, 0x7FC00000,
                                                          0x7F800001, 0x7C007C00, 0x7E00FE00})
    points.push_back(special & mask);
  return points;
}

int64_t compared = 0, open_sides = 0, not_compiled = 0;

RC_GTEST_PROP(CompiledTerms, HaveTheValuesOfTheInterpreter, ()) {
  Pool pool;
  Scope scope(pool);
  const bool two = *rc::gen::arbitrary<bool>();
  const std::vector<PrimitiveType> wide = {kF32, kS32, PrimitiveType::kF16,
                                           PrimitiveType::kF8E4M3FN, PrimitiveType::kS8};
  const std::vector<PrimitiveType> small = {
      PrimitiveType::kF16,        PrimitiveType::kBF16, PrimitiveType::kS16, PrimitiveType::kF8E5M2,
      PrimitiveType::kF8E4M3FNUZ, PrimitiveType::kS4,   PrimitiveType::kPred};
  std::vector<Term> elements;
  for (int k = 0; k < (two ? 2 : 1); ++k) {
    elements.push_back(pool.Load(k, pool.Number(0), *rc::gen::elementOf(two ? small : wide)));
  }
  RandomTerms random(scope, elements);
  const PrimitiveType type = *rc::gen::elementOf(
      std::vector<PrimitiveType>{kF32, kF64, kS32, kS64, PrimitiveType::kPred, PrimitiveType::kS8,
                                 PrimitiveType::kF16, PrimitiveType::kF8E4M3FN});
  Term left = random.Value(type, 5), right = random.Value(type, 5);
  auto statement = MakeStatement(left, right, Generality::kOfElements, OnlyItself);
  if (!statement) return;
  auto code = MachineCode::Create(*statement);
  if (!code) {
    llvm::consumeError(code.takeError());
    ++not_compiled;
    return;
  }
  const std::vector<uint64_t> points = Points(statement->bits);
  for (size_t nans = 0; nans < 4; ++nans) {
    size_t k = 0;
    compare::EvaluateAt(
        left, right, statement->leaf_terms, OnlyItself, points, nans,
        [&](const compare::TypedScalar& a, const compare::TypedScalar& b) {
          const SidesAtPoint sides = code->Evaluate(static_cast<uint32_t>(points[k++]), 0);
          auto check = [&](const compare::TypedScalar& x, uint64_t bits, bool is_open) {
            if (is_open) {
              ++open_sides;
              return;
            }
            ++compared;
            if (compare::SameScalar(x, compare::OfBits(static_cast<Int128>(bits), x.type))) return;
            RC_LOG() << "point " << points[k - 1] << ": " << bits << " for " << compare::BitsOf(x)
                     << "\n"
                     << statement->Text();
            RC_FAIL("compiled code has another value");
          };
          check(a, sides.left, sides.left_is_open != 0);
          check(b, sides.right, sides.right_is_open != 0);
          const bool differ =
              sides.left_is_open != 0 || sides.right_is_open != 0 || !compare::SameScalar(a, b);
          RC_ASSERT(differ == (sides.differ != 0));
          return true;
        });
  }
  // The loop over vectors of points finds the same differences.
  for (uint64_t begin : {points[3], points[7]}) {
    uint32_t differences = 0;
    const auto first = static_cast<uint32_t>(begin);
    for (uint32_t i = 0; i < 100; ++i) differences += code->Evaluate(first + i, 0).differ;
    RC_ASSERT(code->CountDifferences(first, 100, 0) == differences);
  }
}

TEST(CompiledTerms, AreComparedOften) {
  EXPECT_GT(compared, 1000);
  EXPECT_GT(compared, open_sides);
}

}  // namespace
}  // namespace affirm::lemma
