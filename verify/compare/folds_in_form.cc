// Compares folds on both sides without unrolling them, up to a bijection of their variables.
//
//   fold of x[4 * a + b] over a in [0, 1], b in [0, 3]   and   fold of x[c] over c in [0, 7]
//
// are equal under c = 4 * a + b. The bijection is guessed from a few candidates; the equality of
// the values under it is proved.
#include <algorithm>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/same_value.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/fold_laws.h"

namespace affirm::compare {

using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

constexpr size_t kMostFoldVariables = 4;  // more are matched in their own order only
constexpr int64_t kMostMatches = 36;      // guesses for one pair of folds

// All permutations of n, the identity first; only the identity for n > kMostFoldVariables.
std::vector<std::vector<size_t>> Orders(size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<size_t>> orders;
  do {
    orders.push_back(order);
  } while (n <= kMostFoldVariables && std::next_permutation(order.begin(), order.end()));
  return orders;
}

bool HaveSameSizes(llvm::ArrayRef<Term> a, llvm::ArrayRef<Term> b) {
  return llvm::equal(a, b, [](Term x, Term y) { return x->range == y->range; });
}

bool HasFoldOperand(Term term) {
  return term->kind == Kind::kApply &&
         llvm::any_of(term->args, [](Term arg) { return arg->kind == Kind::kFold; });
}

}  // namespace

// The fold without its initial value, if that is neutral; else the reduction itself.
Term SameValue::WithoutNeutralStart(Term reduction) {
  if (reduction->kind != Kind::kApply || reduction->args.size() != 2) return reduction;
  for (size_t k : {0, 1}) {
    Term fold = reduction->args[k], start = reduction->args[1 - k];
    if (fold->kind != Kind::kFold || fold->operation != reduction->operation) continue;
    const bool is_zero =
        options_.zeros != ZeroSigns::kOfStarts && CountsForNothing(fold->op(), start);
    if (is_zero || IsIdentityOf(fold->op(), start)) return fold;
  }
  return reduction;
}

SameValue::Proof SameValue::SameInForm(Term a, Term b) {
  const auto folds = logic::Oracles::One(logic::Oracle::kFolds);
  const Term of_a = WithoutNeutralStart(a), of_b = WithoutNeutralStart(b);
  const std::string before = reason_;
  Proof same;
  if (of_a == of_b) {
    same = infer_.Reflexivity(of_a);
  } else if (of_a->kind == Kind::kFold && of_b->kind == Kind::kFold) {
    same = SameFoldsInForm(of_a, of_b);
    if (same && !IsInOneOrder(a, b)) return Fail(a, b, "one reduction is combined in two orders");
  } else if (HasFoldOperand(of_a) && HasFoldOperand(of_b) && of_a->operation == of_b->operation) {
    same = SameOperands(of_a, of_b);
    if (same && !IsInOneOrder(a, b)) return Fail(a, b, "one reduction is combined in two orders");
  } else if (of_a->kind == Kind::kOfInteger && of_b->kind == Kind::kOfInteger &&
             of_a->type == of_b->type) {
    terms::Pool& pool = scope_.pool();
    same = ByStrategy(folds, of_a, of_b, [&] {
      return SameIntegersInForm(pool.IntegerOf(of_a), pool.IntegerOf(of_b));
    });
  } else if (of_a->sort() == terms::Sort::kInteger) {
    same = ByStrategy(folds, of_a, of_b, [&] { return SameIntegersInForm(of_a, of_b); });
  }
  if (of_a != a) same = Chain(Believed(folds, a, of_a), same);
  if (of_b != b) same = ChainBack(same, Believed(folds, b, of_b));
  // Other strategies follow, which give their own reasons.
  reason_ = before;
  undecided_ = nullptr;
  return same;
}

// Integer sums whose folds match pairwise, with opposite coefficients in the difference a - b.
bool SameValue::SameIntegersInForm(Term a, Term b) {
  if (!HasIntegerFold(a) || !HasIntegerFold(b)) return false;
  terms::Pool& pool = scope_.pool();
  Term difference = scope_.Simplify(pool.Subtract(a, b));
  constexpr size_t kMostOpen = 16;
  std::vector<terms::Monomial> open;
  Term rest = pool.Number(difference->kind == Kind::kSum ? difference->number : 0);
  for (const terms::Monomial& m : difference->sum) {
    if (m.atom->kind == Kind::kInteger)
      open.push_back(m);
    else
      rest = pool.Add(rest, pool.Scale(m.atom, m.coefficient));
  }
  if (open.size() > kMostOpen || !Holds(pool.IsZero(rest))) return false;
  while (!open.empty()) {
    const terms::Monomial first = open.back();
    open.pop_back();
    auto match = std::find_if(open.begin(), open.end(), [&](const terms::Monomial& m) {
      return m.coefficient == -first.coefficient && AreSame(first.atom->args[0], m.atom->args[0]);
    });
    if (match == open.end()) return false;
    open.erase(match);
  }
  return true;
}

