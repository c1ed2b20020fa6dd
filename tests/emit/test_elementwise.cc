// Every elementwise op on every type that it has, at the values where implementations differ. The
// emulator calls the same libm as the interpreter, so results must agree to the bit.
#include "tests/emit/kernel_testing.h"

namespace affirm::testing {
namespace {

using hlo::PrimitiveType;

constexpr const char* kFloatUnary[] = {"abs",
                                       "acos",
                                       "acosh",
                                       "asin",
                                       "asinh",
                                       "atanh",
                                       "cbrt",
                                       "ceil",
                                       "cosh",
                                       "cosine",
                                       "erf",
                                       "floor",
                                       "exponential",
                                       "exponential-minus-one",
                                       "log",
                                       "rsqrt",
                                       "sine",
                                       "sinh",
                                       "log-plus-one",
                                       "logistic",
                                       "sqrt",
                                       "sign",
                                       "negate",
                                       "round-nearest-afz",
                                       "round-nearest-even",
                                       "tan",
                                       "tanh",
                                       "copy"};
constexpr const char* kFloatBinary[] = {"add",      "atan2", "divide",    "maximum", "minimum",
                                        "multiply", "power", "remainder", "subtract"};
constexpr const char* kSignedUnary[] = {"abs",  "negate", "not", "popcnt", "count-leading-zeros",
                                        "sign", "copy"};
constexpr const char* kIntBinary[] = {"add",       "and",
                                      "divide",    "maximum",
                                      "minimum",   "multiply",
                                      "or",        "power",
                                      "remainder", "shift-left",
                                      "subtract",  "shift-right-arithmetic",
                                      "xor",       "shift-right-logical"};
constexpr const char* kPredBinary[] = {"and", "or", "xor", "maximum", "minimum", "add", "multiply"};

// One kernel with an output per op.
class TupleOfOps {
 public:
  explicit TupleOfOps(PrimitiveType type) : arguments_(NotablePairs(type)) {
    shape_ = arguments_[0].shape().ToString();
    size_ = "[" + std::to_string(arguments_[0].NumElements()) + "]";
  }
  void Add(const std::string& result_type, const std::string& op, const std::string& operands,
           const std::string& attributes = "") {
    std::string name = "r" + std::to_string(names_.size());
    std::string shape = (result_type.empty() ? shape_ : result_type + size_);
    body_ += "  " + name + " = " + shape + " " + op + "(" + operands + ")" + attributes + "\n";
    names_.push_back(name);
    shapes_.push_back(shape);
  }
  std::string Text() const {
    std::string shapes, names;
    for (size_t i = 0; i < names_.size(); ++i) {
      shapes += (i ? ", " : "") + shapes_[i];
      names += (i ? ", " : "") + names_[i];
    }
    return "HloModule m\nENTRY e {\n  x = " + shape_ + " parameter(0)\n  y = " + shape_ +
           " parameter(1)\n" + body_ + "  ROOT t = (" + shapes + ") tuple(" + names + ")\n}\n";
  }
  ::testing::AssertionResult Check() const { return MatchesInterpreter(Emit(Text()), arguments_); }

