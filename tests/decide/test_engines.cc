// The engines against each other and against enumeration of every point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>
#include <z3++.h>

#include <chrono>

#include "core/symbolic/context.h"
#include "tests/decide/random_terms.h"
#include "verify/decide/decider.h"
#include "verify/decide/engines.h"
#include "verify/decide/evaluate.h"
#include "verify/decide/isl_worker.h"

namespace affirm {
namespace {

// A query without quantifiers.
SolverQuery RandomQuery(Context& context, const TermStyle& style) {
  int64_t count = Pick(1, 3);
  SolverQuery q{.context = &context, .variables = RandomBounds(count)};
  std::vector<SymbolicExpr> variables = Variables(context, count);
  if (Pick(0, 1)) {
    q.claim = RandomFormula(context, variables, 2, style);
  } else {
    // Claims that tend to be true: a term against a variant of itself, under a random hypothesis.
    SymbolicExpr e = RandomTerm(context, variables, 4, style);
    int64_t c = Pick(1, 6);
    SymbolicExpr same = Pick(0, 1) ? e.FloorDiv(c) * c + e.Mod(c) : e + e.Min(e + 1) - e;
    q.claim = Formula::Implies(RandomFormula(context, variables, 1, style), Formula::Eq(e, same));
  }
  return q;
}

void CheckAgreement(const SolverQuery& q) {
  Budget budget;
  SolverResult truth = DecideByEnumeration(q, budget);
  RC_ASSERT(truth.verdict != Verdict::kUnknown);
  SolverResult answers[] = {
      DecideByIntervalAnalysis(q), DecideBySampling(q), DecideWithZ3(q, budget),
      DecideWithIsl(q, budget),    Decide(q),           Decide(q, {.cross_check = true})};
  for (const SolverResult& a : answers) {
    RC_LOG() << Name(a.engine) << ": " << Name(a.verdict) << " " << a.reason << "\n"
             << q.claim.ToString() << "\n";
    RC_ASSERT(a.verdict == truth.verdict || a.verdict == Verdict::kUnknown);
    RC_ASSERT(!a.disagreement);
    // A counterexample that had to be withdrawn would be a bug of the engine that gave it.
    RC_ASSERT(a.reason.find("counterexample") == std::string::npos);
    if (a.verdict != Verdict::kRefuted) continue;
    RC_ASSERT(EvaluateClaim(q, a.counterexample, 1 << 20) == false);
  }
  RC_ASSERT(Decide(q).verdict == truth.verdict);
}

RC_GTEST_PROP(Engines, AgreeOnRandomQueries, ()) {
  Context context;
  CheckAgreement(RandomQuery(context, {}));
}

// A conclusion that stands among the hypotheses is proved without a search; one that only follows
// from some of them is not taken for one.
RC_GTEST_PROP(Engines, HypothesesNeedNoSearch, ()) {
  Context context;
  std::vector<SymbolicExpr> variables = Variables(context, 2);
  Formula f = RandomFormula(context, variables, 0, {}),
          g = RandomFormula(context, variables, 0, {});
  SolverQuery q{.context = &context, .variables = {{0, 5}, {0, 5}}};
  q.claim = Formula::Implies(Formula::And({f, g}), f);
  RC_ASSERT(DecideByIntervalAnalysis(q).verdict == Verdict::kProved);
  q.claim = Formula::Implies(f, Formula::And({f, g}));
  CheckAgreement(q);
}

RC_GTEST_PROP(Engines, AgreeOnProductsAndFormDivisors, ()) {
  Context context;
  CheckAgreement(RandomQuery(context, {.products = true, .form_divisors = true}));
}

RC_GTEST_PROP(Engines, AgreeOnQuantifiers, ()) {
  Context context;
  int64_t count = Pick(2, 4);
  SolverQuery q{.context = &context, .variables = RandomBounds(count)};
  std::vector<SymbolicExpr> variables = Variables(context, count);
  std::vector<int64_t> bound;
  for (int64_t k = Pick(1, count - 1); k < count; ++k) bound.push_back(k);
  llvm::ArrayRef<SymbolicExpr> free =
      llvm::ArrayRef<SymbolicExpr>(variables).drop_back(bound.size());
  Formula body = RandomFormula(context, variables, 1, {});
  Formula inner = RandomFormula(context, free, 1, {});
  Formula exists = Formula::Exists(bound, body);
  if (Pick(0, 1)) exists = Formula::Not(exists);
  q.claim = Pick(0, 1) ? Formula::And({exists, inner}) : Formula::Or({exists, inner});
  CheckAgreement(q);
}

// Queries too large to enumerate whose answer is known by construction.
RC_GTEST_PROP(Engines, SettleLargeQueries, ()) {
  Context context;
  int64_t inner = Pick(2, 300), outer = Pick(300, 5000), mid = Pick(2, 40);
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1), d2 = context.Dim(2);
  SolverQuery q{.context = &context, .variables = {{0, outer - 1}, {0, mid - 1}, {0, inner - 1}}};
  SymbolicExpr y = d0 * (inner * mid) + d1 * inner + d2;
  int64_t c = Pick(2, 400);
  SymbolicExpr z = y.FloorDiv(c) * c + y.Mod(c);
  Formula eq = Formula::And(
      {Formula::Eq(z.FloorDiv(inner * mid), d0), Formula::Eq(z.FloorDiv(inner).Mod(mid), d1)});
  q.claim = eq;
  RC_ASSERT(Decide(q, {.cross_check = true}).verdict == Verdict::kProved);
  q.claim = Formula::Eq(z.FloorDiv(inner).Mod(mid), d1 + (d0 * 2).FloorDiv(2 * outer - 2));
  SolverResult refuted = Decide(q);
  RC_ASSERT(refuted.verdict == Verdict::kRefuted);
  RC_ASSERT(EvaluateClaim(q, refuted.counterexample, 1) == false);
}

// Points at which a comparison settles the claim are left out: no other ones.
TEST(Engines, GuardsLeaveOutNoPointInside) {
  Context context;
  const SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  auto number = [&](int64_t n) { return context.Constant(n); };
  auto refuted_at = [&](const Formula& guard, const Formula& claim) {
    SolverQuery q{.context = &context, .variables = {{0, 20}, {0, 3}}};
    q.claim = Formula::Implies(guard, claim);
    const SolverResult answer = DecideByEnumeration(q, {});
    return answer.verdict == Verdict::kRefuted ? answer.counterexample[0] : -1;
  };
  const Formula guard =
      Formula::And({Formula::Le(number(7), d0), Formula::Le(d0 + 3, number(14))});  // [7, 11]
  for (int64_t at = 0; at <= 20; ++at) {
    const Formula not_there = Formula::Not(Formula::Eq(d0, number(at)));
    EXPECT_EQ(refuted_at(guard, not_there), at >= 7 && at <= 11 ? at : -1) << at;
    EXPECT_EQ(refuted_at(Formula::Not(guard), not_there), at >= 7 && at <= 11 ? -1 : at) << at;
    const Formula strict = Formula::Not(Formula::Le(d0, number(7)));  // [8, 20]
    EXPECT_EQ(refuted_at(strict, not_there), at >= 8 ? at : -1) << at;
    EXPECT_EQ(refuted_at(Formula::Or({guard, Formula::Le(d1, number(0))}), not_there), at) << at;
  }
  // Two variables, with d1 in [0, 3].
  for (int64_t at = 0; at <= 20; ++at) {
    const Formula not_there = Formula::Not(Formula::Eq(d0, number(at)));
    for (const Formula& equal : {Formula::Eq(d0, d1 + 7), Formula::Eq(d1 + 5, d0 - 2)}) {
      EXPECT_EQ(refuted_at(equal, not_there), at >= 7 && at <= 10 ? at : -1) << at;
      EXPECT_EQ(refuted_at(Formula::Not(equal), not_there), at) << at;
    }
    EXPECT_EQ(refuted_at(Formula::Le(d0, d1 + 7), not_there), at <= 10 ? at : -1) << at;
    EXPECT_EQ(refuted_at(Formula::Le(d1 + 7, d0), not_there), at >= 7 ? at : -1) << at;
    const Formula above = Formula::Not(Formula::Le(d0, d1 + 7)),
                  below = Formula::Not(Formula::Le(d1 + 7, d0));
    EXPECT_EQ(refuted_at(above, not_there), at >= 8 ? at : -1) << at;
    EXPECT_EQ(refuted_at(below, not_there), at <= 9 ? at : -1) << at;
  }
  // No point is left.
  EXPECT_EQ(refuted_at(Formula::Eq(d1, d0 - 30), Formula::False()), -1);
  EXPECT_EQ(refuted_at(Formula::Le(number(21), d0), Formula::False()), -1);
}

TEST(Engines, NumbersBeyondInt64) {
  Context context;
  SymbolicExpr d0 = context.Dim(0);
  SolverQuery q{.context = &context, .variables = {{0, kInt64Max - 1}}};
  // 4 * d0 leaves int64; the quotient does not.
  q.claim = Formula::Eq((d0 * 4 + 3).FloorDiv(4), d0);
  EXPECT_EQ(Decide(q, {.cross_check = true}).verdict, Verdict::kProved);
  q.claim = Formula::Le(d0 * 4, context.Constant(kInt64Max));
  SolverResult a = Decide(q, {.cross_check = true});
  EXPECT_EQ(a.verdict, Verdict::kRefuted) << a.reason;
  q.variables = {Interval::All()};
  q.claim = Formula::Eq(d0.Mod(8) + d0.FloorDiv(8) * 8, d0);
  EXPECT_EQ(Decide(q, {.cross_check = true}).verdict, Verdict::kProved);
}

TEST(Engines, TermsWithoutAValue) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SolverQuery q{.context = &context, .variables = {{0, 9}, {0, 3}}};
  // Where d1 is 0 the hypothesis fails, so the quotient doesn't matter there.
  q.claim =
      Formula::Implies(Formula::Le(context.Constant(1), d1), Formula::Le(d0.FloorDiv(d1), d0));
  EXPECT_EQ(Decide(q).verdict, Verdict::kProved);
  EXPECT_EQ(DecideWithZ3(q, {}).verdict, Verdict::kProved);
  q.claim = Formula::Le(d0.FloorDiv(d1), d0);
  EXPECT_EQ(Decide(q).verdict, Verdict::kUnknown);
}

