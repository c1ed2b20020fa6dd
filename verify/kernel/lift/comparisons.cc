// Comparisons of integers, conditions and floats.
#include <limits>
#include <optional>

#include "core/hlo/float_format.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using Claim = Obligation::Claim;

// (x, w) if the term is x - 2^w * floor(x / 2^w), the zero extension of a loaded integer x of width
// w.
static std::optional<std::pair<Term, int64_t>> Narrow(Term a) {
  if (a->kind != terms::Kind::kSum || a->number != 0 || a->sum.size() != 2) return std::nullopt;
  for (int k = 0; k < 2; ++k) {
    Term x = a->sum[k].atom, q = a->sum[1 - k].atom;
    if (a->sum[k].coefficient != 1 || q->kind != terms::Kind::kQuotient || q->args[0] != x ||
        a->sum[1 - k].coefficient != -q->number) {
      continue;
    }
    for (int64_t width : {8, 16, 32}) {
      Int128 half = Int128{1} << (width - 1);
      if (q->number == half * 2 && x->range.lo >= -half && x->range.hi < half)
        return std::pair(x, width);
    }
  }
  return std::nullopt;
}

Term Lifter::CompareIntegers(llvm::CmpInst::Predicate predicate, Term a, Term b, int64_t width) {
  using P = llvm::CmpInst;
  // A pick between constants is compared arm by arm.
  auto chosen = [](Term t) {
    return t->kind == terms::Kind::kPick && t->args[1]->IsNumber() && t->args[2]->IsNumber();
  };
  if (chosen(a) && b->IsNumber()) {
    return pool_.Or(
        {pool_.And({a->args[0], CompareIntegers(predicate, a->args[1], b, width)}),
         pool_.And({pool_.Not(a->args[0]), CompareIntegers(predicate, a->args[2], b, width)})});
  }
  // A zero-extended integer is compared in its own width.
  if (auto narrow = Narrow(a); narrow && !P::isEquality(predicate)) {
    Int128 half = Int128{1} << (narrow->second - 1);
    terms::Range range = scope_.RangeOf(b);
    if (narrow->second < width && range.lo >= 0 && range.hi < half) {
      return CompareIntegers(llvm::ICmpInst::getUnsignedPredicate(predicate), narrow->first, b,
                             narrow->second);
    }
  }
  switch (predicate) {
    case P::ICMP_EQ:
      return terms::MachineEqual(scope_, a, b, width);
    case P::ICMP_NE:
      return pool_.Not(terms::MachineEqual(scope_, a, b, width));
    case P::ICMP_SLT:
      return terms::SignedLess(scope_, a, b, width);
    case P::ICMP_SGT:
      return terms::SignedLess(scope_, b, a, width);
    case P::ICMP_SLE:
      return pool_.Not(terms::SignedLess(scope_, b, a, width));
    case P::ICMP_SGE:
      return pool_.Not(terms::SignedLess(scope_, a, b, width));
    case P::ICMP_ULT:
      return terms::UnsignedLess(scope_, a, b, width);
    case P::ICMP_UGT:
      return terms::UnsignedLess(scope_, b, a, width);
    case P::ICMP_ULE:
      return pool_.Not(terms::UnsignedLess(scope_, b, a, width));
    case P::ICMP_UGE:
      return pool_.Not(terms::UnsignedLess(scope_, a, b, width));
    default:
      Fail(*now_, "a comparison of integers of this kind");
      return pool_.Holds(pool_.Arbitrary(hlo::PrimitiveType::kPred));
  }
}

static bool IsMagnitude(Term value) {
  return value->kind == terms::Kind::kApply && value->op() == terms::Op::kAbs;
}
static bool IsInfinity(Term value) {
  return value->kind == terms::Kind::kLiteral && hlo::IsFloat(value->type) &&
         hlo::DecodeFloat(value->type, static_cast<uint64_t>(value->number)) ==
             std::numeric_limits<double>::infinity();
}

