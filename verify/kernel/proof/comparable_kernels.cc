#include "verify/kernel/proof/comparable_kernels.h"

#include <map>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "verify/kernel/inline_ptx.h"
#include "verify/kernel/lift/functions.h"
#include "verify/kernel/lift/licences.h"
#include "verify/kernel/proof/lifting.h"
#include "verify/kernel/wave.h"

namespace affirm::kernel {
namespace {

// Whether a load through the pointer may read memory that the kernel writes: false for read-only
// operands, shared memory and constants.
bool MayReadWritten(const llvm::Value* pointer, const KernelIr& ir, const Launch& launch) {
  const llvm::Value* base = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base))
    return !global->isConstant() && global->getAddressSpace() != 3;
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  if (argument == nullptr || argument->getParent() != ir.kernel) return true;
  const auto number = static_cast<int64_t>(argument->getArgNo());
  auto is_written = [&](int64_t memory) {
    return llvm::any_of(launch.params, [&](const Param& param) {
      return param.memory == memory && param.role == Param::kOutput;
    });
  };
  for (size_t k = 0; k < launch.params.size(); ++k) {
    if (launch.ArgumentOf(k) == number && is_written(launch.params[k].memory)) return true;
  }
  return false;
}

bool IsFloat(const llvm::Type* type) { return type->isFPOrFPVectorTy(); }

bool HasFloatOutputsAlone(const Launch& launch) {
  return llvm::all_of(launch.params, [](const Param& param) {
    return param.role == Param::kInput || hlo::IsFloat(param.shape.type) ||
           hlo::IsComplex(param.shape.type);
  });
}

// Names an access whose value may depend on the order of other accesses; empty for others.
std::string OfMemory(const llvm::Instruction& i, const KernelIr& ir, const Launch& launch) {
  if (llvm::isa<llvm::AllocaInst>(i)) return "local memory";
  if (llvm::isa<llvm::AtomicCmpXchgInst>(i)) return "an atomic whose result is used";
  if (llvm::isa<llvm::AtomicRMWInst>(i) && !i.use_empty()) return "an atomic whose result is used";
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    if (MayReadWritten(load->getPointerOperand(), ir, launch))
      return "a read of what the kernel writes";
  }
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
  if (store != nullptr && IsFloat(store->getValueOperand()->getType()) &&
      store->getPointerAddressSpace() != 3 && !HasFloatOutputsAlone(launch))
    return "a float in an array that may be of integers";
  return "";
}

// Whether the pointer may point to the kernel's own memory, and not to an array of its launch.
bool IsOwn(const llvm::Value* pointer, const KernelIr& ir) {
  const llvm::Value* base = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base)) return !global->isConstant();
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  return argument == nullptr || argument->getParent() != ir.kernel;
}

bool HasFloats(const llvm::Type* type) {
  return IsFloat(type) || llvm::any_of(type->subtypes(), HasFloats);
}
bool HasFloatsAlone(const llvm::Type* type) {
  if (IsFloat(type)) return true;
  return type->isAggregateType() && llvm::all_of(type->subtypes(), HasFloatsAlone);
}

// Whether a call of an external function may return integers read from shared memory.
bool ReadsSharedMemory(const llvm::CallBase& call) {
  if (call.isInlineAsm()) {
    llvm::Expected<InlinePtx> ptx = ReadInlinePtx(call);
    if (!ptx) return llvm::consumeError(ptx.takeError()), true;
    return llvm::any_of(ptx->instructions, [](const PtxInstruction& instruction) {
      return instruction.kind == PtxInstruction::Kind::kLoad;
    });
  }
  const llvm::Function* function = call.getCalledFunction();
  return function != nullptr && function->getName().contains("ldmatrix");
}

// Whether the kernel may store floats to its own memory and read integers from it, by loads or
// calls. The accesses are not matched with each other.
bool ReadsFloatsAsIntegers(const KernelIr& ir) {
  bool floats = false, integers = false;
  for (const llvm::Function& function : *ir.module) {
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
        floats |=
            HasFloats(store->getValueOperand()->getType()) && IsOwn(store->getPointerOperand(), ir);
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
        integers |= !HasFloatsAlone(load->getType()) && IsOwn(load->getPointerOperand(), ir);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      integers |= call != nullptr && ReadsSharedMemory(*call);
    }
  }
  return floats && integers;
}

// Addresses in PTX registers may be integers of unknown provenance.
bool MayReadWritten(const llvm::CallBase& call, const KernelIr& ir, const Launch& launch) {
  if (!call.mayReadFromMemory()) return false;
  const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  const bool has_addresses = text != nullptr && (text->getAsmString().contains('[') ||
                                                 text->getAsmString().contains("wgmma"));
  return llvm::any_of(call.args(), [&](const llvm::Use& arg) {
    if (arg->getType()->isPointerTy()) return MayReadWritten(arg.get(), ir, launch);
    return has_addresses && arg->getType()->isIntegerTy(64);
  });
}

