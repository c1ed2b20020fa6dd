// Operand utilization agrees with marking the elements one by one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/analysis/uses/boxes.h"
#include "core/analysis/uses/utilization.h"
#include "fuzz/properties/map_analyses.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using analysis::Box;
using analysis::StridedInterval;
using testing::In;
using testing::Parse;
using testing::Parsed;

using Point = std::vector<int64_t>;

std::set<int64_t> ValuesOf(const StridedInterval& s) {
  std::set<int64_t> out;
  for (int64_t i = 0; i < s.size; ++i) out.insert(s.first + i * s.stride);
  return out;
}

StridedInterval RandomSteps() { return {In(-5, 10), In(0, 6), In(1, 7)}; }

RC_GTEST_PROP(Boxes, IntersectionsOfSteps, ()) {
  StridedInterval a = RandomSteps(), b = RandomSteps();
  std::set<int64_t> of_a = ValuesOf(a), of_b = ValuesOf(b), want;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                        std::inserter(want, want.end()));
  RC_ASSERT(ValuesOf(analysis::Intersect(a, b)) == want);
}

TEST(Boxes, StridedIntervalsAtTheLimits) {
  StridedInterval far{kInt64Min, 3, kInt64Max}, all{kInt64Min, kInt64Max, 2};
  EXPECT_EQ(analysis::Intersect(far, far), far);
  EXPECT_EQ(ValuesOf(analysis::Intersect(far, {-1, 2, 1})), std::set<int64_t>({-1}));
  EXPECT_EQ(analysis::Intersect(all, {kInt64Min, 1, 1}), (StridedInterval{kInt64Min, 1, 1}));
}

RC_GTEST_PROP(Boxes, Unions, ()) {
  int64_t rank = In(0, 3);
  std::vector<Box> boxes;
  std::set<Point> want;
  for (int64_t n = In(0, 6); n > 0; --n) {
    Box box;
    std::set<Point> points = {{}};
    for (int64_t k = 0; k < rank; ++k) {
      box.push_back(RandomSteps());
      std::set<Point> longer;
      for (const Point& p : points) {
        for (int64_t v : ValuesOf(box.back())) {
          longer.insert(p);
          Point next = p;
          next.push_back(v);
          longer.erase(p);
          longer.insert(next);
        }
      }
      points = longer;
    }
    boxes.push_back(box);
    want.merge(points);
  }
  RC_ASSERT(analysis::CountUnion(boxes) == static_cast<int64_t>(want.size()));
}

void CheckUtilization(const hlo::Instruction& root) {
  fuzz::UtilizationCheck check = fuzz::CheckUtilization(root, 4);
  RC_LOG() << check.problem << "\n";
  RC_ASSERT(check.problem.empty());
  RC_TAG(std::string(check.is_exact ? "exact" : "bounds"));
}

class UtilizationOfOps : public ::testing::TestWithParam<hlo::Opcode> {};
TEST_P(UtilizationOfOps, AgreesWithEnumeration) {
  EXPECT_TRUE(
      rc::check([] { CheckUtilization(*testing::RandomInstance(GetParam())->entry->root); }));
}
INSTANTIATE_TEST_SUITE_P(Ops, UtilizationOfOps, ::testing::ValuesIn(testing::kOpsWithExactMaps),
                         [](const auto& info) { return testing::TestName(info.param); });

RC_GTEST_PROP(Utilization, OfFusionsAgreesWithEnumeration, ()) {
  CheckUtilization(*testing::RandomGraph(testing::ReadingOps(), /*fused=*/true)->entry->root);
}

Utilization Of(const std::string& text, size_t operand = 0) {
  Parsed p = Parse(text);
  EXPECT_TRUE(p.root) << p.error;
  Context context;
  return UtilizationOf(*p.root, context)[operand].read;
}

