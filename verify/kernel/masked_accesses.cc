#include "verify/kernel/masked_accesses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace affirm::kernel {
namespace {

using llvm::Intrinsic::masked_load;
using llvm::Intrinsic::masked_store;

constexpr unsigned kKeptMetadata[] = {llvm::LLVMContext::MD_alias_scope,
                                      llvm::LLVMContext::MD_noalias,
                                      llvm::LLVMContext::MD_invariant_load};

// A masked load or store, by what its operands are.
struct MaskedAccess {
  explicit MaskedAccess(llvm::IntrinsicInst& of)
      : call(&of), is_load(of.getIntrinsicID() == masked_load) {}

  unsigned PointerAt() const { return is_load ? 0 : 1; }
  llvm::Value* Pointer() const { return call->getArgOperand(PointerAt()); }
  llvm::Value* Mask() const { return call->getArgOperand(is_load ? 1 : 2); }
  // The elements that are stored, or those of a load where the mask is 0.
  llvm::Value* Values() const { return call->getArgOperand(is_load ? 2 : 0); }
  llvm::Type* Element() const { return Values()->getType()->getScalarType(); }
  llvm::Align Alignment() const { return call->getParamAlign(PointerAt()).valueOrOne(); }

  // Whether accesses of the elements make every promise that the call makes.
  bool KeepsPromises(const llvm::DataLayout& layout) const {
    if (!llvm::isa<llvm::FixedVectorType>(Values()->getType())) return false;
    const llvm::AttributeList attributes = call->getAttributes();
    if (attributes.hasRetAttrs() || attributes.hasFnAttrs() || call->isTailCall()) return false;
    const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(call);
    if (math != nullptr && math->getFastMathFlags().any()) return false;
    for (unsigned k = 0; k < call->arg_size(); ++k) {
      for (const llvm::Attribute attribute : attributes.getParamAttrs(k)) {
        const bool is_alignment = attribute.hasAttribute(llvm::Attribute::Alignment);
        if (k != PointerAt() || !is_alignment) return false;
      }
    }
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> metadata;
    call->getAllMetadataOtherThanDebugLoc(metadata);
    for (const auto& [kind, node] : metadata) {
      if (!llvm::is_contained(kKeptMetadata, kind)) return false;
    }
    // Elements lie side by side, without padding.
    const llvm::TypeSize bytes = layout.getTypeAllocSize(Element());
    return layout.getTypeSizeInBits(Element()) == bytes * 8 && Alignment().value() <= bytes;
  }

  llvm::IntrinsicInst* call;
  bool is_load;
};

// Puts accesses of the elements in the place of the call. Adds those to `made`.
void Split(const MaskedAccess& access, llvm::SmallVectorImpl<llvm::Value*>& made) {
  llvm::IntrinsicInst* call = access.call;
  llvm::IRBuilder<> builder(call);
  auto keep = [&](llvm::Value* value) {
    made.push_back(value);
    return value;
  };
  llvm::Value* result = access.Values();
  const auto* vector = llvm::cast<llvm::FixedVectorType>(result->getType());
  for (uint64_t k = 0; k < vector->getNumElements(); ++k) {
    builder.SetInsertPoint(call);
    llvm::Value* bit = keep(builder.CreateExtractElement(access.Mask(), k));
    if (!llvm::isa<llvm::ConstantInt>(bit)) bit = keep(builder.CreateFreeze(bit));
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(bit, call, /*Unreachable=*/false);
    llvm::BasicBlock* before = then->getParent()->getSinglePredecessor();
    keep(before->getTerminator());
    keep(then);
    builder.SetInsertPoint(then);
    llvm::Value* at = keep(builder.CreateConstGEP1_64(access.Element(), access.Pointer(), k));
    if (access.is_load) {
      auto* load = builder.CreateAlignedLoad(access.Element(), at, access.Alignment());
      load->copyMetadata(*call, kKeptMetadata);
      llvm::Value* with = keep(builder.CreateInsertElement(result, keep(load), k));
      builder.SetInsertPoint(call->getParent(), call->getParent()->begin());
      llvm::PHINode* next = builder.CreatePHI(result->getType(), 2);
      next->addIncoming(with, then->getParent());
      next->addIncoming(result, before);
      result = keep(next);
    } else {
      llvm::Value* element = keep(builder.CreateExtractElement(access.Values(), k));
      auto* store = builder.CreateAlignedStore(element, at, access.Alignment());
      store->copyMetadata(*call, kKeptMetadata);
      keep(store);
    }
  }
  if (access.is_load) call->replaceAllUsesWith(result);
}

}  // namespace

void SplitMaskedAccesses(KernelIr& ir) {
  llvm::SmallVector<MaskedAccess, 4> accesses;
  for (llvm::Function& function : *ir.module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call == nullptr) continue;
      const llvm::Intrinsic::ID of = call->getIntrinsicID();
      if (of != masked_load && of != masked_store) continue;
      const MaskedAccess access(*call);
      if (access.KeepsPromises(ir.module->getDataLayout())) accesses.push_back(access);
    }
  }
  for (const MaskedAccess& access : accesses) {
    const int line = ir.LineOf(access.call);
    llvm::SmallVector<llvm::Value*, 32> made;
    Split(access, made);
    for (const llvm::Value* value : made) {
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value))
        ir.lines.try_emplace(instruction, line);
    }
    ir.lines.erase(access.call);
    access.call->eraseFromParent();
  }
}

}  // namespace affirm::kernel