std::string OfCall(const llvm::CallBase& call, const KernelIr& ir, const Launch& launch) {
  if (MayReadWritten(call, ir, launch)) return "a read of what the kernel writes";
  if (const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    const bool floats = IsFloat(call.getType()) || llvm::any_of(call.args(), [](const auto& arg) {
                          return IsFloat(arg->getType());
                        });
    return floats || llvm::StringRef(text->getAsmString()).contains("mma") ? "inline PTX of floats"
                                                                           : "";
  }
  const llvm::Function* function = call.getCalledFunction();
  if (function == nullptr) return "a call of what is not known";
  const llvm::StringRef name = function->getName();
  if (name.contains("mma") || name.contains("tf32")) return "products of matrices";
  const bool shows = OperationOfFunction(name) == terms::Op::kCopysign ||
                     function->getIntrinsicID() == llvm::Intrinsic::is_fpclass;
  return shows ? "the sign of what may be a NaN" : "";
}

std::string WhyNot(const llvm::Instruction& i, const KernelIr& ir, const Launch& launch) {
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&i);
  if (cast != nullptr && IsFloat(cast->getSrcTy()) && !IsFloat(cast->getDestTy())) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(cast->getOperand(0));
    if (load == nullptr || IsOwn(load->getPointerOperand(), ir))
      return "the bits of what may be a NaN";
  }
  if (i.getType()->isVectorTy() && LicenceOf(i) != Licence::kNone)
    return "lanes with flags that leave an order open";
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return OfCall(*call, ir, launch);
  return OfMemory(i, ir, launch);
}

// Counts the instructions that wait for other threads or order memory, and the calls of each
// function whose rounding no standard determines.
std::map<std::string, int64_t> CountsOf(const KernelIr& ir) {
  std::map<std::string, int64_t> counts;
  for (const llvm::Function& function : *ir.module) {
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      if (llvm::isa<llvm::FenceInst>(i)) ++counts["fence"];
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      const llvm::Function* called = call != nullptr ? call->getCalledFunction() : nullptr;
      if (called == nullptr || !called->isDeclaration()) continue;
      const Callee callee = ClassifyCallee(*called);
      const bool approximates =
          callee.kind == Callee::Kind::kMath && terms::IsApproximated(callee.operation);
      using K = Callee::Kind;
      const bool orders = callee.kind == K::kWait || callee.kind == K::kNothing ||
                          callee.kind == K::kFenceProxies || callee.kind == K::kFenceRegisters;
      if (orders || approximates) ++counts[called->getName().str()];
    }
  }
  return counts;
}

}  // namespace

std::optional<std::string> FunctionsOfTwoLibraries(const KernelIr& before, const KernelIr& after) {
  std::map<terms::Op, llvm::StringRef> first;
  for (const KernelIr* ir : {&before, &after}) {
    for (const llvm::Function& function : *ir->module) {
      const llvm::StringRef name = function.getName();
      const terms::Op operation = OperationOfFunction(name);
      if (function.use_empty() || !function.isDeclaration()) continue;
      if (operation == terms::Op::kNone) continue;
      const llvm::StringRef other = first.try_emplace(operation, name).first->second;
      if (LibraryOf(name) != LibraryOf(other))
        return (other + " and " + name + " are two functions").str();
    }
  }
  return std::nullopt;
}

std::string WhyNotCompared(const KernelIr& before, const KernelIr& after, const Launch& launch) {
  if (before.in_order || after.in_order) return "blocks that work in order";
  if (before.module->getTargetTriple() != after.module->getTargetTriple() ||
      IsOfAmdgpu(before) != IsOfAmdgpu(after))
    return "kernels for two targets";
  if (LanesOf(before) != LanesOf(after)) return "waves of other sizes";
  if (FlushesDenormals(before) || FlushesDenormals(after)) return "denormals are flushed to zero";
  for (const Param& param : launch.params) {
    if (hlo::BitWidth(param.shape.type) < 8) return "elements of less than a byte";
  }
  for (const KernelIr* ir : {&before, &after}) {
    for (const llvm::Function& function : *ir->module) {
      for (const llvm::Instruction& i : llvm::instructions(function)) {
        const std::string why = WhyNot(i, *ir, launch);
        if (!why.empty()) return "line " + std::to_string(ir->LineOf(&i)) + ": " + why;
      }
    }
    if (ReadsFloatsAsIntegers(*ir)) return "floats in shared memory that are read as integers";
  }
  if (auto functions = FunctionsOfTwoLibraries(before, after)) return *functions;
  return CountsOf(before) == CountsOf(after)
             ? ""
             : "other barriers, or other calls of functions that no standard rounds";
}

}  // namespace affirm::kernel
