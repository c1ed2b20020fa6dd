// Tests of the simplifier: the examples of XLA's indexing documentation, published pairs of maps
// before and after simplification, the trace, and rules of users.
#include <fstream>

#include "core/simplify/simplify.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"

namespace affirm {
namespace {

IndexingMap Parse(Context& context, const std::string& text) {
  auto map = ParseIndexingMap(text, context);
  EXPECT_TRUE(static_cast<bool>(map)) << llvm::toString(map.takeError());
  return map ? *map : IndexingMap::Undefined();
}

struct Example {
  const char* before;
  const char* after;
};

void PrintTo(const Example& e, std::ostream* os) { *os << e.before; }

class DocumentedExample : public testing::TestWithParam<Example> {};

TEST_P(DocumentedExample, PrintsAsDocumented) {
  Context context;
  IndexingMap map = Parse(context, GetParam().before);
  EXPECT_EQ(Simplify(map).ToString(), Parse(context, GetParam().after).ToString());
  EXPECT_EQ(Simplify(map).ToString(), GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, DocumentedExample,
    testing::Values(
        Example{"(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]",
                "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]"},
        Example{"(d0, d1, d2) -> ((d0 * 100 + d1 * 10 + d2) floordiv 100, ((d0 * 100 + d1 * 10 + "
                "d2) mod 100) floordiv 10, d2 mod 10), domain: d0 in [0, 9], d1 in [0, 9], d2 in "
                "[0, 9]",
                "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"},
        Example{"(d0, d1, d2) -> ((d0 * 16 + d1 * 4 + d2) floordiv 8, (d0 * 16 + d1 * 4 + d2) mod "
                "8), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
                "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8), domain: "
                "d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"},
        Example{"(d0, d1) -> (-((d0 * -11 - d1 + 109) floordiv 11) + 9), domain: d0 in [0, 9], d1 "
                "in [0, 10]",
                "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 10]"}));

INSTANTIATE_TEST_SUITE_P(
    Constraints, DocumentedExample,
    testing::Values(
        // 1. An added, multiplied or dividing constant moves to the bounds.
        Example{"(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 99], d0 + d1 + 5 in [10, 20]",
                "(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 99], d0 + d1 in [5, 15]"},
        Example{"(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 99], d0 * 8 + d1 * 8 in [14, "
                "33]",
                "(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 99], d0 + d1 in [2, 4]"},
        Example{"(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 99], (d0 + d1) floordiv 3 in "
                "[-11, 5]",
                "(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 99], d0 + d1 in [-33, 17]"},
        // 2. A constraint that always holds is dropped.
        Example{"(d0)[s0] -> (d0), domain: d0 in [0, 5], s0 in [1, 3], d0 + s0 in [0, 20]",
                "(d0)[s0] -> (d0), domain: d0 in [0, 5], s0 in [1, 3]"},
        // 3. The expression of a constraint is simplified like a result.
        Example{"(d0, d1) -> (d0), domain: d0 in [0, 6], d1 in [0, 14], d0 + d1 + d1 floordiv 16 "
                "in [3, 8]",
                "(d0, d1) -> (d0), domain: d0 in [0, 6], d1 in [0, 14], d0 + d1 in [3, 8]"}));

// Nearest multiples of a modulus leave a rest in one period: it is the residue.
INSTANTIATE_TEST_SUITE_P(
    NearestMultiples, DocumentedExample,
    testing::Values(
        Example{"(d0) -> ((d0 * 3 + 3) mod 4, (d0 * 3 + 3) floordiv 4), domain: d0 in [0, 3]",
                "(d0) -> (-d0 + 3, d0), domain: d0 in [0, 3]"},
        Example{"(d0) -> ((d0 * 5) mod 4, (d0 * 5) floordiv 4), domain: d0 in [0, 3]",
                "(d0) -> (d0, d0), domain: d0 in [0, 3]"},
        Example{"(d0) -> ((d0 * 6 + 7) mod 8, (d0 * 6 + 7) floordiv 8), domain: d0 in [0, 3]",
                "(d0) -> (d0 * -2 + 7, d0), domain: d0 in [0, 3]"},
        Example{"(d0, d1) -> ((d0 * 3 + d1 * 5 + 1) mod 4, (d0 * 3 + d1 * 5 + 1) floordiv 4), "
                "domain: d0 in [0, 1], d1 in [0, 1]",
                "(d0, d1) -> (-d0 + d1 + 1, d0 + d1), domain: d0 in [0, 1], d1 in [0, 1]"},
        // A function of two values is linear.
        Example{"(d0) -> ((d0 * 3 + 13) mod 16, (d0 + 7) floordiv 8), domain: d0 in [0, 1]",
                "(d0) -> (d0 * -13 + 13, d0), domain: d0 in [0, 1]"},
        // The rest would need five values: quotient and residue stay, and still make the number.
        Example{"(d0) -> ((d0 * 3 + 3) mod 4), domain: d0 in [0, 4]",
                "(d0) -> ((d0 * 3 + 3) mod 4), domain: d0 in [0, 4]"},
        Example{"(d0) -> (((d0 * 3 + 3) floordiv 4) * 4 + (d0 * 3 + 3) mod 4), domain: d0 in [0, "
                "4]",
                "(d0) -> (d0 * 3 + 3), domain: d0 in [0, 4]"},
        Example{"(d0) -> (((d0 * 3 + 3) floordiv 4) * 4 + (d0 * 3 + 3) mod 4), domain: d0 in [0, "
                "3]",
                "(d0) -> (d0 * 3 + 3), domain: d0 in [0, 3]"}));

INSTANTIATE_TEST_SUITE_P(
    Emptiness, DocumentedExample,
    testing::Values(
        Example{"(d0) -> (d0), domain: d0 in [0, 99], d0 mod 8 in [9, 12]", "KNOWN EMPTY"},
        Example{"(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 * 6 + d1 * 9 in [1, 2]",
                "KNOWN EMPTY"},
        Example{"(d0) -> (d0), domain: d0 in [1, 5], d0 mod 6 in [0, 0]", "KNOWN EMPTY"}));

INSTANTIATE_TEST_SUITE_P(
    Reshapes, DocumentedExample,
    testing::Values(Example{
        "(d0, d1, d2) -> ((((d0 * 100 + d1 * 10 + d2) floordiv 20) * 20 + (d0 * 100 + d1 * 10 + "
        "d2) mod 20) floordiv 100, ((((d0 * 100 + d1 * 10 + d2) floordiv 20) * 20 + (d0 * 100 + "
        "d1 * 10 + d2) mod 20) floordiv 10) mod 10, (((d0 * 100 + d1 * 10 + d2) floordiv 20) * 20 "
        "+ (d0 * 100 + d1 * 10 + d2) mod 20) mod 10), domain: d0 in [0, 9], d1 in [0, 9], d2 in "
        "[0, 9]",
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"}));

std::string WithoutSpace(std::string text) {
  for (size_t at; (at = text.find("floordiv")) != std::string::npos;) text.replace(at, 8, "/");
  std::string out;
  for (char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) out += c;
  }
  while (!out.empty() && out.back() == ',') out.pop_back();
  return out;
}

// The same text as published, or a shorter one (its equality is the oracle's business, not this
// test's).
TEST(PublishedSimplifications, AreReachedOrImproved) {
  std::ifstream in("../shared/cases/simplify.jsonl");
  if (!in) GTEST_SKIP() << "../shared/cases/simplify.jsonl is not here";
  for (std::string line; std::getline(in, line);) {
    auto json = llvm::json::parse(line);
    ASSERT_TRUE(static_cast<bool>(json));
    const llvm::json::Object& o = *json->getAsObject();
    Context context;
    IndexingMap map = Parse(context, o.getString("before")->str());
    std::string got = WithoutSpace(Simplify(map).ToString());
    std::string want = WithoutSpace(o.getString("after")->str());
    EXPECT_TRUE(got == want || got.size() <= want.size())
        << o.getString("name")->str() << "\n  want " << want << "\n  got  " << got;
  }
}

// A constant beyond int64 is split into two terms of a sum; a factor multiplies both.
TEST(Limits, AConstantInPiecesIsScaledWhole) {
  Context context;
  IndexingMap map = Parse(context,
                          "(d0) -> (d0), domain: d0 in [9223372036854775787, 9223372036854775806], "
                          "-d0 + 5 + 9223372036854775807 in [-20, 20]");
  IndexingMap simplified = Simplify(map);
  EXPECT_FALSE(simplified == map);
  for (int64_t d = map.dims()[0].bounds.lower; d <= map.dims()[0].bounds.upper; ++d) {
    EXPECT_EQ(simplified.InDomain({d}, {}), map.InDomain({d}, {})) << d;
  }
}

TEST(Trace, NamesEachStep) {
  Context context;
  IndexingMap map = Parse(context,
                          "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 "
                          "in [0, 14], d0 + 1 in [1, 90]");
  Trace trace;
  Simplify(map, &trace);
  std::vector<std::string> names;
  for (const TraceStep& s : trace.steps) names.push_back(s.rule);
  EXPECT_EQ(names, (std::vector<std::string>{"constraint.holds", "range.point", "mod.period"}));
}

TEST(UserRules, AreAppliedAndTerminate) {
  Context context;
  IndexingMap map = Parse(context, "(d0) -> (d0 mod 7), domain: d0 in [0, 99]");
  // Wrong on purpose: the engine runs what it is given; the audit is what refutes it.
  auto rules = ParseRules("rule wrong: x mod m => x when m > 0 why it is not", "user");
  ASSERT_TRUE(static_cast<bool>(rules));
  EXPECT_EQ(Simplify(map, RuleTable(*rules)).results()[0].ToString(), "d0");
  // One that grows for ever is stopped.
  auto growing =
      ParseRules("rule grow: x mod m => (x + m) mod m when m > 0 why round and round", "user");
  ASSERT_TRUE(static_cast<bool>(growing));
  Simplify(map, RuleTable(*growing));
}

}  // namespace
}  // namespace affirm
