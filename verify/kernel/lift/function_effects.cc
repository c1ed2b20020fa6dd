#include "verify/kernel/lift/function_effects.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Operator.h"
#include "verify/kernel/inline_ptx.h"
#include "verify/kernel/lift/functions.h"

namespace affirm::kernel {

namespace {

using llvm::IRMemLocation;
using llvm::MemoryEffects;
using llvm::ModRefInfo;

// LLVM's own attributes of an intrinsic, not those of its declaration.
llvm::AttributeList AttributesOfIntrinsic(const llvm::Function& function) {
  return llvm::Intrinsic::getAttributes(function.getContext(), function.getIntrinsicID(),
                                        function.getFunctionType());
}

// An access through a pointer, as an effect of the function that contains it.
MemoryEffects AccessThrough(const llvm::Value& pointer, ModRefInfo access) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects);
  MemoryEffects effects = MemoryEffects::none();
  for (const llvm::Value* object : objects) {
    if (llvm::isa<llvm::AllocaInst>(object)) continue;
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    if (variable && variable->isConstant() && access == ModRefInfo::Ref) continue;
    if (!variable) effects |= MemoryEffects(IRMemLocation::ArgMem, access);
    if (!llvm::isa<llvm::Argument>(object)) effects |= MemoryEffects(IRMemLocation::Other, access);
  }
  return effects;
}

ModRefInfo AccessOf(const PointerUses& uses) {
  ModRefInfo access = ModRefInfo::NoModRef;
  if (uses.is_read) access |= ModRefInfo::Ref;
  if (uses.is_written) access |= ModRefInfo::Mod;
  return access;
}

// The effect of inline PTX on an argument of its call.
PointerUses UsesOfPtxArgument(const llvm::CallBase& call, unsigned argument) {
  auto ptx = ReadInlinePtx(call);
  if (!ptx) {
    llvm::consumeError(ptx.takeError());
    return PointerUses::All();
  }
  using Kind = PtxInstruction::Kind;
  auto is_argument = [&](const PtxBinding& binding) {
    return !binding.is_result && binding.number == argument;
  };
  PointerUses uses;
  for (const PtxInstruction& instruction : ptx->instructions) {
    for (const PtxInstruction::Source& source : instruction.sources)
      uses.escapes |= source.binding && is_argument(*source.binding);
    switch (instruction.kind) {
      case Kind::kLoad:
        uses.is_read |= is_argument(instruction.address);
        break;
      case Kind::kStore:
        uses.is_written |= is_argument(instruction.address);
        break;
      case Kind::kStartCopy:
        uses.is_read |= is_argument(instruction.address);
        uses.is_written |= is_argument(instruction.destination);
        break;
      case Kind::kMultiplyShared:
        uses.is_read = uses.escapes = true;
        break;
      case Kind::kMove:
      case Kind::kRoundToTf32:
      case Kind::kMultiplyMatrices:
      case Kind::kWaitForProducts:
        break;
    }
  }
  for (const auto& [result, tied] : ptx->ties) uses.escapes |= tied == argument;
  return uses;
}

FunctionEffects EffectsOfPtx(const llvm::CallBase& call) {
  FunctionEffects effects;
  auto ptx = ReadInlinePtx(call);
  if (!ptx) {
    llvm::consumeError(ptx.takeError());
    return FunctionEffects::All();
  }
  using Kind = PtxInstruction::Kind;
  effects.is_convergent = effects.synchronizes = WaitsForWarp(call);
  for (const PtxInstruction& instruction : ptx->instructions) {
    switch (instruction.kind) {
      case Kind::kLoad:
      case Kind::kMultiplyShared:
        effects.memory |= MemoryEffects::readOnly();
        break;
      case Kind::kStore:
        effects.memory |= MemoryEffects::writeOnly();
        break;
      case Kind::kStartCopy:
      case Kind::kWaitForProducts:
        effects.memory |= MemoryEffects::unknown();
        break;
      case Kind::kMove:
      case Kind::kRoundToTf32:
      case Kind::kMultiplyMatrices:
        break;
    }
  }
  return effects;
}

bool Synchronizes(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isVolatile() || !load->isUnordered();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->isVolatile() || !store->isUnordered();
  return instruction.isAtomic();  // a fence is
}

}  // namespace

PointerUses& PointerUses::operator|=(const PointerUses& other) {
  is_read |= other.is_read;
  is_written |= other.is_written;
  escapes |= other.escapes;
  return *this;
}

FunctionEffects FunctionEffects::All() {
  return {MemoryEffects::unknown(), true, true, true, true};
}

FunctionEffects& FunctionEffects::operator|=(const FunctionEffects& other) {
  memory |= other.memory;
  synchronizes |= other.synchronizes;
  is_convergent |= other.is_convergent;
  calls_defined |= other.calls_defined;
  calls_itself |= other.calls_itself;
  return *this;
}

const FunctionEffects& EffectAnalysis::EffectsOf(const llvm::Function& function) {
  // A recursive function is assumed to have all effects.
  auto [at, is_new] = effects_.try_emplace(&function, FunctionEffects::All());
  if (!is_new) return at->second;
  const FunctionEffects effects = EffectsOfBody(function);
  return effects_[&function] = effects;
}

