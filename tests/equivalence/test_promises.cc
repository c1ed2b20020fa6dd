// Promises about indices that a pass adds to a module.
#include <gtest/gtest.h>

#include <string>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// A promise about indices that a pass adds must hold. For constants, that is seen; for arguments,
// it stays unknown unless an execution refutes it.
TEST(Promises, PromisesOfIndicesAreNotTakenForGranted) {
  auto scatter = [](const char* indices, const char* promise) {
    return std::string(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[10] parameter(0)
  i = s32[2,1] parameter(1)
  u = f32[2] parameter(2)
  k = s32[2,1] constant({{1},{1}})
  low = s32[2,1] and(i, k)
  c = s32[2,1] constant({{2},{7}})
  j = s32[2,1] )") +
           indices + R"(
  ROOT g = f32[10] scatter(x, j, u), update_window_dims={}, inserted_window_dims={0}, )" +
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1" + promise + ", to_apply=add\n}\n";
  };
  const char *unique = ", unique_indices=true", *sorted = ", indices_are_sorted=true";
  for (const char* promise : {unique, sorted}) {
    auto verdict = [&](const char* indices, const char* before, bool execute) {
      EquivalenceOptions options;
      options.execute = execute;
      return Compare(scatter(indices, before), scatter(indices, promise), options).verdict;
    };
    const char *argument = "copy(i)", *apart = "constant({{2},{7}})";
    const char* wrong = promise == unique ? "constant({{2},{2}})" : "constant({{7},{2}})";
    EXPECT_EQ(verdict(argument, "", true), Verdict::kRefuted);
    EXPECT_EQ(verdict(argument, "", false), Verdict::kUnknown);
    EXPECT_EQ(verdict(argument, promise, true), Verdict::kProved);
    EXPECT_EQ(verdict(apart, "", true), Verdict::kProved);
    EXPECT_EQ(verdict(apart, "", false), Verdict::kProved);
    EXPECT_EQ(verdict("add(k, c)", "", false), Verdict::kProved);
    EXPECT_EQ(verdict("iota(), iota_dimension=0", "", false), Verdict::kProved);
    EXPECT_EQ(verdict("iota(), iota_dimension=1", "", false),
              promise == unique ? Verdict::kUnknown : Verdict::kProved);
    EXPECT_EQ(verdict("subtract(k, c)", "", false),  // both are outside of x, and descend
              promise == unique ? Verdict::kProved : Verdict::kUnknown);
    EXPECT_EQ(verdict("add(low, c)", "", true), Verdict::kUnknown);
    EXPECT_EQ(verdict(wrong, "", true), Verdict::kRefuted);
  }
}

// XLA's operation semantics, "Gather": sorted after scattering the values by start_index_map.
TEST(Promises, SortedRefersToTheStartsInTheOperand) {
  const auto gather = [](const std::string& indices, const std::string& map, bool sorted) {
    return Entry("x = f32[8,8] parameter(0) i = s32[2,2] constant(" + indices +
                 ") ROOT g = f32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, "
                 "start_index_map={" +
                 map + "}, index_vector_dim=1, slice_sizes={1,1}" +
                 (sorted ? ", indices_are_sorted=true" : ""));
  };
  const auto verdict = [&](const std::string& indices, const std::string& map) {
    return Compare(gather(indices, map, false), gather(indices, map, true)).verdict;
  };
  const std::string by_rows = "{{0,5},{1,0}}", by_columns = "{{5,0},{0,1}}";
  EXPECT_EQ(verdict(by_rows, "0,1"), Verdict::kProved);
  EXPECT_EQ(verdict(by_rows, "1,0"), Verdict::kRefuted);
  EXPECT_EQ(verdict(by_columns, "0,1"), Verdict::kRefuted);
  EXPECT_EQ(verdict(by_columns, "1,0"), Verdict::kProved);
}

// A promise of A allows B the same promise only if the result depends on the promised value.
TEST(Promises, PromisesOfUnusedValuesDoNotCount) {
  const auto module = [](const std::string& of_d, const std::string& of_g,
                         const std::string& rest) {
    const auto gather = [](const std::string& promise) {
      return " = s32[4] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, "
             "start_index_map={0}, index_vector_dim=1, slice_sizes={1}" +
             promise + " ";
    };
    return "times { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] multiply(a, b) "
           "}\n" +
           Entry("x = s32[8] parameter(0) i = s32[4,1] parameter(1) d" + gather(of_d) + "g" +
                 gather(of_g) + "z = s32[] constant(0) o = s32[4] broadcast(z), dimensions={} " +
                 rest);
  };
  const std::string sorted = ", indices_are_sorted=true";
  for (const char* rest :
       {"k = s32[] get-dimension-size(d), dimensions={0} ROOT r = (s32[4], s32[]) tuple(g, k)",
        "m = s32[4] and(d, o) ROOT r = (s32[4], s32[4]) tuple(g, m)",
        "m = s32[4] multiply(d, o) ROOT r = (s32[4], s32[4]) tuple(g, m)",
        "m = s32[4] subtract(d, d) ROOT r = (s32[4], s32[4]) tuple(g, m)",
        "m = s32[4] clamp(o, d, o) ROOT r = (s32[4], s32[4]) tuple(g, m)",
        "m = s32[4,0] broadcast(d), dimensions={0} ROOT r = (s32[4], s32[4,0]) tuple(g, m)",
        "c = f32[4] convert(d) m = pred[4] is-finite(c) ROOT r = (s32[4], pred[4]) tuple(g, m)",
        "c = s32[8] concatenate(d, o), dimensions={0} q = s32[] constant(1) "
        "m = s32[] reduce(c, q), dimensions={0}, to_apply=times "
        "b = s32[4] broadcast(m), dimensions={} ROOT r = s32[4] add(g, b)"}) {
    EXPECT_NE(Compare(module(sorted, "", rest), module(sorted, sorted, rest)).verdict,
              Verdict::kProved)
        << rest;
    EXPECT_EQ(Compare(module(sorted, "", rest), module(sorted, "", rest)).verdict, Verdict::kProved)
        << rest;
  }
  const std::string counts = "n = s32[4] negate(d) ROOT r = (s32[4], s32[4]) tuple(n, g)";
  EXPECT_EQ(Compare(module(sorted, "", counts), module(sorted, sorted, counts)).verdict,
            Verdict::kProved);
}