// A proof holds for any value of a quotient by 0.
RC_GTEST_PROP(Engines, NothingIsProvedOfQuotientsByZero, ()) {
  Context context;
  int64_t count = Pick(1, 3);
  SolverQuery q{.context = &context, .variables = RandomBounds(count)};
  std::vector<SymbolicExpr> variables = Variables(context, count);
  const TermStyle style = {.products = true, .any_divisors = true, .max_constant = 4};
  SymbolicExpr x = RandomTerm(context, variables, 1, {}), y = RandomTerm(context, variables, 1, {});
  SymbolicExpr of[] = {NotConstantZero(y), y * Pick(1, 3), x * y};
  SymbolicExpr divisor = NotConstantZero(of[Pick(0, 2)]);
  SymbolicExpr quotient = Pick(0, 1) ? (x * y * 6).FloorDiv(divisor) : (x * y * 6).CeilDiv(divisor);
  SymbolicExpr other[] = {x, x * 6, x * 3, context.Constant(0),
                          RandomTerm(context, variables, 2, style)};
  SymbolicExpr right = other[Pick(0, 4)];
  q.claim = Pick(0, 1) ? Formula::Eq(quotient, right) : Formula::Le(right, quotient);
  if (Pick(0, 1)) q.claim = Formula::Implies(RandomFormula(context, variables, 0, {}), q.claim);
  Budget budget;
  SolverResult truth = DecideByEnumeration(q, budget);
  for (const SolverResult& a : {DecideByIntervalAnalysis(q), DecideBySampling(q),
                                DecideWithZ3(q, budget), DecideWithIsl(q, budget), Decide(q)}) {
    RC_LOG() << Name(a.engine) << ": " << Name(a.verdict) << " " << a.reason << "\n"
             << q.claim.ToString() << "\n";
    // Where the claim has no value at some point, enumeration proves nothing, and no other engine
    // may.
    if (a.verdict == Verdict::kProved) RC_ASSERT(truth.verdict == Verdict::kProved);
    if (a.verdict == Verdict::kRefuted) RC_ASSERT(truth.verdict == Verdict::kRefuted);
  }
}

