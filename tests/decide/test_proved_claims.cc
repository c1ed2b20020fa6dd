// A proved claim is known again, and no other claim is taken for it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/symbolic/context.h"
#include "tests/decide/random_terms.h"
#include "verify/decide/proved_claims.h"

namespace affirm {
namespace {

SolverQuery RandomQuery(Context& context) {
  const int64_t count = Pick(1, 3);
  SolverQuery q{.context = &context, .variables = RandomBounds(count), .names = {}};
  const std::vector<SymbolicExpr> variables = Variables(context, count);
  // Few terms, so that pairs of queries have parts in common.
  const SymbolicExpr e = variables[0].FloorDiv(Pick(1, 2)) + variables[count - 1] * Pick(1, 2);
  const SymbolicExpr other = Pick(0, 1) ? e + Pick(0, 1) : RandomTerm(context, variables, 1, {});
  q.claim = Pick(0, 1) ? Formula::Eq(e, other) : Formula::Le(other, e);
  if (Pick(0, 2) == 0) q.claim = Formula::And({q.claim, Formula::Le(variables[0], e)});
  if (Pick(0, 2) == 0) q.claim = Formula::Or({q.claim, Formula::Le(variables[0], e)});
  if (Pick(0, 3) == 0) q.claim = Formula::Exists({count - 1}, q.claim);
  return q;
}

RC_GTEST_PROP(ProvedClaims, HaveOneEncodingIfTheyAreTheSame, ()) {
  Context context;
  const SolverQuery a = RandomQuery(context), b = RandomQuery(context);
  const bool same = a.variables == b.variables && a.claim.ToString() == b.claim.ToString();
  RC_ASSERT((EncodingOf(a) == EncodingOf(b)) == same);
  SolverQuery wider = a;
  wider.variables[Pick(0, std::ssize(a.variables) - 1)].upper += 1;
  RC_ASSERT(EncodingOf(wider) != EncodingOf(a));
}

// Another context numbers the nodes of terms in another order, and variables may have names.
TEST(ProvedClaims, HaveTheEncodingThatTheyHaveInAnotherContext) {
  Context first, second;
  second.Dim(1).Mod(7);
  std::string encodings[2];
  for (auto [context, encoding] : {std::pair(&first, &encodings[0]), {&second, &encodings[1]}}) {
    const SymbolicExpr x = context->Dim(0), y = context->Dim(1);
    SolverQuery q{.context = context, .variables = {{0, 4}, {0, 9}}, .names = {}};
    if (context == &second) q.names = {"x", "y"};
    q.claim = Formula::Le(x.FloorDiv(2) + y.Mod(7) * 5 + 3, y * x);
    *encoding = EncodingOf(q);
  }
  EXPECT_EQ(encodings[0], encodings[1]);
}

// Verdicts with what hundreds of queries before have proved are those without.
RC_GTEST_PROP(ProvedClaims, AreTrueWhereTheyAreKnownAgain, ()) {
  static const auto known = std::make_shared<ProvedClaims>();
  Context context;
  const SolverQuery q = RandomQuery(context);
  const SolverResult truth = Decide(q);
  const DecideOptions options{.proved = known};
  for (int times = 0; times < 2; ++times) {
    const SolverResult answer = Decide(q, options);
    RC_ASSERT(answer.verdict == truth.verdict);
    RC_ASSERT(answer.engine == truth.engine);
  }
}

TEST(ProvedClaims, AreNotAskedAgain) {
  Context context;
  SolverQuery q{.context = &context, .variables = {{0, 1 << 20}, {0, 1 << 20}}, .names = {}};
  const SymbolicExpr x = context.Dim(0), y = context.Dim(1);
  q.claim = Formula::Implies(Formula::Eq((x + y).Mod(8), context.Constant(0)),
                             Formula::Eq((x + y).Mod(4), context.Constant(0)));
  const DecideOptions options{.proved = std::make_shared<ProvedClaims>()};
  EXPECT_EQ(options.proved->Find(EncodingOf(q)), std::nullopt);
  const SolverResult first = Decide(q, options);
  ASSERT_EQ(first.verdict, Verdict::kProved);
  EXPECT_EQ(options.proved->Find(EncodingOf(q)), first.engine);
  // Nothing of it is known of a claim that is refuted.
  q.claim = Formula::Eq(x.Mod(8), context.Constant(0));
  ASSERT_EQ(Decide(q, options).verdict, Verdict::kRefuted);
  EXPECT_EQ(options.proved->Find(EncodingOf(q)), std::nullopt);
}

}  // namespace
}  // namespace affirm
