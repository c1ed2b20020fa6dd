// Machine integers as terms, against the same computed on integers of 8, 16 and 32 bits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/range.h"

namespace affirm::terms {
namespace {

using hlo::PrimitiveType;

constexpr int kVariables = 3;
using Point = std::vector<int64_t>;
// nullopt where a divisor is zero or a shift too far: the value is undefined there.
using Value = std::function<std::optional<uint64_t>(const Point&)>;

uint64_t MaskOf(int64_t width) { return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

int64_t SignedOf(uint64_t bits, int64_t width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

// The machine's operation on bits; by zero, and shifts by the width or more, as in XLA.
std::optional<uint64_t> Compute(int op, uint64_t a, uint64_t b, int64_t width) {
  uint64_t mask = MaskOf(width);
  int64_t sa = SignedOf(a, width), sb = SignedOf(b, width);
  switch (op) {
    case 0:
      return (a + b) & mask;
    case 1:
      return (a - b) & mask;
    case 2:
      return (a * b) & mask;
    case 3:
      if (b == 0) return mask;
      return sb == -1 ? (0 - a) & mask : static_cast<uint64_t>(sa / sb) & mask;
    case 4:
      if (b == 0) return a;
      return sb == -1 ? 0 : static_cast<uint64_t>(sa % sb) & mask;
    case 5:
      if (b == 0) return mask;
      return a / b;
    case 6:
      if (b == 0) return a;
      return a % b;
    case 7:
      return a & b;
    case 8:
      return a | b;
    case 9:
      return a ^ b;
    default:
      break;
  }
  if (b >= static_cast<uint64_t>(width)) return op == 12 && sa < 0 ? mask : 0;
  if (op == 10) return (a << b) & mask;
  if (op == 11) return a >> b;
  return static_cast<uint64_t>(sa >> b) & mask;
}

Term Build(Scope& scope, int op, Term a, Term b, int64_t width) {
  Pool& pool = scope.pool();
  switch (op) {
    case 0:
      return pool.Add(a, b);
    case 1:
      return pool.Subtract(a, b);
    case 2:
      return Product(scope, a, b, width);
    case 3:
      return DivideSigned(scope, a, b, width);
    case 4:
      return RemainderSigned(scope, a, b, width);
    case 5:
      return DivideUnsigned(scope, a, b, width);
    case 6:
      return RemainderUnsigned(scope, a, b, width);
    case 7:
      return And(scope, a, b, width);
    case 8:
      return Or(scope, a, b, width);
    case 9:
      return Xor(scope, a, b, width);
    case 10:
      return ShiftLeft(scope, a, b, width);
    case 11:
      return ShiftRightLogical(scope, a, b, width);
    default:
      return ShiftRightArithmetic(scope, a, b, width);
  }
}

constexpr Op kOps[] = {Op::kNone,
                       Op::kNone,
                       Op::kMultiply,
                       Op::kDivide,
                       Op::kRemainder,
                       Op::kDivideUnsigned,
                       Op::kRemainderUnsigned,
                       Op::kAnd,
                       Op::kOr,
                       Op::kXor,
                       Op::kShiftLeft,
                       Op::kShiftRightLogical,
                       Op::kShiftRightArithmetic};

struct Built {
  Term term;
  Value value;
};

struct World {
  Pool pool;
  Scope scope{pool};
  int64_t width = *rc::gen::element<int64_t>(8, 16, 32);
  std::vector<Range> ranges;
  std::vector<Term> variables;

  World() {
    for (int i = 0; i < kVariables; ++i) {
      int64_t half = int64_t{1} << (width - 1);
      int64_t lo = *rc::gen::element<int64_t>(0, 0, 0, -5, -half, half - 10);
      int64_t size = *rc::gen::element<int64_t>(3, 15, 31, 99, 127);
      ranges.push_back({lo, lo + size});
      variables.push_back(pool.Variable("v" + std::to_string(i), ranges.back()));
    }
  }

  Built Draw(int depth) {
    int kind = depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 8);
    int64_t w = width;
    if (kind == 0) {
      int64_t n = *rc::gen::element<int64_t>(0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 24, 31, 32, 96, 100,
                                             -1, -2, -8, -128, 127);
      return {pool.Number(n),
              [n, w](const Point&) { return static_cast<uint64_t>(n) & MaskOf(w); }};
    }
    if (kind == 1) {
      int v = *rc::gen::inRange(0, kVariables);
      return {variables[v],
              [v, w](const Point& p) { return static_cast<uint64_t>(p[v]) & MaskOf(w); }};
    }
    Built a = Draw(depth - 1), b = Draw(depth - 1);
    // A constant operand, as most instructions have one.
    if (kind < 5) b = Draw(0);
    int op = *rc::gen::inRange(0, 13);
    return {Build(scope, op, a.term, b.term, w), [a, b, op, w](const Point& p) {
              auto x = a.value(p), y = b.value(p);
              return x && y ? Compute(op, *x, *y, w) : std::nullopt;
            }};
  }

  Point DrawPoint() {
    Point p;
    for (const Range& r : ranges) {
      p.push_back(
          *rc::gen::inRange<int64_t>(static_cast<int64_t>(r.lo), static_cast<int64_t>(r.hi) + 1));
    }
    return p;
  }

  // Operations on values are computed as the machine does.
  Int128 Value(Term term, const Point& p) {
    return Evaluate(term, [&](Term leaf) -> Int128 {
      for (int i = 0; i < kVariables; ++i) {
        if (leaf == variables[i]) return p[i];
      }
      if (leaf->kind == Kind::kOfInteger) return Value(leaf->args[0], p);
      RC_ASSERT(leaf->kind == Kind::kApply);
      auto bits = [&](Term value) {
        Int128 v = value->kind == Kind::kOfInteger ? Value(value->args[0], p)
                                                   : Value(pool.IntegerOf(value), p);
        return static_cast<uint64_t>(v) & MaskOf(width);
      };
      for (int op = 2; op < 13; ++op) {
        if (leaf->op() != kOps[op]) continue;
        auto computed = Compute(op, bits(leaf->args[0]), bits(leaf->args[1]), width);
        return computed ? Int128{SignedOf(*computed, width)} : Int128{0};
      }
      RC_FAIL("an operation that is not known: " + ToString(leaf));
    });
  }
};

RC_GTEST_PROP(Machine, ComputesAsTheMachineDoes, ()) {
  World world;
  Built a = world.Draw(3), b = world.Draw(2);
  int64_t w = world.width;
  Scope& scope = world.scope;
  Term as_signed = Signed(scope, a.term, w), as_unsigned = Unsigned(scope, a.term, w);
  Term less = SignedLess(scope, a.term, b.term, w), below = UnsignedLess(scope, a.term, b.term, w),
       equal = MachineEqual(scope, a.term, b.term, w);
  for (int i = 0; i < 20; ++i) {
    Point p = world.DrawPoint();
    auto x = a.value(p), y = b.value(p);
    if (!x || !y) continue;
    RC_ASSERT((static_cast<uint64_t>(world.Value(a.term, p)) & MaskOf(w)) == *x);
    RC_ASSERT(world.Value(as_signed, p) == SignedOf(*x, w));
    RC_ASSERT(world.Value(as_unsigned, p) == *x);
    RC_ASSERT(world.Value(less, p) == (SignedOf(*x, w) < SignedOf(*y, w)));
    RC_ASSERT(world.Value(below, p) == (*x < *y));
    RC_ASSERT(world.Value(equal, p) == (*x == *y));
  }
}

RC_GTEST_PROP(Machine, PowersAreRepeatedProducts, ()) {
  World world;
  const int64_t w = world.width;
  const bool is_signed = *rc::gen::arbitrary<bool>();
  Built a = world.Draw(0), b = world.Draw(1);
  Term power = Power(world.scope, a.term, b.term, w, is_signed);
  for (int i = 0; i < 5; ++i) {
    Point p = world.DrawPoint();
    const uint64_t x = *a.value(p), y = *b.value(p);
    const int64_t base = SignedOf(x, w), exponent = SignedOf(y, w);
    uint64_t wanted = 1;
    if (is_signed && exponent < 0) {
      const bool odd = exponent % 2 != 0;
      wanted = base == 1 ? 1 : base == -1 ? (odd ? MaskOf(w) : 1) : 0;
    } else {
      RC_PRE(y < 4096);
      for (uint64_t k = 0; k < y; ++k) wanted = wanted * x & MaskOf(w);
    }
    RC_ASSERT((static_cast<uint64_t>(world.Value(power, p)) & MaskOf(w)) == wanted);
  }
}

// Facts of a guard are used, and what is built under them holds where they do.
RC_GTEST_PROP(Machine, UsesFacts, ()) {
  World world;
  Scope& scope = world.scope;
  Built guard = world.Draw(1);
  int64_t limit = *rc::gen::inRange(0, 120), w = world.width;
  Term condition = UnsignedLess(scope, guard.term, world.pool.Number(limit), w);
  bool possible = scope.Assume(condition);
  Built a = world.Draw(3);
  for (int i = 0; i < 20; ++i) {
    Point p = world.DrawPoint();
    auto g = guard.value(p), x = a.value(p);
    if (!g || !x || *g >= static_cast<uint64_t>(limit)) continue;
    RC_ASSERT(possible);
    RC_ASSERT((static_cast<uint64_t>(world.Value(a.term, p)) & MaskOf(w)) == *x);
  }
}

TEST(Machine, RangesMakeItFree) {
  Pool pool;
  Scope scope(pool);
  Term th = pool.Variable("th_x", {0, 127}), bl = pool.Variable("bl_x", {0, 74});
  Term i = pool.Add(pool.Scale(bl, 128), th);
  EXPECT_EQ(Signed(scope, i, 32), i);
  EXPECT_EQ(Unsigned(scope, i, 32), i);
  EXPECT_EQ(DivideUnsigned(scope, i, pool.Number(128), 32), bl);
  EXPECT_EQ(And(scope, i, pool.Number(127), 32), th);
  EXPECT_EQ(Or(scope, pool.Scale(bl, 128), th, 32), i);
  EXPECT_EQ(Xor(scope, pool.Scale(bl, 128), th, 32), i);
  EXPECT_EQ(Xor(scope, i, pool.Number(-1), 32), pool.Subtract(pool.Number(-1), i));
}

// Bits put together from parts of one integer, as tiles of threads do it.
TEST(Machine, DisjointBitsOfOneInteger) {
  Pool pool;
  Scope scope(pool);
  Term th = pool.Variable("th_x", {0, 127});
  auto bits = [&](int64_t mask, int64_t shift) {
    return ShiftLeft(scope, And(scope, th, pool.Number(mask), 32), pool.Number(shift), 32);
  };
  Term a = Or(scope, bits(7, 4), bits(8, 5), 32);
  EXPECT_EQ(a, pool.Add(bits(7, 4), bits(8, 5)));
  EXPECT_EQ(Or(scope, a, bits(16, 3), 32), pool.Add(a, bits(16, 3)));
}

TEST(Machine, AGuardOfALoadedIndex) {
  Pool pool;
  Scope scope(pool);
  Term v = pool.IntegerOf(pool.Load(1, pool.Number(0), PrimitiveType::kS32));
  Term inside = pool.Not(UnsignedLess(scope, pool.Number(99), v, 32));
  EXPECT_EQ(inside, pool.And({pool.AtLeastZero(v), pool.AtLeast(pool.Number(99), v)}));
  ASSERT_TRUE(scope.Assume(inside));
  EXPECT_EQ(scope.RangeOf(v), (Range{0, 99}));
}

TEST(Machine, TypesOfWidths) {
  EXPECT_EQ(TermType(PrimitiveType::kU32), PrimitiveType::kS32);
  EXPECT_EQ(TermType(PrimitiveType::kU4), PrimitiveType::kS4);
  EXPECT_EQ(TermType(PrimitiveType::kF32), PrimitiveType::kF32);
  EXPECT_EQ(TermType(PrimitiveType::kPred), PrimitiveType::kPred);
  EXPECT_EQ(IntegerType(1), PrimitiveType::kPred);
}

// Parts that are put together again, at once or after parts of it were replaced, are the number.
TEST(Machine, ComplexNumbersOfTheirParts) {
  Pool pool;
  Scope scope(pool);
  const PrimitiveType c64 = PrimitiveType::kC64, f32 = PrimitiveType::kF32;
  Term x = pool.Load(0, pool.Number(0), c64), y = pool.Load(1, pool.Number(0), f32);
  Term z = pool.Load(2, pool.Number(0), f32);
  EXPECT_EQ(ComplexOf(pool, RealPart(pool, x), ImaginaryPart(pool, x), c64), x);
  Term number = ComplexOf(pool, y, z, c64);
  Term real = RealPart(pool, x), imaginary = ImaginaryPart(pool, x);
  EXPECT_EQ(scope.Substitute(number, {{y, real}, {z, imaginary}}), x);
  EXPECT_NE(scope.Substitute(number, {{y, imaginary}, {z, real}}), x);
  EXPECT_EQ(scope.Substitute(real, {{x, number}}), y);
  EXPECT_EQ(scope.Substitute(imaginary, {{x, number}}), z);
  Term two = pool.Literal(f32, 0x40000000), minus = pool.Literal(f32, 0xbf800000);
  EXPECT_EQ(ComplexOf(pool, two, minus, c64),
            pool.Literal(c64, (Int128{0xbf800000} << 32) + 0x40000000));
}

}  // namespace
}  // namespace affirm::terms
