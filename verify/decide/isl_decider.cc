// The isl engine: the points at which a claim fails, as a set; exact for quantifiers.
#include <utility>

#include "verify/decide/decider.h"
#include "verify/decide/engines.h"
#include "verify/decide/isl_terms.h"
#include "verify/decide/isl_worker.h"

namespace affirm {
namespace {

// The points of the whole space at which f holds (fails, when negated); the caller owns them.
isl_set* Points(const Formula& f, bool negated, IslTerms& terms) {
  switch (f.kind()) {
    case Formula::Kind::kTrue:
    case Formula::Kind::kFalse:
      return (f.kind() == Formula::Kind::kTrue) != negated ? isl_set_universe(terms.Space())
                                                           : isl_set_empty(terms.Space());
    case Formula::Kind::kEq:
      return terms.Eq(f.lhs(), f.rhs(), negated);
    case Formula::Kind::kLe:
      return terms.Le(f.lhs(), f.rhs(), negated);
    case Formula::Kind::kNot:
      return Points(f.parts()[0], !negated, terms);
    case Formula::Kind::kAnd:
    case Formula::Kind::kOr: {
      bool intersect = (f.kind() == Formula::Kind::kAnd) != negated;
      isl_set* result = intersect ? isl_set_universe(terms.Space()) : isl_set_empty(terms.Space());
      for (const Formula& part : f.parts()) {
        isl_set* next = Points(part, negated, terms);
        result = intersect ? isl_set_intersect(result, next) : isl_set_union(result, next);
      }
      return result;
    }
    case Formula::Kind::kExists: {
      isl_set* body =
          isl_set_intersect(Points(f.parts()[0], /*negated=*/false, terms), terms.Box(f.bound()));
      for (int64_t k : f.bound()) {
        unsigned at = static_cast<unsigned>(k);
        body = isl_set_project_out(body, isl_dim_set, at, 1);
        body = isl_set_insert_dims(body, isl_dim_set, at, 1);
      }
      return negated ? isl_set_complement(body) : body;
    }
  }
  return nullptr;
}

// Proved when the claim fails nowhere.
IslResult FailingPoint(const SolverQuery& query, const UsedVariables& used, isl_ctx* ctx) {
  IslTerms terms(ctx, query.variables);
  IslResult finding = FindEmpty(
      ctx, isl_set_intersect(Points(query.claim, /*negated=*/true, terms), terms.Box(used.free)));
  if (terms.nonlinear()) finding.reason = "isl: a product of or a division by variables";
  return finding;
}

}  // namespace

SolverResult DecideWithIsl(const SolverQuery& query, const Budget& budget) {
  UsedVariables used;
  if (auto settled = DecideWithoutSearch(query, Engine::kIsl, used)) return *settled;
  SolverResult answer{.engine = Engine::kIsl};
  IslResult finding = RunIsl(budget, [&](isl_ctx* ctx) { return FailingPoint(query, used, ctx); });
  answer.verdict = finding.verdict;
  answer.counterexample = std::move(finding.point);
  answer.reason = std::move(finding.reason);
  return Confirm(query, std::move(answer), budget);
}

}  // namespace affirm
