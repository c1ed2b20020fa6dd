// The replay of traces: real ones pass, and each way of tampering with one is noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/simplify/simplify.h"
#include "core/symbolic/context.h"
#include "llvm/Support/JSON.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/replay.h"

namespace affirm {
namespace {

using testing::HasSubstr;

constexpr const char* kMaps[] = {
    "(d0) -> (d0 mod 8 floordiv 4), domain: d0 in [0, 99]",
    R"((d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8),
        domain: d0 in [0, 9], d1 in [0, 7])",
    "(d0) -> ((d0 floordiv 6) * 6 + d0 mod 6), domain: d0 in [0, 99]",
    "(d0)[s0] -> ((d0 + s0 * 32) floordiv 32 mod 4), domain: d0 in [0, 31], s0 in [0, 3]",
    "(d0) -> (d0), domain: d0 in [0, 99], d0 mod 8 + 5 in [50, 54]",
    "(d0) -> (d0), domain: d0 in [0, 99], d0 * 8 in [14, 33]",
    "(d0) -> (d0), domain: d0 in [0, 99], d0 floordiv 3 in [2, 5]",
    "(d0) -> (d0 floordiv -3), domain: d0 in [0, 99]",
    "(d0) -> (d0 ceildiv 4), domain: d0 in [-10, 10]",
    "(d0)[s0] -> (min(d0, s0 + 100), max(d0, s0 + 100)), domain: d0 in [0, 50], s0 in [0, 3]",
    R"((d0)[s0, s1] -> (d0 * 6 + s0 * 3 + s1),
        domain: d0 in [0, 1999], s0 in [0, 1], s1 in [0, 2], d0 * 6 + s0 * 3 + s1 in [0, 599])",
};

struct Simplified {
  IndexingMap before, after;
  Trace trace;
};

std::optional<Simplified> SimplifyText(Context& context, llvm::StringRef text) {
  auto map = ParseIndexingMap(text, context);
  if (!map) {
    ADD_FAILURE() << llvm::toString(map.takeError());
    return std::nullopt;
  }
  Simplified s;
  s.before = *map;
  s.after = Simplify(*map, &s.trace);
  return s;
}

ReplayReport Check(const Simplified& s) {
  return Replay(s.before, s.after, s.trace, RuleTable::Builtin().rules());
}

TEST(Replay, PassesTracesOfTheSimplifier) {
  Context context;
  size_t steps = 0;
  for (const char* text : kMaps) {
    auto s = SimplifyText(context, text);
    ASSERT_TRUE(s);
    steps += s->trace.steps.size();
    ReplayReport report = Check(*s);
    EXPECT_TRUE(report.ok()) << text << "\n" << report.ToString();
  }
  EXPECT_GE(steps, 10u);
}

TEST(Replay, PassesTheAcceptanceCases) {
  std::ifstream file("../shared/cases/simplify.jsonl");
  if (!file) GTEST_SKIP() << "no acceptance cases here";
  size_t steps = 0;
  for (std::string line; std::getline(file, line);) {
    Context context;
    auto v = llvm::json::parse(line);
    ASSERT_TRUE(static_cast<bool>(v));
    auto text = v->getAsObject()->getString("before");
    auto map = ParseIndexingMap(text.value_or(""), context);
    if (!map) {
      llvm::consumeError(map.takeError());
      continue;
    }
    Simplified s{*map, {}, {}};
    s.after = Simplify(*map, &s.trace);
    steps += s.trace.steps.size();
    ReplayReport report = Check(s);
    EXPECT_TRUE(report.ok()) << line << "\n" << report.ToString();
  }
  std::printf("%zu steps replayed\n", steps);
}

// Each tampering must be noticed for every trace and step that it can be applied to.
template <typename Fn>
void ExpectNoticed(Fn tamper) {
  Context context;
  size_t applied = 0;
  for (const char* text : kMaps) {
    auto s = SimplifyText(context, text);
    ASSERT_TRUE(s);
    for (size_t i = 0; i < s->trace.steps.size(); ++i) {
      Simplified tampered = *s;
      if (!tamper(tampered, tampered.trace.steps[i])) continue;
      ++applied;
      EXPECT_FALSE(Check(tampered).ok())
          << text << ", step " << i << ": " << s->trace.steps[i].rule;
    }
  }
  EXPECT_GE(applied, 3u);
}

TEST(Replay, NoticesAnotherOutcomeOfAStep) {
  ExpectNoticed([](Simplified&, TraceStep& step) {
    if (!step.before) return false;
    step.after = step.after + 1;
    return true;
  });
  ExpectNoticed([](Simplified&, TraceStep& step) {
    if (step.facts_after.empty()) return false;
    ++step.facts_after[0].bounds.upper;
    return true;
  });
}

TEST(Replay, NoticesAnotherStart) {
  ExpectNoticed([](Simplified&, TraceStep& step) {
    if (!step.before) return false;
    step.before = step.before + 1;
    return true;
  });
  ExpectNoticed([](Simplified&, TraceStep& step) {
    if (step.facts_before.empty()) return false;
    --step.facts_before[0].bounds.lower;
    return true;
  });
}

TEST(Replay, NoticesAnotherRule) {
  ExpectNoticed([](Simplified&, TraceStep& step) {
    step.rule = step.before ? "constraint.holds" : "floordiv.split";
    return true;
  });
  ExpectNoticed([](Simplified&, TraceStep& step) {
    step.rule = "no.such";
    return true;
  });
}

TEST(Replay, NoticesMissingBindings) {
  ExpectNoticed([](Simplified&, TraceStep& step) {
    if (step.bindings.empty()) return false;
    step.bindings[0].bound = false;
    return true;
  });
}

TEST(Replay, NoticesADroppedStep) {
  ExpectNoticed([](Simplified& s, TraceStep& step) {
    s.trace.steps.erase(s.trace.steps.begin() + (&step - s.trace.steps.data()));
    return true;
  });
}

TEST(Replay, NoticesAnotherResult) {
  Context context;
  auto s = SimplifyText(context, kMaps[0]);
  ASSERT_TRUE(s);
  s->after = s->before;
  ReplayReport report = Check(*s);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.ToString(), HasSubstr("the steps lead to"));
}

TEST(Replay, NoticesAConditionThatFails) {
  Context context;
  // A rule without its condition makes the trace; the true rule does not allow it.
  std::vector<Rule> loose = Parse("rule r: x mod m => x why w");
  std::vector<Rule> strict = Parse("rule r: x mod m => x when range(x) within [0, m - 1] why w");
  auto map = ParseIndexingMap("(d0) -> (d0 mod 8), domain: d0 in [0, 99]", context);
  ASSERT_TRUE(static_cast<bool>(map));
  Trace trace;
  IndexingMap after = Simplify(*map, RuleTable(loose), &trace);
  ASSERT_EQ(trace.steps.size(), 1u);
  EXPECT_TRUE(Replay(*map, after, trace, loose).ok());
  ReplayReport report = Replay(*map, after, trace, strict);
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_THAT(report.problems[0].text, HasSubstr("does not hold"));
}

TEST(Replay, EmptyTracesOfUndefinedAndEmptyMaps) {
  Context context;
  IndexingMap empty = IndexingMap::KnownEmpty(context);
  EXPECT_TRUE(Replay(empty, empty, {}, {}).ok());
  EXPECT_TRUE(Replay(IndexingMap::Undefined(), IndexingMap::Undefined(), {}, {}).ok());
}

}  // namespace
}  // namespace affirm