FunctionEffects EffectAnalysis::EffectsOfBody(const llvm::Function& function) {
  FunctionEffects effects;
  if (function.isDeclaration()) {
    const Callee callee = ClassifyCallee(function);
    if (callee.kind == Callee::Kind::kMath || callee.kind == Callee::Kind::kIdentifier)
      return effects;
    if (!function.isIntrinsic()) return FunctionEffects::All();
    const llvm::AttributeList known = AttributesOfIntrinsic(function);
    effects.memory = known.getMemoryEffects();
    effects.synchronizes = !known.hasFnAttr(llvm::Attribute::NoSync);
    effects.is_convergent = known.hasFnAttr(llvm::Attribute::Convergent);
    return effects;
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      effects |= EffectsInCaller(*call);
      continue;
    }
    effects.synchronizes |= Synchronizes(instruction);
    ModRefInfo access = ModRefInfo::NoModRef;
    if (instruction.mayReadFromMemory()) access |= ModRefInfo::Ref;
    if (instruction.mayWriteToMemory()) access |= ModRefInfo::Mod;
    if (access == ModRefInfo::NoModRef) continue;
    const auto location = llvm::MemoryLocation::getOrNone(&instruction);
    effects.memory |= location ? AccessThrough(*location->Ptr, access) : MemoryEffects(access);
  }
  return effects;
}

FunctionEffects EffectAnalysis::EffectsOf(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return EffectsOfPtx(call);
  const llvm::Function* function = call.getCalledFunction();
  return function ? EffectsOf(*function) : FunctionEffects::All();
}

FunctionEffects EffectAnalysis::EffectsInCaller(const llvm::CallBase& call) {
  FunctionEffects effects = EffectsOf(call);
  const llvm::Function* function = call.getCalledFunction();
  effects.calls_defined |= function && !function->isDeclaration();
  // Effects on its arguments are effects on the operands of the caller.
  const ModRefInfo most = effects.memory.getModRef(IRMemLocation::ArgMem);
  effects.memory = effects.memory.getWithoutLoc(IRMemLocation::ArgMem);
  for (unsigned k = 0; k < call.arg_size() && most != ModRefInfo::NoModRef; ++k) {
    const llvm::Value& argument = *call.getArgOperand(k);
    if (!HoldsPointers(*argument.getType())) continue;
    if (!argument.getType()->isPointerTy()) {
      effects.memory |= MemoryEffects(most);
      continue;
    }
    effects.memory |= AccessThrough(argument, most & AccessOf(UsesOfArgument(call, k)));
  }
  return effects;
}

const PointerUses& EffectAnalysis::UsesOf(const llvm::Argument& argument) {
  auto [at, is_new] = uses_.try_emplace(&argument, PointerUses::All());
  if (!is_new) return at->second;
  const PointerUses uses = UsesOfPointer(argument);
  return uses_[&argument] = uses;
}

PointerUses EffectAnalysis::UsesOfPointer(const llvm::Value& pointer) {
  PointerUses uses;
  llvm::SmallVector<const llvm::Value*, 8> open = {&pointer}, derived;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen = {&pointer};
  while (!open.empty()) {
    const llvm::Value* value = open.pop_back_val();
    for (const llvm::Use& use : value->uses()) {
      derived.clear();
      uses |= UsesOfUse(use, derived);
      for (const llvm::Value* next : derived) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
  }
  return uses;
}

// Appends the pointers that the user derives from it to `derived`.
PointerUses EffectAnalysis::UsesOfUse(const llvm::Use& use,
                                      llvm::SmallVectorImpl<const llvm::Value*>& derived) {
  const llvm::User& user = *use.getUser();
  const bool makes_pointer =
      llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::BitCastOperator,
                llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user);
  if (makes_pointer) {
    derived.push_back(&user);
    return {};
  }
  if (llvm::isa<llvm::LoadInst>(user)) return {.is_read = true};
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&user)) {
    if (store->getValueOperand() != use.get()) return {.is_written = true};
  } else if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&user)) {
    if (atomic->getValOperand() != use.get()) return {.is_read = true, .is_written = true};
  } else if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&user)) {
    if (use.getOperandNo() == llvm::AtomicCmpXchgInst::getPointerOperandIndex())
      return {.is_read = true, .is_written = true};
    static_cast<void>(swap);
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&user)) {
    if (call->isArgOperand(&use)) return UsesOfArgument(*call, call->getArgOperandNo(&use));
  }
  return PointerUses::All();
}

PointerUses EffectAnalysis::UsesOfArgument(const llvm::CallBase& call, unsigned k) {
  if (call.isInlineAsm()) return UsesOfPtxArgument(call, k);
  const llvm::Function* function = call.getCalledFunction();
  if (!function || k >= function->arg_size()) return PointerUses::All();
  if (!function->isDeclaration()) return UsesOf(*function->getArg(k));
  if (!function->isIntrinsic()) return PointerUses::All();
  const llvm::AttributeList known = AttributesOfIntrinsic(*function);
  const ModRefInfo most = known.getMemoryEffects().getModRef(IRMemLocation::ArgMem);
  PointerUses uses;
  const bool is_accessed = !known.hasParamAttr(k, llvm::Attribute::ReadNone);
  uses.is_read =
      is_accessed && llvm::isRefSet(most) && !known.hasParamAttr(k, llvm::Attribute::WriteOnly);
  uses.is_written =
      is_accessed && llvm::isModSet(most) && !known.hasParamAttr(k, llvm::Attribute::ReadOnly);
  const llvm::Attribute captures = known.getParamAttr(k, llvm::Attribute::Captures);
  uses.escapes = !captures.isValid() || !llvm::capturesNothing(captures.getCaptureInfo());
  return uses;
}

bool HoldsPointers(const llvm::Type& type) {
  return type.isPointerTy() ||
         llvm::any_of(type.subtypes(), [](const llvm::Type* part) { return HoldsPointers(*part); });
}

bool ReturnsArgument(const llvm::Argument& argument) {
  for (const llvm::BasicBlock& block : *argument.getParent()) {
    const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (ret && ret->getReturnValue() != &argument) return false;
  }
  return !argument.getParent()->isDeclaration();
}

}  // namespace affirm::kernel
