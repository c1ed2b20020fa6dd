// Property tests: over generated maps, simplification, composition and the transformations agree
// with enumeration, and a wrong rule is noticed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/simplify/simplify.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/map_operations.h"
#include "gtest/gtest.h"
#include "llvm/ADT/DenseSet.h"
#include "rapidcheck/gtest.h"

namespace affirm {
namespace {

using fuzz::CheckCompose;
using fuzz::CheckOperations;
using fuzz::Choices;
using fuzz::GenerateMap;
using fuzz::MapLimits;

int64_t Setting(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

// How many maps the seeded sweeps try together. For long runs AFFIRM_SWEEP overrides it, and
// AFFIRM_SWEEP_FROM leaves out that many before, so that a run can be shared out.
int64_t SweepSize() { return Setting("AFFIRM_SWEEP", 50'000); }

// How many distinct nodes the results and constraints have.
size_t NumNodes(const IndexingMap& map) {
  llvm::DenseSet<SymbolicExpr> nodes;
  auto add = [&](SymbolicExpr e) { nodes.insert(e); };
  for (SymbolicExpr e : map.results()) e.Walk(add);
  for (const Constraint& c : map.constraints()) c.expr.Walk(add);
  return nodes.size();
}

// The longest that any map took to simplify, for its number of nodes: printed, not tested, as it
// is a matter of the machine.
class WorstCost {
 public:
  ~WorstCost() {
    std::printf("longest: %.0f us for %zu nodes, %.0f us for each 100: %s\n", us_, nodes_,
                us_ * 100 / static_cast<double>(nodes_), text_.c_str());
  }

  void Measure(const IndexingMap& map) {
    size_t nodes = std::max<size_t>(NumNodes(map), 1);
    double limit = us_ * static_cast<double>(nodes) / static_cast<double>(nodes_);
    double us = Time(map);
    // Only what takes long each time is the simplifier's doing.
    for (int again = 0; again < 5 && us > limit; ++again) us = std::min(us, Time(map));
    if (us <= limit) return;
    us_ = us;
    nodes_ = nodes;
    text_ = map.ToString();
  }

 private:
  static double Time(const IndexingMap& map) {
    auto start = std::chrono::steady_clock::now();
    Simplify(map);
    std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
    return us.count();
  }

  double us_ = 0;
  size_t nodes_ = 1;
  std::string text_;
};

// Calls check(choices, context) for `count` seeds from `first` on; it returns what went wrong.
template <typename Check>
void Sweep(int64_t first, int64_t count, Check check) {
  int64_t failures = 0;
  first += Setting("AFFIRM_SWEEP_FROM", 0);
  for (int64_t seed = first; seed < first + count && failures < 10; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed * 1000, 16 + seed % 120);
    Choices choices(bytes);
    std::string wrong = check(choices, context);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << wrong;
  }
}

std::string Describe(const IndexingMap& map, const std::string& wrong) {
  return wrong.empty() ? "" : map.ToString() + "\n  " + wrong;
}

RC_GTEST_PROP(CoreProperty, OperationsKeepTheMeaning, (std::vector<uint8_t> bytes)) {
  Context context;
  Choices choices(bytes);
  IndexingMap map = GenerateMap(choices, context);
  std::string wrong = CheckOperations(map, choices);
  if (!wrong.empty()) RC_FAIL(map.ToString() + "\n" + wrong);
}

TEST(CoreSweep, OperationsKeepTheMeaning) {
  WorstCost cost;
  Sweep(0, SweepSize() * 7 / 10, [&](Choices& choices, Context& context) {
    MapLimits limits;
    // Most of the maps are small: what goes wrong nearly always does so in few points.
    if (!choices.OneIn(8)) limits.max_points = 60;
    IndexingMap map = GenerateMap(choices, context, limits);
    cost.Measure(map);
    return Describe(map, CheckOperations(map, choices));
  });
}

// Constants, bounds and divisors at the limits of int64; the sets are enumerated in integers of any
// size.
TEST(CoreSweep, NothingWrapsNearTheLimits) {
  WorstCost cost;
  int64_t enumerated = 0, count = SweepSize() * 2 / 10;
  Sweep(4'000'000, count, [&](Choices& choices, Context& context) {
    MapLimits limits;
    limits.extreme = true;
    limits.max_points = 100;
    IndexingMap map = GenerateMap(choices, context, limits);
    cost.Measure(map);
    bool has_meaning = false;
    std::string wrong = CheckOperations(map, choices, &has_meaning);
    enumerated += has_meaning;
    return Describe(map, wrong);
  });
  EXPECT_GT(enumerated, count / 4) << "too few maps can be evaluated to say anything";
}

TEST(CoreSweep, CompositionsAreThoseOfTheSets) {
  Sweep(2'000'000, SweepSize() / 10, [&](Choices& choices, Context& context) -> std::string {
    MapLimits limits;
    limits.max_points = 200;
    limits.max_dims = 2;
    limits.max_ranges = limits.max_runtime = 1;
    IndexingMap first = GenerateMap(choices, context, limits);
    if (first.IsKnownEmpty()) return "";
    IndexingMap second = fuzz::GenerateFollower(choices, first, limits);
    std::string wrong = CheckCompose(first, second);
    return wrong.empty() ? "" : first.ToString() + "\n  then " + second.ToString() + "\n  " + wrong;
  });
}

// The checks notice a simplifier that is wrong.
TEST(CoreSweep, NoticesAWrongRule) {
  auto rules = ParseRules("rule wrong: x mod m => x when m > 0 why it is not", "wrong");
  ASSERT_TRUE(static_cast<bool>(rules));
  RuleTable table(*rules);
  int64_t noticed = 0;
  for (int64_t seed = 0; seed < 200; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed * 1000, 100);
    Choices choices(bytes);
    IndexingMap map = GenerateMap(choices, context);
    auto before = fuzz::Enumerate(map), after = fuzz::Enumerate(Simplify(map, table));
    noticed += before && after && !fuzz::Difference(*before, *after).empty();
  }
  EXPECT_GT(noticed, 10);
}

}  // namespace
}  // namespace affirm
