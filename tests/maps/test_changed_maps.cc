// Maps whose range variables were rewritten, compared by every engine: verdicts equal the tables,
// and no two engines disagree. RC_PARAMS=max_success=2000 draws more of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/maps/changed_maps.h"
#include "tests/maps/tabulate.h"
#include "verify/maps/portfolio_result.h"

namespace affirm {
namespace {

void CheckVerdict(const MapProofResult& a, bool truth, bool may_be_open) {
  RC_LOG() << Name(a.verdict) << " by " << Name(a.engine) << " " << a.reason << "\n";
  RC_ASSERT(!a.disagreement);
  if (a.verdict == Verdict::kUnknown) {
    RC_ASSERT(may_be_open);
    return;
  }
  RC_ASSERT((a.verdict == Verdict::kProved) == truth);
  RC_ASSERT(truth || a.counterexample.has_value());
}

RC_GTEST_PROP(ChangedMaps, EveryVerdictIsRight, ()) {
  Context context;
  MapShape shape = RandomShape();
  shape.ranges = std::max<int64_t>(shape.ranges, 1);
  IndexingMap a = Pick(0, 2) == 0 ? RandomMap(context, shape) : TiledMap(context);
  IndexingMap b = a;
  for (int64_t changes = Pick(1, 3); changes > 0; --changes) b = Changed(b);
  RC_LOG() << a.ToString() << "\n" << b.ToString() << "\n";
  Function fa = Tabulate(a), fb = Tabulate(b);
  // A few maps in a thousand take isl minutes, where others take milliseconds.
  DecideOptions options{.cross_check = true};
  options.budget.isl_operations = 1'000'000;
  CheckVerdict(ProveEqual(a, b, options), fa == fb, false);
  CheckVerdict(ProveSuperset(a, b, options), IsSuperset(fa, fb), false);
  CheckVerdict(ProveSuperset(b, a, options), IsSuperset(fb, fa), false);
  // Alone, an engine may leave a query open: Z3 has no quantifiers here, isl has its budget.
  options.cross_check = false;
  options.only = Engine::kZ3;
  MapProofResult z3 = ProveEqual(a, b, options);
  CheckVerdict(z3, fa == fb, true);
  options.only = Engine::kIsl;
  MapProofResult isl = ProveEqual(a, b, options);
  CheckVerdict(isl, fa == fb, true);
  options.only = Engine::kIntervalAnalysis;
  CheckVerdict(ProveEqual(a, b, options), fa == fb, true);
  CheckVerdict(ProveSuperset(a, b, options), IsSuperset(fa, fb), true);
  RC_TAG(std::string(fa == fb ? "equal" : "different"),
         "z3 alone: " + std::string(Name(z3.verdict)),
         "isl alone: " + std::string(Name(isl.verdict)));
}

// With --cross-check two engines that contradict each other make an unknown.
// A map cut in two by a constraint is the union of both parts, but now and then for a value between
// them. What the bounds say of unions is so at every point.
RC_GTEST_PROP(ChangedMaps, UnionsByBoundsAreRight, ()) {
  Context context;
  MapShape shape = RandomShape();
  shape.ranges = std::max<int64_t>(shape.ranges, 1);
  const IndexingMap map = Pick(0, 2) == 0 ? RandomMap(context, shape) : TiledMap(context);
  if (map.state() != IndexingMap::State::kNormal) return;
  auto variable = [&]() -> SymbolicExpr {
    const auto dims = std::ssize(map.dims()), ranges = std::ssize(map.ranges());
    const int64_t k = Pick(0, dims + ranges - 1);
    return k < dims ? context.Dim(k) : context.Range(k - dims);
  };
  auto with = [&](const IndexingMap& m, const Constraint& c) {
    if (m.state() != IndexingMap::State::kNormal) return m;
    std::vector<Constraint> constraints(m.constraints().begin(), m.constraints().end());
    constraints.push_back(c);
    return IndexingMap(context, m.results(), m.dims(), m.ranges(), m.runtime(), constraints);
  };
  std::vector<IndexingMap> parts = {map};
  for (int64_t cuts = Pick(1, 2); cuts > 0; --cuts) {
    SymbolicExpr e = variable() - variable();
    if (Pick(0, 2) == 0) e = variable() + Pick(-2, 2);
    if (Pick(0, 3) == 0) e = variable().Max(variable() - Pick(0, 2));
    const int64_t at = Pick(-3, 4), gap = Pick(0, 2) == 0 ? 1 : 0;
    const IndexingMap cut = parts.back();
    // Now and then where a constant leads to the limits of int64, which as ends are none.
    const int64_t shift = Pick(0, 3) != 0 ? 0 : Pick(0, 1) == 0 ? kInt64Max - 5 : kInt64Min + 5;
    auto shifted = [&](int64_t end) { return CheckedAdd(end, shift).value_or(end); };
    parts.back() = with(cut, {e + shift, {kInt64Min, shifted(at)}});
    parts.push_back(with(cut, {e + shift, {shifted(at + 1 + gap), kInt64Max}}));
  }
  if (Pick(0, 4) == 0) parts.erase(parts.begin());
  IndexingMap other = Pick(0, 1) == 0 ? map : Changed(map);
  if (!map.dims().empty() && Pick(0, 2) == 0) {
    const SymbolicExpr last = context.Dim(std::ssize(map.dims()) - 1);
    other = with(other, {context.Dim(0) + last, {Pick(-4, 0), Pick(0, 4)}});
  }
  RC_LOG() << other.ToString() << "\n";
  for (const IndexingMap& part : parts) RC_LOG() << part.ToString() << "\n";
  DecideOptions options{.only = Engine::kIntervalAnalysis};
  const bool seen = ProveUnionSuperset(parts, {other}, options).verdict == Verdict::kProved;
  options.only = Engine::kEnumeration;
  const Verdict truth = ProveUnionSuperset(parts, {other}, options).verdict;
  RC_CLASSIFY(seen, "seen");
  RC_CLASSIFY(truth == Verdict::kProved, "true");
  RC_CLASSIFY(truth == Verdict::kRefuted, "false");
  RC_ASSERT(!seen || truth != Verdict::kRefuted);
}

TEST(PortfolioResult, DisagreementIsNoAnswer) {
  PortfolioResult portfolio(/*ask_all=*/true);
  EXPECT_FALSE(portfolio.Add({.verdict = Verdict::kProved, .engine = Engine::kZ3}));
  EXPECT_FALSE(portfolio.Add({.reason = "isl: too large"}));
  EXPECT_FALSE(portfolio.Add({.verdict = Verdict::kRefuted, .engine = Engine::kIsl}));
  MapProofResult answer = portfolio.Take();
  EXPECT_EQ(answer.verdict, Verdict::kUnknown);
  EXPECT_EQ(answer.reason, "engines disagree: z3 says proved, isl says refuted");
  ASSERT_TRUE(answer.disagreement.has_value());
  EXPECT_EQ(answer.disagreement->second, Engine::kIsl);
}

// Two engines that contradict each other about a part of the query: what others say of the whole
// is no answer.
TEST(PortfolioResult, DisagreementAboutAPartIsNoAnswer) {
  PortfolioResult portfolio(/*ask_all=*/true);
  const EngineDisagreement part = {.first = Engine::kZ3,
                                   .second = Engine::kIsl,
                                   .first_says = Verdict::kRefuted,
                                   .second_says = Verdict::kProved};
  portfolio.Add({.reason = part.ToString(), .disagreement = part});
  portfolio.Add({.verdict = Verdict::kProved, .engine = Engine::kEnumeration});
  MapProofResult answer = portfolio.Take();
  EXPECT_EQ(answer.verdict, Verdict::kUnknown);
  EXPECT_EQ(answer.reason, "engines disagree: z3 says refuted, isl says proved");
}

TEST(PortfolioResult, TheFirstAnswerStands) {
  PortfolioResult portfolio(/*ask_all=*/false);
  EXPECT_FALSE(portfolio.Add({.reason = "enumeration: too many points"}));
  EXPECT_TRUE(portfolio.Add({.verdict = Verdict::kProved, .engine = Engine::kZ3}));
  MapProofResult answer = portfolio.Take();
  EXPECT_EQ(answer.verdict, Verdict::kProved);
  EXPECT_TRUE(answer.reason.empty());
  EXPECT_EQ(PortfolioResult(false).Take().verdict, Verdict::kUnknown);
}

}  // namespace
}  // namespace affirm
