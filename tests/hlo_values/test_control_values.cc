// Terms of loops that are written out, of branches, and of scatters whose windows are apart: at
// every element what the interpreter gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/Support/FormatVariadic.h"
#include "tests/hlo_values/check_values.h"

namespace affirm {
namespace {

using ::testing::HasSubstr;

void Check(const std::string& text, int64_t elements) {
  auto module = hlo::ParseModule(text, "test");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError()) << text;
  Counts counts;
  Subject(**module).Check(counts);
  EXPECT_EQ(counts.elements, elements) << text;
}

// The error for an element of the root.
std::string WhyNone(const std::string& text) {
  auto module = hlo::ParseModule(text, "test");
  EXPECT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError()) << text;
  Pool pool;
  Scope scope(pool);
  ComputationValues values(scope, *(*module)->entry);
  const hlo::Instruction& root = *(*module)->entry->root;
  const std::vector<Term> index(root.shape.dims.size(), pool.Number(0));
  auto term = values.At(root, 0, index);
  return term ? "" : llvm::toString(term.takeError());
}

// A loop with a counter i in s32, from `from` to below `to`; `next` makes w of v, both of the
// shape.
std::string Loop(const std::string& next, const std::string& from, const std::string& to,
                 const std::string& computations = "", const std::string& shape = "s32[4]") {
  const std::string state = "(s32[], " + shape + ", s32[])";
  return "HloModule m\n" + computations + "\nbody { p = " + state +
         " parameter(0) i = s32[] get-tuple-element(p), index=0 v = " + shape +
         " get-tuple-element(p), index=1 t = s32[] get-tuple-element(p), index=2 o = s32[] "
         "constant(1) n = s32[] add(i, o) " +
         next + " ROOT r = " + state + " tuple(n, w, t) }\ncond { p = " + state +
         " parameter(0) i = s32[] get-tuple-element(p), index=0 t = s32[] get-tuple-element(p), "
         "index=2 ROOT c = pred[] compare(i, t), direction=LT }\nENTRY e { x = " +
         shape + " parameter(0) n = s32[] parameter(1) z = s32[] " + from + " u = s32[] " + to +
         " q = " + state + " tuple(z, x, u) l = " + state +
         " while(q), condition=cond, body=body ROOT r = " + shape +
         " get-tuple-element(l), index=1 }";
}
std::string Constant(int64_t n) { return "constant(" + std::to_string(n) + ")"; }
constexpr const char* kAdds = "b = s32[4] broadcast(i), dimensions={} w = s32[4] add(v, b)";
constexpr const char* kSum =
    "sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }";
// The sums of the rows, as the columns: the next sum is over rows of these sums.
constexpr const char* kFolds =
    "k = s32[] constant(0) s = s32[4] reduce(v, k), dimensions={1}, to_apply=sum b = s32[4,4] "
    "broadcast(s), dimensions={1} j = s32[4,4] iota(), iota_dimension=0 w = s32[4,4] add(b, j)";

TEST(LoopValues, OfFewTripsAreThoseOfTheLastOne) {
  for (int64_t trips : {0, 1, 3, 14}) Check(Loop(kAdds, Constant(0), Constant(trips)), 4);
  Check(Loop(kAdds, Constant(5), Constant(2)), 4);
  Check(Loop(kAdds, Constant(-3), Constant(2)), 4);
}

// Sums of sums: those of each trip have variables of their own.
TEST(LoopValues, DoNotCaptureVariables) {
  for (int64_t trips : {1, 2, 5})
    Check(Loop(kFolds, Constant(0), Constant(trips), kSum, "s32[4,4]"), 16);
  // Behind the loop, a sum of what it gives.
  std::string text = Loop(kFolds, Constant(0), Constant(1), kSum, "s32[4,4]");
  const std::string root = "ROOT r = s32[4,4] get-tuple-element(l), index=1 }";
  text.replace(text.find(root), root.size(),
               "y = s32[4,4] get-tuple-element(l), index=1 g = s32[] constant(7) ROOT r = s32[4] "
               "reduce(y, g), dimensions={1}, to_apply=sum }");
  Check(text, 4);
}

TEST(LoopValues, OfLoopsInLoops) {
  const std::string inner =
      "ib { p = (s32[], s32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = s32[4] "
      "get-tuple-element(p), index=1 o = s32[] constant(1) n = s32[] add(i, o) w = s32[4] add(v, "
      "v) ROOT r = (s32[], s32[4]) tuple(n, w) }\nic { p = (s32[], s32[4]) parameter(0) i = s32[] "
      "get-tuple-element(p), index=0 u = s32[] constant(3) ROOT c = pred[] compare(i, u), "
      "direction=LT }\n";
  // From i on: the trips of the inner loop are fewer each time.
  Check(Loop("q = (s32[], s32[4]) tuple(i, v) l = (s32[], s32[4]) while(q), condition=ic, body=ib "
             "y = s32[4] get-tuple-element(l), index=1 b = s32[4] broadcast(i), dimensions={} w = "
             "s32[4] add(y, b)",
             Constant(0), Constant(4), inner),
        4);
}

TEST(LoopValues, OfManyTripsOrAnOpenNumberAreRefused) {
  EXPECT_THAT(WhyNone(Loop(kAdds, Constant(0), Constant(15))),
              HasSubstr("no value term for while"));
  EXPECT_THAT(WhyNone(Loop(kAdds, Constant(0), "add(n, n)")), HasSubstr("no value term for while"));
  // XLA runs the count that is written, whatever the condition says.
  std::string text = Loop(kAdds, Constant(0), Constant(3));
  const std::string loop = "condition=cond, body=body";
  text.insert(text.find(loop) + loop.size(),
              ", backend_config={\"known_trip_count\":{\"n\":\"3\"}}");
  EXPECT_THAT(WhyNone(text), HasSubstr("no value term for while"));
}

