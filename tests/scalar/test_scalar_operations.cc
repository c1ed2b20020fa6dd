// Elementwise ops: integers compared with wide arithmetic modulo 2^n, floats with tables.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/scalar/run_scalar.h"

namespace affirm::hlo {
namespace {

using Wide = __int128;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr PrimitiveType kIntTypes[] = {
    PrimitiveType::kS1,  PrimitiveType::kS2,  PrimitiveType::kS4,  PrimitiveType::kS8,
    PrimitiveType::kS16, PrimitiveType::kS32, PrimitiveType::kS64, PrimitiveType::kU1,
    PrimitiveType::kU2,  PrimitiveType::kU4,  PrimitiveType::kU8,  PrimitiveType::kU16,
    PrimitiveType::kU32, PrimitiveType::kU64};
constexpr PrimitiveType kFloatTypes[] = {PrimitiveType::kF16, PrimitiveType::kBF16,
                                         PrimitiveType::kF32, PrimitiveType::kF64};

// The value of an element as a mathematical integer.
Wide Value(PrimitiveType type, int64_t stored) {
  return type == PrimitiveType::kU64 ? Wide(static_cast<uint64_t>(stored)) : Wide(stored);
}

// The residue of a mathematical integer in the range of a type.
Wide Residue(PrimitiveType type, Wide value) {
  const Wide modulus = Wide(1) << BitWidth(type);
  Wide r = value % modulus;
  if (r < 0) r += modulus;
  return IsSignedInt(type) && r >= modulus / 2 ? r - modulus : r;
}

// Limits, small numbers and random bits of a type.
std::vector<int64_t> Samples(PrimitiveType type, std::mt19937_64& random) {
  Literal box(Shape::Array(type, {1}));
  std::vector<int64_t> samples;
  const int bits = BitWidth(type);
  for (int64_t v :
       {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-2}, int64_t{7}, int64_t{3},
        int64_t(uint64_t{1} << (bits - 1)), int64_t((uint64_t{1} << (bits - 1)) - 1), int64_t{bits},
        int64_t{bits - 1}, int64_t(random()), int64_t(random()), int64_t(random() % 16)}) {
    box.SetInt(0, v);
    samples.push_back(box.GetInt(0));
  }
  return samples;
}

Literal Binary(const std::string& op, PrimitiveType type, const Literal& a, const Literal& b,
               const std::string& attributes = "", PrimitiveType result = PrimitiveType::kInvalid) {
  const std::string shape = Text(type, {});
  const std::string to = result == PrimitiveType::kInvalid ? shape : Text(result, {});
  return RunScalar("ENTRY e { a = " + shape + " parameter(0) b = " + shape +
                       " parameter(1) ROOT r = " + to + " " + op + "(a, b)" + attributes + " }",
                   {a, b});
}

Literal Unary(const std::string& op, PrimitiveType type, const Literal& a,
              const std::string& attributes = "", PrimitiveType result = PrimitiveType::kInvalid) {
  const std::string shape = Text(type, {});
  const std::string to = result == PrimitiveType::kInvalid ? shape : Text(result, {});
  return RunScalar("ENTRY e { a = " + shape + " parameter(0) ROOT r = " + to + " " + op + "(a)" +
                       attributes + " }",
                   {a});
}

// Every pair of samples through `op`, against `expected` on mathematical integers.
template <typename Expected>
void CheckIntBinary(const std::string& op, Expected expected) {
  std::mt19937_64 random(1);
  for (PrimitiveType type : kIntTypes) {
    const std::vector<int64_t> samples = Samples(type, random);
    std::vector<int64_t> lhs, rhs;
    for (int64_t a : samples) {
      for (int64_t b : samples) {
        lhs.push_back(a);
        rhs.push_back(b);
      }
    }
    const std::vector<int64_t> dims = {static_cast<int64_t>(lhs.size())};
    const Literal result = Binary(op, type, Ints(type, dims, lhs), Ints(type, dims, rhs));
    ASSERT_EQ(result.NumElements(), dims[0]) << op;
    for (size_t i = 0; i < lhs.size(); ++i) {
      const Wide want = Residue(type, expected(Value(type, lhs[i]), Value(type, rhs[i]), type));
      EXPECT_TRUE(Value(type, result.GetInt(i)) == want)
          << op << " " << Name(type).str() << " " << lhs[i] << " " << rhs[i] << " gave "
          << result.GetInt(i) << ", expected " << static_cast<int64_t>(want);
    }
  }
}

TEST(IntegerOps, SumDifferenceProductAreModular) {
  CheckIntBinary("add", [](Wide a, Wide b, PrimitiveType) { return a + b; });
  CheckIntBinary("subtract", [](Wide a, Wide b, PrimitiveType) { return a - b; });
  CheckIntBinary("multiply", [](Wide a, Wide b, PrimitiveType) {
    // The product of two u64 may leave 128 signed bits; modulo 2^64 that is no matter.
    return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  });
}

TEST(IntegerOps, DivisionNeverTraps) {
  CheckIntBinary("divide", [](Wide a, Wide b, PrimitiveType) { return b == 0 ? Wide(-1) : a / b; });
  CheckIntBinary("remainder", [](Wide a, Wide b, PrimitiveType) { return b == 0 ? a : a % b; });
}

TEST(IntegerOps, MinimumAndMaximumAreOfTheValues) {
  CheckIntBinary("minimum", [](Wide a, Wide b, PrimitiveType) { return a < b ? a : b; });
  CheckIntBinary("maximum", [](Wide a, Wide b, PrimitiveType) { return a < b ? b : a; });
}

TEST(IntegerOps, BitwiseOpsAreSumsOfBits) {
  CheckIntBinary("and", [](Wide a, Wide b, PrimitiveType) { return a & b; });
  CheckIntBinary("or", [](Wide a, Wide b, PrimitiveType) { return a | b; });
  CheckIntBinary("xor", [](Wide a, Wide b, PrimitiveType) { return a ^ b; });
}

// Shift amounts as unsigned numbers of the type.
Wide Amount(Wide b, PrimitiveType type) { return b < 0 ? b + (Wide(1) << BitWidth(type)) : b; }

TEST(IntegerOps, ShiftsAreProductsAndQuotientsOfPowersOfTwo) {
  CheckIntBinary("shift-left", [](Wide a, Wide b, PrimitiveType type) {
    return Amount(b, type) >= BitWidth(type) ? Wide(0) : a * (Wide(1) << Amount(b, type));
  });
  CheckIntBinary("shift-right-logical", [](Wide a, Wide b, PrimitiveType type) {
    const Wide bits = a < 0 ? a + (Wide(1) << BitWidth(type)) : a;
    return Amount(b, type) >= BitWidth(type) ? Wide(0) : bits / (Wide(1) << Amount(b, type));
  });
  CheckIntBinary("shift-right-arithmetic", [](Wide a, Wide b, PrimitiveType type) {
    const Wide half = Wide(1) << (BitWidth(type) - 1);
    const Wide value = a >= half ? a - 2 * half : a;
    const Wide by = std::min(Amount(b, type), Wide(BitWidth(type) - 1));
    const Wide divisor = Wide(1) << by;
    return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
  });
}

TEST(IntegerOps, ClampLetsTheUpperBoundWin) {
  const Literal r = RunScalar(
      "ENTRY e { l = s32[] parameter(0) x = s32[] parameter(1) h = s32[] parameter(2) "
      "ROOT r = s32[] clamp(l, x, h) }",
      {S32({6}, {3, 3, 3, 3, 5, 5}), S32({6}, {-9, 4, 6, 9, 0, 9}), S32({6}, {6, 6, 6, 6, 2, 2})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{3, 4, 6, 6, 2, 2}));
}

TEST(ComplexOps, PowersOfZero) {
  Literal x(Shape::Array(PrimitiveType::kC64, {4})), y = x;
  for (auto [i, power] : {std::pair<int64_t, std::complex<double>>{1, 2}, {2, {1, 1}}, {3, -1}})
    y.SetComplex(i, power);
  const Literal r = Binary("power", PrimitiveType::kC64, x, y);
  EXPECT_EQ(r.GetComplex(0), std::complex<double>(1));
  EXPECT_EQ(r.GetComplex(1), std::complex<double>(0));
  for (int64_t i : {2, 3}) EXPECT_TRUE(std::isnan(r.GetComplex(i).real()));
}

TEST(IntegerOps, PowerIsRepeatedMultiplication) {
  CheckIntBinary("power", [](Wide a, Wide b, PrimitiveType type) {
    if (b < 0) return a == 1 ? Wide(1) : a == -1 ? Wide(b % 2 == 0 ? 1 : -1) : Wide(0);
    // Computes the power modulo 2^n by the binary digits from the top, another order than the
    // interpreter's.
    unsigned __int128 result = 1;
    const unsigned __int128 modulus = static_cast<unsigned __int128>(1) << BitWidth(type);
    for (int bit = 63; bit >= 0; --bit) {
      result = result * result % modulus;
      if (((b >> bit) & 1) != 0) result = result * static_cast<unsigned __int128>(a) % modulus;
    }
    return static_cast<Wide>(result);
  });
}

TEST(IntegerOps, UnaryOps) {
  std::mt19937_64 random(2);
  for (PrimitiveType type : kIntTypes) {
    const std::vector<int64_t> samples = Samples(type, random);
    const Literal x = Ints(type, {static_cast<int64_t>(samples.size())}, samples);
    const Literal negated = Unary("negate", type, x), inverted = Unary("not", type, x);
    const Literal abs = Unary("abs", type, x), sign = Unary("sign", type, x);
    const Literal ones = Unary("popcnt", type, x), zeros = Unary("count-leading-zeros", type, x);
    for (size_t i = 0; i < samples.size(); ++i) {
      const Wide v = Value(type, samples[i]);
      EXPECT_TRUE(Value(type, negated.GetInt(i)) == Residue(type, -v));
      EXPECT_TRUE(Value(type, inverted.GetInt(i)) == Residue(type, -v - 1));
      EXPECT_TRUE(Value(type, abs.GetInt(i)) == Residue(type, v < 0 ? -v : v));
      EXPECT_TRUE(Value(type, sign.GetInt(i)) == Residue(type, v < 0 ? -1 : v > 0 ? 1 : 0));
      int set = 0, leading = 0;
      bool seen = false;
      for (int bit = BitWidth(type) - 1; bit >= 0; --bit) {
        const bool one = ((static_cast<uint64_t>(samples[i]) >> bit) & 1) != 0;
        set += one;
        seen |= one;
        leading += !seen;
      }
      EXPECT_TRUE(Value(type, ones.GetInt(i)) == Residue(type, set)) << Name(type).str();
      EXPECT_TRUE(Value(type, zeros.GetInt(i)) == Residue(type, leading)) << Name(type).str();
    }
  }
}

TEST(PredOps, LogicTables) {
  const PrimitiveType pred = PrimitiveType::kPred;
  const Literal a = Ints(pred, {4}, {0, 0, 1, 1}), b = Ints(pred, {4}, {0, 1, 0, 1});
  const auto table = [&](const std::string& op) { return IntValues(Binary(op, pred, a, b)); };
  const std::vector<int64_t> both = {0, 0, 0, 1}, any = {0, 1, 1, 1}, one = {0, 1, 1, 0};
  EXPECT_EQ(table("and"), both);
  EXPECT_EQ(table("minimum"), both);
  EXPECT_EQ(table("multiply"), both);
  EXPECT_EQ(table("or"), any);
  EXPECT_EQ(table("maximum"), any);
  EXPECT_EQ(table("add"), any);
  EXPECT_EQ(table("xor"), one);
  EXPECT_EQ(IntValues(Unary("not", pred, a)), (std::vector<int64_t>{1, 1, 0, 0}));
}

bool SameFloat(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

void ExpectFloats(const Literal& got, const std::vector<double>& want) {
  ASSERT_EQ(got.NumElements(), std::ssize(want));
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(SameFloat(got.GetFloat(i), want[i]))
        << i << ": " << got.GetFloat(i) << " " << want[i];
  }
}

TEST(FloatOps, NanAndZeroTables) {
  for (PrimitiveType type : kFloatTypes) {
    const Literal a = Floats(type, {7}, {kNaN, 1, 0.0, -0.0, -kInf, 2, kInf});
    const Literal b = Floats(type, {7}, {1, kNaN, -0.0, 0.0, kInf, -3, kInf});
    ExpectFloats(Binary("maximum", type, a, b), {kNaN, kNaN, 0.0, 0.0, kInf, 2, kInf});
    ExpectFloats(Binary("minimum", type, a, b), {kNaN, kNaN, -0.0, -0.0, -kInf, -3, kInf});
    ExpectFloats(Unary("sign", type, a), {kNaN, 1, 0.0, -0.0, -1, 1, 1});
    ExpectFloats(Unary("abs", type, a), {kNaN, 1, 0.0, 0.0, kInf, 2, kInf});
    ExpectFloats(Unary("negate", type, b), {-1, kNaN, 0.0, -0.0, -kInf, 3, -kInf});
    EXPECT_EQ(IntValues(Unary("is-finite", type, a, "", PrimitiveType::kPred)),
              (std::vector<int64_t>{0, 1, 1, 1, 0, 1, 0}));
  }
}

TEST(FloatOps, Rounding) {
  for (PrimitiveType type : kFloatTypes) {
    const Literal x = Floats(type, {8}, {0.5, 1.5, 2.5, -0.5, -1.5, -0.25, 0.75, -kInf});
    ExpectFloats(Unary("round-nearest-even", type, x), {0, 2, 2, -0.0, -2, -0.0, 1, -kInf});
    ExpectFloats(Unary("round-nearest-afz", type, x), {1, 2, 3, -1, -2, -0.0, 1, -kInf});
    ExpectFloats(Unary("floor", type, x), {0, 1, 2, -1, -2, -1, 0, -kInf});
    ExpectFloats(Unary("ceil", type, x), {1, 2, 3, -0.0, -1, -0.0, 1, -kInf});
  }
}

TEST(FloatOps, ExactValues) {
  for (PrimitiveType type : kFloatTypes) {
    const auto at = [&](const std::string& op, double x) {
      return Unary(op, type, Floats(type, {}, {x})).GetFloat(0);
    };
    EXPECT_EQ(at("exponential", 0), 1);
    EXPECT_EQ(at("exponential-minus-one", 0), 0);
    EXPECT_EQ(at("log", 1), 0);
    EXPECT_EQ(at("log-plus-one", 0), 0);
    EXPECT_EQ(at("logistic", 0), 0.5);
    EXPECT_EQ(at("logistic", -kInf), 0);
    EXPECT_EQ(at("sqrt", 9), 3);
    EXPECT_EQ(at("rsqrt", 4), 0.5);
    EXPECT_EQ(at("cbrt", -8), -2);
    EXPECT_EQ(at("erf", kInf), 1);
    EXPECT_EQ(at("tanh", kInf), 1);
    EXPECT_EQ(at("tan", 0), 0);
    EXPECT_EQ(at("cosine", 0), 1);
    EXPECT_EQ(at("acosh", 1), 0);
    EXPECT_EQ(at("acos", 1), 0);
    EXPECT_TRUE(std::isnan(at("log", -1)));
    EXPECT_TRUE(std::isnan(at("sqrt", -1)));
    EXPECT_EQ(at("log", 0), -kInf);
    const auto both = [&](const std::string& op, double x, double y) {
      return Binary(op, type, Floats(type, {}, {x}), Floats(type, {}, {y})).GetFloat(0);
    };
    EXPECT_EQ(both("power", -2, 3), -8);
    EXPECT_EQ(both("power", 0, 0), 1);
    EXPECT_EQ(both("remainder", -7, 3), -1);
    EXPECT_EQ(both("divide", 1, 0), kInf);
    EXPECT_EQ(both("atan2", 0, 1), 0);
    EXPECT_TRUE(std::isnan(both("remainder", 1, 0)));
  }
}

// f16 and bf16: computed in f32, rounded after every op.
RC_GTEST_PROP(FloatOps, NarrowTypesRoundOnce, (uint16_t x, uint16_t y)) {
  for (PrimitiveType type : {PrimitiveType::kF16, PrimitiveType::kBF16}) {
    Literal a(Shape::Array(type, {})), b = a, want = a;
    a.Set<uint16_t>(0, x);
    b.Set<uint16_t>(0, y);
    want.SetFloat(0, static_cast<float>(a.GetFloat(0)) * static_cast<float>(b.GetFloat(0)));
    RC_ASSERT(SameFloat(Binary("multiply", type, a, b).GetFloat(0), want.GetFloat(0)));
    want.SetFloat(0, static_cast<float>(a.GetFloat(0)) + static_cast<float>(b.GetFloat(0)));
    RC_ASSERT(SameFloat(Binary("add", type, a, b).GetFloat(0), want.GetFloat(0)));
  }
}

TEST(FloatOps, F32StaysInF32) {
  const Literal r = Binary("add", PrimitiveType::kF32, F32({}, {16777216}), F32({}, {1}));
  EXPECT_EQ(r.GetFloat(0), 16777216);
  EXPECT_EQ(Unary("exponential", PrimitiveType::kF32, F32({}, {1})).GetFloat(0), std::exp(1.0f));
}

TEST(Compare, FloatsAndTheTotalOrder) {
  const std::vector<double> ascending = {-kNaN, -kInf, -1, -0.0, 0.0, 1, kInf, kNaN};
  for (PrimitiveType type : kFloatTypes) {
    for (size_t i = 0; i < ascending.size(); ++i) {
      for (size_t j = 0; j < ascending.size(); ++j) {
        const Literal a = Floats(type, {}, {ascending[i]}), b = Floats(type, {}, {ascending[j]});
        const auto compare = [&](const std::string& direction, const std::string& kind) {
          return Binary("compare", type, a, b, ", direction=" + direction + kind,
                        PrimitiveType::kPred)
                     .GetInt(0) != 0;
        };
        const std::string total = ", type=TOTALORDER";
        EXPECT_EQ(compare("LT", total), i < j) << i << " " << j;
        EXPECT_EQ(compare("LE", total), i <= j);
        EXPECT_EQ(compare("EQ", total), i == j);
        EXPECT_EQ(compare("NE", total), i != j);
        EXPECT_EQ(compare("GT", total), i > j);
        EXPECT_EQ(compare("GE", total), i >= j);
        EXPECT_EQ(compare("LT", ""), ascending[i] < ascending[j]);
        EXPECT_EQ(compare("LE", ""), ascending[i] <= ascending[j]);
        EXPECT_EQ(compare("EQ", ""), ascending[i] == ascending[j]);
        EXPECT_EQ(compare("NE", ""), ascending[i] != ascending[j]);
        EXPECT_EQ(compare("GT", ""), ascending[i] > ascending[j]);
        EXPECT_EQ(compare("GE", ""), ascending[i] >= ascending[j]);
      }
    }
  }
}

TEST(Compare, UnsignedNumbersBeyondInt64) {
  const Literal big = Ints(PrimitiveType::kU64, {}, {-1}), one = Ints(PrimitiveType::kU64, {}, {1});
  EXPECT_EQ(Binary("compare", PrimitiveType::kU64, big, one, ", direction=GT", PrimitiveType::kPred)
                .GetInt(0),
            1);
}

TEST(Complex, PartsAndArithmetic) {
  const std::string text = R"(ENTRY e {
    re = f32[] parameter(0) im = f32[] parameter(1)
    z = c64[] complex(re, im) n = c64[] negate(z)
    zz = c64[] multiply(z, z) q = c64[] divide(zz, z) d = c64[] subtract(q, n)
    r = f32[] real(d) i = f32[] imag(zz) a = f32[] abs(z)
    ROOT t = (f32[], f32[], f32[]) tuple(r, i, a) })";
  const std::vector<Literal> r = RunOnEach(text, {F32({2}, {3, 1}), F32({2}, {4, -1})});
  // zz = z * z, q = z, d = 2 z.
  EXPECT_EQ(FloatValues(r[0]), (std::vector<double>{6, 2}));
  EXPECT_EQ(FloatValues(r[1]), (std::vector<double>{24, -2}));
  EXPECT_EQ(FloatValues(r[2]), (std::vector<double>{5, static_cast<double>(std::sqrt(2.0f))}));
}

}  // namespace
}  // namespace affirm::hlo