TEST(Engines, ResiduesByZeroHaveNoValue) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SolverQuery q{.context = &context, .variables = {{0, 9}, {0, 0}}};
  for (Interval modulus : {Interval{0, 0}, Interval{0, 3}, Interval{-3, -1}, Interval{-1, 1}}) {
    q.variables[1] = modulus;
    for (Formula claim : {Formula::Eq(d0.Mod(d1), d0), Formula::Eq((d0 * d1).Mod(d1), d1 * 0),
                          Formula::Le(d0.Mod(d1), d0), Formula::Eq((d0 * d1).FloorDiv(d1), d0)}) {
      q.claim = claim;
      bool quotient = claim.lhs().kind() == ExprKind::kFloorDiv && modulus.upper < 0;
      Verdict wrong = quotient ? Verdict::kRefuted : Verdict::kProved;
      for (const SolverResult& a : {Decide(q), DecideByIntervalAnalysis(q), DecideWithZ3(q, {})}) {
        EXPECT_NE(a.verdict, wrong) << claim.ToString() << " " << modulus.ToString();
      }
    }
  }
}

// Work that never ends is stopped at the limit of processor time, and at that of wall time.
TEST(Engines, IslStopsAtItsTimeLimit) {
  Budget budget{.isl_operations = 0, .isl_seconds = 1};
  auto start = std::chrono::steady_clock::now();
  IslResult finding = RunIsl(budget, [](isl_ctx*) -> IslResult {
    while (getppid() > 0) {
    }
    return {};
  });
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(finding.verdict, Verdict::kUnknown);
  EXPECT_NE(finding.reason.find("time"), std::string::npos);
  // The limit is of processor time; on a busy machine one second of it may take many.
  EXPECT_LT(spent.count(), 30);
  budget.isl_seconds = 60;
  budget.wall_ms = 200;
  finding = RunIsl(budget, [](isl_ctx*) -> IslResult {
    sleep(60);
    return {.verdict = Verdict::kProved};
  });
  EXPECT_EQ(finding.verdict, Verdict::kUnknown);
}

