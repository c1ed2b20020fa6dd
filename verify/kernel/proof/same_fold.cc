// Folds of the computation against what the kernel combines.
#include <cstring>

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/proof/correspondences.h"
#include "verify/kernel/proof/fold_terms.h"
#include "verify/kernel/proof/same_value.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using terms::Kind;
using terms::Term;

namespace {

constexpr int64_t kMaxCombined = int64_t{1} << 21;

// A fold in an integer or a condition: the integer, or predicate, that it gives.
bool IsIntegerFold(Term term) {
  if (term->kind != Kind::kInteger && term->kind != Kind::kHolds) return false;
  Term fold = term->args[0];
  if (fold->kind != Kind::kFold) return false;
  if (term->kind == Kind::kHolds) return fold->name == "and" || fold->name == "or";
  return terms::IntegerWidth(fold->type) > 1 &&
         (fold->name == "add" || fold->name == "maximum" || fold->name == "minimum");
}

}  // namespace

bool SameValue::WriteOut(Term fold, std::vector<Term>& values) {
  llvm::ArrayRef<Term> variables = fold->args.drop_front(2);
  std::vector<terms::Int128> point;
  for (Term v : variables) {
    if (v->range.empty()) return true;
    point.push_back(v->range.lo);
  }
  while (true) {
    if (++written_out_ > options_.fold_elements) return false;
    llvm::DenseMap<Term, Term> replaced;
    for (size_t i = 0; i < point.size(); ++i)
      replaced[variables[i]] = scope_.pool().Number(point[i]);
    Term condition = scope_.Substitute(fold->args[0], replaced);
    auto taken = scope_.Decide(condition);
    if (!taken) {
      undecided_ = condition;
      return false;
    }
    if (*taken) values.push_back(scope_.Simplify(scope_.Substitute(fold->args[1], replaced)));
    size_t i = point.size();
    while (i > 0 && point[i - 1] == variables[i - 1]->range.hi)
      --i, point[i] = variables[i]->range.lo;
    if (i == 0) return true;
    ++point[i - 1];
  }
}

bool SameValue::SameFold(Term kernel, Term init, Term fold) {
  if (hlo::IsComplex(fold->type)) return SameComplexSum(kernel, init, fold);
  std::vector<Term> wanted;
  if (!WriteOut(fold, wanted)) return Fail(kernel, fold, "a fold that cannot be written out");
  const llvm::DenseSet<Term> whole(wanted.begin(), wanted.end());
  auto combined = CombinedValues(scope_, fold->name, kernel, whole, kMaxCombined);
  if (!combined) return Fail(kernel, fold, "too many values are combined");
  if (options_.folds_in_form &&
      (!WriteOutNested(fold->name, wanted) || !WriteOutNested(fold->name, *combined)))
    return Fail(kernel, fold, "a fold that cannot be written out");
  llvm::DenseMap<Term, int64_t> missing;
  for (Term value : wanted) ++missing[value];
  int64_t inits = 0;
  std::vector<Term> extra;
  for (Term value : *combined) {
    value = scope_.Simplify(value);
    auto found = missing.find(value);
    if (found != missing.end() && found->second > 0)
      --found->second;
    else if (init && value == init)
      ++inits;
    else if (!IsIdentityOf(fold->name, value))  // lanes without a value have a neutral one
      extra.push_back(value);
  }
  // The initial value counts once; one that changes nothing may count any number of times.
  if (init && inits != 1 && !IsIdentityOf(fold->name, init))
    return Fail(kernel, fold, "the initial value counts otherwise than once");
  std::vector<Term> rest;
  for (Term value : wanted) {
    auto found = missing.find(value);
    if (found->second > 0) --found->second, rest.push_back(value);
  }
  // What differs in form only is compared one by one, where it is little.
  constexpr size_t kOneByOne = 64;
  for (llvm::ArrayRef<Term> open : {llvm::ArrayRef<Term>(extra), llvm::ArrayRef<Term>(rest)}) {
    for (Term value : open) {
      if (!undecided_) undecided_ = FindChoice(value, /*of_integers_only=*/true);
    }
  }
  if (undecided_) return Fail(kernel, fold, "open choices among the values");
  if (extra.size() != rest.size() || extra.size() > kOneByOne) {
    return Fail(extra.empty() ? kernel : extra[0], rest.empty() ? fold : rest[0],
                "other values are combined");
  }
  for (Term value : extra) {
    auto match =
        std::find_if(rest.begin(), rest.end(), [&](Term other) { return Same(value, other); });
    if (match == rest.end())
      return Fail(value, rest[0], "a value is combined that is not among those");
    rest.erase(match);
  }
  return true;
}

