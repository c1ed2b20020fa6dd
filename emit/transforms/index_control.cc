// Conditions, casts, branches, loops and calls in the analysis of index arithmetic.
#include <algorithm>

#include "core/symbolic/context.h"
#include "emit/transforms/index_terms.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/TypeUtilities.h"

namespace affirm::emit {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Operation;

namespace {

Interval HullOf(Interval a, Interval b) {
  if (a.IsEmpty()) return b;
  return b.IsEmpty() ? a : a.Hull(b);
}

// Ids without an upper bound fill a register of 32 bits at most.
constexpr int64_t kMaxId = (int64_t{1} << 32) - 1;

// The formula of a signed comparison.
Formula Compared(arith::CmpIPredicate p, SymbolicExpr a, SymbolicExpr b) {
  using Predicate = arith::CmpIPredicate;
  switch (p) {
    case Predicate::eq:
      return Formula::Eq(a, b);
    case Predicate::ne:
      return Formula::Not(Formula::Eq(a, b));
    case Predicate::slt:
      return Formula::Not(Formula::Le(b, a));
    case Predicate::sle:
      return Formula::Le(a, b);
    case Predicate::sgt:
      return Formula::Not(Formula::Le(a, b));
    default:
      return Formula::Le(b, a);
  }
}

}  // namespace

bool IndexTerms::VisitCondition(Operation* op) {
  if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op)) {
    Compare(compare);
    return true;
  }
  if (auto select = mlir::dyn_cast<arith::SelectOp>(op)) {
    Select(select);
    return true;
  }
  if (!mlir::isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) ||
      !op->getResult(0).getType().isInteger(1)) {
    return false;
  }
  auto a = ConditionOf(op->getOperand(0)), b = ConditionOf(op->getOperand(1));
  if (!a || !b) return true;
  Formula either = Formula::Or({*a, *b}), both = Formula::And({*a, *b});
  Formula holds = mlir::isa<arith::AndIOp>(op)  ? both
                  : mlir::isa<arith::OrIOp>(op) ? either
                                                : Formula::And({either, Formula::Not(both)});
  conditions_.try_emplace(op->getResult(0), holds);
  return true;
}

void IndexTerms::Compare(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  if (!IsInteger(op.getLhs().getType()) || op.getLhs().getType().isInteger(1)) return;
  SymbolicExpr a = TermOf(op.getLhs()), b = TermOf(op.getRhs());
  Predicate p = op.getPredicate();
  Formula holds = Formula::True();
  if (p < Predicate::ult) {
    holds = Compared(p, a, b);
  } else {
    // a ugt b is b ult a.
    if (p == Predicate::ugt || p == Predicate::uge) std::swap(a, b);
    bool strict = p == Predicate::ult || p == Predicate::ugt;
    Formula less = strict ? Formula::Not(Formula::Le(b, a)) : Formula::Le(a, b);
    SymbolicExpr zero = assumptions_.context().Constant(0);
    if (Proves(op, b, kNonnegative)) {
      // A value that is less, unsigned, than a nonnegative number is nonnegative too.
      holds = Formula::And({Formula::Le(zero, a), less});
    } else if (Proves(op, a, kNonnegative)) {
      // Every negative number is greater.
      holds = Formula::Or({Formula::Not(Formula::Le(zero, b)), less});
    } else {
      return Unproved(op, {}, {}, "an unsigned comparison of what may be negative");
    }
  }
  if (IsIndex(op.getLhs().getType())) ++result_.proved;
  conditions_.try_emplace(op.getResult(), holds);
}

void IndexTerms::Select(arith::SelectOp op) {
  mlir::Type type = op.getType();
  if (!IsInteger(type) || type.isInteger(1)) return;
  SymbolicExpr a = TermOf(op.getTrueValue()), b = TermOf(op.getFalseValue());
  Interval range =
      HullOf(assumptions_.RangeOf(a), assumptions_.RangeOf(b)).Intersect(RangeOfType(type));
  SymbolicExpr chosen = assumptions_.Fresh(range, "chosen");
  if (auto condition = ConditionOf(op.getCondition())) {
    assumptions_.Define(Formula::Implies(*condition, Formula::Eq(chosen, a)));
    assumptions_.Define(Formula::Or({*condition, Formula::Eq(chosen, b)}));
  }
  terms_[op.getResult()] = chosen;
  if (IsIndex(type)) ++result_.proved;
}

