#include "verify/compare/fold_terms.h"

#include <cmath>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/terms/machine.h"

namespace affirm::compare {

using terms::Int128;
using terms::Kind;
using terms::Monomial;
using terms::Op;
using terms::Term;

namespace {

// Walks with an explicit stack: a serial sum is as deep as it has terms.
template <typename Split>
std::optional<std::vector<Term>> Leaves(Term root, int64_t limit, Split split) {
  std::vector<Term> leaves, stack = {root};
  int64_t visited = 0;
  while (!stack.empty()) {
    Term term = stack.back();
    stack.pop_back();
    if (++visited > 2 * limit) return std::nullopt;
    if (!split(term, stack)) leaves.push_back(term);
  }
  return leaves;
}

std::optional<std::vector<Term>> Summands(terms::Pool& pool, Term value, int64_t limit) {
  // Addition wraps, so the summands of the mathematical integer are those of the value.
  Term sum = value->kind == Kind::kOfInteger ? value->args[0] : pool.IntegerOf(value);
  std::vector<Term> leaves;
  if (sum->kind != Kind::kSum) return std::vector<Term>{value};
  for (const Monomial& m : sum->sum) {
    if (m.coefficient < 0 || m.coefficient + static_cast<Int128>(leaves.size()) > limit)
      return std::nullopt;
    leaves.insert(leaves.end(), static_cast<size_t>(m.coefficient),
                  pool.OfInteger(m.atom, value->type));
  }
  if (sum->number != 0) leaves.push_back(pool.OfInteger(pool.Number(sum->number), value->type));
  return leaves;
}

std::optional<std::vector<Term>> Extrema(terms::Pool& pool, Term value, bool maximum,
                                         int64_t limit) {
  int64_t sign = maximum ? 1 : -1;
  auto leaves = Leaves(pool.Scale(pool.IntegerOf(value), sign), limit,
                       [](Term term, std::vector<Term>& stack) {
                         if (term->kind != Kind::kMax) return false;
                         stack.insert(stack.end(), term->args.begin(), term->args.end());
                         return true;
                       });
  if (!leaves) return std::nullopt;
  for (Term& leaf : *leaves) leaf = pool.OfInteger(pool.Scale(leaf, sign), value->type);
  return leaves;
}

// The conditions that a conjunction (`all`) or a disjunction combines: `a or b` is stored as
// not (not a and not b).
std::optional<std::vector<Term>> Conjuncts(terms::Pool& pool, Term value, bool all, int64_t limit) {
  Term condition = pool.Holds(value);
  if (!all) condition = pool.Not(condition);
  auto leaves = Leaves(condition, limit, [](Term term, std::vector<Term>& stack) {
    if (term->kind != Kind::kAnd) return false;
    stack.insert(stack.end(), term->args.begin(), term->args.end());
    return true;
  });
  if (!leaves) return std::nullopt;
  for (Term& leaf : *leaves) leaf = pool.OfCondition(all ? leaf : pool.Not(leaf));
  return leaves;
}

bool IsNan(Term literal) {
  return literal->kind == Kind::kLiteral && hlo::IsFloat(literal->type) &&
         std::isnan(hlo::DecodeFloat(literal->type, static_cast<uint64_t>(literal->number)));
}

// The narrow float that the f32 was converted from, or null.
Term NarrowOf(terms::Pool& pool, Term wide, hlo::PrimitiveType type) {
  if (wide->kind == Kind::kApply && wide->op() == Op::kConvert && wide->args[0]->type == type)
    return wide->args[0];
  if (wide->kind != Kind::kLiteral) return nullptr;
  Term narrow = pool.Apply(Op::kConvert, type, {wide});
  if (IsNan(wide) && IsNan(narrow)) return narrow;
  return pool.Apply(Op::kConvert, wide->type, {narrow}) == wide ? narrow : nullptr;
}

// The operands of the term if it applies the operation; empty otherwise. For floats of at most 16
// bits, also if it applies it in f32 to converted operands (correspondences.h). Looks through the
// mark of an open order (InItsOrder).
llvm::SmallVector<Term, 2> OperandsOf(terms::Pool& pool, Op operation, Term term) {
  auto is = [&](Term t) { return t->kind == Kind::kApply && t->op() == operation; };
  term = InItsOrder(term);
  if (is(term)) return {term->args.begin(), term->args.end()};
  const bool narrow = hlo::IsFloat(term->type) && hlo::BitWidth(term->type) <= 16;
  if (!narrow || term->kind != Kind::kApply || term->op() != Op::kConvert) return {};
  Term wide = InItsOrder(term->args[0]);
  if (wide->type != hlo::PrimitiveType::kF32 || !is(wide)) return {};
  llvm::SmallVector<Term, 2> operands;
  for (Term arg : wide->args) {
    operands.push_back(NarrowOf(pool, arg, term->type));
    if (!operands.back()) return {};
  }
  return operands;
}

}  // namespace

std::optional<std::vector<Term>> CombinedValues(terms::Scope& scope, Op operation, Term value,
                                                const llvm::DenseSet<Term>& whole, int64_t limit,
                                                WrittenSums sums) {
  terms::Pool& pool = scope.pool();
  int64_t width = terms::IntegerWidth(value->type);
  bool maximum = operation == Op::kMaximum, minimum = operation == Op::kMinimum;
  if (width == 1) {
    if (operation == Op::kAnd || minimum) return Conjuncts(pool, value, true, limit);
    if (operation == Op::kOr || maximum) return Conjuncts(pool, value, false, limit);
  } else if (width > 1 && value->kind != Kind::kApply) {
    if (operation == Op::kAdd) return Summands(pool, value, limit);
    if (maximum || minimum) return Extrema(pool, value, maximum, limit);
  }
  return Leaves(value, limit, [&](Term term, std::vector<Term>& stack) {
    if (term->type != value->type || whole.contains(term)) return false;
    if (term->kind == Kind::kApply && term->op() == Op::kRounded) {
      stack.push_back(term->args[0]);
      return true;
    }
    const bool is_written = !terms::IsFoldWithStart(InItsOrder(term));
    if (is_written && sums == WrittenSums::kAreRounded &&
        terms::RoundsInOrder(operation, term->type))
      return false;
    auto operands = OperandsOf(pool, operation, term);
    stack.insert(stack.end(), operands.begin(), operands.end());
    return !operands.empty();
  });
}

Int128 SizeOf(Term variable) { return variable->range.hi - variable->range.lo + 1; }

Int128 NumPoints(llvm::ArrayRef<Term> variables) {
  constexpr Int128 kMost = Int128{1} << 62;
  Int128 points = 1;
  for (Term v : variables) {
    if (v->range.lo != 0 || v->range.empty() || SizeOf(v) > kMost / points) return 0;
    points *= SizeOf(v);
  }
  return points;
}

bool IsFoldByComputation(Term term) {
  return term->kind == Kind::kApply && term->op() == terms::Op::kResultOfComputation;
}

bool IsReduction(Term term) { return term->kind == Kind::kFold || terms::IsFoldWithStart(term); }

Term NeutralBits(terms::Pool& pool, Op operation, hlo::PrimitiveType type) {
  return pool.OfInteger(pool.Number(operation == Op::kAnd ? -1 : 0), type);
}

BitsAndNumber WithoutNumber(terms::Scope& scope, Op operation, Term value) {
  terms::Pool& pool = scope.pool();
  const BitsAndNumber none = {value, NeutralBits(pool, operation, value->type)};
  if (value->kind != Kind::kOfInteger) return none;
  if (value->args[0]->IsNumber()) return {nullptr, value};
  // The only integer atom in the sum and its quotients.
  Term bits = nullptr;
  bool alone = true;
  terms::ForEachPart(value->args[0], [&](Term term) {
    if (term->kind == Kind::kSum || term->kind == Kind::kQuotient) return terms::Visit::kInto;
    alone = alone && !bits && term->kind == Kind::kInteger;
    bits = term;
    return alone ? terms::Visit::kPast : terms::Visit::kStop;
  });
  if (!alone || !bits || bits->args[0]->type != value->type) return none;
  // Substituting the neutral element for the bits leaves the constant.
  Term number = pool.OfInteger(
      scope.Substitute(value->args[0], {{bits, pool.Number(operation == Op::kAnd ? -1 : 0)}}),
      value->type);
  Term combined = terms::OperationOnIntegers(scope, operation, value->type, bits->args[0], number);
  return combined == value ? BitsAndNumber{bits->args[0], number} : none;
}

}  // namespace affirm::compare
