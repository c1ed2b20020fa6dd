#include "verify/equivalence/laws.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/hlo/float_format.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/operations.h"

namespace affirm::equivalence {

using hlo::PrimitiveType;
using terms::Kind;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

namespace {

bool Is(Term term, Op operation) { return term->kind == Kind::kApply && term->op() == operation; }

// An operation on a float, of this many operands.
bool IsOnFloats(Term term, Op operation, size_t operands) {
  return Is(term, operation) && term->args.size() == operands && hlo::IsFloat(term->type) &&
         llvm::all_of(term->args, [&](Term arg) { return arg->type == term->type; });
}

std::optional<double> NumberOf(Term term) {
  if (term->kind != Kind::kLiteral || !hlo::IsFloat(term->type)) return std::nullopt;
  return hlo::DecodeFloat(term->type, static_cast<uint64_t>(term->number));
}

Term Float(Pool& pool, PrimitiveType type, double value) {
  return pool.Literal(type, terms::Int128{hlo::EncodeFloat(type, value)});
}

bool HasFoldOperand(Term term) {
  return llvm::any_of(term->args, [](Term arg) { return arg->kind == Kind::kFold; });
}

// The operand beside a constant that `is_it` accepts; null where there is none.
Term Beside(Term term, llvm::function_ref<bool(double)> is_it) {
  for (size_t k : {0, 1}) {
    auto number = NumberOf(term->args[k]);
    if (number && is_it(*number)) return term->args[1 - k];
  }
  return nullptr;
}

// Numbers without a sign have no opposites: that of 2 is NaN.
bool HasOpposites(PrimitiveType type) {
  return hlo::DecodeFloat(type, hlo::EncodeFloat(type, -1)) == -1;
}

// Exact laws.

Term NegateTwice(Scope&, Term term) {
  if (!IsOnFloats(term, Op::kNegate, 1) || !HasOpposites(term->type)) return nullptr;
  return IsOnFloats(term->args[0], Op::kNegate, 1) ? term->args[0]->args[0] : nullptr;
}

Term SubtractAsAdd(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kSubtract, 2) || !HasOpposites(term->type)) return nullptr;
  Pool& pool = scope.pool();
  Term negated = pool.Apply(Op::kNegate, term->type, {term->args[1]});
  return pool.Apply(Op::kAdd, term->type, {term->args[0], negated});
}

Term NegateConstant(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kNegate, 1)) return nullptr;
  auto number = NumberOf(term->args[0]);
  if (!number || std::isnan(*number)) return nullptr;
  return Float(scope.pool(), term->type, -*number);
}

Term MultiplyByMinusOne(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kMultiply, 2)) return nullptr;
  Term other = Beside(term, [](double x) { return x == -1; });
  return other ? scope.pool().Apply(Op::kNegate, term->type, {other}) : nullptr;
}

Term AddNegativeZero(Scope&, Term term) {
  if (!IsOnFloats(term, Op::kAdd, 2) || HasFoldOperand(term)) return nullptr;
  return Beside(term, [](double x) { return x == 0 && std::signbit(x); });
}

// The reciprocal of a power of two is exact, as long as the type has it.
Term DivideByPowerOfTwo(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kDivide, 2)) return nullptr;
  auto divisor = NumberOf(term->args[1]);
  int exponent = 0;
  if (!divisor || !std::isfinite(*divisor) || std::fabs(std::frexp(*divisor, &exponent)) != 0.5)
    return nullptr;
  Term factor = Float(scope.pool(), term->type, 1 / *divisor);
  if (*NumberOf(factor) * *divisor != 1) return nullptr;
  return scope.pool().Apply(Op::kMultiply, term->type, {term->args[0], factor});
}

// As the interpreter computes them.
Term NarrowInF32(Scope& scope, Term term) {
  if (term->kind != Kind::kApply || term->args.empty() || Is(term, Op::kConvert) ||
      Is(term, Op::kBitcast) || HasFoldOperand(term)) {
    return nullptr;
  }
  const PrimitiveType narrow = term->args[0]->type;
  if (narrow != PrimitiveType::kF16 && narrow != PrimitiveType::kBF16) return nullptr;
  const bool compares = terms::IsPartialComparison(term->op());
  const bool operates = term->type == narrow && term->op() != Op::kReducePrecision;
  const bool alike = llvm::all_of(term->args, [&](Term arg) { return arg->type == narrow; });
  if ((!compares && !operates) || !alike) return nullptr;
  Pool& pool = scope.pool();
  std::vector<Term> wide;
  for (Term arg : term->args)
    wide.push_back(terms::Convert(scope, arg, narrow, PrimitiveType::kF32));
  if (compares) return pool.Apply(term->operation, term->type, wide);
  Term value = pool.Apply(term->operation, PrimitiveType::kF32, wide);
  return terms::Convert(scope, value, PrimitiveType::kF32, narrow);
}