bool IndexTerms::VisitCast(Operation* op) {
  if (mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    if (IsIntegerOrVector(op->getResult(0).getType()) &&
        IsIntegerOrVector(op->getOperand(0).getType())) {
      Cast(op, mlir::isa<arith::IndexCastUIOp>(op));
    } else {
      Unproved(op, {}, {}, "a cast of a type whose values are not known");
    }
    return true;
  }
  if (!mlir::isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op) ||
      !IsInteger(op->getResult(0).getType())) {
    return false;
  }
  mlir::Type from = op->getOperand(0).getType();
  SymbolicExpr term = TermOf(op->getOperand(0));
  Interval range = assumptions_.RangeOf(term);
  if (mlir::isa<arith::ExtUIOp>(op) && !range.Within(kNonnegative)) {
    // Some number of that many bits.
    int64_t end = int64_t{1} << from.getIntOrFloatBitWidth();
    term = assumptions_.Fresh({0, end - 1}, "value");
  }
  Result(op, term);
  return true;
}

void IndexTerms::Cast(Operation* op, bool is_unsigned) {
  mlir::Type from = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type to = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  SymbolicExpr term = TermOf(op->getOperand(0));
  bool to_index = IsIndex(to);
  unsigned bits = (to_index ? from : to).getIntOrFloatBitWidth();
  // The rule that looks at types alone; ranges do not tell the ends of int64 from infinity.
  bool by_types = to_index ? bits <= bounds_.least : bits >= bounds_.most;
  if (is_unsigned && !assumptions_.Proves(term, kNonnegative)) {
    // The zeros that extend a negative number make it another one; whether they do depends on N.
    result_.proofs[op] = {.exact = by_types};
    if (!to_index || bits >= bounds_.least) {
      return Unproved(op, {}, {}, "an unsigned cast of what may be negative");
    }
    Interval read = bits < 63 ? Interval{0, (int64_t{1} << bits) - 1} : kNonnegative;
    terms_[op->getResult(0)] = assumptions_.Fresh(read, "value");
    ++result_.proved;
    return;
  }
  if (to_index) {
    if (by_types) {
      terms_[op->getResult(0)] = term;
      ++result_.proved;
    }
    result_.proofs[op] = {.exact = by_types || Result(op, term)};
    return;
  }
  // From index: what does not fit is cut off at every width alike, so it's no fault of the width.
  bool keeps = by_types || (bits < 64 ? assumptions_.Proves(term, SignedRange(bits))
                                      : assumptions_.RangeOf(term).IsBounded());
  if (!keeps && bits > bounds_.least) return Unproved(op, {}, {}, "bits past the least width");
  terms_[op->getResult(0)] = keeps ? term : assumptions_.Fresh(SignedRange(bits), "value");
  // Bits read without a sign hold one more number for each that is negative.
  bool exact = keeps;
  if (!keeps && is_unsigned && bits < 63) {
    exact = assumptions_.Proves(term, {0, (int64_t{1} << bits) - 1});
  }
  result_.proofs[op] = {.exact = exact};
  ++result_.proved;
}

bool IndexTerms::VisitControl(Operation* op) {
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op)) {
    For(loop);
  } else if (auto branch = mlir::dyn_cast<scf::IfOp>(op)) {
    If(branch);
  } else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
    Call(call);
  } else {
    return false;
  }
  return true;
}

