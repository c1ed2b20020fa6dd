// The simplifier against enumeration, over generated maps.
#include <cstdlib>

#include "core/simplify/simplify.h"
#include "fuzz/map_generator.h"
#include "fuzz/meaning.h"
#include "fuzz/properties.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace affirm {
namespace {

using fuzz::CheckSimplify;
using fuzz::CheckText;
using fuzz::Choices;
using fuzz::Difference;
using fuzz::Enumerate;
using fuzz::GenerateMap;

// How many maps the seeded sweeps try; AFFIRM_SWEEP overrides it for long runs.
int64_t SweepSize() {
  const char* text = std::getenv("AFFIRM_SWEEP");
  return text ? std::atoll(text) : 50'000;
}

RC_GTEST_PROP(SimplifyProperty, KeepsTheMeaningAndIsIdempotent, (std::vector<uint8_t> bytes)) {
  Context context;
  Choices choices(bytes);
  IndexingMap map = GenerateMap(choices, context);
  std::string wrong = CheckSimplify(map);
  if (!wrong.empty()) RC_FAIL(map.ToString() + "\n" + wrong);
}

TEST(SimplifySweep, KeepsTheMeaningAndIsIdempotent) {
  int64_t failures = 0;
  for (int64_t seed = 0; seed < SweepSize() && failures < 10; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 16 + seed % 120);
    Choices choices(bytes);
    IndexingMap map = GenerateMap(choices, context);
    std::string wrong = CheckSimplify(map);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << map.ToString() << "\n  " << wrong;
  }
}

// Constants, bounds and divisors at the limits of int64; the meaning is evaluated in 128 bits.
TEST(SimplifySweep, NothingWrapsNearTheLimits) {
  int64_t failures = 0, checked = 0;
  for (int64_t seed = 0; seed < SweepSize() && failures < 10; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed + 4'000'000, 16 + seed % 120);
    Choices choices(bytes);
    fuzz::MapLimits limits;
    limits.extreme = true;
    limits.max_points = 200;
    IndexingMap map = GenerateMap(choices, context, limits);
    checked += Enumerate(map).has_value();
    std::string wrong = CheckSimplify(map);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << map.ToString() << "\n  " << wrong;
  }
  EXPECT_GT(checked, SweepSize() / 4) << "too few maps can be evaluated to say anything";
}

TEST(SimplifySweep, RemovingUnusedVariablesKeepsTheSets) {
  int64_t failures = 0;
  for (int64_t seed = 0; seed < SweepSize() / 5 && failures < 10; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed + 1'000'000, 16 + seed % 90);
    Choices choices(bytes);
    fuzz::MapLimits limits;
    limits.max_runtime = 0;  // runtime variables are arguments: removing one changes the points
    IndexingMap map = GenerateMap(choices, context, limits);
    auto before = Enumerate(map), after = Enumerate(RemoveUnusedVariables(map));
    if (!before) continue;
    std::string difference = after ? Difference(*before, *after) : "not enumerable";
    if (difference.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << map.ToString() << "\n  " << difference;
  }
}

TEST(ComposeSweep, IsTheCompositionOfTheSets) {
  int64_t failures = 0;
  for (int64_t seed = 0; seed < SweepSize() / 10 && failures < 10; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed + 2'000'000, 40 + seed % 90);
    Choices choices(bytes);
    fuzz::MapLimits limits;
    limits.max_points = 300;
    limits.max_dims = 2;
    limits.max_ranges = limits.max_runtime = 1;
    IndexingMap first = GenerateMap(choices, context, limits);
    if (first.IsKnownEmpty()) continue;
    IndexingMap second = fuzz::GenerateFollower(choices, first, limits);
    IndexingMap composed = Compose(first, second);
    auto meaning = Enumerate(composed), a = Enumerate(first);
    if (!meaning || !a) continue;
    // Point by point: every result of `first`, sent through `second`.
    fuzz::Meaning expected;
    for (const auto& [at, middle] : *a) {
      for (const fuzz::Point& m : middle) {
        auto reach = [&](const fuzz::Point& runtime) {
          std::vector<Variable> ranges = second.ranges();
          IndexingMap there = second;
          for (size_t i = 0; i < m.size(); ++i) {
            there.SetBounds(VarKind::kDim, i,
                            second.IsKnownEmpty()
                                ? Interval::Empty()
                                : Interval::Point(m[i]).Intersect(second.dims()[i].bounds));
          }
          auto set = Enumerate(there);
          if (!set) return;
          for (const auto& [key, values] : *set) {
            fuzz::Point rt = key.second;
            rt.insert(rt.end(), runtime.begin(), runtime.end());
            expected[{at.first, rt}].insert(values.begin(), values.end());
          }
        };
        reach(at.second);
      }
    }
    std::string difference = Difference(expected, *meaning);
    if (difference.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << first.ToString() << "\n  then " << second.ToString()
                  << "\n  " << difference;
  }
}

TEST(TextSweep, PrintedMapsReadBack) {
  for (int64_t seed = 0; seed < SweepSize() / 5; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed + 3'000'000, 16 + seed % 120);
    Choices choices(bytes);
    IndexingMap map = GenerateMap(choices, context);
    std::string wrong = CheckText(map, context);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong;
  }
}

}  // namespace
}  // namespace affirm
