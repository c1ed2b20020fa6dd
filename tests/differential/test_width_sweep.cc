// Long sweep: widths of maps against executing their code at every point.
#include <gtest/gtest.h>

#include "tests/differential/cases.h"
#include "tests/differential/table.h"
#include "tests/differential/tally.h"
#include "verify/width/width.h"

namespace affirm {
namespace {

Number IntegerOf(const llvm::APInt& bits, Signedness s) {
  unsigned wider = bits.getBitWidth() + 1;
  return Number(s == Signedness::kSigned ? bits.sext(wider) : bits.zext(wider));
}

// The result of executing the code at every point of the bounds.
struct Executed {
  bool overflows = false;
  bool knows_values = true;  // of each step
};

Executed ExecuteEverywhere(const IndexingMap& map, unsigned width, Signedness s) {
  Executed executed;
  const IndexCode code = MakeIndexCode(map, s);
  for (const IndexStep& step : code.steps) executed.knows_values &= static_cast<bool>(step.value);
  IndexingMap box = map;
  box.SetConstraints({});
  box.SetResults({});
  ForEachOfDomain(box, [&](const Values& at, const Numbers&) {
    bool inside = true;
    for (const Constraint& c : map.constraints()) {
      auto v = ValueAt(c.expr, at);
      inside = inside && v && Within(*v, c.bounds);
    }
    auto machine = Execute(code, width, {at.of[0], at.of[1], at.of[2]});
    for (size_t k = 0; k < code.steps.size() && !executed.overflows; ++k) {
      if (code.steps[k].guarded && !inside) continue;
      executed.overflows = !machine[k];
      if (executed.overflows || !code.steps[k].value) continue;
      auto value = ValueAt(code.steps[k].value, at);
      executed.overflows = !value || IntegerOf(*machine[k], s) != *value;
    }
  });
  return executed;
}

void RunSweep(const CaseStyle& style, bool guarded, int64_t cases) {
  // A quotient whose divisor may have either sign is not known.
  Sweep sweep(guarded ? 20 : 1);
  for (int64_t number = 0; number < NumCases(cases) && !::testing::Test::HasFailure(); ++number) {
    Context context;
    Draw draw(number);
    MapDraw maps(draw, context, style);
    IndexingMap map = guarded ? maps.Guarded() : maps.Map();
    if (map.state() != IndexingMap::State::kNormal) continue;
    auto width = static_cast<unsigned>(style.near_limits && !draw.OneIn(4) ? draw.Pick(60, 64)
                                                                           : draw.Pick(1, 14));
    Signedness s = draw.OneIn(2) ? Signedness::kSigned : Signedness::kUnsigned;
    SCOPED_TRACE("case " + std::to_string(number) + ": " + map.ToString() + " in i" +
                 std::to_string(width) + " " + Name(s));
    Executed executed = ExecuteEverywhere(map, width, s);
    WidthResult answer = ProveWidth(map, width, s);
    EXPECT_EQ(answer.overflow.has_value(), answer.verdict == Verdict::kRefuted);
    if (answer.verdict == Verdict::kUnknown && executed.knows_values) {
      ADD_FAILURE() << answer.reason;
    }
    sweep.Add(answer.verdict, answer.reason, answer.ms, !executed.overflows);
  }
}

TEST(WidthSweep, Small) { RunSweep({.products = true}, false, 300); }
TEST(WidthSweep, NearTheLimits) {
  RunSweep({.max_points = 64, .near_limits = true, .products = true}, false, 300);
}
TEST(WidthSweep, DivisorsThatConstraintsGuard) { RunSweep({.products = true}, true, 300); }

}  // namespace
}  // namespace affirm
