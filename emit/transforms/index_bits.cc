// Masks, shifts and remainders of numbers of either sign, in the analysis of index arithmetic.
//
// and, or and xor do the same to the sign-extended bits of their operands at every width: the
// integer is the same, and it fits where both operands do. A shift to the right by the sign is a
// floordiv by a power of two. Unsigned shifts and divisions of what may be negative depend on the
// width, but their results are bounded at every one: x remui 100 lies in [0, 99].
#include <algorithm>

#include "emit/transforms/index_terms.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using mlir::Operation;

namespace {

// Numbers from 0 on with no more bits than the largest of the range has; all of them past int64.
Interval BitsAsIn(int64_t upper) {
  if (upper < 0 || upper == kInt64Max) return kNonnegative;
  auto bits = static_cast<unsigned>(llvm::bit_width(static_cast<uint64_t>(upper)));
  return {0, static_cast<int64_t>((uint64_t{1} << bits) - 1)};
}

// The numbers of `bits` bits read without a sign, divided by `divisor`; all nonnegative numbers
// where they exceed int64.
Interval UnsignedOver(unsigned bits, int64_t divisor) {
  if (bits > 64) return kNonnegative;
  uint64_t top = (bits == 64 ? uint64_t{0} : uint64_t{1} << bits) - 1;
  uint64_t most = top / static_cast<uint64_t>(divisor);
  return {0, static_cast<int64_t>(std::min<uint64_t>(most, kInt64Max))};
}

}  // namespace

bool IndexTerms::VisitBits(Operation* op) {
  mlir::Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : mlir::Type();
  if (!type || !IsInteger(type) || type.isInteger(1)) return false;
  if (mlir::isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    Bitwise(op);
  } else if (mlir::isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    Shift(op);
  } else {
    return false;
  }
  return true;
}

void IndexTerms::Bitwise(Operation* op) {
  SymbolicExpr a = TermOf(op->getOperand(0)), b = TermOf(op->getOperand(1));
  if (a.IsConstant()) std::swap(a, b);
  Interval x = assumptions_.RangeOf(a), y = assumptions_.RangeOf(b);
  bool a_nonnegative = x.Within(kNonnegative), b_nonnegative = y.Within(kNonnegative);
  SymbolicExpr term;
  if (mlir::isa<arith::AndIOp>(op)) {
    int64_t mask = b.IsConstant() ? b.value() : -1;
    if (mask >= 0 && mask < kInt64Max && llvm::isPowerOf2_64(static_cast<uint64_t>(mask) + 1)) {
      term = a.Mod(mask + 1);
    } else if (a_nonnegative || b_nonnegative) {
      int64_t upper =
          std::min(a_nonnegative ? x.upper : kInt64Max, b_nonnegative ? y.upper : kInt64Max);
      term = assumptions_.Fresh({0, upper}, "masked");
    }
  } else if (a_nonnegative && b_nonnegative) {
    term = assumptions_.Fresh(BitsAsIn(std::max(x.upper, y.upper)), "bits");
  }
  if (term) terms_[op->getResult(0)] = term;
  TermOf(op->getResult(0));
  if (TouchesIndex(op)) ++result_.proved;
}

void IndexTerms::Shift(Operation* op) {
  mlir::Type type = op->getResult(0).getType();
  SymbolicExpr a = TermOf(op->getOperand(0)), amount = TermOf(op->getOperand(1));
  Interval by = assumptions_.RangeOf(amount), x = assumptions_.RangeOf(a);
  if (!by.Within({0, static_cast<int64_t>(BitsOf(type)) - 1})) {
    return Unproved(op, {}, {}, "a shift by what may be more bits than there are");
  }
  bool known = by.lower == by.upper && by.lower <= 62;
  if (mlir::isa<arith::ShLIOp>(op)) {
    SymbolicExpr term = known ? a * (int64_t{1} << by.lower) : SymbolicExpr();
    bool fits = Result(op, term);
    result_.proofs[op] = {.nsw = fits, .nuw = fits && x.Within(kNonnegative)};
    return;
  }
  SymbolicExpr term;
  if (mlir::isa<arith::ShRUIOp>(op) && !Proves(op, a, kNonnegative)) {
    Unproved(op, {}, {}, "an unsigned shift of what may be negative");
    if (by.lower == 0 || by.lower > 62) return;
    unsigned bits = IsIndex(type) ? bounds_.most : type.getIntOrFloatBitWidth();
    Interval range = UnsignedOver(bits, int64_t{1} << by.lower);
    if (bits <= 64) terms_[op->getResult(0)] = assumptions_.Fresh(range, "shifted");
    return;
  }
  if (known) {
    term = a.FloorDiv(int64_t{1} << by.lower);
    unsigned bits = IsIndex(type) ? bounds_.most : type.getIntOrFloatBitWidth();
    auto dropped = static_cast<unsigned>(by.lower);
    // As many bits as are left; ranges do not see the ends of int64.
    if (bits <= 64 && dropped > 0 && !assumptions_.RangeOf(term).IsBounded()) {
      term = assumptions_.Fresh(SignedRange(bits - dropped), "shifted");
    }
  } else {
    term = assumptions_.Fresh({std::min<int64_t>(x.lower, 0), std::max<int64_t>(x.upper, 0)},
                              "shifted");
  }
  terms_[op->getResult(0)] = term;
  if (TouchesIndex(op)) ++result_.proved;
}

void IndexTerms::UnsignedDivision(Operation* op) {
  Unproved(op, {}, {}, "an unsigned division of what may be negative");
  mlir::Type type = op->getResult(0).getType();
  Interval divisor = assumptions_.RangeOf(TermOf(op->getOperand(1)));
  if (!divisor.Within(kPositive)) return;
  Interval range = Interval::All();
  if (mlir::isa<arith::RemUIOp>(op)) {
    range = {0, divisor.upper == kInt64Max ? kInt64Max : divisor.upper - 1};
  } else if (mlir::isa<arith::DivUIOp>(op) && divisor.lower > 1) {
    unsigned bits = IsIndex(type) ? bounds_.most : type.getIntOrFloatBitWidth();
    if (bits <= 64) range = UnsignedOver(bits, divisor.lower);
  }
  if (!range.Within(kNonnegative)) return;
  terms_[op->getResult(0)] = assumptions_.Fresh(range, "value");
}

}  // namespace affirm::emit