// Any order of the elements is a right one; what is tried is the one in which they are numbered.
bool SameValue::SameFoldByComputation(Term kernel, Term hlo) {
  constexpr size_t kMostElements = 1024;
  auto [computation, leaf_text] = hlo->name.drop_front(strlen("computation ")).rsplit(" leaf ");
  size_t leaf = 0;
  Term fold = hlo->args.back();
  std::vector<Term> elements, running(hlo->args.begin(), hlo->args.end() - 1);
  if (leaf_text.getAsInteger(10, leaf) || !combine_ || !WriteOut(fold, elements) ||
      elements.size() > kMostElements) {
    return Fail(kernel, hlo, "a fold by a computation that cannot be written out");
  }
  for (Term element : elements) {
    running = combine_(computation, running, element->args);
    if (leaf >= running.size()) return Fail(kernel, hlo, "a fold by a computation of this kind");
    for (Term& value : running) value = scope_.Simplify(value);
  }
  return Same(kernel, running[leaf]);
}

// The sum of the real parts, and that of the imaginary ones.
bool SameValue::SameComplexSum(Term kernel, Term init, Term fold) {
  if (fold->name != "add") return Fail(kernel, fold, "a fold of complex numbers");
  terms::Pool& pool = scope_.pool();
  for (ComplexPart part : {ComplexPart::kReal, ComplexPart::kImaginary}) {
    Term of_fold = pool.Fold(fold->name, fold->args[0], PartOf(pool, fold->args[1], part),
                             fold->args.drop_front(2));
    Term of_init = init ? PartOf(pool, init, part) : nullptr;
    if (!SameFold(PartOf(pool, kernel, part), of_init, of_fold)) return false;
  }
  return true;
}

bool SameValue::HasIntegerFold(Term root) {
  auto known = has_fold_.find(root);
  if (known != has_fold_.end()) return known->second;
  bool has = IsIntegerFold(root);
  // Values inside of a value have folds of their own, which are met when these are compared.
  const bool through = root->sort() != terms::Sort::kValue || root->kind == Kind::kOfInteger ||
                       root->kind == Kind::kOfCondition;
  if (through && !has) {
    has = llvm::any_of(root->args, [&](Term arg) { return HasIntegerFold(arg); }) ||
          llvm::any_of(root->sum, [&](const terms::Monomial& m) { return HasIntegerFold(m.atom); });
  }
  has_fold_[root] = has;
  return has;
}

// The fold as an integer, or a condition, without one; null where it cannot be written out.
Term SameValue::Unfolded(Term term) {
  terms::Pool& pool = scope_.pool();
  Term fold = term->args[0];
  std::vector<Term> values;
  if (!WriteOut(fold, values)) return nullptr;
  if (term->kind == Kind::kHolds) {
    std::vector<Term> conditions;
    conditions.reserve(values.size());
    for (Term value : values) conditions.push_back(pool.Holds(value));
    return fold->name == "and" ? pool.And(conditions) : pool.Or(conditions);
  }
  const int64_t width = terms::IntegerWidth(fold->type);
  const terms::Int128 half = terms::Int128{1} << (width - 1);
  if (fold->name == "add") {
    std::vector<terms::Monomial> sum;
    sum.reserve(values.size());
    for (Term value : values) sum.push_back({1, pool.IntegerOf(value)});
    return terms::Signed(scope_, pool.Sum(0, sum), width);
  }
  const bool maximum = fold->name == "maximum";
  Term best = nullptr;
  for (Term value : values) {
    Term integer = pool.IntegerOf(value);
    best = !best ? integer : maximum ? scope_.Max(best, integer) : scope_.Min(best, integer);
  }
  return best ? best : pool.Number(maximum ? -half : half - 1);
}

Term SameValue::WithoutIntegerFolds(Term root) {
  llvm::DenseMap<Term, Term> unfolded;
  std::vector<Term> stack = {root};
  while (!stack.empty()) {
    Term term = stack.back();
    stack.pop_back();
    if (!HasIntegerFold(term) || unfolded.contains(term)) continue;
    if (IsIntegerFold(term)) {
      Term written = Unfolded(term);
      if (!written) return nullptr;
      unfolded[term] = written;
      continue;
    }
    stack.insert(stack.end(), term->args.begin(), term->args.end());
    for (const terms::Monomial& m : term->sum) stack.push_back(m.atom);
  }
  return scope_.Substitute(root, unfolded);
}

}  // namespace affirm::kernel