SameValue::Proof SameValue::SameFoldsInForm(Term a, Term b) {
  llvm::ArrayRef<Term> of_a = a->args.drop_front(2), of_b = b->args.drop_front(2);
  const Int128 points = NumPoints(of_a);
  if (a->operation != b->operation || points == 0 || points != NumPoints(of_b))
    return Fail(a, b, "other folds");
  const bool in_order = a->operation.IsInOrder();
  if (in_order && !HaveSameSizes(of_a, of_b)) return Fail(a, b, "folds in another order");
  // Fresh variables avoid capture by a fold inside of the body.
  terms::Pool& pool = scope_.pool();
  ++fold_depth_;
  std::vector<Term> fresh;
  llvm::DenseMap<Term, Term> renamed;
  for (size_t k = 0; k < of_a.size(); ++k) {
    const std::string name = "fold" + std::to_string(fold_depth_) + "_" + std::to_string(k) + "_" +
                             terms::ToString(SizeOf(of_a[k]));
    fresh.push_back(pool.Variable(name, of_a[k]->range));
    renamed[of_a[k]] = fresh[k];
  }
  const std::string before = reason_;
  std::string first_reason;
  Proof same;
  // The first candidate keeps the order of the variables.
  const int64_t most = in_order ? 1 : kMostMatches;
  int64_t tried = 0;
  for (const std::vector<size_t>& order : Orders(fresh.size())) {
    Term linear = pool.Number(0);
    for (size_t k : order) linear = pool.Add(pool.Scale(linear, SizeOf(fresh[k])), fresh[k]);
    for (const std::vector<size_t>& other : Orders(of_b.size())) {
      if (same || ++tried > most) break;
      // Delinearizes the point's number, the innermost variable first.
      llvm::DenseMap<Term, Term> matched;
      Term rest = linear;
      for (size_t k : llvm::reverse(other)) {
        matched[of_b[k]] = scope_.Residue(rest, SizeOf(of_b[k]));
        rest = scope_.Quotient(rest, SizeOf(of_b[k]));
      }
      same = SameReindexed(a, b, fresh, renamed, matched);
      if (first_reason.empty()) first_reason = reason_;
      reason_ = before;
    }
  }
  --fold_depth_;
  if (!same) reason_ = first_reason;
  return same;
}

// Rewrites both folds over `variables` and compares the bodies. `of_a` and `of_b` map the folds'
// own variables to expressions of these.
SameValue::Proof SameValue::SameReindexed(Term a, Term b, llvm::ArrayRef<Term> variables,
                                          const llvm::DenseMap<Term, Term>& of_a,
                                          const llvm::DenseMap<Term, Term>& of_b) {
  auto over = [&](Term fold, const llvm::DenseMap<Term, Term>& own) {
    return scope_.pool().Fold(fold->operation, scope_.Substitute(fold->args[0], own),
                              scope_.Substitute(fold->args[1], own), variables);
  };
  const Term fresh_a = over(a, of_a), fresh_b = over(b, of_b);
  const auto reindexing = logic::Oracles::One(logic::Oracle::kReindexing);
  const Proof same = Chain(Believed(reindexing, a, fresh_a), SameFoldBodies(fresh_a, fresh_b));
  return same ? ChainBack(same, Believed(reindexing, b, fresh_b)) : std::nullopt;
}

SameValue::Proof SameValue::SameFoldBodies(Term a, Term b) {
  if (a == b) return infer_.Reflexivity(a);
  const Proof condition = Same(a->args[0], b->args[0]);
  if (!condition) return std::nullopt;
  // The values need to be equal only where the condition holds.
  llvm::DenseSet<Pair> different;
  different.swap(different_);
  Proof value;
  {
    logic::Case there(infer_, a->args[0]);
    if (there.possible()) {
      value = Same(a->args[1], b->args[1]);
    } else if (const Proof never = infer_.Impossible(there)) {
      const logic::Theorem truth = infer_.Reflexivity(scope_.pool().True());
      value = infer_.Absurd(truth, *never, a->args[1], b->args[1]);
    }
    if (value) value = infer_.Discharge(*value, there);
  }
  different_ = std::move(different);
  return value ? infer_.FoldCongruence(a, b, *condition, *value) : std::nullopt;
}

// The values that one value of a fold contributes: those of a nested fold by the same operation.
// Any other sum or product of floats rounds before it is folded in, and stays one value.
static std::optional<std::vector<Term>> Parts(terms::Scope& scope, Op operation, Term value,
                                              int64_t limit) {
  const bool rounds =
      !terms::IntegerWidth(value->type) && (operation == Op::kAdd || operation == Op::kMultiply);
  if (!rounds) return CombinedValues(scope, operation, value, {}, limit);
  Term sum = InItsOrder(value);
  const bool folded =
      sum->kind == Kind::kApply && sum->op() == operation && llvm::any_of(sum->args, [&](Term arg) {
        return arg->kind == Kind::kFold && arg->op() == operation;
      });
  return folded ? std::vector<Term>(sum->args) : std::vector<Term>{value};
}

bool SameValue::MayWriteOutNested(Term fold, bool of_open_side, llvm::ArrayRef<Term> values) {
  const Op op = fold->op();
  if (options_.nested_sums || !of_open_side || !terms::RoundsInOrder(op, fold->type)) return true;
  missed_.nested_sums |=
      llvm::any_of(values, [&](Term v) { return v->op() == op && IsReduction(v); });
  return false;
}

bool SameValue::WriteOutNested(Op operation, std::vector<Term>& values) {
  std::vector<Term> open = std::move(values);
  values.clear();
  while (!open.empty()) {
    Term value = open.back();
    open.pop_back();
    if (value->kind != Kind::kFold || value->op() != operation) {
      values.push_back(value);
      continue;
    }
    std::vector<Term> inner;
    if (!WriteOut(value, inner)) return false;
    for (Term part : inner) {
      auto combined = Parts(scope_, operation, part, options_.fold_elements);
      if (!combined) return false;
      for (Term v : *combined) {
        if (combined->size() == 1 || !CountsForNothing(operation, v)) open.push_back(v);
      }
    }
  }
  return true;
}

}  // namespace affirm::compare