// Rounded once, as f64 has room for what two numbers of f32 give. NaNs are all one.
Term ConstantOperation(Scope& scope, Term term) {
  if (term->kind != Kind::kApply || term->args.empty() || term->args.size() > 2) return nullptr;
  const PrimitiveType type = term->args[0]->type;
  if (type != PrimitiveType::kF32 && type != PrimitiveType::kF64) return nullptr;
  std::vector<double> numbers;
  for (Term arg : term->args) {
    auto number = NumberOf(arg);
    if (!number || arg->type != type) return nullptr;
    numbers.push_back(*number);
  }
  Pool& pool = scope.pool();
  const double x = numbers[0], y = numbers.back();
  if (term->op() == Op::kCompareEq) return pool.OfCondition(x == y ? pool.True() : pool.False());
  if (term->op() == Op::kCompareLt) return pool.OfCondition(x < y ? pool.True() : pool.False());
  if (term->op() == Op::kCompareLe) return pool.OfCondition(x <= y ? pool.True() : pool.False());
  if (numbers.size() != 2 || term->type != type) return nullptr;
  if (term->op() == Op::kAdd) return Float(pool, type, x + y);
  if (term->op() == Op::kMultiply) return Float(pool, type, x * y);
  if (term->op() == Op::kDivide) return Float(pool, type, x / y);
  return nullptr;
}

// The fold that a value of a fold by the same operation is, and what it starts with; null where it
// starts with nothing, or with an identity.
struct InnerFold {
  Term fold = nullptr, zero = nullptr;
};
InnerFold InnerFoldOf(Term fold) {
  Term value = fold->args[1];
  if (value->kind == Kind::kFold && value->operation == fold->operation) return {value};
  if (value->kind == Kind::kOfInteger && fold->op() == Op::kAdd) {
    Term sum = value->args[0];
    Term atom = sum->kind == Kind::kInteger ? sum : nullptr;
    if (sum->kind == Kind::kSum && sum->number == 0 && sum->sum.size() == 1 &&
        sum->sum[0].coefficient == 1) {
      atom = sum->sum[0].atom;
    }
    if (!atom || atom->kind != Kind::kInteger) return {};
    Term inner = atom->args[0];
    if (inner->kind != Kind::kFold || inner->operation != fold->operation) return {};
    return {inner};
  }
  if (!Is(value, fold->op()) || value->args.size() != 2) return {};
  for (size_t k : {0, 1}) {
    Term inner = value->args[k], start = value->args[1 - k];
    if (inner->kind != Kind::kFold || inner->operation != fold->operation) continue;
    if (terms::IsIdentityOf(fold->op(), start)) return {inner};
    if (fold->op() == Op::kAdd && terms::IsPositiveZero(start)) return {inner, start};
  }
  return {};
}

Term FoldNested(Scope& scope, Term term) {
  if (term->kind != Kind::kFold) return nullptr;
  const auto [inner, zero] = InnerFoldOf(term);
  if (!inner || inner->type != term->type) return nullptr;
  // A sum that adds nothing has no zero of those that it would add.
  Pool& pool = scope.pool();
  if (zero && term->args[0] != pool.True()) return nullptr;
  std::vector<Term> variables(term->args.begin() + 2, term->args.end());
  for (Term v : inner->args.drop_front(2)) {
    if (llvm::is_contained(variables, v)) return nullptr;
    variables.push_back(v);
  }
  Term folded = pool.Fold(term->operation, pool.And({term->args[0], inner->args[0]}),
                          inner->args[1], variables);
  return zero ? pool.Apply(Op::kAdd, term->type, {zero, folded}) : folded;
}

Term AddZeroAgain(Scope&, Term term) {
  if (!IsOnFloats(term, Op::kAdd, 2)) return nullptr;
  for (size_t k : {0, 1}) {
    Term sum = term->args[1 - k];
    const auto number = NumberOf(term->args[k]);
    if (number && *number == 0 && IsOnFloats(sum, Op::kAdd, 2) &&
        llvm::any_of(sum->args, terms::IsPositiveZero)) {
      return sum;
    }
  }
  return nullptr;
}

// Laws that are not exact.