// Operations that isl counts are no measure of time: this takes it minutes for a few thousand.
TEST(Engines, IslEndsWhereItsOperationsDoNot) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1), d2 = context.Dim(2), d3 = context.Dim(3);
  auto at_most = [&](SymbolicExpr e, int64_t c) { return Formula::Le(e, context.Constant(c)); };
  SolverQuery q{.context = &context, .variables = std::vector<Interval>(4, Interval{0, 9999})};
  q.claim = Formula::Exists(
      {2, 3}, Formula::And({at_most((d0 * 80 + d1 * 3 + 18).FloorDiv(56).Mod(21), 2),
                            at_most((d2 * 42 + d3 * 53 + 1).Mod(96), 2),
                            at_most((d2 * 146 + 12).FloorDiv(35).Mod(7), 4),
                            at_most((d1 * 37 + 14).Mod(39), 3), at_most((d2 * 126 + 33).Mod(93), 3),
                            at_most((d0 * 86 + d3 * 8 + 50).Mod(183), 2)}));
  const SolverResult answer = DecideWithIsl(q, {.isl_seconds = 1});
  EXPECT_EQ(answer.verdict, Verdict::kUnknown);
  EXPECT_NE(answer.reason.find("time"), std::string::npos) << answer.reason;
  EXPECT_LT(answer.ms, 30'000);
}

