// Stores write each element once: grids of numbers, loops of many threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "verify/compare/written_elements.h"
#include "verify/terms/query.h"

namespace affirm::compare {
namespace {

using terms::Int128;
using terms::Pool;
using terms::Term;

RC_GTEST_PROP(NumberGrids, AreTheNumbers, ()) {
  auto drawn = *rc::gen::container<std::set<int>>(rc::gen::inRange(-40, 60));
  std::vector<Int128> numbers(drawn.begin(), drawn.end()), found;
  for (const NumberGrid& grid : GridsOf(numbers)) {
    std::vector<Int128> values = {grid.base};
    for (auto [stride, count] : grid.strides) {
      std::vector<Int128> more;
      for (Int128 v : values) {
        for (int64_t i = 0; i < count; ++i) more.push_back(v + stride * i);
      }
      values = more;
    }
    found.insert(found.end(), values.begin(), values.end());
  }
  std::sort(found.begin(), found.end());
  RC_ASSERT(found == numbers);
}

TEST(NumberGrids, ATileIsOne) {
  std::vector<Int128> tile;
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 32; ++column) tile.push_back(row * 64 + column);
  }
  ASSERT_EQ(GridsOf(tile).size(), 1u);
  EXPECT_EQ(GridsOf(tile)[0].strides.size(), 2u);
}

// Blocks of threads, some stores each under a bound, against counting.
RC_GTEST_PROP(WrittenOnce, IsWhatCountingSays, ()) {
  Pool pool;
  int64_t blocks = *rc::gen::inRange(1, 5), threads = *rc::gen::inRange(1, 5);
  Term bl = pool.Variable("bl_x", {0, blocks - 1}), th = pool.Variable("th_x", {0, threads - 1});
  auto small = [] {
    return *rc::gen::weightedElement<int64_t>({{4, 1}, {2, 2}, {1, 3}, {1, 0}, {1, 4}, {1, -1}});
  };
  std::vector<WrittenElements> writes;
  int64_t unroll = *rc::gen::inRange(1, 3);
  for (int64_t u = 0; u < unroll; ++u) {
    Term element = pool.Add(pool.Scale(th, unroll),
                            pool.Number(*rc::gen::weightedElement<int64_t>({{5, u}, {1, 0}})));
    element = pool.Add(
        element,
        pool.Scale(bl, *rc::gen::weightedElement<int64_t>({{3, threads * unroll}, {1, small()}})));
    int64_t bound = *rc::gen::inRange<int64_t>(0, blocks * threads * unroll + 1);
    std::vector<Term> conditions = {pool.AtLeast(pool.Number(bound), element)};
    if (*rc::gen::inRange(0, 4) == 0)
      conditions = {pool.Not(pool.And({conditions[0], pool.AtLeast(th, pool.Number(1))}))};
    if (*rc::gen::inRange(0, 4) == 0)
      conditions.push_back(pool.Not(pool.IsZero(pool.Subtract(bl, pool.Number(1)))));
    writes.push_back({conditions, {{element}}});
  }
  std::map<int64_t, int> counts;
  for (const WrittenElements& list : writes) {
    for (int64_t b = 0; b < blocks; ++b) {
      for (int64_t t = 0; t < threads; ++t) {
        auto leaf = [&](Term variable) { return Int128{variable == bl ? b : t}; };
        bool runs = true;
        for (Term condition : list.conditions) runs = runs && Evaluate(condition, leaf) != 0;
        if (runs) ++counts[static_cast<int64_t>(Evaluate(list.indices[0][0], leaf))];
      }
    }
  }
  int64_t size = *rc::gen::weightedElement<int64_t>(
      {{5, static_cast<int64_t>(counts.size())}, {1, blocks * threads}});
  bool once = static_cast<int64_t>(counts.size()) == size;
  for (auto [element, count] : counts) once = once && count == 1 && element >= 0 && element < size;
  MapProofResult answer = ProveWrittenOnce(pool, writes, {bl, th}, {size});
  RC_TAG(once ? "once" : "not once");
  RC_ASSERT((answer.verdict == Verdict::kProved) == once);
}

// Threads by number, each with a loop and one store more under a bound, whose variables have names
// of their own: one map for all loops, and one for what comes after them.
TEST(WrittenOnce, LoopsOfManyThreadsAreOne) {
  Pool pool;
  Term bl = pool.Variable("bl_x", {0, 79});
  constexpr int64_t kThreads = 300, kTurns = 50, kLast = 20;
  constexpr int64_t kElements = (80 * kTurns + kLast) * kThreads;
  auto stores = [&](int64_t moved, int64_t turns_of_one, int64_t bound_of_one) {
    std::vector<WrittenElements> writes;
    for (int64_t t = 0; t < kThreads; ++t) {
      const bool one = t == 7;
      const int64_t turns = one ? turns_of_one : kTurns, last = one ? bound_of_one : kLast;
      Term i = pool.Variable("i" + std::to_string(t), {0, turns - 1});
      Term at = pool.Add(pool.Scale(bl, kThreads), pool.Number(one ? moved : t));
      Term later = pool.Add(at, pool.Scale(i, 80 * kThreads));
      writes.push_back({{}, {{later}}, {i}});
      Term after = pool.Add(at, pool.Number(80 * kThreads * kTurns));
      writes.push_back({{pool.AtLeast(pool.Number(last - 1), bl)}, {{after}}});
    }
    return writes;
  };
  WrittenOnceProver prover(pool, {bl}, {});
  auto once = [&](const std::vector<WrittenElements>& writes, int64_t size) {
    const bool proved = ProveWrittenOnce(pool, writes, {bl}, {size}).verdict == Verdict::kProved;
    for (int again = 0; again < 2; ++again)
      EXPECT_EQ(prover.Prove(writes, {size}).verdict == Verdict::kProved, proved);
    return proved;
  };
  EXPECT_TRUE(once(stores(7, kTurns, kLast), kElements));
  EXPECT_FALSE(once(stores(7, kTurns, kLast), kElements + 1));
  EXPECT_FALSE(once(stores(8, kTurns, kLast), kElements));
  EXPECT_FALSE(once(stores(7, kTurns - 1, kLast), kElements));
  EXPECT_FALSE(once(stores(7, kTurns + 1, kLast), kElements));
  EXPECT_FALSE(once(stores(7, kTurns, kLast - 1), kElements));
  // A store that has nothing of its loop happens in each turn.
  auto in_turns = [&](int64_t turns) {
    return std::vector<WrittenElements>{
        {{}, {{bl}}},
        {{}, {{pool.Add(bl, pool.Number(80))}}, {pool.Variable("i", {0, turns - 1})}}};
  };
  EXPECT_TRUE(once(in_turns(1), 160));
  EXPECT_FALSE(once(in_turns(2), 160));
  // Stores that differ in their bounds alone are others.
  auto below = [&](int64_t bound) {
    return std::vector<WrittenElements>{{{pool.AtLeast(pool.Number(bound - 1), bl)}, {{bl}}}};
  };
  EXPECT_TRUE(once(below(19), 19));
  EXPECT_FALSE(once(below(18), 19));
  EXPECT_FALSE(once(below(20), 19));
}

}  // namespace
}  // namespace affirm::compare
