#include "verify/compare/fold_orders.h"

#include <string>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/compare/fold_terms.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/query.h"
#include "verify/terms/range.h"

namespace affirm::compare {

using terms::Int128;
using terms::Kind;
using terms::Term;

bool IsOpenInOrder(Term term) {
  if (term->kind == Kind::kFold && term->op() == terms::Op::kFoldByComputation)
    return term->operation.IsInOrder();
  return IsReduction(term) && terms::RoundsInOrder(term->op(), term->type);
}

namespace {

// The order-dependent reductions in the term.
llvm::DenseSet<Term> ReductionsIn(Term root) {
  llvm::DenseSet<Term> found;
  terms::ForEachPart(root, [&](Term term) {
    if (IsOpenInOrder(term)) found.insert(term);
    return terms::Visit::kInto;
  });
  return found;
}

// The variables of the folds in a term.
llvm::DenseSet<Term> BoundVariables(Term root) {
  llvm::DenseSet<Term> bound;
  terms::ForEachPart(root, [&](Term part) {
    if (part->kind == Kind::kFold) bound.insert(part->args.begin() + 2, part->args.end());
    return terms::Visit::kInto;
  });
  return bound;
}

// The summands of an index that contain no variable of a fold.
Term BeginOf(terms::Pool& pool, Term index, const llvm::DenseSet<Term>& bound) {
  auto is_bound = [&](Term part) { return bound.contains(part); };
  if (index->kind != Kind::kSum) return terms::AnyPart(index, is_bound) ? pool.Number(0) : index;
  Term begin = pool.Number(index->number);
  for (const terms::Monomial& m : index->sum) {
    if (!terms::AnyPart(m.atom, is_bound))
      begin = pool.Add(begin, pool.Scale(m.atom, m.coefficient));
  }
  return begin;
}

}  // namespace

ReductionForm FormOf(terms::Scope& scope, Term reduction) {
  ReductionForm made;
  const llvm::DenseSet<Term> bound = BoundVariables(reduction);
  terms::ForEachPart(reduction, [&](Term part) {
    if (part->kind != Kind::kLoad) return terms::Visit::kInto;
    const Term index = BeginOf(scope.pool(), part->args[0], bound);
    const terms::Range range = scope.RangeOf(index);
    made.begin.try_emplace(static_cast<int64_t>(part->number),
                           ReductionForm::Begin{index, range.lo, range.hi});
    return terms::Visit::kPast;
  });
  made.form = InForm(scope, made, reduction);
  return made;
}

Term InForm(terms::Scope& scope, const ReductionForm& reduction, Term term) {
  terms::Pool& pool = scope.pool();
  llvm::DenseMap<Term, Term> moved;
  terms::ForEachPart(term, [&](Term part) {
    if (part->kind != Kind::kLoad) return terms::Visit::kInto;
    const auto begin = reduction.begin.find(static_cast<int64_t>(part->number));
    if (begin != reduction.begin.end()) {
      moved[part] =
          pool.Load(begin->first, pool.Subtract(part->args[0], begin->second.index), part->type);
    }
    return terms::Visit::kPast;
  });
  return terms::WithNumberedVariables(scope, moved.empty() ? term : scope.Substitute(term, moved));
}

bool MayMeet(terms::Scope& scope, const ReductionForm& a, const ReductionForm& b) {
  terms::Pool& pool = scope.pool();
  llvm::DenseMap<Term, Term> others;
  for (const auto& [buffer, begin] : b.begin) {
    terms::ForEachPart(begin.index, [&](Term part) {
      if (part->kind == Kind::kVariable && !others.contains(part)) {
        const std::string name = "other" + std::to_string(others.size());
        others[part] = pool.Variable(name, part->range);
      }
      return terms::Visit::kInto;
    });
  }
  return llvm::all_of(b.begin, [&](const auto& of_b) {
    const auto of_a = a.begin.find(of_b.first);
    if (of_a == a.begin.end()) return true;
    if (of_a->second.highest < of_b.second.lowest || of_b.second.highest < of_a->second.lowest)
      return false;
    const Term difference =
        pool.Subtract(of_a->second.index, scope.Substitute(of_b.second.index, others));
    const terms::Range range = scope.RangeOf(difference);
    if (range.lo > 0 || range.hi < 0) return false;
    if (difference->kind != Kind::kSum) return true;
    Int128 divisor = 0;
    for (const terms::Monomial& m : difference->sum) divisor = terms::Gcd(divisor, m.coefficient);
    return divisor == 0 ? difference->number == 0 : difference->number % divisor == 0;
  });
}

bool FoldOrders::Add(terms::Scope& scope, Term reduction, Term order, Place place) {
  if (!IsOpenInOrder(reduction)) return true;
  const ReductionForm made = FormOf(scope, reduction);
  const Term in_form = InForm(scope, made, order);
  return (place == Place::kInAllCases || AddTo(orders_, scope, made, in_form)) &&
         (place == Place::kInACase || AddTo(of_whole_terms_, scope, made, in_form));
}

bool FoldOrders::AddTo(Orders& orders, terms::Scope& scope, const ReductionForm& reduction,
                       Term order) {
  constexpr size_t kMostOrders = 64;  // of reductions of one form
  std::vector<Entry>& entries = orders[reduction.form];
  Entry* same = nullptr;
  for (Entry& other : entries) {
    if (other.order == order)
      same = &other;
    else if (llvm::any_of(other.reductions,
                          [&](const ReductionForm& of) { return MayMeet(scope, of, reduction); }))
      return false;
  }
  if (!same && entries.size() >= kMostOrders) return false;
  if (!same) same = &entries.emplace_back(Entry{order});
  if (same->known.insert(reduction.begin).second) same->reductions.push_back(reduction);
  return true;
}

bool FoldOrders::HasWrittenOut() const {
  return llvm::any_of(orders_, [](const auto& of) {
    return llvm::any_of(of.second, [](const Entry& entry) { return !IsReduction(entry.order); });
  });
}

bool FoldOrders::AddCommon(terms::Scope& scope, Term computation, Term kernel, Place place) {
  const llvm::DenseSet<Term> open = ReductionsIn(computation);
  if (open.empty()) return true;
  const llvm::DenseSet<Term> combined = ReductionsIn(kernel);
  return llvm::all_of(
      open, [&](Term term) { return !combined.contains(term) || Add(scope, term, term, place); });
}

}  // namespace affirm::compare
