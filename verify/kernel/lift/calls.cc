// Calls of functions that the module does not define.
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/lift/small_floats.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using Claim = Obligation::Claim;

const Callee& Lifter::CalleeOf(const llvm::Function& function) {
  auto [it, fresh] = callees_.try_emplace(&function);
  if (fresh) it->second = ClassifyCallee(function);
  return it->second;
}

Value Lifter::Call(LiftThread& thread, const llvm::CallBase& call, const Callee& callee) {
  using K = Callee::Kind;
  auto number = [&](int64_t n) { return Value::Integer(pool_.Number(n)); };
  switch (callee.kind) {
    case K::kThread:
      return Identity(callee.dimension, false);
    case K::kBlock:
      return Identity(callee.dimension, true);
    case K::kThreads:
      return number(launch_.threads[callee.dimension]);
    case K::kBlocks:
      return number(launch_.grid[callee.dimension]);
    case K::kLane: {
      Term linear = pool_.Number(0);
      int64_t stride = 1;
      for (int d = 0; d < 3; ++d) {
        linear = pool_.Add(linear, pool_.Scale(Identity(d, false).term, stride));
        stride *= launch_.threads[d];
      }
      return Value::Integer(scope_.Residue(linear, 32));
    }
    case K::kNothing:
      return {};
    case K::kLifetime: {
      // Before it and after it, memory of a thread holds nothing.
      Value of = Get(thread.frames.back(), call.getArgOperand(call.arg_size() - 1));
      if (of.kind == Value::Kind::kPointer && OwnOf(of)) {
        ByteMemory& own = *thread.own.FindToChange(of.place - kOfThread);
        own = ByteMemory(own.bytes(), own.alignment());
      }
      return {};
    }
    case K::kMath:
    case K::kIntrinsic:
      for (const llvm::Use& arg : call.args()) {
        if (!arg->getType()->isMetadataTy()) ObligeNoPoison(Get(thread.frames.back(), arg));
      }
      if (failed()) return {};
      return callee.kind == K::kMath ? MathFunction(call, callee) : Intrinsic(thread, call);
    default:
      return Fail(call, "a function that is not known");
  }
}

Value Lifter::MathFunction(const llvm::CallBase& call, const Callee& callee) {
  auto type = TypeOf(call.getType()->getScalarType());
  if (type == hlo::PrimitiveType::kInvalid) return Fail(call, "a function of this type");
  llvm::SmallVector<Value, 3> values;
  for (const llvm::Use& arg : call.args()) {
    if (arg->getType() != call.getType()) return Fail(call, "an argument of another type");
    values.push_back(Get(thread_->frames.back(), arg));
  }
  if (failed()) return {};
  auto apply = [&](auto&& part) {
    llvm::SmallVector<Term, 3> args;
    for (const Value& value : values) {
      if (part(value).kind != Value::Kind::kData) return Fail(call, "an argument that is no float");
      args.push_back(part(value).term);
    }
    // Whether the product is rounded is left open.
    if (callee.operation == "fmuladd")
      return Value::Data(
          pool_.Apply("add", type, {pool_.Apply("multiply", type, {args[0], args[1]}), args[2]}));
    return Value::Data(pool_.Apply(callee.operation, type, args));
  };
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(call.getType());
  if (!vector) return apply([](const Value& value) { return value; });
  std::vector<Value> parts;
  for (unsigned k = 0; k < vector->getNumElements() && !failed(); ++k)
    parts.push_back(apply([k](const Value& value) { return value.list()[k]; }));
  return failed() ? Value{} : ListOf(parts);
}

// Of vectors lane by lane; operands that are no vectors are those of all lanes.
Value Lifter::IntegerFunction(const llvm::CallBase& call) {
  llvm::SmallVector<Value, 3> operands;
  for (const llvm::Use& arg : call.args()) operands.push_back(Get(thread_->frames.back(), arg));
  if (failed()) return {};
  if (call.getType()->isIntegerTy()) return IntegerFunctionOf(call, operands);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(call.getType());
  if (!vector || !vector->getElementType()->isIntegerTy())
    return Fail(call, "a function of this type");
  std::vector<Value> lanes;
  for (unsigned k = 0; k < vector->getNumElements() && !failed(); ++k) {
    llvm::SmallVector<Value, 3> of_lane;
    for (const Value& value : operands)
      of_lane.push_back(value.kind == Value::Kind::kList ? value.list()[k] : value);
    lanes.push_back(IntegerFunctionOf(call, of_lane));
  }
  return failed() ? Value{} : ListOf(lanes);
}

