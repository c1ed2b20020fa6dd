// The isl engine: the points at which a claim fails, as a set; exact for quantifiers.
#include <utility>

#include "verify/decide/decider.h"
#include "verify/decide/engines.h"
#include "verify/decide/isl_terms.h"

namespace affirm {
namespace {

// The points of the whole space at which f holds (fails, when negated); `give`.
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

}  // namespace

Answer DecideWithIsl(const Question& question, const Budget& budget) {
  Answer answer{.engine = Engine::kIsl};
  if (auto problem = FindProblem(question)) {
    answer.reason = *problem;
    return answer;
  }
  UsedVariables used = FindVariables(question);
  if (used.vacuous) {
    answer.verdict = Verdict::kProved;
    return answer;
  }
  IslPtr<isl_ctx> ctx = MakeIslContext(budget.isl_operations);
  {
    // Objects go before their context.
    IslTerms terms(ctx.get(), question.variables);
    IslPtr<isl_set> set(
        isl_set_intersect(Points(question.claim, /*negated=*/true, terms), terms.Box(used.free)));
    isl_bool empty = set ? isl_set_is_empty(set.get()) : isl_bool_error;
    if (empty == isl_bool_true) {
      answer.verdict = Verdict::kProved;
    } else if (empty == isl_bool_false) {
      if (auto point = SamplePoint(set.get())) {
        answer.verdict = Verdict::kRefuted;
        answer.counterexample = std::move(*point);
      } else {
        answer.reason = "isl: the claim fails at a point that isl did not give";
      }
    } else {
      answer.reason = terms.nonlinear() ? "isl: a product of or a division by variables"
                                        : IslProblem(ctx.get());
    }
  }
  return Confirm(question, std::move(answer), budget);
}

}  // namespace affirm
