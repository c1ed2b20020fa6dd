// What folds of small floats give in any order: against all trees, written out.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "driver/validate/distance.h"
#include "driver/validate/fold_orders.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/scalar.h"

namespace affirm::driver {
namespace {

using hlo::PrimitiveType;
using kernel::TypedScalar;

kernel::ScalarOperations::Function AddOf(PrimitiveType type) {
  return llvm::cantFail(kernel::ScalarOperations::Resolve("add", type, {type, type}));
}

// The values of all trees over the leaves, each in any place.
std::set<uint64_t> OfAllTrees(const std::vector<TypedScalar>& leaves,
                              const kernel::ScalarOperations::Function& add) {
  if (leaves.size() == 1) return {kernel::BitsOf(leaves[0])};
  std::set<uint64_t> values;
  for (size_t a = 0; a < leaves.size(); ++a) {
    for (size_t b = 0; b < leaves.size(); ++b) {
      if (a == b) continue;
      std::vector<TypedScalar> rest = {add({leaves[a], leaves[b]})};
      for (size_t k = 0; k < leaves.size(); ++k) {
        if (k != a && k != b) rest.push_back(leaves[k]);
      }
      values.merge(OfAllTrees(rest, add));
    }
  }
  return values;
}

RC_GTEST_PROP(FoldOrders, AreAllTrees, ()) {
  const PrimitiveType type =
      *rc::gen::element(PrimitiveType::kF4E2M1FN, PrimitiveType::kF8E5M2, PrimitiveType::kF8E4M3FN);
  const int bits = type == PrimitiveType::kF4E2M1FN ? 16 : 256;
  std::vector<TypedScalar> leaves;
  const int count = *rc::gen::inRange(1, 6);
  for (int k = 0; k < count; ++k)
    leaves.push_back(kernel::OfBits(*rc::gen::inRange(0, bits), type));
  const auto add = AddOf(type);
  int64_t steps = int64_t{1} << 26;
  const ValuesOfOrders found = ValuesInAllOrders(
      leaves, [&](const TypedScalar& a, const TypedScalar& b) { return add({a, b}); }, steps);
  RC_ASSERT(found.all);
  std::set<uint64_t> values;
  for (const TypedScalar& value : found.values) values.insert(kernel::BitsOf(value));
  RC_ASSERT(values.size() == found.values.size());
  RC_ASSERT(values == OfAllTrees(leaves, add));
}

// -6 - 6 + 1.5 + 1.5 is -3 in pairs alone: who adds one after the other gives -6, -4 or -2.
TEST(FoldOrders, AreTreesOfPairsToo) {
  const auto add = AddOf(PrimitiveType::kF4E2M1FN);
  std::vector<TypedScalar> leaves;
  for (const double value : {-6.0, -6.0, 1.5, 1.5})
    leaves.push_back({PrimitiveType::kF4E2M1FN, {.re = value}});
  int64_t steps = int64_t{1} << 20;
  const ValuesOfOrders found = ValuesInAllOrders(
      leaves, [&](const TypedScalar& a, const TypedScalar& b) { return add({a, b}); }, steps);
  std::set<double> values;
  for (const TypedScalar& value : found.values) values.insert(value.value.re);
  EXPECT_EQ(values, (std::set<double>{-6, -4, -3, -2}));
}

// Where they are too many, those that are found are some, and sorted orders are among them.
TEST(FoldOrders, OfManyLeavesAreSome) {
  const auto add = AddOf(PrimitiveType::kF4E2M1FN);
  std::vector<TypedScalar> leaves;
  for (int k = 0; k < 40; ++k)
    leaves.push_back({PrimitiveType::kF4E2M1FN, {.re = k == 0 ? -6.0 : 6.0}});
  int64_t steps = int64_t{1} << 26;
  const ValuesOfOrders found = ValuesInAllOrders(
      leaves, [&](const TypedScalar& a, const TypedScalar& b) { return add({a, b}); }, steps);
  EXPECT_FALSE(found.all);
  std::set<double> values;
  for (const TypedScalar& value : found.values) values.insert(value.value.re);
  EXPECT_TRUE(values.contains(6));
  EXPECT_TRUE(values.contains(0));  // with -6 at the end
  EXPECT_FALSE(values.contains(-6));
}

// The sum of a window of 2x3 in f4, as XLA writes it: in f16, rounded each time, of which the
// column on the right is padding in some windows.
constexpr const char* kWindowSum = R"(
HloModule m
add {
  p = f16[] parameter(0)
  p4 = f4e2m1fn[] convert(p)
  pw = f16[] convert(p4)
  q = f16[] parameter(1)
  q4 = f4e2m1fn[] convert(q)
  qw = f16[] convert(q4)
  s = f16[] add(pw, qw)
  s4 = f4e2m1fn[] convert(s)
  ROOT r = f16[] convert(s4)
}
ENTRY e {
  x = f4e2m1fn[2,3] parameter(0)
  w = f16[2,3] convert(x)
  z = f16[] constant(0)
  s = f16[1,2] reduce-window(w, z), window={size=2x3 pad=0_0x0_1}, to_apply=add
  ROOT r = f4e2m1fn[1,2] convert(s)
})";

// Whether a kernel is wrong that computes `actual` of the windows of x.
std::optional<Distance::Difference> DifferenceOfWindows(const std::vector<double>& x,
                                                        const std::vector<double>& actual,
                                                        bool keeps_conversions) {
  auto module = hlo::ParseModule(kWindowSum, "m.hlo");
  hlo::Literal operand(hlo::Shape::Array(PrimitiveType::kF4E2M1FN, {2, 3}));
  for (int64_t i = 0; i < 6; ++i) operand.SetFloat(i, x[static_cast<size_t>(i)]);
  std::vector<hlo::Literal> arguments = {operand};
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  hlo::Literal got(expected->shape());
  for (int64_t i = 0; i < 2; ++i) got.SetFloat(i, actual[static_cast<size_t>(i)]);
  std::vector<hlo::Literal> actuals;
  actuals.push_back(std::move(got));
  const Distance distance(*(*module)->entry, {.keeps_conversions = keeps_conversions});
  return distance.Compare(arguments, LeavesOf(*expected), actuals).first;
}

// 2 + 2 - 2 + 2 + 2 + 1 is 6 from left to right, and where the columns of the window that may lie
// in the padding are taken last, 4.
TEST(FoldOrders, AWindowMayBeSummedInAnyOrder) {
  const std::vector<double> x = {2, 2, -2, 2, 2, 1};
  for (const bool keeps : {false, true}) {
    EXPECT_FALSE(DifferenceOfWindows(x, {6, 3}, keeps));
    EXPECT_FALSE(DifferenceOfWindows(x, {4, 3}, keeps));
  }
}

// Although others lie far apart: of 6 + 6 - 6 + 1 + 1 + 1 orders give 0, 1, 2, 3, 4 and 6.
TEST(FoldOrders, WhatNoOrderGivesIsWrong) {
  const std::vector<double> x = {6, 6, -6, 1, 1, 1};
  for (const double value : {0.0, 1.0, 2.0, 3.0, 4.0, 6.0})
    EXPECT_FALSE(DifferenceOfWindows(x, {value, 2}, true)) << value;
  for (const double value : {-6.0, -2.0, -0.5, 0.5, 1.5}) {
    auto first = DifferenceOfWindows(x, {value, 2}, true);
    ASSERT_TRUE(first.has_value()) << value;
    EXPECT_EQ(first->element, 0);
  }
  for (const double value : {-1.0, 4.0, 6.0}) {
    auto first = DifferenceOfWindows(x, {3, value}, true);
    ASSERT_TRUE(first.has_value()) << value;
    EXPECT_EQ(first->element, 1);
  }
}

// -4 * -6 + 6 * -1 is 18, and 6 at most in f4; rounded each time, 6 - 6.
TEST(FoldOrders, AProductMayBeRoundedEachTime) {
  auto module = hlo::ParseModule(R"(
HloModule m
ENTRY e {
  x = f4e2m1fn[2] parameter(0)
  y = f4e2m1fn[2] parameter(1)
  ROOT d = f4e2m1fn[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
})",
                                 "m.hlo");
  std::vector<hlo::Literal> arguments;
  for (const auto& [a, b] : {std::pair(-4.0, 6.0), std::pair(-6.0, -1.0)}) {
    arguments.emplace_back(hlo::Shape::Array(PrimitiveType::kF4E2M1FN, {2}));
    arguments.back().SetFloat(0, a);
    arguments.back().SetFloat(1, b);
  }
  auto expected = hlo::Interpret(*(*module)->entry, arguments, nullptr);
  EXPECT_EQ(expected->GetFloat(0), 6);
  const Distance distance(*(*module)->entry);
  for (const double value : {6.0, 0.0, 3.0, -6.0}) {
    std::vector<hlo::Literal> got;
    got.emplace_back(expected->shape());
    got[0].SetFloat(0, value);
    EXPECT_EQ(distance.Compare(arguments, LeavesOf(*expected), got).first.has_value(),
              value != 6 && value != 0)
        << value;
  }
}

}  // namespace
}  // namespace affirm::driver
