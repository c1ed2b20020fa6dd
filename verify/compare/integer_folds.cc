// Unrolls the folds of integers inside of integer terms and conditions.
#include "verify/compare/integer_folds.h"

#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/compare/same_value.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::compare {

using terms::Kind;
using terms::Op;
using terms::Term;

IntegerOperation IntegerOperationOf(Op op) {
  switch (op) {
    case Op::kAdd:
      return [](terms::Scope& s, Term a, Term b, int64_t) { return s.pool().Add(a, b); };
    case Op::kMultiply:
      return [](terms::Scope& s, Term a, Term b, int64_t width) {
        return terms::Congruent(s.pool(), s.pool().Multiply(a, b), width);
      };
    case Op::kAnd:
      return terms::And;
    case Op::kOr:
      return terms::Or;
    case Op::kXor:
      return terms::Xor;
    case Op::kMaximum:
      return [](terms::Scope& s, Term a, Term b, int64_t width) {
        return s.Max(terms::Signed(s, a, width), terms::Signed(s, b, width));
      };
    case Op::kMinimum:
      return [](terms::Scope& s, Term a, Term b, int64_t width) {
        return s.Min(terms::Signed(s, a, width), terms::Signed(s, b, width));
      };
    case Op::kMaximumUnsigned:
      return [](terms::Scope& s, Term a, Term b, int64_t width) {
        return s.Max(terms::Unsigned(s, a, width), terms::Unsigned(s, b, width));
      };
    case Op::kMinimumUnsigned:
      return [](terms::Scope& s, Term a, Term b, int64_t width) {
        return s.Min(terms::Unsigned(s, a, width), terms::Unsigned(s, b, width));
      };
    default:
      return nullptr;
  }
}

namespace {

// The neutral element: the result for no integers.
terms::Int128 NeutralOf(Op op, int64_t width) {
  const terms::Int128 half = terms::Int128{1} << (width - 1);
  if (op == Op::kMultiply) return 1;
  if (op == Op::kAnd || op == Op::kMinimumUnsigned) return -1;
  if (op == Op::kMaximum) return -half;
  return op == Op::kMinimum ? half - 1 : 0;
}

// Whether the term is the integer, or the condition, that a fold results in.
bool IsIntegerFold(Term term) {
  if (term->kind != Kind::kInteger && term->kind != Kind::kHolds) return false;
  Term fold = term->args[0];
  if (fold->kind != Kind::kFold) return false;
  if (term->kind == Kind::kHolds) return fold->op() == Op::kAnd || fold->op() == Op::kOr;
  return terms::IntegerWidth(fold->type) > 1 && IntegerOperationOf(fold->op());
}

}  // namespace

bool SameValue::HasIntegerFold(Term root) {
  auto known = has_fold_.find(root);
  if (known != has_fold_.end()) return known->second;
  bool has = IsIntegerFold(root);
  // Folds in operands of a value are unrolled when the operands are compared; those in the index of
  // a load belong to the index.
  const bool through = root->sort() != terms::Sort::kValue || root->kind == Kind::kOfInteger ||
                       root->kind == Kind::kOfCondition || root->kind == Kind::kLoad;
  if (through && !has) {
    has = llvm::any_of(root->args, [&](Term arg) { return HasIntegerFold(arg); }) ||
          llvm::any_of(root->sum, [&](const terms::Monomial& m) { return HasIntegerFold(m.atom); });
  }
  has_fold_[root] = has;
  return has;
}

// The unrolled fold as an integer or a condition; null where it cannot be unrolled.
Term SameValue::Unfolded(Term term) {
  terms::Pool& pool = scope_.pool();
  Term fold = term->args[0];
  std::vector<Term> values;
  if (!WriteOut(fold, values)) return nullptr;
  if (term->kind == Kind::kHolds) {
    std::vector<Term> conditions;
    conditions.reserve(values.size());
    for (Term value : values) conditions.push_back(pool.Holds(value));
    return fold->op() == Op::kAnd ? pool.And(conditions) : pool.Or(conditions);
  }
  const int64_t width = terms::IntegerWidth(fold->type);
  Term combined = Combined(fold->op(), width, values);
  return combined ? terms::Signed(scope_, combined, width) : nullptr;
}

// An integer congruent, modulo 2^width, to the operation on the values; null where products grow
// too large.
Term SameValue::Combined(Op op, int64_t width, llvm::ArrayRef<Term> values) {
  constexpr size_t kMostSummands = 64;
  terms::Pool& pool = scope_.pool();
  if (op == Op::kAdd) {
    std::vector<terms::Monomial> sum;
    sum.reserve(values.size());
    for (Term value : values) sum.push_back({1, pool.IntegerOf(value)});
    return pool.Sum(0, sum);
  }
  const IntegerOperation operation = IntegerOperationOf(op);
  std::vector<Term> integers;
  for (Term value : values) integers.push_back(pool.IntegerOf(value));
  // A balanced tree keeps the term's depth logarithmic.
  for (; integers.size() > 1; integers.resize((integers.size() + 1) / 2)) {
    for (size_t k = 0; k < integers.size(); k += 2) {
      Term pair = integers[k];
      if (k + 1 < integers.size()) pair = operation(scope_, pair, integers[k + 1], width);
      if (pair->sum.size() > kMostSummands) return nullptr;
      integers[k / 2] = pair;
    }
  }
  return integers.empty() ? pool.Number(NeutralOf(op, width)) : integers[0];
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
      // Terms write an unsigned x as y - 2^w * floor(y / 2^w), where y, its signed value, is x or
      // x - 2^w. So the quotient's atom is replaced too.
      Term fold = term->args[0];
      if (terms::IsUnsigned(fold->op())) {
        const terms::Int128 modulus = terms::Int128{1} << terms::IntegerWidth(fold->type);
        Term negative = scope_.Quotient(written, modulus);
        Term wrapped = scope_.Quotient(
            scope_.pool().Add(terms::Unsigned(scope_, written, terms::IntegerWidth(fold->type)),
                              scope_.pool().Number(modulus / 2)),
            modulus);
        const bool alone = negative->IsNumber() || written->kind == Kind::kInteger;
        unfolded[scope_.pool().QuotientAtom(term, modulus)] =
            alone ? negative : scope_.pool().Scale(wrapped, -1);
      }
      continue;
    }
    stack.insert(stack.end(), term->args.begin(), term->args.end());
    for (const terms::Monomial& m : term->sum) stack.push_back(m.atom);
  }
  return scope_.Substitute(root, unfolded);
}

}  // namespace affirm::compare