 private:
  std::vector<hlo::Literal> arguments_;
  std::string shape_, size_, body_;
  std::vector<std::string> names_, shapes_;
};

constexpr PrimitiveType kFloats[] = {PrimitiveType::kF16, PrimitiveType::kBF16, PrimitiveType::kF32,
                                     PrimitiveType::kF64};
constexpr PrimitiveType kInts[] = {PrimitiveType::kS4,  PrimitiveType::kS8,  PrimitiveType::kS16,
                                   PrimitiveType::kS32, PrimitiveType::kS64, PrimitiveType::kU4,
                                   PrimitiveType::kU8,  PrimitiveType::kU16, PrimitiveType::kU32,
                                   PrimitiveType::kU64};

class FloatOps : public ::testing::TestWithParam<PrimitiveType> {};
class IntOps : public ::testing::TestWithParam<PrimitiveType> {};
class AnyOps : public ::testing::TestWithParam<PrimitiveType> {};

std::string TypeName(const ::testing::TestParamInfo<PrimitiveType>& info) {
  return hlo::Name(info.param).str();
}
INSTANTIATE_TEST_SUITE_P(Types, FloatOps, ::testing::ValuesIn(kFloats), TypeName);
INSTANTIATE_TEST_SUITE_P(Types, IntOps, ::testing::ValuesIn(kInts), TypeName);
INSTANTIATE_TEST_SUITE_P(Floats, AnyOps, ::testing::ValuesIn(kFloats), TypeName);
INSTANTIATE_TEST_SUITE_P(Ints, AnyOps, ::testing::ValuesIn(kInts), TypeName);
INSTANTIATE_TEST_SUITE_P(Pred, AnyOps, ::testing::Values(PrimitiveType::kPred), TypeName);

TEST_P(FloatOps, Unary) {
  TupleOfOps ops(GetParam());
  for (const char* op : kFloatUnary) ops.Add("", op, "x");
  ops.Add("pred", "is-finite", "x");
  EXPECT_TRUE(ops.Check());
}

TEST_P(FloatOps, Binary) {
  TupleOfOps ops(GetParam());
  for (const char* op : kFloatBinary) ops.Add("", op, "x, y");
  EXPECT_TRUE(ops.Check());
}

TEST_P(FloatOps, ReducePrecision) {
  TupleOfOps ops(GetParam());
  for (const char* bits : {"exponent_bits=5, mantissa_bits=10", "exponent_bits=8, mantissa_bits=7",
                           "exponent_bits=2, mantissa_bits=3", "exponent_bits=4, mantissa_bits=0",
                           "exponent_bits=11, mantissa_bits=52"}) {
    ops.Add("", "reduce-precision", "x", std::string(", ") + bits);
  }
  EXPECT_TRUE(ops.Check());
}

TEST_P(FloatOps, TotalOrder) {
  TupleOfOps ops(GetParam());
  for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    ops.Add("pred", "compare", "x, y",
            std::string(", direction=") + direction + ", type=TOTALORDER");
  }
  EXPECT_TRUE(ops.Check());
}

TEST_P(IntOps, Unary) {
  TupleOfOps ops(GetParam());
  for (const char* op : kSignedUnary) ops.Add("", op, "x");
  EXPECT_TRUE(ops.Check());
}

TEST_P(IntOps, Binary) {
  TupleOfOps ops(GetParam());
  for (const char* op : kIntBinary) ops.Add("", op, "x, y");
  EXPECT_TRUE(ops.Check());
}

TEST(PredOps, All) {
  TupleOfOps ops(PrimitiveType::kPred);
  for (const char* op : kPredBinary) ops.Add("", op, "x, y");
  ops.Add("", "not", "x");
  EXPECT_TRUE(ops.Check());
}

TEST_P(AnyOps, CompareSelectClamp) {
  TupleOfOps ops(GetParam());
  for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    ops.Add("pred", "compare", "x, y", std::string(", direction=") + direction);
  }
  ops.Add("", "select", "r2, x, y");
  if (GetParam() != PrimitiveType::kPred) ops.Add("", "clamp", "x, y, x");
  EXPECT_TRUE(ops.Check());
}

TEST_P(AnyOps, ConvertToEveryType) {
  TupleOfOps ops(GetParam());
  for (PrimitiveType to : kFloats) ops.Add(hlo::Name(to).str(), "convert", "x");
  for (PrimitiveType to : kInts) ops.Add(hlo::Name(to).str(), "convert", "x");
  ops.Add("pred", "convert", "x");
  EXPECT_TRUE(ops.Check());
}

// Rounding a wide number to 16 bits must happen once: these lie just beside the middle between two
// neighbours, by less than f32 resolves.
TEST(Convert, RoundsOnceToSixteenBits) {
  EmittedModule emitted = Emit(R"(HloModule m
    ENTRY e {
      x = f64[8] parameter(0)
      n = s64[8] parameter(1)
      a = bf16[8] convert(x)
      b = f16[8] convert(x)
      c = bf16[8] convert(n)
      d = f32[8] convert(n)
      ROOT t = (bf16[8], f16[8], bf16[8], f32[8]) tuple(a, b, c, d)
    })");
  hlo::Literal x(hlo::Shape::Array(PrimitiveType::kF64, {8}));
  hlo::Literal n(hlo::Shape::Array(PrimitiveType::kS64, {8}));
  const double tiny = 0x1p-40;
  const double values[] = {1 + 0x1p-8 + tiny,
                           1 + 0x1p-8 - tiny,
                           1 + 0x1p-11 + tiny,
                           65519.999999,
                           65520.0,
                           -1 - 0x1p-8 - tiny,
                           3.3e38,
                           3.4e38};
  const int64_t middle = (int64_t{1} << 62) + (int64_t{1} << 54);
  const int64_t ints[] = {middle,  middle + 1, middle - 1,      -middle - 1,
                          -middle, 16777217,   (1LL << 53) + 1, INT64_MIN};
  for (int64_t i = 0; i < 8; ++i) {
    x.SetFloat(i, values[i]);
    n.SetInt(i, ints[i]);
  }
  EXPECT_TRUE(MatchesInterpreter(emitted, {x, n}));
}

}  // namespace
}  // namespace affirm::testing