// A gather may have a promise that a gather on other indices has not.
TEST(Promises, APromiseHoldsForItsOwnIndicesOnly) {
  const auto module = [](const std::string& of_j) {
    const auto gather = [](const std::string& indices, const std::string& promise) {
      return " = s32[4] gather(x, " + indices +
             "), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
             "index_vector_dim=1, slice_sizes={1}" +
             promise + " ";
    };
    const std::string sorted = ", indices_are_sorted=true";
    return Entry("x = s32[8] parameter(0) i = s32[4,1] parameter(1) j = s32[4,1] parameter(2) g" +
                 gather("i", sorted) + "h" + gather("j", of_j.empty() ? "" : sorted) +
                 "ROOT r = (s32[4], s32[4]) tuple(g, h)");
  };
  EquivalenceOptions options;
  options.execute = false;
  EXPECT_NE(Compare(module(""), module("sorted"), options).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(module("sorted"), module("sorted"), options).verdict, Verdict::kProved);
}

// A branch that no execution takes does not show its constant indices.
TEST(Promises, PromisesInBranchesAreNotDecidedByExecution) {
  auto branch = [](const char* promise) {
    return std::string(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
rare {
  x = f32[10] parameter(0)
  one = f32[] constant(1)
  u = f32[2] broadcast(one), dimensions={}
  j = s32[2,1] constant({{2},{2}})
  ROOT g = f32[10] scatter(x, j, u), update_window_dims={}, inserted_window_dims={0}, )") +
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1" + promise +
           R"(, to_apply=add
}
usual {
  x = f32[10] parameter(0)
  ROOT n = f32[10] negate(x)
}
ENTRY e {
  x = f32[10] parameter(0)
  i = s32[] parameter(1)
  k = s32[] constant(123456789)
  p = pred[] compare(i, k), direction=EQ
  no = pred[] constant(false)
  q = pred[] and(p, no)
  ROOT r = f32[10] conditional(q, x, x), true_computation=rare, false_computation=usual
}
)";
  };
  EXPECT_EQ(Compare(branch(""), branch(", unique_indices=true"), {}).verdict, Verdict::kUnknown);
}

// A promise in a loop of A counts only if a result depends on the loop.
TEST(Promises, PromisesInUnusedLoopsDoNotCount) {
  const std::string of_chosen = R"(HloModule m
c { s = (s32[], s32[3], s32[3,1], s32[8]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(2)
 ROOT r = pred[] compare(i, n), direction=LT }
b { s = (s32[], s32[3], s32[3,1], s32[8]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = s32[3] get-tuple-element(s), index=1
 k = s32[3,1] get-tuple-element(s), index=2
 t = s32[8] get-tuple-element(s), index=3
 one = s32[] constant(1)
 j = s32[] add(i, one)
 g = s32[3] gather(t, k), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}, indices_are_sorted=true
 y = s32[3] add(x, g)
 ROOT r = (s32[], s32[3], s32[3,1], s32[8]) tuple(j, y, k, t) }
b2 { s = (s32[], s32[3], s32[3,1], s32[8]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = s32[3] get-tuple-element(s), index=1
 k = s32[3,1] get-tuple-element(s), index=2
 t = s32[8] get-tuple-element(s), index=3
 one = s32[] constant(1)
 j = s32[] add(i, one)
 g = s32[3] gather(t, k), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
 y = s32[3] add(x, g)
 ROOT r = (s32[], s32[3], s32[3,1], s32[8]) tuple(j, y, k, t) }
ENTRY e { x = s32[3] parameter(0)
 k = s32[3,1] parameter(1)
 t = s32[8] parameter(2)
 p = pred[] parameter(3)
 c0 = s32[] constant(0)
 u = (s32[], s32[3], s32[3,1], s32[8]) tuple(c0, x, k, t)
 w = (s32[], s32[3], s32[3,1], s32[8]) while(u), condition=c, body=b
 w2 = (s32[], s32[3], s32[3,1], s32[8]) while(u), condition=c, body=b2
 w1 = s32[3] get-tuple-element(w), index=1
 pb = pred[3] broadcast(p), dimensions={}
 y = s32[3] select(pb, w1, x)
 z = s32[3] get-tuple-element(w2), index=1
 ROOT r = (s32[3], s32[3]) tuple(y, z) })";
  std::string of_result = of_chosen;
  const std::string first = "condition=c, body=b\n", second = "condition=c, body=b2\n";
  const size_t at_first = of_result.find(first), at_second = of_result.find(second);
  ASSERT_NE(at_first, std::string::npos);
  ASSERT_NE(at_second, std::string::npos);
  of_result.replace(at_second, second.size(), first);
  of_result.replace(at_first, first.size(), second);
  EXPECT_NE(Compare(of_chosen, of_result).verdict, Verdict::kProved);
  EXPECT_EQ(Compare(of_chosen, of_chosen).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace affirm::driver
