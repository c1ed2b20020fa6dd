// Pairs of maps whose truth is known: no wrong answer, and hardly any unknown.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "core/indexing/indexing_map.h"
#include "tests/maps/case_files.h"
#include "verify/maps/maps.h"

namespace affirm {
namespace {

// Re-evaluates a counterexample with the maps' own evaluation: the two sets at its point.
std::vector<std::vector<int64_t>> SetAt(const IndexingMap& map, const MapCounterexample& c) {
  std::vector<std::vector<int64_t>> set;
  IndexingMap at = map;
  for (size_t k = 0; k < c.dims.size(); ++k) {
    at.SetBounds(VarKind::kDim, k, map.dims()[k].bounds.Intersect(Interval::Point(c.dims[k])));
  }
  for (size_t k = 0; k < c.runtime.size(); ++k) {
    at.SetBounds(VarKind::kRuntime, k,
                 map.runtime()[k].bounds.Intersect(Interval::Point(c.runtime[k])));
  }
  at.ForEachPoint(
      [&](llvm::ArrayRef<int64_t> d, llvm::ArrayRef<int64_t> s, llvm::ArrayRef<int64_t> rt) {
        if (auto results = at.Evaluate(d, s, rt)) {
          set.push_back(*results);
        } else {
          llvm::consumeError(results.takeError());
        }
        return true;
      });
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

// Answers every pair; returns the number of unknowns.
int CheckPairs(const std::string& file, int* total, const DecideOptions& options = {}) {
  int unknown = 0;
  std::vector<double> ms;
  double per_engine[4] = {};
  for (const PairCase& c : ReadPairs(file)) {
    Context context;
    auto lhs = ParseIndexingMap(c.lhs, context), rhs = ParseIndexingMap(c.rhs, context);
    if (!lhs || !rhs) {
      ADD_FAILURE() << c.id << ": " << llvm::toString(lhs ? rhs.takeError() : lhs.takeError());
      continue;
    }
    MapProofResult answer = ProveEqual(*lhs, *rhs, options);
    ms.push_back(answer.ms);
    ++per_engine[static_cast<int>(answer.engine)];
    if (answer.verdict == Verdict::kUnknown) {
      ++unknown;
      std::printf("%s: unknown: %s\n", c.id.c_str(), answer.reason.c_str());
      continue;
    }
    bool different = answer.verdict == Verdict::kRefuted;
    EXPECT_EQ(different, c.truth == "different") << c.id;
    if (!different) continue;
    EXPECT_TRUE(answer.counterexample.has_value()) << c.id;
    EXPECT_NE(SetAt(*lhs, *answer.counterexample), SetAt(*rhs, *answer.counterexample)) << c.id;
    EXPECT_FALSE(answer.counterexample->ToString(*lhs).empty());
  }
  *total = static_cast<int>(ms.size());
  if (ms.empty()) return 0;
  std::sort(ms.begin(), ms.end());
  std::printf(
      "%s: %d pairs, %d unknown; ms: median %.3f, p99 %.2f, max %.2f; syntactic %.0f, "
      "enumeration %.0f, z3 %.0f, isl %.0f\n",
      file.c_str(), *total, unknown, ms[ms.size() / 2], ms[ms.size() * 99 / 100], ms.back(),
      per_engine[0], per_engine[1], per_engine[2], per_engine[3]);
  return unknown;
}

TEST(Cases, SmallPairs) {
  int total = 0;
  int unknown = CheckPairs("pairs.jsonl", &total);
  if (total == 0) GTEST_SKIP() << "../shared/cases/pairs.jsonl is not there";
  EXPECT_EQ(unknown, 0);
}

TEST(Cases, LargePairs) {
  int total = 0;
  int unknown = CheckPairs("big.jsonl", &total);
  if (total == 0) GTEST_SKIP() << "../shared/cases/big.jsonl is not there";
  EXPECT_LE(unknown * 100, total);
}

// Each engine alone on the large pairs: none may be wrong. To see how long each takes, run with
// --gtest_also_run_disabled_tests --gtest_filter='*EngineAlone*'.
class DISABLED_EngineAlone : public testing::TestWithParam<Engine> {};

TEST_P(DISABLED_EngineAlone, IsNotWrong) {
  int total = 0;
  CheckPairs("pairs.jsonl", &total, {.only = GetParam()});
  CheckPairs("big.jsonl", &total, {.only = GetParam()});
}

INSTANTIATE_TEST_SUITE_P(All, DISABLED_EngineAlone,
                         testing::Values(Engine::kIntervalAnalysis, Engine::kZ3, Engine::kIsl),
                         [](const auto& info) {
                           // "interval analysis" has a blank, which names of tests have not.
                           std::string name = Name(info.param);
                           std::erase(name, ' ');
                           return name;
                         });

}  // namespace
}  // namespace affirm
