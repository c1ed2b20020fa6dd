// Long sweep: equality, covering and emptiness of maps against their tables.
#include <gtest/gtest.h>

#include "tests/differential/cases.h"
#include "tests/differential/table.h"
#include "tests/differential/tally.h"
#include "verify/maps/maps.h"

namespace affirm {
namespace {

using Point = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

std::set<Numbers> At(const Table& table, const MapCounterexample& c) {
  auto at = table.find(Point{c.dims, c.runtime});
  return at == table.end() ? std::set<Numbers>() : at->second;
}

class EqualitySweep : public ::testing::Test {
 protected:
  // Compares one pair, in both directions.
  void Compare(int64_t number, const IndexingMap& a, const IndexingMap& b) {
    auto table_a = TableOf(a), table_b = TableOf(b);
    if (!table_a || !table_b) return;
    SCOPED_TRACE("case " + std::to_string(number) + "\n" + a.ToString() + "\n" + b.ToString());
    // Maps of other variables, or with another number of results, agree where both are empty.
    bool same = a.dims().size() == b.dims().size() && a.runtime().size() == b.runtime().size() &&
                a.results().size() == b.results().size();
    same = same && !a.IsKnownEmpty() && !b.IsKnownEmpty();
    bool equal = same ? *table_a == *table_b : table_a->empty() && table_b->empty();
    bool covers = same ? Includes(*table_a, *table_b) : table_b->empty();
    MapProofResult answer = ProveEqual(a, b, options_);
    sweep_->Add(answer, equal);
    if (answer.counterexample && same) {
      EXPECT_NE(At(*table_a, *answer.counterexample), At(*table_b, *answer.counterexample));
    }
    sweep_->Add(ProveSuperset(a, b, options_), covers);
    sweep_->Add(ProveEmpty(a, options_), table_a->empty());
    if (same) sweep_->Add(ProveUnionSuperset({a, b}, {b}, options_), true);
    if (same && number % 4 == 0) sweep_->Add(ProveUnionSuperset({a}, {b, a}, options_), covers);
  }

  void RunCases(const CaseStyle& style, int64_t cases) {
    if (!sweep_) sweep_.emplace();
    for (int64_t number = 0; number < cases; ++number) {
      Context context;
      Draw draw(number);
      MapDraw maps(draw, context, style);
      IndexingMap a = style.guarded ? maps.Guarded() : maps.Map(), b = a;
      if (a.IsUndefined()) continue;
      if (draw.OneIn(8)) b = maps.Map();
      for (int64_t changes = draw.Pick(1, 2); changes > 0; --changes) b = maps.Variant(b);
      Compare(number, a, b);
      if (HasFailure()) return;
    }
  }

  void Run(const CaseStyle& style, int64_t cases) { RunCases(style, NumCases(cases)); }

  // Without enumeration, which would answer nearly all: verdicts are those of the solvers.
  void RunSolvers(const CaseStyle& style, std::optional<Engine> only, int64_t cases) {
    options_.only = only;
    options_.budget.enumeration_points = 0;
    options_.budget.isl_seconds = 1;
    options_.budget.isl_operations = 200'000;
    options_.budget.z3_rlimit = 500'000;
    sweep_.emplace(100);
    // They take so much longer.
    constexpr int64_t kFewer = 10;
    RunCases(style, NumCases(kFewer * cases) / kFewer);
  }

  DecideOptions options_;
  std::optional<Sweep> sweep_;
};

TEST_F(EqualitySweep, Small) { Run({}, 300); }
TEST_F(EqualitySweep, SmallWithProducts) { Run({.products = true}, 300); }
TEST_F(EqualitySweep, Medium) { Run({.max_points = 6000}, 60); }
TEST_F(EqualitySweep, NearTheLimits) { Run({.max_points = 64, .near_limits = true}, 300); }
TEST_F(EqualitySweep, ProductsNearTheLimits) {
  Run({.max_points = 48, .near_limits = true, .products = true}, 300);
}

TEST_F(EqualitySweep, EverySolver) { RunSolvers({.products = true}, std::nullopt, 60); }
TEST_F(EqualitySweep, Guarded) { Run({.products = true, .guarded = true}, 300); }
TEST_F(EqualitySweep, EverySolverGuarded) {
  RunSolvers({.products = true, .guarded = true}, std::nullopt, 60);
}
TEST_F(EqualitySweep, ByZ3Guarded) {
  RunSolvers({.products = true, .guarded = true}, Engine::kZ3, 60);
}
TEST_F(EqualitySweep, ByIntervalAnalysis) {
  RunSolvers({.products = true}, Engine::kIntervalAnalysis, 300);
}
TEST_F(EqualitySweep, ByZ3) { RunSolvers({.products = true}, Engine::kZ3, 60); }
TEST_F(EqualitySweep, ByIsl) { RunSolvers({}, Engine::kIsl, 60); }
TEST_F(EqualitySweep, EverySolverNearTheLimits) {
  RunSolvers({.max_points = 48, .near_limits = true, .products = true}, std::nullopt, 60);
}

}  // namespace
}  // namespace affirm
