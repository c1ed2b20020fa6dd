// Integer ops at the ends of their types: every pair of interesting operands, as elements of
// parameters and with the second one a constant, against the interpreter.
#include <gtest/gtest.h>

#include <set>

#include "llvm/Support/FormatVariadic.h"
#include "tests/hlo_values/check_values.h"

namespace affirm {
namespace {

constexpr const char* kTypes[] = {"s2",  "u2",  "s4",  "u4",  "s8",  "u8",
                                  "s16", "u16", "s32", "u32", "s64", "u64"};

std::vector<int64_t> Interesting(hlo::PrimitiveType type) {
  const int width = hlo::BitWidth(type);
  const uint64_t top = uint64_t{1} << (width - 1);
  std::set<int64_t> values;
  hlo::Literal wrap(hlo::Shape::Array(type, {}));
  for (uint64_t v : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{5}, uint64_t{100},
                     uint64_t(width - 1), uint64_t(width), uint64_t(width + 1), top, top - 1,
                     top + 1, 2 * top - 1, 2 * top - 2, 2 * top - 3, 2 * top - 7, top / 3}) {
    wrap.SetInt(0, static_cast<int64_t>(v));
    values.insert(wrap.GetInt(0));
  }
  return {values.begin(), values.end()};
}

void CheckText(const std::string& text, std::vector<hlo::Literal> arguments, Counts& counts) {
  SCOPED_TRACE(text);
  auto module = hlo::ParseModule(text, "test");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  Subject(**module, std::move(arguments)).Check(counts);
}

hlo::Literal Array(hlo::PrimitiveType type, const std::vector<int64_t>& values) {
  hlo::Literal literal(hlo::Shape::Array(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) literal.SetInt(static_cast<int64_t>(i), values[i]);
  return literal;
}

// op(a, b) of all pairs, and op(a, c) for each constant c.
void CheckBinary(const std::string& type_name, const std::string& result, const std::string& op,
                 const std::string& attributes, Counts& counts) {
  const hlo::PrimitiveType type = hlo::PrimitiveTypeFromName(type_name);
  const std::vector<int64_t> values = Interesting(type);
  std::vector<int64_t> all_a, all_b;
  for (int64_t a : values) {
    for (int64_t b : values) {
      all_a.push_back(a);
      all_b.push_back(b);
    }
  }
  CheckText(llvm::formatv("HloModule m\nENTRY e {{\n  a = {0}[{1}] parameter(0)\n"
                          "  b = {0}[{1}] parameter(1)\n  ROOT r = {2}[{1}] {3}(a, b){4}\n}\n",
                          type_name, all_a.size(), result, op, attributes),
            {Array(type, all_a), Array(type, all_b)}, counts);
  for (int64_t b : values) {
    if (testing::Test::HasFailure()) return;
    hlo::Literal constant(hlo::Shape::Array(type, {}));
    constant.SetInt(0, b);
    CheckText(llvm::formatv(
                  "HloModule m\nENTRY e {{\n  a = {0}[{1}] parameter(0)\n"
                  "  c = {0}[] constant({5})\n  b = {0}[{1}] broadcast(c), dimensions={{}\n"
                  "  ROOT r = {2}[{1}] {3}(a, b){4}\n}\n",
                  type_name, values.size(), result, op, attributes, constant.ElementToString(0)),
              {Array(type, values)}, counts);
  }
}

TEST(IntegerValues, OfTwoOperands) {
  Counts counts;
  for (const char* type : kTypes) {
    for (const char* op :
         {"add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum",
          "and", "or", "xor", "shift-left", "shift-right-logical", "shift-right-arithmetic"}) {
      CheckBinary(type, type, op, "", counts);
      if (HasFailure()) return;
    }
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      CheckBinary(type, "pred", "compare", std::string(", direction=") + direction, counts);
      if (HasFailure()) return;
    }
  }
  EXPECT_TRUE(counts.errors.empty());
  EXPECT_EQ(counts.unknown, 0);
  EXPECT_GT(counts.elements, 10'000);
}

TEST(IntegerValues, OfOneOperand) {
  Counts counts;
  for (const char* type_name : kTypes) {
    const hlo::PrimitiveType type = hlo::PrimitiveTypeFromName(type_name);
    const std::vector<int64_t> values = Interesting(type);
    auto check = [&](const std::string& result, const std::string& op) {
      CheckText(llvm::formatv("HloModule m\nENTRY e {{\n  a = {0}[{1}] parameter(0)\n"
                              "  ROOT r = {2}[{1}] {3}(a)\n}\n",
                              type_name, values.size(), result, op),
                {Array(type, values)}, counts);
    };
    for (const char* op : {"abs", "negate", "not", "sign", "popcnt", "count-leading-zeros"}) {
      if (op == std::string("abs") && hlo::IsUnsignedInt(type)) continue;
      check(type_name, op);
      if (HasFailure()) return;
    }
    for (const char* to : kTypes) check(to, "convert");
    for (const char* to : {"pred", "f16", "bf16", "f32", "f64", "f8e5m2", "f8e4m3fn", "c64"})
      check(to, "convert");
    if (HasFailure()) return;
  }
  EXPECT_TRUE(counts.errors.empty());
  EXPECT_GT(counts.elements, 2'000);
}

// Conversions of floats, including values that do not fit the integer, infinities and NaN.
TEST(IntegerValues, OfFloats) {
  Counts counts;
  for (const char* from : {"f16", "bf16", "f32", "f64"}) {
    hlo::Literal values(hlo::Shape::Array(hlo::PrimitiveTypeFromName(from), {14}));
    int64_t i = 0;
    for (double v : {0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 127.5, -129.0, 3e4, -3e4, 1e30, -1e30,
                     double{INFINITY}, double{NAN}}) {
      values.SetFloat(i++, v);
    }
    std::vector<std::string> types(std::begin(kTypes), std::end(kTypes));
    for (const char* to : {"pred", "f16", "bf16", "f32", "f64", "f8e5m2", "c64", "c128"})
      types.push_back(to);
    for (const std::string& to : types) {
      CheckText(llvm::formatv("HloModule m\nENTRY e {{\n  a = {0}[14] parameter(0)\n"
                              "  ROOT r = {1}[14] convert(a)\n}\n",
                              from, to),
                {values}, counts);
      if (HasFailure()) return;
    }
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      for (const char* order : {"", ", type=TOTALORDER"}) {
        CheckText(llvm::formatv("HloModule m\nENTRY e {{\n  a = {0}[14] parameter(0)\n"
                                "  b = {0}[14,14] broadcast(a), dimensions={{0}\n"
                                "  c = {0}[14,14] broadcast(a), dimensions={{1}\n"
                                "  ROOT r = pred[14,14] compare(b, c), direction={1}{2}\n}\n",
                                from, direction, order),
                  {values}, counts);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_TRUE(counts.errors.empty());
}

}  // namespace
}  // namespace affirm
