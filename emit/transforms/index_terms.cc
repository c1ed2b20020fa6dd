// Arithmetic on index values as terms. The control flow is in index_control.cc.
#include "emit/transforms/index_terms.h"

#include "core/symbolic/context.h"
#include "mlir/IR/TypeUtilities.h"
#include "verify/decide/evaluate.h"
#include "verify/width/width.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using mlir::Operation;
using mlir::Value;

namespace {

// A term with more nodes becomes a variable with its range.
constexpr uint32_t kMaxTermSize = 500;

// Whether the op uses vectors of index values, which are not analyzed.
bool HasIndexVectors(Operation* op) {
  auto is_vector = [](mlir::Type type) {
    return !type.isIndex() && mlir::getElementTypeOrSelf(type).isIndex();
  };
  return llvm::any_of(op->getOperandTypes(), is_vector) ||
         llvm::any_of(op->getResultTypes(), is_vector);
}

}  // namespace

bool IsIntegerOrVector(mlir::Type type) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  return IsInteger(vector ? vector.getElementType() : type);
}

bool IndexTerms::TouchesIndex(Operation* op) {
  return llvm::any_of(op->getOperandTypes(), IsIndex) ||
         llvm::any_of(op->getResultTypes(), IsIndex);
}

Interval IndexTerms::RangeOfType(mlir::Type type) const {
  type = mlir::getElementTypeOrSelf(type);
  return SignedRange(IsIndex(type) ? bounds_.most : type.getIntOrFloatBitWidth());
}

unsigned IndexTerms::BitsOf(mlir::Type type) const {
  type = mlir::getElementTypeOrSelf(type);
  return IsIndex(type) ? bounds_.least : type.getIntOrFloatBitWidth();
}

void IndexTerms::Run(mlir::func::FuncOp function) {
  auto known = calls_.find(function.getSymName());
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (!IsInteger(argument.getType())) continue;
    Interval range = RangeOfType(argument.getType());
    // The type of an integer bounds it. An index is bounded by the calls of the function, unless
    // the function is visible elsewhere.
    if (IsIndex(argument.getType()) && function.isPrivate() && known != calls_.end()) {
      range = range.Intersect(known->second[argument.getArgNumber()]);
    }
    terms_[argument] = assumptions_.Fresh(range, "arg" + std::to_string(argument.getArgNumber()));
  }
  Region(function.getBody());
}

void IndexTerms::Region(mlir::Region& region) {
  for (mlir::Block& block : region) {
    for (Operation& op : block) Visit(&op);
  }
}

void IndexTerms::Visit(Operation* op) {
  if (until_unproved_ && !result_.Safe() && !mlir::isa<arith::ConstantOp>(result_.Reason().op)) {
    return;
  }
  if (HasIndexVectors(op)) {
    result_.unproved.push_back(
        {op, Verdict::kUnknown, op->getName().stripDialect().str() + ": a vector of indices"});
  }
  if (VisitArithmetic(op) || VisitDivision(op) || VisitBits(op) || VisitCondition(op) ||
      VisitCast(op) || VisitControl(op) || VisitSource(op)) {
    return;
  }
  for (mlir::Region& region : op->getRegions()) Region(region);
  // An unknown operation may give another index at another width.
  if (llvm::any_of(op->getResultTypes(), IsIndex)) {
    Unproved(op, {}, {}, "an operation on index that is not known");
  }
}

SymbolicExpr IndexTerms::TermOf(Value value) {
  auto known = terms_.find(value);
  if (known != terms_.end()) return known->second;
  SymbolicExpr term = assumptions_.Fresh(RangeOfType(value.getType()), "value");
  terms_[value] = term;
  return term;
}

std::optional<Formula> IndexTerms::ConditionOf(Value value) {
  auto known = conditions_.find(value);
  if (known == conditions_.end()) return std::nullopt;
  return known->second;
}

void IndexTerms::Unproved(Operation* op, SymbolicExpr term, const SolverResult& answer,
                          llvm::StringRef what) {
  if (!TouchesIndex(op)) return;
  std::string text = op->getName().stripDialect().str() + ": ";
  if (term && answer.verdict == Verdict::kRefuted) {
    std::string value;
    if (auto v = EvaluateTerm(term, answer.counterexample)) llvm::raw_string_ostream(value) << *v;
    std::string point = assumptions_.PointText(term, answer.counterexample);
    text += value + (point.empty() ? "" : " at " + point) + ", " + what.str();
  } else {
    text += what.str() + (answer.reason.empty() ? "" : " (" + answer.reason + ")");
  }
  result_.unproved.push_back({op, answer.verdict, text});
}

bool IndexTerms::Result(Operation* op, SymbolicExpr term) {
  Value value = op->getResult(0);
  unsigned bits = BitsOf(value.getType());
  SolverResult answer;
  bool fits = false;
  if (term) {
    Interval range = assumptions_.RangeOf(term);
    fits = bits >= 64 ? range.IsBounded() : range.Within(SignedRange(bits));
    if (!fits && IsIndex(value.getType())) {
      answer = assumptions_.Prove(Fits(term, bits, Signedness::kSigned));
      fits = answer.verdict == Verdict::kProved;
    }
    if (fits && term.size() > kMaxTermSize) term = assumptions_.Fresh(range, "value");
  }
  if (fits) {
    terms_[value] = term;
    if (TouchesIndex(op)) ++result_.proved;
  } else {
    TermOf(value);  // anything
    Unproved(op, term, answer, "does not fit in " + std::to_string(bits) + " bits");
  }
  return fits;
}