// An operation of f16 or bf16 on what was rounded to it, as one on f32 that is rounded after it.
Term OnWhatWasRounded(Scope& scope, Term term) {
  const bool computes = Is(term, Op::kAdd) || Is(term, Op::kSubtract) || Is(term, Op::kMultiply) ||
                        Is(term, Op::kDivide);
  const PrimitiveType narrow = term->type;
  const bool of_type = narrow == PrimitiveType::kF16 || narrow == PrimitiveType::kBF16;
  if (!computes || !of_type || HasFoldOperand(term)) return nullptr;
  std::vector<Term> wide;
  bool rounded = false;
  for (Term arg : term->args) {
    if (arg->type != narrow) return nullptr;
    const bool was_f32 = Is(arg, Op::kConvert) && arg->args[0]->type == PrimitiveType::kF32;
    wide.push_back(was_f32 ? arg->args[0]
                           : terms::Convert(scope, arg, narrow, PrimitiveType::kF32));
    rounded = rounded || was_f32;
  }
  if (!rounded) return nullptr;
  Term value = scope.pool().Apply(term->operation, PrimitiveType::kF32, wide);
  return terms::Convert(scope, value, PrimitiveType::kF32, narrow);
}

Term ConvertNarrowWiden(Scope& scope, Term term) {
  if (Term after = OnWhatWasRounded(scope, term)) return after;
  if (!Is(term, Op::kConvert) || !Is(term->args[0], Op::kConvert)) return nullptr;
  Term middle = term->args[0], from = middle->args[0];
  const bool narrower = hlo::IsFloat(middle->type) && hlo::IsFloat(term->type) &&
                        hlo::BitWidth(middle->type) < hlo::BitWidth(term->type);
  return narrower && from->type == term->type ? from : nullptr;
}

Term AddZero(Scope&, Term term) {
  if (!IsOnFloats(term, Op::kAdd, 2) || HasFoldOperand(term)) return nullptr;
  return Beside(term, [](double x) { return x == 0; });
}

// A chain of one operation, its operands in one order.
Term Reassociate(Scope& scope, Term term, Op operation) {
  constexpr size_t kMostOperands = 4096;
  if (!IsOnFloats(term, operation, 2)) return nullptr;
  std::vector<Term> operands, stack = {term};
  while (!stack.empty() && operands.size() < kMostOperands) {
    Term next = stack.back();
    stack.pop_back();
    if (IsOnFloats(next, operation, 2))
      stack.insert(stack.end(), next->args.begin(), next->args.end());
    else
      operands.push_back(next);
  }
  if (!stack.empty()) return nullptr;
  // Folds last, so that they stand where folds are looked for.
  llvm::sort(operands, [](Term a, Term b) {
    return std::pair(a->kind == Kind::kFold, a->id) < std::pair(b->kind == Kind::kFold, b->id);
  });
  Term chain = operands[0];
  for (Term next : llvm::drop_begin(operands))
    chain = scope.pool().Apply(operation, term->type, {chain, next});
  return chain == term ? nullptr : chain;
}

Term AddReassociate(Scope& scope, Term term) { return Reassociate(scope, term, Op::kAdd); }
Term MultiplyReassociate(Scope& scope, Term term) {
  return Reassociate(scope, term, Op::kMultiply);
}

Term DivideAsReciprocal(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kDivide, 2)) return nullptr;
  Pool& pool = scope.pool();
  auto dividend = NumberOf(term->args[0]), divisor = NumberOf(term->args[1]);
  if (dividend && *dividend == 1 && !divisor) return nullptr;  // has the form
  Term reciprocal =
      divisor ? Float(pool, term->type, 1 / *divisor)
              : pool.Apply(Op::kDivide, term->type, {Float(pool, term->type, 1), term->args[1]});
  return pool.Apply(Op::kMultiply, term->type, {term->args[0], reciprocal});
}

Term ReciprocalOfProduct(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kDivide, 2) || !IsOnFloats(term->args[1], Op::kMultiply, 2))
    return nullptr;
  const auto dividend = NumberOf(term->args[0]);
  if (!dividend || *dividend != 1) return nullptr;
  Pool& pool = scope.pool();
  std::vector<Term> reciprocals;
  for (Term factor : term->args[1]->args)
    reciprocals.push_back(pool.Apply(Op::kDivide, term->type, {term->args[0], factor}));
  return pool.Apply(Op::kMultiply, term->type, reciprocals);
}

Term RsqrtAsReciprocal(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kRsqrt, 1)) return nullptr;
  Pool& pool = scope.pool();
  Term root = pool.Apply(Op::kSqrt, term->type, {term->args[0]});
  return pool.Apply(Op::kDivide, term->type, {Float(pool, term->type, 1), root});
}

bool HasInfinity(PrimitiveType type) {
  return std::isinf(hlo::DecodeFloat(type, hlo::EncodeFloat(type, HUGE_VAL)));
}

// Without an infinity exp(104) is NaN, and so is the rest, or it is a small number, where
// logistic(-104) is 0.
Term LogisticExpanded(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kLogistic, 1) || !HasInfinity(term->type)) return nullptr;
  Pool& pool = scope.pool();
  const PrimitiveType type = term->type;
  Term one = Float(pool, type, 1);
  Term power = pool.Apply(Op::kExponential, type, {pool.Apply(Op::kNegate, type, {term->args[0]})});
  return pool.Apply(Op::kDivide, type, {one, pool.Apply(Op::kAdd, type, {one, power})});
}