TEST(BranchValues, AreThoseOfTheSelector) {
  const std::string branches =
      "f { x = s32[4] parameter(0) ROOT y = s32[4] add(x, x) }\ng { x = s32[4] parameter(0) ROOT y "
      "= s32[4] negate(x) }\nh { x = s32[4] parameter(0) ROOT y = s32[4] multiply(x, x) }\n";
  auto by_number = [&](const std::string& selector) {
    return "HloModule m\n" + branches +
           "ENTRY e { x = s32[4] parameter(0) y = s32[4] parameter(1) n = s32[] parameter(2) s = "
           "s32[] " +
           selector + " ROOT r = s32[4] conditional(s, x, y, x), branch_computations={f, g, h} }";
  };
  for (int64_t n : {-1, 0, 1, 2, 3}) Check(by_number(Constant(n)), 4);
  Check(by_number("add(n, n)"), 4);
  for (const char* selector : {"constant(true)", "constant(false)", "compare(n, n), direction=LT",
                               "compare(n, k), direction=LT"}) {
    Check("HloModule m\n" + branches +
              "ENTRY e { x = s32[4] parameter(0) y = s32[4] parameter(1) n = s32[] parameter(2) k "
              "= s32[] constant(3) s = pred[] " +
              selector +
              " ROOT r = s32[4] conditional(s, x, y), true_computation=f, false_computation=g }",
          4);
  }
}

constexpr const char* kSet = "set { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }\n";

// A scatter of rows, f32[N,3], into f32[8,3] at the indices.
std::string Rows(const std::string& indices, int64_t count, const std::string& combiner = kSet) {
  return "HloModule m\n" + combiner + "ENTRY e { x = f32[8,3] parameter(0) u = f32[" +
         std::to_string(count) + ",3] parameter(1) n = s32[" + std::to_string(count) +
         ",1] parameter(2) i = s32[" + std::to_string(count) + ",1] " + indices +
         " ROOT s = f32[8,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set }";
}

TEST(ScatterValues, OfWindowsThatAreApartAreUpdates) {
  Check(Rows("constant({{3}})", 1), 24);
  Check(Rows("constant({{3},{0},{7}})", 3), 24);
  // A window that does not lie inside is left out, and overlaps nothing.
  Check(Rows("constant({{3},{-1},{8},{8}})", 4), 24);
  // One window, wherever it is.
  Check(Rows("add(n, n)", 1), 24);
  // A window of two rows whose start is not known: one that does not lie inside is left out whole.
  for (int32_t start : {-1, 0, 6, 7}) {
    auto module = hlo::ParseModule(
        "HloModule m\n" + std::string(kSet) +
            "ENTRY e { x = f32[8,3] parameter(0) u = f32[2,3] parameter(1) i = s32[1] parameter(2) "
            "ROOT s = f32[8,3] scatter(x, i, u), update_window_dims={0,1}, "
            "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
            "to_apply=set }",
        "test");
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    std::vector<hlo::Literal> arguments = hlo::MakeArguments(*(*module)->entry, 7);
    arguments[2].SetInt(0, start);
    Counts counts;
    Subject(**module, std::move(arguments)).Check(counts);
    EXPECT_EQ(counts.elements, 24) << start;
  }
  // A difference does not commute: the operand's element stands first.
  Check(Rows("constant({{3},{5}})", 2,
             "set { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] subtract(a, b) "
             "}\n"),
        24);
  // A window of two rows at a start that is inside only up to 6.
  for (int64_t start : {0, 6, 7}) {
    Check(
        "HloModule m\n" + std::string(kSet) +
            "ENTRY e { x = f32[8,3] parameter(0) u = f32[2,3] parameter(1) i = s32[1] constant({" +
            std::to_string(start) +
            "}) ROOT s = f32[8,3] scatter(x, i, u), update_window_dims={0,1}, "
            "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
            "to_apply=set }",
        24);
  }
}

TEST(ScatterValues, OfSeveralArraysAreUpdatesToo) {
  Check(R"(HloModule m
swap { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = s32[] parameter(3)
  m = f32[] multiply(a, c) ROOT t = (f32[], s32[]) tuple(m, d) }
ENTRY e { x = f32[4] parameter(0) y = s32[4] parameter(1) u = f32[2] parameter(2)
  v = s32[2] parameter(3) i = s32[2] constant({2, 0})
  ROOT s = (f32[4], s32[4]) scatter(x, y, i, u, v), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=swap
})",
        8);
}

TEST(ScatterValues, OfWindowsThatMayMeetAreRefused) {
  const char* why = "updates that may meet";
  EXPECT_THAT(WhyNone(Rows("constant({{3},{3}})", 2)), HasSubstr(why));
  EXPECT_THAT(WhyNone(Rows("add(n, n)", 2)), HasSubstr(why));
  EXPECT_THAT(WhyNone(Rows("iota(), iota_dimension=0", 65)), HasSubstr("no value term"));
  // Rows 2 and 3, and rows 3 and 4.
  EXPECT_THAT(WhyNone("HloModule m\n" + std::string(kSet) +
                      "ENTRY e { x = f32[8] parameter(0) u = f32[2,2] parameter(1) i = s32[2,1] "
                      "constant({{2},{3}}) ROOT s = f32[8] scatter(x, i, u), "
                      "update_window_dims={1}, inserted_window_dims={}, "
                      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set }"),
              HasSubstr(why));
}

}  // namespace
}  // namespace affirm