void IndexTerms::For(scf::ForOp op) {
  if (!IsInteger(op.getInductionVar().getType())) return Region(op.getRegion());
  SymbolicExpr lower = TermOf(op.getLowerBound()), upper = TermOf(op.getUpperBound());
  SymbolicExpr step = TermOf(op.getStep());
  // Numbers that are not negative compare alike with and without a sign.
  bool compares = !op.getUnsignedCmp() || (assumptions_.RangeOf(lower).Within(kNonnegative) &&
                                           assumptions_.RangeOf(upper).Within(kNonnegative));
  bool forward = compares && assumptions_.RangeOf(step).Within(kPositive);
  if (!forward) {
    Unproved(op, {}, {}, "a loop whose step may not be positive");
    return Region(op.getRegion());
  }
  // The last step passes the end before the loop notices.
  SymbolicExpr past = upper + step - 1;
  unsigned bits = BitsOf(op.getInductionVar().getType());
  SymbolicExpr most = assumptions_.context().Constant(SignedRange(bits).upper);
  SolverResult fits = assumptions_.Prove(Formula::Le(past, most));
  if (fits.verdict == Verdict::kProved) {
    if (TouchesIndex(op)) ++result_.proved;
  } else {
    // A variable that wraps goes on below where it began.
    Unproved(op, past, fits, "does not fit in " + std::to_string(bits) + " bits");
    lower = assumptions_.Fresh(RangeOfType(op.getInductionVar().getType()), "wrapped");
  }
  Interval from = assumptions_.RangeOf(lower),
           to = assumptions_.RangeOf(upper) - Interval::Point(1);
  SymbolicExpr at = assumptions_.Fresh({from.lower, std::max(from.lower, to.upper)}, "i");
  terms_[op.getInductionVar()] = at;
  assumptions_.Enter(Formula::And({Formula::Le(lower, at), Formula::Le(at, upper - 1)}));
  Region(op.getRegion());
  assumptions_.Leave();
}

void IndexTerms::If(scf::IfOp op) {
  auto condition = ConditionOf(op.getCondition());
  assumptions_.Enter(condition.value_or(Formula::True()));
  Region(op.getThenRegion());
  assumptions_.Leave();
  assumptions_.Enter(condition ? Formula::Not(*condition) : Formula::True());
  Region(op.getElseRegion());
  assumptions_.Leave();
}

void IndexTerms::Call(mlir::func::CallOp op) {
  auto [known, fresh] = calls_.try_emplace(op.getCallee().str());
  std::vector<Interval>& ranges = known->second;
  ranges.resize(op.getNumOperands(), Interval::Empty());
  for (auto [k, operand] : llvm::enumerate(op.getOperands())) {
    if (IsIndex(operand.getType()))
      ranges[k] = HullOf(ranges[k], assumptions_.RangeOf(TermOf(operand)));
  }
}

void IndexTerms::VectorConstant(arith::ConstantOp op, mlir::DenseIntElementsAttr elements) {
  if (!IsIntegerOrVector(op.getType())) return;
  Interval range = Interval::Empty();
  for (const llvm::APInt& element : elements.getValues<llvm::APInt>()) {
    range = HullOf(range, Interval::Point(element.getSExtValue()));
  }
  if (!range.Within(SignedRange(BitsOf(op.getType())))) return;
  terms_[op.getResult()] = assumptions_.Fresh(range, "element");
}

bool IndexTerms::VisitSource(Operation* op) {
  auto id = [&](std::optional<llvm::APInt> bound, mlir::gpu::Dimension dimension,
                const char* name) {
    int64_t last = bound ? bound->getSExtValue() - 1 : kMaxId;
    Result(op,
           assumptions_.Fresh({0, last}, name + mlir::gpu::stringifyDimension(dimension).str()));
  };
  if (auto thread = mlir::dyn_cast<mlir::gpu::ThreadIdOp>(op)) {
    id(thread.getUpperBound(), thread.getDimension(), "th_");
  } else if (auto block = mlir::dyn_cast<mlir::gpu::BlockIdOp>(op)) {
    id(block.getUpperBound(), block.getDimension(), "bl_");
  } else if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
    if (auto elements = mlir::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue())) {
      VectorConstant(constant, elements);
    }
    auto value = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue());
    if (!value || !IsInteger(constant.getType())) return true;
    if (constant.getType().isInteger(1)) {
      conditions_.try_emplace(constant.getResult(),
                              value.getValue().isZero() ? Formula::False() : Formula::True());
      return true;
    }
    Result(op, assumptions_.context().Constant(value.getValue().getSExtValue()));
  } else {
    return false;
  }
  return true;
}

}  // namespace affirm::emit