TEST(Utilization, AtAnySize) {
  std::string big = "p0 = f32[1048576,1048576] parameter(0)\n";
  Utilization u = Of(big +
                     "ROOT r = f32[1048576,349525] slice(p0), slice={[0:1048576], "
                     "[0:1048575:3]}");
  EXPECT_TRUE(u.IsExact());
  EXPECT_EQ(u.at_least, int64_t{1048576} * 349525);
  // Every second and every third element of a row: one of six is in both.
  u = Of("HloModule m\nf {\n" + big +
         "a = f32[1,524288] slice(p0), slice={[0:1], [0:1048576:2]}\n"
         "b = f32[1,349525] slice(p0), slice={[0:1], [0:1048575:3]}\n"
         "ROOT t = (f32[1,524288], f32[1,349525]) tuple(a, b)\n}\nENTRY e {\n" +
         big + "ROOT r = (f32[1,524288], f32[1,349525]) fusion(p0), kind=kLoop, calls=f\n}");
  EXPECT_TRUE(u.IsExact());
  EXPECT_EQ(u.at_least, 524288 + 349525 - 174763);
}

TEST(Utilization, OfADynamicSliceDoesNotDependOnItsStart) {
  Utilization u =
      Of("p0 = f32[100] parameter(0)\ni = s32[] parameter(1)\n"
         "ROOT r = f32[7] dynamic-slice(p0, i), dynamic_slice_sizes={7}");
  EXPECT_TRUE(u.IsExact());
  EXPECT_EQ(u.at_most, 7);
}

TEST(Utilization, OfWhatADynamicUpdateSliceLeaves) {
  const std::string ops =
      "p0 = f32[20,30] parameter(0)\nu = f32[5,10] parameter(1)\n"
      "i = s32[] parameter(2)\nj = s32[] parameter(3)\n"
      "ROOT r = f32[20,30] dynamic-update-slice(p0, u, i, j)";
  Utilization operand = Of(ops, 0), update = Of(ops, 1);
  EXPECT_TRUE(operand.IsExact()) << operand.reason;
  EXPECT_EQ(operand.at_least, 550);
  EXPECT_TRUE(update.IsExact());
  EXPECT_EQ(update.at_least, 50);
  // At any size; nothing is left of an array that is overwritten as a whole.
  Utilization large =
      Of("p0 = f32[1048576,1048576] parameter(0)\nu = f32[1,1048576] parameter(1)\n"
         "i = s32[] parameter(2)\nj = s32[] parameter(3)\n"
         "ROOT r = f32[1048576,1048576] dynamic-update-slice(p0, u, i, j)");
  EXPECT_TRUE(large.IsExact()) << large.reason;
  EXPECT_EQ(large.at_least, int64_t{1048576} * 1048575);
  Utilization none =
      Of("p0 = f32[20] parameter(0)\nu = f32[20] parameter(1)\ni = s32[] parameter(2)\n"
         "ROOT r = f32[20] dynamic-update-slice(p0, u, i)");
  EXPECT_TRUE(none.IsExact());
  EXPECT_EQ(none.at_least, 0);
}

TEST(Utilization, OfAGatherOfOneWindow) {
  Utilization u =
      Of("p0 = f32[33,76,70] parameter(0)\ni = s32[1,2] parameter(1)\n"
         "ROOT r = f32[1,7,8,4] gather(p0, i), offset_dims={1,2,3}, collapsed_slice_dims={}, "
         "start_index_map={0,1}, index_vector_dim=1, slice_sizes={7,8,4}");
  EXPECT_TRUE(u.IsExact()) << u.reason;
  EXPECT_EQ(u.at_least, 224);
}

TEST(Utilization, OfAGatherHasBounds) {
  Utilization u =
      Of("p0 = f32[100,4] parameter(0)\ni = s32[10,1] parameter(1)\n"
         "ROOT r = f32[10,4] gather(p0, i), offset_dims={1}, "
         "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
         "slice_sizes={1,4}");
  EXPECT_FALSE(u.IsExact());
  EXPECT_EQ(u.at_least, 4);  // all windows may be one
  EXPECT_EQ(u.at_most, 40);
}

TEST(Utilization, OfUnknownOps) {
  Utilization u =
      Of("p0 = f32[100] parameter(0)\n"
         "ROOT r = f32[7] custom-call(p0), custom_call_target=\"f\"");
  EXPECT_EQ(u.at_least, 0);
  EXPECT_EQ(u.at_most, 100);
  EXPECT_EQ(u.reason, "the map is not known");
}

}  // namespace
}  // namespace affirm