Term PowerOfTwoAsSquare(Scope& scope, Term term) {
  if (!IsOnFloats(term, Op::kPower, 2)) return nullptr;
  auto exponent = NumberOf(term->args[1]);
  if (!exponent || *exponent != 2) return nullptr;
  return scope.pool().Apply(Op::kMultiply, term->type, {term->args[0], term->args[0]});
}

constexpr Law kLaws[] = {
    {"negate.twice", true, "-(-x) = x", NegateTwice},
    {"negate.constant", true, "-(c) is a constant", NegateConstant},
    {"narrow.in_f32", true, "an op on f16 or bf16 is the op on f32, rounded: as XLA defines it",
     NarrowInF32},
    {"subtract.as_add", true, "x - y = x + -y", SubtractAsAdd},
    {"add.negative_zero", true, "x + -0.0 = x", AddNegativeZero},
    {"add.zero_again", true, "(x + 0.0) + 0.0 = x + 0.0", AddZeroAgain},
    {"multiply.minus_one", true, "x * -1 = -x", MultiplyByMinusOne},
    {"divide.power_of_two", true, "x / c = x * (1 / c), c a power of two", DivideByPowerOfTwo},
    {"constant.operation", true, "c + d, c * d, c / d, c < d of constants are constants",
     ConstantOperation},
    {"fold.nested", true, "a fold of folds is one fold: reductions have no order", FoldNested},
    {"convert.narrow_widen", false, "to T of to U of x = x, where U has less numbers than T",
     ConvertNarrowWiden},
    {"add.zero", false, "x + 0.0 = x, which differs for x = -0.0", AddZero},
    {"add.reassociate", false, "(x + y) + z = x + (y + z)", AddReassociate},
    {"multiply.reassociate", false, "(x * y) * z = x * (y * z)", MultiplyReassociate},
    {"divide.as_reciprocal", false, "x / y = x * (1 / y)", DivideAsReciprocal},
    {"reciprocal.of_product", false,
     "1 / (x * y) = (1 / x) * (1 / y), which differs where x * y overflows or is zero",
     ReciprocalOfProduct},
    {"rsqrt.as_reciprocal", false, "rsqrt(x) = 1 / sqrt(x)", RsqrtAsReciprocal},
    {"logistic.expanded", false, "logistic(x) = 1 / (1 + exp(-x))", LogisticExpanded},
    {"power.square", false, "power(x, 2) = x * x", PowerOfTwoAsSquare},
};

}  // namespace

llvm::ArrayRef<Law> Laws() { return kLaws; }

llvm::Expected<std::vector<const Law*>> ChooseLaws(llvm::ArrayRef<std::string> allowed) {
  for (const std::string& name : allowed) {
    if (llvm::any_of(kLaws, [&](const Law& law) { return law.name == name; })) continue;
    std::string names;
    for (const Law& law : kLaws) {
      if (!law.exact) names += (names.empty() ? "" : ", ") + law.name.str();
    }
    return MakeError("there is no law '" + name + "', expected some of " + names);
  }
  std::vector<const Law*> chosen;
  for (const Law& law : kLaws) {
    if (law.exact || llvm::is_contained(allowed, law.name)) chosen.push_back(&law);
  }
  return chosen;
}

Term Rewriter::RewriteOperands(Term term) {
  Pool& pool = scope_.pool();
  if (term->kind == Kind::kSum) {
    std::vector<terms::Monomial> monomials;
    bool changed = false;
    for (const terms::Monomial& m : term->sum) {
      monomials.push_back({m.coefficient, Rewrite(m.atom)});
      changed |= monomials.back().atom != m.atom;
    }
    return changed ? pool.Sum(term->number, monomials) : term;
  }
  std::vector<Term> args;
  for (Term arg : term->args) args.push_back(Rewrite(arg));
  return pool.WithArgs(term, args);
}

Term Rewriter::Rewrite(Term term) {
  auto found = rewritten_.find(term);
  if (found != rewritten_.end()) return found->second;
  Term result = RewriteOperands(term);
  // Each law leads away from the forms of those before it; a chain of them is short.
  for (const Law* law : laws_) {
    Term next = law->apply(scope_, result);
    if (!next || next == result) continue;
    ++used_[law];
    Term before = result;
    rewritten_[before] = next;
    result = Rewrite(next);
    rewritten_[before] = result;
    break;
  }
  rewritten_[term] = result;
  return result;
}

std::vector<std::string> Rewriter::Used() const {
  std::vector<std::string> names;
  for (const Law& law : kLaws) {
    if (used_.contains(&law)) names.push_back(law.name.str());
  }
  return names;
}

}  // namespace affirm::equivalence