Term Lifter::CompareFloats(llvm::CmpInst::Predicate predicate, Term a, Term b) {
  using P = llvm::CmpInst;
  auto holds = [&](const char* direction, Term x, Term y) {
    return pool_.Holds(terms::CompareFloats(pool_, direction, false, x, y));
  };
  // A value is NaN where it is not equal to itself.
  auto ordered = [&] { return pool_.And({holds("EQ", a, a), holds("EQ", b, b)}); };
  switch (predicate) {
    case P::FCMP_OEQ:
      return holds("EQ", a, b);
    case P::FCMP_OLT:
      return holds("LT", a, b);
    case P::FCMP_OLE:
      return holds("LE", a, b);
    case P::FCMP_OGT:
      return holds("LT", b, a);
    case P::FCMP_OGE:
      return holds("LE", b, a);
    case P::FCMP_ONE:
      // |x| one inf is |x| < inf.
      if (IsMagnitude(a) && IsInfinity(b)) return holds("LT", a, b);
      if (IsMagnitude(b) && IsInfinity(a)) return holds("LT", b, a);
      return pool_.And({ordered(), pool_.Not(holds("EQ", a, b))});
    case P::FCMP_ORD:
      return ordered();
    case P::FCMP_FALSE:
      return pool_.False();
    default:
      return pool_.Not(CompareFloats(P::getInversePredicate(predicate), a, b));
  }
}

Value Lifter::Compare(const llvm::CmpInst& i, const Value& a, const Value& b, llvm::Type* type) {
  if (failed()) return {};
  ObligeNoPoison(a);
  ObligeNoPoison(b);
  Value result = CompareValues(i, a, b, type);
  return failed() ? Value{} : Combined({a, b}, result, i.getType()->getScalarType());
}

// Comparison of i1: true is 1 unsigned, and -1 signed.
Value Lifter::CompareBits(const llvm::CmpInst& i, Term a, Term b) {
  if (llvm::cast<llvm::ICmpInst>(i).hasSameSign()) return Fail(i, "samesign");
  Term both = pool_.And({a, b}), none = pool_.And({pool_.Not(a), pool_.Not(b)}),
       equal = pool_.Or({both, none});
  Term less = pool_.And({pool_.Not(a), b}), more = pool_.And({a, pool_.Not(b)});
  switch (i.getPredicate()) {
    case llvm::CmpInst::ICMP_EQ:
      return Value::Condition(equal);
    case llvm::CmpInst::ICMP_NE:
      return Value::Condition(pool_.Not(equal));
    // Signed, true is less than false.
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_SGT:
      return Value::Condition(less);
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_SLT:
      return Value::Condition(more);
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_SGE:
      return Value::Condition(pool_.Not(more));
    case llvm::CmpInst::ICMP_UGE:
    case llvm::CmpInst::ICMP_SLE:
      return Value::Condition(pool_.Not(less));
    default:
      return Fail(i, "a comparison of bits of this kind");
  }
}

Value Lifter::CompareValues(const llvm::CmpInst& i, const Value& a, const Value& b,
                            llvm::Type* type) {
  if (type->isFloatingPointTy()) {
    Term x = RequireData(a, type), y = RequireData(b, type);
    return failed() ? Value{} : Value(Value::Condition(CompareFloats(i.getPredicate(), x, y)));
  }
  if (type->isIntegerTy(1)) return CompareBits(i, RequireCondition(a), RequireCondition(b));
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64)
    return Fail(i, "a comparison of this type");
  const int64_t width = type->getIntegerBitWidth();
  Term x = RequireInteger(a), y = RequireInteger(b);
  if (failed()) return {};
  if (llvm::cast<llvm::ICmpInst>(i).hasSameSign()) {
    auto is_negative = [&](Term integer) {
      return terms::SignedLess(scope_, integer, pool_.Number(0), width);
    };
    Term one = is_negative(x), other = is_negative(y);
    Oblige(Claim::kIntegers, "samesign: both are negative, or none is",
           pool_.Or({pool_.And({one, other}), pool_.And({pool_.Not(one), pool_.Not(other)})}));
  }
  return Value::Condition(CompareIntegers(i.getPredicate(), x, y, width));
}

}  // namespace affirm::kernel
