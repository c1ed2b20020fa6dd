// Integer arithmetic of the emulator against a direct computation with LLVM's APInt.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "llvm/ADT/APInt.h"
#include "verify/kernel/emulator/integer_ops.h"

namespace affirm::kernel {
namespace {

using llvm::APInt;

struct Operands {
  unsigned width;
  uint64_t a, b;
  APInt A() const { return {width, a}; }
  APInt B() const { return {width, b}; }
};

Operands Any() {
  const unsigned width = *rc::gen::element(1u, 4u, 8u, 16u, 31u, 32u, 64u);
  auto number = [&] {
    const uint64_t corner = *rc::gen::element<uint64_t>(
        0, 1, 2, ~uint64_t{0}, uint64_t{1} << (width - 1), (uint64_t{1} << (width - 1)) - 1);
    const uint64_t any = *rc::gen::arbitrary<uint64_t>();
    return (*rc::gen::arbitrary<bool>() ? corner : any) & MaskOf(width);
  };
  return {width, number(), number()};
}

RC_GTEST_PROP(Integers, WrapsAreNoticed, ()) {
  const Operands x = Any();
  auto check = [&](Op op, bool is_signed, bool overflow) {
    const uint8_t flag = is_signed ? kNoSignedWrap : kNoUnsignedWrap;
    RC_ASSERT(WrapsAgainstFlags(op, x.a, x.b, x.width, flag) == overflow);
    RC_ASSERT(!WrapsAgainstFlags(op, x.a, x.b, x.width, 0));
  };
  bool o = false;
  (void)x.A().sadd_ov(x.B(), o);
  check(Op::kAdd, true, o);
  (void)x.A().uadd_ov(x.B(), o);
  check(Op::kAdd, false, o);
  (void)x.A().ssub_ov(x.B(), o);
  check(Op::kSub, true, o);
  (void)x.A().usub_ov(x.B(), o);
  check(Op::kSub, false, o);
  (void)x.A().smul_ov(x.B(), o);
  check(Op::kMul, true, o);
  (void)x.A().umul_ov(x.B(), o);
  check(Op::kMul, false, o);
  if (x.b < x.width) {
    (void)x.A().sshl_ov(x.B(), o);
    check(Op::kShl, true, o);
    (void)x.A().ushl_ov(x.B(), o);
    check(Op::kShl, false, o);
  }
}

RC_GTEST_PROP(Integers, Shifts, ()) {
  Operands x = Any();
  x.b = *rc::gen::inRange<uint64_t>(0, x.width + 2);
  for (Op op : {Op::kShl, Op::kLShr, Op::kAShr}) {
    const IntegerResult result = Shift(op, x.a, x.b, x.width, kExact);
    if (x.b >= x.width) {
      RC_ASSERT(result.poison);
      continue;
    }
    const auto by = static_cast<unsigned>(x.b);
    const APInt want = op == Op::kShl    ? x.A().shl(by)
                       : op == Op::kLShr ? x.A().lshr(by)
                                         : x.A().ashr(by);
    RC_ASSERT(result.bits == want.getZExtValue());
    const bool lost = by > 0 && x.A().countr_zero() < by;
    RC_ASSERT(result.poison == (op != Op::kShl && lost));
  }
}

RC_GTEST_PROP(Integers, Division, ()) {
  const Operands x = Any();
  RC_PRE(x.b != 0);
  RC_PRE(!(x.A().isMinSignedValue() && x.B().isAllOnes()));
  RC_ASSERT(Divide(Op::kUDiv, x.a, x.b, x.width, 0).bits == x.A().udiv(x.B()).getZExtValue());
  RC_ASSERT(Divide(Op::kURem, x.a, x.b, x.width, 0).bits == x.A().urem(x.B()).getZExtValue());
  RC_ASSERT(Divide(Op::kSDiv, x.a, x.b, x.width, 0).bits == x.A().sdiv(x.B()).getZExtValue());
  RC_ASSERT(Divide(Op::kSRem, x.a, x.b, x.width, 0).bits == x.A().srem(x.B()).getZExtValue());
  RC_ASSERT(Divide(Op::kUDiv, x.a, x.b, x.width, kExact).poison == !x.A().urem(x.B()).isZero());
  RC_ASSERT(Divide(Op::kSDiv, x.a, x.b, x.width, kExact).poison == !x.A().srem(x.B()).isZero());
}

RC_GTEST_PROP(Integers, Comparisons, ()) {
  const Operands x = Any();
  for (unsigned p = llvm::CmpInst::FIRST_ICMP_PREDICATE; p <= llvm::CmpInst::LAST_ICMP_PREDICATE;
       ++p) {
    const auto predicate = static_cast<llvm::CmpInst::Predicate>(p);
    const bool want = llvm::CmpInst::isSigned(predicate)
                          ? (predicate == llvm::CmpInst::ICMP_SGT   ? x.A().sgt(x.B())
                             : predicate == llvm::CmpInst::ICMP_SGE ? x.A().sge(x.B())
                             : predicate == llvm::CmpInst::ICMP_SLT ? x.A().slt(x.B())
                                                                    : x.A().sle(x.B()))
                          : (predicate == llvm::CmpInst::ICMP_EQ    ? x.A() == x.B()
                             : predicate == llvm::CmpInst::ICMP_NE  ? x.A() != x.B()
                             : predicate == llvm::CmpInst::ICMP_UGT ? x.A().ugt(x.B())
                             : predicate == llvm::CmpInst::ICMP_UGE ? x.A().uge(x.B())
                             : predicate == llvm::CmpInst::ICMP_ULT ? x.A().ult(x.B())
                                                                    : x.A().ule(x.B()));
    const bool holds =
        Holds<uint64_t, int64_t>(p, x.a, x.b, SignExtend(x.a, x.width), SignExtend(x.b, x.width));
    RC_ASSERT(holds == want);
  }
}

RC_GTEST_PROP(Integers, Intrinsics, ()) {
  const Operands x = Any();
  auto unary = [&](IntegerFunction f) { return ComputeUnary(f, x.a, x.width, true); };
  auto binary = [&](IntegerFunction f) { return ComputeBinary(f, x.a, x.b, x.width).bits; };
  RC_ASSERT(unary(IntegerFunction::kAbs).bits == x.A().abs().getZExtValue());
  RC_ASSERT(unary(IntegerFunction::kAbs).poison == x.A().isMinSignedValue());
  RC_ASSERT(unary(IntegerFunction::kPopulation).bits == x.A().popcount());
  RC_ASSERT(unary(IntegerFunction::kLeadingZeros).bits == x.A().countl_zero());
  RC_ASSERT(unary(IntegerFunction::kTrailingZeros).bits == x.A().countr_zero());
  RC_ASSERT(unary(IntegerFunction::kTrailingZeros).poison == (x.a == 0));
  RC_ASSERT(unary(IntegerFunction::kBitReverse).bits == x.A().reverseBits().getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kSMin) == llvm::APIntOps::smin(x.A(), x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kSMax) == llvm::APIntOps::smax(x.A(), x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kUMin) == llvm::APIntOps::umin(x.A(), x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kUMax) == llvm::APIntOps::umax(x.A(), x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kSAddSat) == x.A().sadd_sat(x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kUAddSat) == x.A().uadd_sat(x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kSSubSat) == x.A().ssub_sat(x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kUSubSat) == x.A().usub_sat(x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kMulHighSigned) ==
            llvm::APIntOps::mulhs(x.A(), x.B()).getZExtValue());
  RC_ASSERT(binary(IntegerFunction::kMulHighUnsigned) ==
            llvm::APIntOps::mulhu(x.A(), x.B()).getZExtValue());
}

RC_GTEST_PROP(Integers, FunnelShifts, ()) {
  const Operands x = Any();
  const uint64_t by = *rc::gen::inRange<uint64_t>(0, 130);
  const unsigned w = x.width;
  const APInt both = x.A().concat(x.B());
  const auto k = static_cast<unsigned>(by % w);
  RC_ASSERT(FunnelShift(x.a, x.b, by, w, false) == both.shl(k).extractBits(w, w).getZExtValue());
  RC_ASSERT(FunnelShift(x.a, x.b, by, w, true) == both.lshr(k).extractBits(w, 0).getZExtValue());
}

RC_GTEST_PROP(Integers, WideArithmetic, ()) {
  const unsigned width = *rc::gen::element(65u, 96u, 128u);
  auto number = [&] {
    const uint64_t low = *rc::gen::arbitrary<uint64_t>();
    const uint64_t high =
        *rc::gen::element<uint64_t>(0, ~uint64_t{0}, 5, uint64_t{1} << (width - 65));
    return APInt(128, {low, high}).trunc(width);
  };
  const APInt a = number(), b = number();
  auto wide = [](const APInt& x) {
    const APInt full = x.zext(128);
    return static_cast<unsigned __int128>(full.extractBitsAsZExtValue(64, 64)) << 64 |
           full.extractBitsAsZExtValue(64, 0);
  };
  bool o = false;
  auto check = [&](Op op, const APInt& want, uint8_t flags, bool poison) {
    const WideResult result = ComputeWide(op, wide(a), wide(b), width, flags);
    RC_ASSERT(result.bits == wide(want));
    RC_ASSERT(result.poison == poison);
  };
  const APInt sum = a.sadd_ov(b, o);
  check(Op::kAdd, sum, kNoSignedWrap, o);
  const APInt sum_u = a.uadd_ov(b, o);
  check(Op::kAdd, sum_u, kNoUnsignedWrap, o);
  const APInt product = a.umul_ov(b, o);
  check(Op::kMul, product, kNoUnsignedWrap, o);
  const APInt product_s = a.smul_ov(b, o);
  check(Op::kMul, product_s, kNoSignedWrap, o);
  check(Op::kXor, a ^ b, 0, false);
  if (!b.isZero()) {
    check(Op::kUDiv, a.udiv(b), 0, false);
    check(Op::kURem, a.urem(b), 0, false);
    if (!b.isAllOnes()) check(Op::kSDiv, a.sdiv(b), 0, false);
  }
}

}  // namespace
}  // namespace affirm::kernel