// A worker that dies makes an unknown; what a worker finds arrives unchanged.
TEST(Engines, IslWorkerReturnsItsResult) {
  IslResult died = RunIsl({}, [](isl_ctx*) -> IslResult { _exit(0); });
  EXPECT_EQ(died.verdict, Verdict::kUnknown);
  EXPECT_FALSE(died.reason.empty());
  IslResult long_one = RunIsl({}, [](isl_ctx*) {
    return IslResult{.verdict = Verdict::kRefuted,
                     .reason = std::string(100'000, 'x'),
                     .point = {kInt64Min, -1, 0, kInt64Max}};
  });
  EXPECT_EQ(long_one.verdict, Verdict::kRefuted);
  EXPECT_EQ(long_one.reason, std::string(100'000, 'x'));
  EXPECT_EQ(long_one.point, (std::vector<int64_t>{kInt64Min, -1, 0, kInt64Max}));
}

TEST(Engines, DivisionsByVariables) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SolverQuery q{.context = &context, .variables = {{0, 99999}, {8, 99999}}};
  q.claim = Formula::And({Formula::Eq((d0 * d1).FloorDiv(d1), d0),
                          Formula::Eq((d0 * d1).Mod(d1), context.Constant(0)),
                          Formula::Eq((d0 * d1 + 7).FloorDiv(d1), d0)});
  SolverResult a = Decide(q);
  EXPECT_EQ(a.verdict, Verdict::kProved) << a.reason;
  q.claim = Formula::Eq((d0 * d1 + 8).FloorDiv(d1), d0);
  EXPECT_EQ(Decide(q).verdict, Verdict::kRefuted);
}

TEST(Engines, IllFormedQueriesAreRefusedWithAReason) {
  Context context;
  SymbolicExpr d0 = context.Dim(0);
  SolverQuery q{.context = &context, .variables = {{0, 9}}};
  for (Formula claim : {Formula::Eq(d0.FloorDiv(0), d0), Formula::Eq(context.Dim(1), d0),
                        Formula::Eq(context.Range(0), d0),
                        Formula::And({Formula::Exists({0}, Formula::Eq(d0, d0)),
                                      Formula::Le(d0, context.Constant(1))})}) {
    q.claim = claim;
    for (const SolverResult& a :
         {Decide(q), DecideWithZ3(q, {}), DecideWithIsl(q, {}), DecideByEnumeration(q, {})}) {
      EXPECT_EQ(a.verdict, Verdict::kUnknown);
      EXPECT_NE(a.reason.find("the query holds"), std::string::npos);
    }
  }
}

// A quantifier that was not searched to the end has no truth value.
TEST(Evaluate, PastTheLimitThereIsNoTruthValue) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SolverQuery q{.context = &context, .variables = {{0, 9}, {0, 99}}};
  q.claim = Formula::Exists({1}, Formula::Eq(d1, d0 + 50));
  EXPECT_EQ(EvaluateClaim(q, {3, 0}, 100), true);
  EXPECT_EQ(EvaluateClaim(q, {3, 0}, 20), std::nullopt);
  q.claim = Formula::Not(q.claim);
  EXPECT_EQ(EvaluateClaim(q, {3, 0}, 100), false);
  EXPECT_EQ(EvaluateClaim(q, {3, 0}, 20), std::nullopt);
  q.claim = Formula::Exists({1}, Formula::Eq(d1, d0 + 500));
  EXPECT_EQ(EvaluateClaim(q, {3, 0}, 101), false);
  EXPECT_EQ(EvaluateClaim(q, {3, 0}, 20), std::nullopt);
}

TEST(Engines, SpentBudgetsAreUnknownWithAReason) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SolverQuery q{.context = &context, .variables = {{0, 99999}, {0, 99999}}};
  SymbolicExpr y = d0 * 7919 + d1 * 17;
  q.claim = Formula::Not(Formula::Eq(y.Mod(1009).FloorDiv(13) + y.Mod(911), (y * 3).Mod(3001) + 5));
  Budget none{.enumeration_points = 1, .z3_rlimit = 1, .isl_operations = 1};
  for (const SolverResult& a :
       {DecideByEnumeration(q, none), DecideWithZ3(q, none), DecideWithIsl(q, none)}) {
    EXPECT_EQ(a.verdict, Verdict::kUnknown) << Name(a.engine);
    EXPECT_FALSE(a.reason.empty());
  }
}

// Z3 reads the SMT-LIB scripts, with div and mod of its own, and gives the same verdicts.
RC_GTEST_PROP(SmtLib, Z3AgreesOnScripts, ()) {
  Context context;
  SolverQuery q = RandomQuery(context, {});
  if (Pick(0, 2) == 0) {
    int64_t last = static_cast<int64_t>(q.variables.size()) - 1;
    q.claim = Formula::Exists({last}, q.claim);
  }
  SolverResult truth = DecideByEnumeration(q, {});
  z3::context z3;
  z3::solver solver(z3);
  solver.set("timeout", 500u);
  solver.from_string(ToSmtLib(q).c_str());
  z3::check_result result = solver.check();
  RC_LOG() << ToSmtLib(q);
  RC_ASSERT(truth.verdict != Verdict::kUnknown);
  RC_ASSERT(result != (truth.verdict == Verdict::kProved ? z3::sat : z3::unsat));
}

TEST(SmtLib, ScriptsNameTheirVariablesAndSayWhatUnsatMeans) {
  Context context;
  SymbolicExpr d0 = context.Dim(0);
  SolverQuery q{.context = &context, .variables = {{-4, 9}}, .names = {"row"}};
  q.claim = Formula::Eq(d0.FloorDiv(-3), -(d0.CeilDiv(3)));
  std::string text = ToSmtLib(q);
  EXPECT_NE(text.find("(declare-const v0 Int)  ; row"), std::string::npos);
  EXPECT_NE(text.find("(check-sat)"), std::string::npos);
}

}  // namespace
}  // namespace affirm