Value Lifter::IntegerFunctionOf(const llvm::CallBase& call, llvm::ArrayRef<Value> operands) {
  using namespace llvm;
  int64_t width = call.getType()->getScalarType()->getIntegerBitWidth();
  if (width > 64 || width == 1) return Fail(call, "an integer of this width");
  auto operand = [&](unsigned k) { return operands[k]; };
  auto as_signed = [&](unsigned k) { return terms::Signed(scope_, operand(k).term, width); };
  auto as_unsigned = [&](unsigned k) { return terms::Unsigned(scope_, operand(k).term, width); };
  hlo::PrimitiveType type = terms::IntegerType(width);
  auto apply = [&](StringRef name) {
    if (type == hlo::PrimitiveType::kInvalid) return Fail(call, "an integer of this width");
    return Value::Integer(
        pool_.IntegerOf(pool_.Apply(name, type, {pool_.OfInteger(operand(0).term, type)})));
  };
  // Of zero, the counts of zeros are the width, or poison where the last operand says so.
  auto not_zero = [&] {
    if (operand(1).term == pool_.True()) {
      Oblige(Claim::kIntegers, "the operand is not zero",
             pool_.Not(terms::MachineEqual(scope_, operand(0).term, pool_.Number(0), width)));
    }
  };
  switch (call.getIntrinsicID()) {
    case Intrinsic::smax:
      return Value::Integer(scope_.Max(as_signed(0), as_signed(1)));
    case Intrinsic::smin:
      return Value::Integer(scope_.Min(as_signed(0), as_signed(1)));
    case Intrinsic::umax:
      return Value::Integer(scope_.Max(as_unsigned(0), as_unsigned(1)));
    case Intrinsic::umin:
      return Value::Integer(scope_.Min(as_unsigned(0), as_unsigned(1)));
    case Intrinsic::abs: {
      Term a = as_signed(0), lowest = pool_.Number(-(Int128{1} << (width - 1)));
      if (operand(1).term == pool_.True()) {
        Oblige(Claim::kIntegers, "the operand is not the lowest integer",
               pool_.Not(pool_.Equal(a, lowest)));
      }
      return Value::Integer(scope_.Max(a, pool_.Scale(a, -1)));
    }
    case Intrinsic::ctpop:
      return apply("popcnt");
    case Intrinsic::ctlz:
      not_zero();
      return apply("count-leading-zeros");
    case Intrinsic::cttz:
      not_zero();
      return apply("count-trailing-zeros");
    case Intrinsic::fshl:
    case Intrinsic::fshr: {
      terms::Range by = scope_.RangeOf(
          terms::RemainderUnsigned(scope_, operand(2).term, pool_.Number(width), width));
      if (!by.single()) return Fail(call, "a rotation by what is no number");
      bool left = call.getIntrinsicID() == Intrinsic::fshl;
      auto shift = static_cast<int64_t>(by.lo);
      if (shift == 0) return operand(left ? 0 : 1);
      if (!left) shift = width - shift;
      Term high = terms::ShiftLeft(scope_, operand(0).term, pool_.Number(shift), width);
      Term low =
          terms::ShiftRightLogical(scope_, operand(1).term, pool_.Number(width - shift), width);
      return Value::Integer(pool_.Add(high, low));
    }
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat: {
      if (type == hlo::PrimitiveType::kInvalid) return Fail(call, "an integer of this width");
      bool is_signed = call.getIntrinsicID() == Intrinsic::fptosi_sat;
      return Value::Integer(pool_.IntegerOf(
          pool_.Apply(is_signed ? "convert" : "convert-unsigned", type, {operand(0).term})));
    }
    default:
      return Fail(call, "an intrinsic that is not known");
  }
}

