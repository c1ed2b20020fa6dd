// What a pass says of indices that the module before it did not say.
#include <gtest/gtest.h>

#include <string>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// What a pass says of indices, and the module before it did not, has to hold: of constants that is
// seen, of arguments it is not proved where no execution shows that it is false.
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

// A branch that no execution takes says nothing of the constant indices in it.
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

}  // namespace
}  // namespace affirm::driver