bool IndexTerms::Proves(Operation* op, SymbolicExpr e, Interval bounds) {
  if (TouchesIndex(op)) return assumptions_.Proves(e, bounds);
  return assumptions_.RangeOf(e).Within(bounds);
}

bool IndexTerms::VisitArithmetic(Operation* op) {
  if (!mlir::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp, arith::MaxSIOp,
                 arith::MinUIOp, arith::MaxUIOp>(op) ||
      !IsInteger(op->getResult(0).getType())) {
    return false;
  }
  SymbolicExpr a = TermOf(op->getOperand(0)), b = TermOf(op->getOperand(1));
  auto nonnegative = [&](SymbolicExpr e) { return assumptions_.RangeOf(e).Within(kNonnegative); };
  if (mlir::isa<arith::MinUIOp, arith::MaxUIOp>(op)) {
    bool is_min = mlir::isa<arith::MinUIOp>(op);
    if (Proves(op, a, kNonnegative) && Proves(op, b, kNonnegative)) {
      Result(op, is_min ? a.Min(b) : a.Max(b));
    } else if (is_min && nonnegative(b)) {
      // The result is at most b, signed or unsigned.
      Unproved(op, {}, {}, "an operand may be negative");
      terms_[op->getResult(0)] = assumptions_.Fresh({0, assumptions_.RangeOf(b).upper}, "minimum");
    } else {
      Unproved(op, {}, {}, "an operand may be negative");
    }
    return true;
  }
  if (mlir::isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    // The result is one of the operands, which are assumed to fit.
    SymbolicExpr term = mlir::isa<arith::MinSIOp>(op) ? a.Min(b) : a.Max(b);
    if (term.size() > kMaxTermSize) term = assumptions_.Fresh(assumptions_.RangeOf(term), "value");
    terms_[op->getResult(0)] = term;
    if (TouchesIndex(op)) ++result_.proved;
    return true;
  }
  SymbolicExpr term;
  if (mlir::isa<arith::AddIOp>(op)) term = a + b;
  if (mlir::isa<arith::SubIOp>(op)) term = a - b;
  if (mlir::isa<arith::MulIOp>(op)) term = a * b;
  bool wraps_never = Result(op, term);
  // No number here is negative, and none reaches the sign bit.
  bool unsigned_too =
      nonnegative(a) && nonnegative(b) && (!mlir::isa<arith::SubIOp>(op) || nonnegative(term));
  result_.proofs[op] = {.nsw = wraps_never, .nuw = wraps_never && unsigned_too};
  return true;
}

SymbolicExpr IndexTerms::Truncated(SymbolicExpr x, SymbolicExpr y) {
  SymbolicExpr zero = assumptions_.context().Constant(0);
  if (assumptions_.RangeOf(y).Within(kPositive)) {
    if (assumptions_.RangeOf(x).Within(kNonnegative)) return x.FloorDiv(y);
    return x.Max(zero).FloorDiv(y) - (-x).Max(zero).FloorDiv(y);
  }
  if (assumptions_.RangeOf(-y).Within(kPositive)) {
    return (-x).Max(zero).FloorDiv(-y) - x.Max(zero).FloorDiv(-y);
  }
  return {};
}

bool IndexTerms::VisitDivision(Operation* op) {
  if (!mlir::isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp,
                 arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op) ||
      !IsInteger(op->getResult(0).getType())) {
    return false;
  }
  SymbolicExpr a = TermOf(op->getOperand(0)), b = TermOf(op->getOperand(1));
  bool plain = Proves(op, a, kNonnegative) && Proves(op, b, kPositive);
  if (mlir::isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op) && !plain) {
    UnsignedDivision(op);
    return true;
  }
  SymbolicExpr term;
  if (mlir::isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    if (!assumptions_.RangeOf(b).Contains(0)) term = a.CeilDiv(b);
  } else if (mlir::isa<arith::FloorDivSIOp>(op)) {
    if (!assumptions_.RangeOf(b).Contains(0)) term = a.FloorDiv(b);
  } else if (mlir::isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    // The remainder of the least integer by -1 traps, although it is 0.
    bool traps = assumptions_.RangeOf(b).Contains(-1);
    SymbolicExpr quotient = plain || traps ? SymbolicExpr() : Truncated(a, b);
    term = plain ? a.Mod(b) : quotient ? a - b * quotient : quotient;
    // The range of the difference is too wide: states the range of a remainder.
    Interval divisor = assumptions_.RangeOf(b);
    if (!plain && !TouchesIndex(op) && divisor.Within(kPositive) && divisor.upper < kInt64Max) {
      Interval range = {1 - divisor.upper, divisor.upper - 1};
      if (assumptions_.RangeOf(a).Within(kNonnegative)) range.lower = 0;
      if (!assumptions_.RangeOf(term).Within(range)) term = assumptions_.Fresh(range, "remainder");
    }
  } else {
    term = plain ? a.FloorDiv(b) : Truncated(a, b);
  }
  bool fits = Result(op, term);
  result_.proofs[op] = {.nonnegative = plain && fits};
  return true;
}

}  // namespace affirm::emit
