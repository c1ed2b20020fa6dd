// Calls of functions that the module does not define.
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/small_floats.h"

namespace affirm::kernel {

using Claim = Obligation::Claim;

const Callee& Lifter::CalleeOf(const llvm::Function& function) {
  auto [it, fresh] = callees_.try_emplace(&function);
  if (fresh) it->second = ClassifyCallee(function);
  return it->second;
}

Value Lifter::Call(LiftThread& thread, const llvm::CallBase& call, const Callee& callee) {
  using K = Callee::Kind;
  auto number = [&](int64_t n) -> Value { return Value::Integer(pool_.Number(n)); };
  switch (callee.kind) {
    case K::kThread:
      return Identity(callee.dimension, false);
    case K::kBlock:
      return Identity(callee.dimension, true);
    case K::kThreads:
      return number(launch_.threads[callee.dimension]);
    case K::kBlocks:
      return number(launch_.grid[callee.dimension]);
    case K::kLane:
      return Value::Integer(Lane(kLanes));
    case K::kIdentifier: {
      const auto identifier = FindIdentifier(call);
      if (!identifier) return Fail(call, "a number of no dimension");
      using Of = WaveIdentifier::Of;
      const int d = identifier->dimension;
      if (identifier->of == Of::kThread || identifier->of == Of::kBlock)
        return Identity(d, identifier->of == Of::kBlock);
      return number((identifier->of == Of::kThreads ? launch_.threads : launch_.grid)[d]);
    }
    case K::kWaveSize:
      return lanes_ == 0 ? Fail(call, kNoWave) : number(lanes_);
    case K::kLanesBelow:
      return AddLanesBelow(thread.frames.back(), call);
    case K::kNothing:
      return {};
    case K::kFenceProxies:
      if (by_block_ && guards_.empty() && loops_.empty())
        accesses_of_block_.fences.Note(thread.Now());
      return {};
    case K::kFenceRegisters:
      if (!MayCopy()) return {};
      thread.register_fence = thread.steps;
      thread.group_steps.push_back({now_, thread.phase});
      return {};
    case K::kLifetime: {
      // At the start of its lifetime an alloca has undefined contents; outside of it, accesses are
      // not allowed (LangRef, "llvm.lifetime.start").
      Value of = Get(thread.frames.back(), call.getArgOperand(call.arg_size() - 1));
      if (auto pointer = of.As<Value::Pointer>(); pointer && OwnOf(*pointer)) {
        ByteMemory& own = *thread.own.FindToChange(pointer->memory - kOfThread);
        own = ByteMemory(own.bytes(), own.alignment());
        if (call.getIntrinsicID() == llvm::Intrinsic::lifetime_end) own.End();
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
  const Licence of_library =
      libraries_.LicenceOf(call.getCalledFunction()->getName(), callee.operation, type);
  // LLVM folds functions of constants itself; a call on a number that only the launch gives stays.
  return Elementwise(call.getType(), values, [&](llvm::ArrayRef<Value> of) -> Value {
    llvm::SmallVector<Term, 3> args;
    for (const Value& value : of)
      args.push_back(RequireData(value, call.getType()->getScalarType()));
    if (failed()) return {};
    const bool is_of_launch = terms::IsApproximated(callee.operation) &&
                              llvm::any_of(llvm::zip(args, call.args()), [](const auto& pair) {
                                return std::get<0>(pair)->kind == terms::Kind::kLiteral &&
                                       !llvm::isa<llvm::Constant>(std::get<1>(pair).get());
                              });
    const Licence licence = is_of_launch ? Licence::kValue : of_library;
    Term result = nullptr;
    // fmuladd may round the product or not (LangRef, "llvm.fmuladd"): a licence (licences.h).
    if (callee.operation == terms::Op::kFmuladd && args.size() == 3) {
      result = pool_.Apply(terms::Op::kAdd, type,
                           {pool_.Apply(terms::Op::kMultiply, type, {args[0], args[1]}),
                            terms::AsOneValue(pool_, terms::Op::kAdd, args[2])});
    } else {
      const Term exact = pool_.Apply(callee.operation, type, args);
      result = WithLicence(pool_, exact, licence, NumberOf(call, licence));
    }
    return Combined(of, Value::Data(result), call.getType()->getScalarType());
  });
}

// Elementwise on vectors; a scalar operand applies to all elements.
Value Lifter::IntegerFunction(const llvm::CallBase& call) {
  llvm::Type* result = call.getType();
  if (!result->getScalarType()->isIntegerTy()) return Fail(call, "a function of this type");
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(result);
  llvm::SmallVector<Value, 3> operands;
  for (const llvm::Use& arg : call.args()) {
    const Value operand = Get(thread_->frames.back(), arg);
    if (failed()) return {};
    // A flag, such as that of llvm.abs, applies to all elements.
    const bool repeated = vector && arg->getType()->isIntegerTy(1);
    operands.push_back(repeated ? ListOf(std::vector<Value>(vector->getNumElements(), operand))
                                : operand);
  }
  return Elementwise(result, operands, [&](llvm::ArrayRef<Value> of) {
    const Value value = IntegerFunctionOf(call, of);
    return failed() ? Value{} : Combined(of, value, result->getScalarType());
  });
}

Value Lifter::IntegerFunctionOf(const llvm::CallBase& call, llvm::ArrayRef<Value> operands) {
  using namespace llvm;
  llvm::Type* const integer = call.getType()->getScalarType();
  const int64_t width = integer->getIntegerBitWidth();
  if (width > 64 || width == 1) return Fail(call, "an integer of this width");
  auto operand = [&](unsigned k) {
    return k < operands.size() ? operands[k] : Fail(call, "a function of fewer operands");
  };
  // The operands of an integer function have the type of the result.
  auto integer_of = [&](unsigned k) { return RequireInteger(operand(k)); };
  auto as_signed = [&](unsigned k) { return SignedOf(operand(k), integer); };
  auto as_unsigned = [&](unsigned k) { return UnsignedOf(operand(k), integer); };
  auto is_set = [&](unsigned k) { return RequireCondition(operand(k)) != pool_.False(); };
  hlo::PrimitiveType type = terms::IntegerType(width);
  auto apply = [&](terms::Op op) -> Value {
    if (type == hlo::PrimitiveType::kInvalid) return Fail(call, "an integer of this width");
    return Value::Integer(
        pool_.IntegerOf(pool_.Apply(op, type, {pool_.OfInteger(integer_of(0), type)})));
  };
  // ctlz and cttz of 0 are the width, or poison if the flag is set (LangRef, "llvm.ctlz").
  auto not_zero = [&] {
    if (is_set(1)) {
      Oblige(Claim::kIntegers, "the operand is not zero",
             pool_.Not(terms::MachineEqual(scope_, integer_of(0), pool_.Number(0), width)));
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
      if (is_set(1)) {
        Oblige(Claim::kIntegers, "the operand is not the lowest integer",
               pool_.Not(pool_.Equal(a, lowest)));
      }
      return Value::Integer(scope_.Max(a, pool_.Scale(a, -1)));
    }
    case Intrinsic::ctpop:
      return apply(terms::Op::kPopcnt);
    case Intrinsic::ctlz:
      not_zero();
      return apply(terms::Op::kCountLeadingZeros);
    case Intrinsic::cttz:
      not_zero();
      return apply(terms::Op::kCountTrailingZeros);
    case Intrinsic::fshl:
    case Intrinsic::fshr: {
      terms::Range by = scope_.RangeOf(
          terms::RemainderUnsigned(scope_, integer_of(2), pool_.Number(width), width));
      if (!by.single()) return Fail(call, "a rotation by what is no number");
      bool left = call.getIntrinsicID() == Intrinsic::fshl;
      auto shift = static_cast<int64_t>(by.lo);
      if (shift == 0) return operand(left ? 0 : 1);
      if (!left) shift = width - shift;
      Term high = terms::ShiftLeft(scope_, integer_of(0), pool_.Number(shift), width);
      Term low =
          terms::ShiftRightLogical(scope_, integer_of(1), pool_.Number(width - shift), width);
      return Value::Integer(pool_.Add(high, low));
    }
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat: {
      if (type == hlo::PrimitiveType::kInvalid) return Fail(call, "an integer of this width");
      bool is_signed = call.getIntrinsicID() == Intrinsic::fptosi_sat;
      Term from = RequireData(operand(0), call.getArgOperand(0)->getType()->getScalarType());
      if (failed()) return {};
      return Value::Integer(pool_.IntegerOf(pool_.Apply(
          is_signed ? terms::Op::kConvert : terms::Op::kConvertUnsigned, type, {from})));
    }
    default:
      return Fail(call, "an intrinsic that is not known");
  }
}

// A pair is a sum of two bytes, so that truncation to the lower byte simplifies.
Value Lifter::SmallFloats(const llvm::CallBase& call, const SmallFloatPair& pair) {
  const auto byte = terms::IntegerType(8);
  auto operand = [&](unsigned k) { return Get(thread_->frames.back(), call.getArgOperand(k)); };
  if (pair.narrows) {
    llvm::SmallVector<Value, 2> values;
    if (call.arg_size() == 1) {
      const llvm::ArrayRef<Value> parts = RequireParts(operand(0), 2);
      values.assign({parts[0], parts[1]});
    } else {
      values.assign({operand(1), operand(0)});
    }
    if (NumVarying(values) > 1) return ArbitraryOf(call.getType());
    llvm::Type* from = call.getArgOperand(0)->getType()->getScalarType();
    Term bits = pool_.Number(0), scale = pool_.Number(1);
    for (const Value& value : values) {
      Term number = RequireData(value, from);
      if (failed()) return {};
      Term small = terms::NarrowedWithinRange(pool_, number, pair.small);
      Term of_small = pool_.IntegerOf(terms::WithBits(pool_, small, byte));
      bits = pool_.Add(bits, pool_.Multiply(scale, terms::Unsigned(scope_, of_small, 8)));
      scale = pool_.Number(256);
    }
    return Value::Integer(bits);
  }
  Term bits = RequireInteger(operand(0));
  std::vector<Value> parts;
  for (Term part : {bits, terms::ShiftRightLogical(scope_, bits, pool_.Number(8), 16)}) {
    Term integer = pool_.OfInteger(terms::Congruent(pool_, part, 8), byte);
    Term small = terms::WithBits(pool_, integer, pair.small);
    parts.push_back(Value::Data(pool_.Apply(terms::Op::kConvert, pair.wide, {small})));
  }
  return failed() ? Value{} : ListOf(parts);
}

// Expresses the tests for NaN, for finite values, and their complements as comparisons.
Value Lifter::FloatClass(const llvm::CallBase& call, const Value& value) {
  auto mask = static_cast<llvm::FPClassTest>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue());
  llvm::Type* type = call.getArgOperand(0)->getType();
  return Elementwise(type, {value}, [&](llvm::ArrayRef<Value> of) -> Value {
    Term data = RequireData(of[0], type->getScalarType());
    if (failed()) return {};
    Term number = CompareFloats(llvm::CmpInst::FCMP_ORD, data, data);
    if (mask == llvm::fcNan) return Value::Condition(pool_.Not(number));
    if (mask == (llvm::fcAllFlags & ~llvm::fcNan)) return Value::Condition(number);
    Term finite = pool_.Holds(pool_.Apply(terms::Op::kIsFinite, hlo::PrimitiveType::kPred, {data}));
    if (mask == llvm::fcFinite) return Value::Condition(finite);
    return Fail(call, "a class of floats");
  });
}

Value Lifter::Intrinsic(LiftThread& thread, const llvm::CallBase& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::assume: {
      if (call.hasOperandBundles()) return Fail(call, "an assumption in operand bundles");
      Term condition = RequireCondition(Get(thread.frames.back(), call.getArgOperand(0)));
      if (!failed()) Oblige(Claim::kIntegers, "what is assumed holds", condition);
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
  if (auto list = value.As<Value::List>()) {
    for (const Value& part : list->parts) ObligeInRange(range, part);
    return;
  }
  if (range.isFullSet()) return;
  const unsigned width = range.getBitWidth();
  if (width > 64 || range.isEmptySet()) {
    Unproved(Claim::kIntegers, kInRange, "of more than 64 bits, or empty");
    return;
  }
  llvm::Type* type = llvm::IntegerType::get(ir_.module->getContext(), width);
  if (!range.isWrappedSet()) {
    ObligeInside(kInRange, UnsignedOf(value, type), range.getUnsignedMin().getZExtValue(),
                 range.getUnsignedMax().getZExtValue());
  } else if (!range.isSignWrappedSet()) {
    ObligeInside(kInRange, SignedOf(value, type), range.getSignedMin().getSExtValue(),
                 range.getSignedMax().getSExtValue());
  } else {
    Unproved(Claim::kIntegers, kInRange, "a range around both ends");
  }
}

}  // namespace affirm::kernel
