// Equality of integers in different forms: maxima, bitwise operations, and equal leaves.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "verify/compare/fold_terms.h"
#include "verify/compare/same_value.h"
#include "verify/terms/machine.h"

namespace affirm::compare {

using terms::Kind;
using terms::Op;
using terms::Sort;
using terms::Term;

// The set of x_i such that root = sign * max(x_i), with constants added to the x_i; empty if `root`
// has no such form.
static std::vector<Term> ExtremaIn(terms::Scope& scope, Term root, int& sign) {
  auto maximum = [](Term term, int of_sign) -> Term {
    if (term->kind == Kind::kMax) return of_sign == 1 ? term : nullptr;
    const bool one =
        term->kind == Kind::kSum && term->sum.size() == 1 && term->sum[0].coefficient == of_sign;
    return one && term->sum[0].atom->kind == Kind::kMax ? term->sum[0].atom : nullptr;
  };
  auto number = [](Term term) { return term->kind == Kind::kSum ? term->number : 0; };
  terms::Pool& pool = scope.pool();
  std::vector<Term> leaves;
  sign = maximum(root, -1) ? -1 : 1;
  Term first = maximum(root, sign);
  if (!first) return leaves;
  llvm::DenseSet<std::pair<Term, Term>> seen;  // term, and the constant added to it
  std::vector<std::pair<Term, Term>> stack = {{first, pool.Number(sign * number(root))}};
  while (!stack.empty()) {
    auto [term, added] = stack.back();
    stack.pop_back();
    if (!seen.insert({term, added}).second) continue;
    if (Term inner = maximum(term, 1)) {
      Term more = pool.Add(added, pool.Number(number(term)));
      for (Term arg : inner->args) stack.emplace_back(arg, more);
    } else {
      leaves.push_back(scope.Simplify(pool.Add(term, added)));
    }
  }
  llvm::sort(leaves, [](Term x, Term y) { return x->id < y->id; });
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

// The operands of a tree of one bitwise operation, sorted, and its constant. Equal operands of
// "xor" cancel in pairs; those of "and" and "or" count once.
struct CombinedBits {
  std::vector<Term> values;
  Term number;  // a value as well
};

static CombinedBits BitsCombined(terms::Scope& scope, Term root, Op operation) {
  std::vector<Term> stack = {root}, values;
  Term number = NeutralBits(scope.pool(), operation, root->type);
  while (!stack.empty()) {
    Term term = stack.back();
    stack.pop_back();
    if (term->kind == Kind::kApply && term->op() == operation && term->type == root->type) {
      stack.insert(stack.end(), term->args.begin(), term->args.end());
      continue;
    }
    auto [value, with] = WithoutNumber(scope, operation, term);
    number = terms::OperationOnIntegers(scope, operation, root->type, number, with);
    if (!value) continue;
    if (value == term)
      values.push_back(value);
    else
      stack.push_back(value);
  }
  llvm::sort(values, [](Term x, Term y) { return x->id < y->id; });
  std::vector<Term> once;
  for (Term value : values) {
    if (once.empty() || once.back() != value)
      once.push_back(value);
    else if (operation == Op::kXor)
      once.pop_back();
  }
  return {std::move(once), number};
}

// Whether two sorted lists are equal as sets; up to kMostOpen elements are matched by `same`.
static bool SameLists(std::vector<Term> a, std::vector<Term> b,
                      llvm::function_ref<bool(Term, Term)> same) {
  constexpr size_t kMostOpen = 8;
  auto by_id = [](Term x, Term y) { return x->id < y->id; };
  std::vector<Term> of_a, of_b;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(of_a), by_id);
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(of_b), by_id);
  if (of_a.size() != of_b.size() || of_a.size() > kMostOpen) return false;
  for (Term x : of_a) {
    auto match = llvm::find_if(of_b, [&](Term y) { return same(x, y); });
    if (match == of_b.end()) return false;
    of_b.erase(match);
  }
  return true;
}

// Compares maxima and minima of integers as sets of operands.
bool SameValue::SameExtrema(Term a, Term b) {
  int sign_a = 0, sign_b = 0;
  std::vector<Term> of_a = ExtremaIn(scope_, a, sign_a), of_b = ExtremaIn(scope_, b, sign_b);
  if (of_a.empty() || of_b.empty() || sign_a != sign_b) return false;
  const std::string before = reason_;
  const bool same = SameLists(of_a, of_b, [&](Term x, Term y) {
    const Proof equal = SameInteger(x, y);
    if (equal) seen_.Add(equal->oracles());
    return equal.has_value();
  });
  reason_ = before;
  return same;
}

// Compares trees of one bitwise operation, which is associative and commutative.
bool SameValue::SameBits(Term kernel, Term hlo) {
  if (terms::IntegerWidth(hlo->type) <= 1) return false;
  for (const Op op : {Op::kAnd, Op::kOr, Op::kXor}) {
    auto is = [&](Term term) { return term->kind == Kind::kApply && term->op() == op; };
    if (!is(kernel) && !is(hlo)) continue;
    CombinedBits ours = BitsCombined(scope_, hlo, op), theirs = BitsCombined(scope_, kernel, op);
    // SameOperands tries both orders of a binary operation.
    if (is(kernel) && is(hlo) && ours.values.size() + theirs.values.size() <= 4) continue;
    const std::string before = reason_;
    const bool same =
        ours.number == theirs.number &&
        SameLists(theirs.values, ours.values, [&](Term x, Term y) { return AreSame(x, y); });
    reason_ = before;
    if (same) return true;
  }
  return false;
}