// A pair is a sum of bytes: what cuts the upper one off leaves the lower one alone.
Value Lifter::SmallFloats(const llvm::CallBase& call, const SmallFloatPair& pair) {
  const auto byte = terms::IntegerType(8);
  auto operand = [&](unsigned k) { return Get(thread_->frames.back(), call.getArgOperand(k)); };
  if (pair.narrows) {
    const bool is_vector = call.arg_size() == 1;
    const Value first = operand(0);
    const Value low = is_vector ? first.list()[0] : operand(1);
    const Value high = is_vector ? first.list()[1] : first;
    auto byte_of = [&](const Value& value) {
      Term small = NarrowedWithinRange(pool_, value.term, pair.small);
      Term bits = pool_.IntegerOf(terms::WithBits(pool_, small, byte));
      return terms::Unsigned(scope_, bits, 8);
    };
    return Value::Integer(pool_.Add(byte_of(low), pool_.Scale(byte_of(high), 256)));
  }
  Term bits = operand(0).term;
  std::vector<Value> parts;
  for (Term part : {bits, terms::ShiftRightLogical(scope_, bits, pool_.Number(8), 16)}) {
    Term integer = pool_.OfInteger(terms::Congruent(pool_, part, 8), byte);
    Term small = terms::WithBits(pool_, integer, pair.small);
    parts.push_back(Value::Data(pool_.Apply("convert", pair.wide, {small})));
  }
  return ListOf(parts);
}

// NaN, finite, and their complements are comparisons.
Value Lifter::FloatClass(const llvm::CallBase& call, const Value& value) {
  if (failed()) return {};
  if (value.kind == Value::Kind::kList) {
    std::vector<Value> parts;
    for (const Value& part : value.list()) parts.push_back(FloatClass(call, part));
    return failed() ? Value{} : ListOf(parts);
  }
  if (value.kind != Value::Kind::kData) return Fail(call, "the class of what is no float");
  auto mask = static_cast<llvm::FPClassTest>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue());
  Term number = CompareFloats(llvm::CmpInst::FCMP_ORD, value.term, value.term);
  if (mask == llvm::fcNan) return Value::Condition(pool_.Not(number));
  if (mask == (llvm::fcAllFlags & ~llvm::fcNan)) return Value::Condition(number);
  Term finite = pool_.Holds(pool_.Apply("is-finite", hlo::PrimitiveType::kPred, {value.term}));
  if (mask == llvm::fcFinite) return Value::Condition(finite);
  return Fail(call, "a class of floats");
}

Value Lifter::Intrinsic(LiftThread& thread, const llvm::CallBase& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::assume: {
      if (call.hasOperandBundles()) return Fail(call, "an assumption in operand bundles");
      Value condition = Get(thread.frames.back(), call.getArgOperand(0));
      if (!failed()) Oblige(Claim::kIntegers, "what is assumed holds", condition.term);
      return {};
    }
    case llvm::Intrinsic::is_fpclass:
      return FloatClass(call, Get(thread.frames.back(), call.getArgOperand(0)));
    case llvm::Intrinsic::nvvm_wgmma_commit_group_sync_aligned:
      if (!MayCopy()) return {};
      ++thread.product_groups;
      thread.group_steps.push_back({now_, thread.phase});
      return {};
    case llvm::Intrinsic::nvvm_cp_async_commit_group:
      if (MayCopy()) ++thread.groups;
      return {};
    case llvm::Intrinsic::nvvm_cp_async_wait_group: {
      const auto* but = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
      if (but->isNegative()) return Fail(call, "a number of groups below 0");
      WaitForCopies(thread, but->getSExtValue());
      return {};
    }
    case llvm::Intrinsic::nvvm_cp_async_wait_all:
      WaitForCopies(thread, -1);
      return {};
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memmove:
      Copy(thread, call);
      return {};
    default:
      if (auto pair = FindSmallFloatPair(call.getCalledFunction()->getName()))
        return SmallFloats(call, *pair);
      return IntegerFunction(call);
  }
}

constexpr const char* kInRange = "range: the value is in the range that it has";

void Lifter::ObligeInRange(const llvm::ConstantRange& range, const Value& value) {
  for (const Value& part :
       value.kind == Value::Kind::kList ? value.list() : llvm::ArrayRef(value)) {
    int64_t width = range.getBitWidth();
    if (part.kind != Value::Kind::kInteger || range.isFullSet() || width > 64) continue;
    if (!range.isWrappedSet()) {
      ObligeInside(kInRange, terms::Unsigned(scope_, part.term, width),
                   range.getUnsignedMin().getZExtValue(), range.getUnsignedMax().getZExtValue());
    } else if (!range.isSignWrappedSet()) {
      ObligeInside(kInRange, terms::Signed(scope_, part.term, width),
                   range.getSignedMin().getSExtValue(), range.getSignedMax().getSExtValue());
    } else {
      Unproved(Claim::kIntegers, kInRange, "a range around both ends");
    }
  }
}

}  // namespace affirm::kernel
