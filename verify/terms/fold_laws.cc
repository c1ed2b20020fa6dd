#include "verify/terms/fold_laws.h"

#include <cmath>
#include <limits>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "verify/terms/operations.h"

namespace affirm::terms {

namespace {

using enum AnyOrder;

constexpr FoldOperation kFoldOperations[] = {
    {Op::kAdd, kExact, kLicensed, false},      {Op::kAnd, kExact, kNever, true},
    {Op::kMaximum, kExact, kExact, true},      {Op::kMaximumUnsigned, kExact, kNever, true},
    {Op::kMinimum, kExact, kExact, true},      {Op::kMinimumUnsigned, kExact, kNever, true},
    {Op::kMultiply, kExact, kLicensed, false}, {Op::kOr, kExact, kNever, true},
    {Op::kXor, kExact, kNever, false},
};

// The least or the largest value of a float type: an infinity where it has one.
double EndOf(hlo::PrimitiveType type, bool least) {
  double end = std::numeric_limits<double>::infinity() * (least ? -1 : 1);
  if (hlo::BitWidth(type) > 8) return end;
  end = std::numeric_limits<double>::quiet_NaN();
  for (uint64_t bits = 0; bits < uint64_t{1} << hlo::BitWidth(type); ++bits) {
    const double value = hlo::DecodeFloat(type, bits);
    if (!std::isnan(value) && (std::isnan(end) || (least ? value < end : value > end))) end = value;
  }
  return end;
}

// Integers of one bit are predicates, where a signed 1 is -1: their signed maximum is `and`.
bool IsIdentityOfOneBit(Op operation, Term value) {
  const bool truth = operation == Op::kAnd || operation == Op::kMultiply ||
                     operation == Op::kMaximum || operation == Op::kMinimumUnsigned;
  return value->kind == Kind::kOfCondition &&
         value->args[0]->kind == (truth ? Kind::kTrue : Kind::kFalse);
}

bool IsIdentityOfIntegers(Op operation, Term value, int64_t width) {
  if (value->kind != Kind::kOfInteger || !value->args[0]->IsNumber()) return false;
  const Int128 n = value->args[0]->number, half = Int128{1} << (width - 1);
  if (operation == Op::kAdd || operation == Op::kOr || operation == Op::kXor) return n == 0;
  if (operation == Op::kMultiply) return n == 1;
  if (operation == Op::kAnd) return n == -1;
  if (operation == Op::kMaximum) return n == -half;
  if (operation == Op::kMaximumUnsigned) return n == 0;
  if (operation == Op::kMinimumUnsigned) return n == -1;
  return operation == Op::kMinimum && n == half - 1;
}

bool IsIdentityOfFloats(Op operation, Term value) {
  if (value->kind != Kind::kLiteral || !hlo::IsFloat(value->type)) return false;
  const double number = hlo::DecodeFloat(value->type, static_cast<uint64_t>(value->number));
  if (operation == Op::kAdd) return number == 0 && std::signbit(number);
  if (operation == Op::kMultiply) return number == 1;
  if (operation == Op::kMaximum) return number == EndOf(value->type, /*least=*/true);
  return operation == Op::kMinimum && number == EndOf(value->type, /*least=*/false);
}

// The value of a literal, or its real and imaginary part.
llvm::SmallVector<double, 2> NumbersOf(Term literal) {
  const bool is_complex = hlo::IsComplex(literal->type);
  const hlo::PrimitiveType part = hlo::PartType(literal->type);
  const auto width = static_cast<unsigned>(hlo::BitWidth(part));
  auto number = [&](Int128 bits) {
    return hlo::DecodeFloat(part,
                            static_cast<uint64_t>(bits) & llvm::maskTrailingOnes<uint64_t>(width));
  };
  llvm::SmallVector<double, 2> numbers = {number(literal->number)};
  if (is_complex) numbers.push_back(number(literal->number >> width));
  return numbers;
}

bool StandsForIdentityOfNumbers(Op operation, llvm::ArrayRef<double> numbers) {
  constexpr double kFar = 1e4;  // the largest f16 is 65,504
  if (operation == Op::kAdd)
    return llvm::all_of(numbers, [](double number) { return number == 0; });
  if (operation == Op::kMultiply)
    return numbers[0] == 1 && (numbers.size() == 1 || numbers[1] == 0);
  if (operation == Op::kMaximum) return numbers[0] <= -kFar;
  return operation == Op::kMinimum && numbers[0] >= kFar;
}

}  // namespace

llvm::ArrayRef<FoldOperation> FoldOperations() { return kFoldOperations; }

const FoldOperation* FindFoldOperation(Op op) {
  const auto* found =
      llvm::find_if(kFoldOperations, [&](const FoldOperation& row) { return row.op == op; });
  return found == std::end(kFoldOperations) ? nullptr : found;
}

bool IsIdempotent(Op operation) {
  const FoldOperation* row = FindFoldOperation(operation);
  return row != nullptr && row->idempotent;
}

bool IsIdentityOf(Op operation, Term value) {
  if (FindFoldOperation(operation) == nullptr) return false;
  const int64_t width = IntegerWidth(value->type);
  if (width == 1) return IsIdentityOfOneBit(operation, value);
  return width > 1 ? IsIdentityOfIntegers(operation, value, width)
                   : IsIdentityOfFloats(operation, value);
}

std::optional<bool> MayBeAnyNumberOfTimes(Op operation, Term value) {
  if (FindFoldOperation(operation) == nullptr) return std::nullopt;
  if (IsIdentityOf(operation, value)) return true;
  const bool is_number =
      value->kind == Kind::kLiteral ||
      (value->kind == Kind::kOfInteger && value->args[0]->IsNumber()) ||
      (value->kind == Kind::kOfCondition &&
       (value->args[0]->kind == Kind::kTrue || value->args[0]->kind == Kind::kFalse));
  if (!is_number) return std::nullopt;
  if (value->kind != Kind::kLiteral || IntegerWidth(value->type) > 0) return false;
  return StandsForIdentityOfNumbers(operation, NumbersOf(value));
}

// Terms share parts, so that each is looked at once.
static bool IsNeverNegativeZero(Term value, llvm::DenseMap<Term, bool>& known) {
  if (const auto at = known.find(value); at != known.end()) return at->second;
  auto is_never = [&](Term part) { return IsNeverNegativeZero(part, known); };
  auto of_value = [&] {
    if (!hlo::IsFloat(value->type)) return false;
    if (value->kind == Kind::kLiteral) {
      const double number = hlo::DecodeFloat(value->type, static_cast<uint64_t>(value->number));
      return number != 0 || !std::signbit(number);
    }
    if (value->kind == Kind::kSelect) return is_never(value->args[1]) && is_never(value->args[2]);
    if (value->kind != Kind::kApply) return false;
    const llvm::ArrayRef<Term> args = value->args;
    if (value->op() == Op::kAbs || value->op() == Op::kExponential) return true;
    if (value->op() == Op::kConvert) return IntegerWidth(args[0]->type) > 0;
    if (value->op() == Op::kMultiply) return args[0] == args[1];
    // -0.0 results only if both summands are -0.0 (IEEE 754, 6.3).
    if (value->op() == Op::kAdd) return llvm::any_of(args, is_never);
    return value->op() == Op::kMaximum && llvm::any_of(args, [&](Term arg) {
             return arg->kind == Kind::kLiteral && is_never(arg) &&
                    !(hlo::DecodeFloat(arg->type, static_cast<uint64_t>(arg->number)) < 0);
           });
  };
  const bool is = of_value();
  known[value] = is;
  return is;
}

bool IsNeverNegativeZero(Term value) {
  llvm::DenseMap<Term, bool> known;
  return IsNeverNegativeZero(value, known);
}

bool IsPositiveZero(Term value) {
  if (value->kind != Kind::kLiteral || !hlo::IsFloat(value->type)) return false;
  const double number = hlo::DecodeFloat(value->type, static_cast<uint64_t>(value->number));
  return number == 0 && !std::signbit(number);
}

Term InItsOrder(Term value) {
  while (value->kind == Kind::kApply &&
         (value->op() == Op::kInSomeOrder || value->op() == Op::kOpenZeroSign ||
          value->op() == Op::kRounded)) {
    value = value->args[0];
  }
  return value;
}

Term WithoutRounding(Term value) {
  while (value->kind == Kind::kApply && value->op() == Op::kRounded) value = value->args[0];
  return value;
}

bool RoundsInOrder(Op operation, hlo::PrimitiveType type) {
  return (operation == Op::kAdd || operation == Op::kMultiply) && IntegerWidth(type) == 0;
}

bool IsFoldWithStart(Term term) {
  return term->kind == Kind::kApply && term->args.size() == 2 &&
         llvm::any_of(term->args, [&](Term arg) {
           return arg->kind == Kind::kFold && arg->operation == term->operation;
         });
}

Term AsOneValue(Pool& pool, Op operation, Term operand) {
  if (!RoundsInOrder(operation, operand->type)) return operand;
  // A select becomes a fold once its condition is decided.
  llvm::SmallVector<Term, 8> open = {operand};
  for (size_t k = 0; k < open.size(); ++k) {
    const Term part = open[k];
    const bool folds = part->kind == Kind::kFold && part->op() == operation;
    const bool starts =
        part->kind == Kind::kApply && part->op() == operation && IsFoldWithStart(part);
    constexpr size_t kMostArms = 64;
    if (folds || starts || open.size() > kMostArms)
      return pool.Apply(Op::kRounded, operand->type, {operand});
    if (part->kind == Kind::kSelect) open.append({part->args[1], part->args[2]});
  }
  return operand;
}

Term WithNumberedVariables(terms::Scope& scope, Term reduction) {
  Pool& pool = scope.pool();
  if (reduction->kind != Kind::kFold) {
    if (!IsFoldWithStart(reduction)) return reduction;
    std::vector<Term> args = reduction->args;
    for (Term& arg : args) arg = WithNumberedVariables(scope, arg);
    return pool.WithArgs(reduction, args);
  }
  llvm::DenseMap<Term, Term> numbered;
  std::vector<Term> variables;
  for (Term v : reduction->args.drop_front(2)) {
    variables.push_back(pool.Variable("order" + std::to_string(variables.size()), v->range));
    numbered[v] = variables.back();
  }
  return pool.Fold(reduction->operation, scope.Substitute(reduction->args[0], numbered),
                   scope.Substitute(reduction->args[1], numbered), variables);
}

}  // namespace affirm::terms