SameValue::Proof SameValue::SameInteger(Term a, Term b) {
  if (a == b) return infer_.Reflexivity(a);
  const auto integers = logic::Oracles::One(logic::Oracle::kIntegers);
  if (Proof same = ByStrategy(integers, a, b, [&] { return SameExtrema(a, b); })) return same;
  if (Proof same = FromZero(a, b)) return same;
  if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
  if (Proof written = WithLeavesOf(a, b))
    return ChainBack(SameInteger(a, written->right()), written);
  return Fail(a, b, "other integers");
}

// The values in an integer or a condition, in order of creation.
static std::vector<Term> LeavesOf(Term root) {
  std::vector<Term> leaves;
  terms::ForEachPart(root, [&](Term term) {
    const bool leaf = term->sort() == Sort::kValue && term->kind != Kind::kOfInteger &&
                      term->kind != Kind::kOfCondition;
    if (leaf) leaves.push_back(term);
    return leaf ? terms::Visit::kPast : terms::Visit::kInto;
  });
  llvm::sort(leaves, [](Term x, Term y) { return x->id < y->id; });
  return leaves;
}

// hlo = hlo with leaves replaced by the kernel's equal ones; nullopt where none is replaced.
SameValue::Proof SameValue::WithLeavesOf(Term kernel, Term hlo) {
  constexpr size_t kMostLeaves = 6;
  std::vector<Term> ours = LeavesOf(hlo), theirs = LeavesOf(kernel);
  auto without = [](std::vector<Term>& from, llvm::ArrayRef<Term> what) {
    llvm::erase_if(from, [&](Term term) { return llvm::is_contained(what, term); });
  };
  const std::vector<Term> of_kernel = theirs;
  without(theirs, ours);
  without(ours, of_kernel);
  if (ours.empty() || ours.size() > kMostLeaves || theirs.size() > kMostLeaves) return std::nullopt;
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  std::vector<logic::Theorem> replaced;
  for (Term leaf : ours) {
    for (Term other : theirs) {
      if (other->type != leaf->type || other->kind != leaf->kind) continue;
      const Proof same = Same(other, leaf);
      if (!same) continue;
      replaced.push_back(infer_.Symmetry(*same));
      break;
    }
  }
  // Failed attempts cost no cases.
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
  // Not simplified: a leaf that changed form would be replaced again, without end.
  return replaced.empty() ? std::nullopt : infer_.Replaced(hlo, replaced);
}

// a = b for two indices, by ranges or else by the decider. Asks the decider each question once, and
// not at all after kMostInVain failures.
SameValue::Proof SameValue::SamePlace(Term a, Term b) {
  constexpr int64_t kMostInVain = 8;
  Term equal = scope_.pool().Equal(a, b);
  Proof holds = infer_.Decided(equal);
  if (!holds) {
    if (!decider_ || in_vain_ >= kMostInVain) return std::nullopt;
    auto [known, fresh] = same_places_.try_emplace({scope_.FactsNumber(), equal});
    if (fresh) known->second = infer_.DecidedBy(*decider_, equal);
    if (fresh && !known->second) ++in_vain_;
    holds = known->second;
  }
  return holds ? infer_.FromDifference(*holds, a, b) : std::nullopt;
}

// hlo = hlo with loads replaced by the kernel's loads of equal indices; nullopt where none is
// replaced.
SameValue::Proof SameValue::WithLoadsOf(Term kernel, Term hlo) {
  constexpr size_t kMostLoads = 16;
  auto loads_in = [&](Term root) {
    std::vector<Term> loads;
    terms::ForEachPart(root, [&](Term term) {
      if (term->kind == Kind::kFold || loads.size() > kMostLoads) return terms::Visit::kPast;
      if (term->kind == Kind::kLoad) loads.push_back(term);
      return terms::Visit::kInto;
    });
    return loads;
  };
  std::vector<Term> ours = loads_in(hlo);
  if (ours.empty() || ours.size() > kMostLoads) return std::nullopt;
  std::vector<Term> theirs = loads_in(kernel);
  if (theirs.size() > kMostLoads) return std::nullopt;
  std::vector<logic::Theorem> replaced;
  // The first load of each index replaces all others of that index.
  std::vector<Term> known = theirs;
  for (Term load : ours) {
    if (llvm::is_contained(theirs, load)) continue;
    Proof same;
    for (Term other : known) {
      if (other->number != load->number || other->type != load->type) continue;
      same = SameLoad(load, other, SamePlace(load->args[0], other->args[0]));
      if (same) break;
    }
    if (same)
      replaced.push_back(*same);
    else
      known.push_back(load);
  }
  return replaced.empty() ? std::nullopt : infer_.Replaced(hlo, replaced);
}

}  // namespace affirm::compare
