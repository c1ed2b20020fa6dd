// Replaces the domains in their scopes, which stay the same nodes: lists of scopes keep their
// meaning.
#include "verify/kernel/alias_domains.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"

namespace affirm::kernel {
namespace {

using llvm::LLVMContext;
using llvm::MDNode;

llvm::MDNode* DomainOf(const MDNode& scope) {
  return scope.getNumOperands() < 2 ? nullptr : llvm::dyn_cast_or_null<MDNode>(scope.getOperand(1));
}

class AliasDomains {
 public:
  explicit AliasDomains(llvm::Module& module) : module_(module) {}

  void Rewrite() {
    ForEachInstruction([&](llvm::Instruction& i) {
      AddScopes(i.getMetadata(LLVMContext::MD_alias_scope));
      AddScopes(i.getMetadata(LLVMContext::MD_noalias));
      // Arguments of any kind: nothing is verified yet.
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      if (call == nullptr || call->arg_size() != 1) return;
      if (auto* value = llvm::dyn_cast<llvm::MetadataAsValue>(call->getArgOperand(0)))
        AddScopes(llvm::dyn_cast<MDNode>(value->getMetadata()));
    });
    llvm::DenseMap<MDNode*, MDNode*> older;
    for (MDNode* scope : scopes_) {
      MDNode* domain = DomainOf(*scope);
      const llvm::ConstantInt* disjoint = DisjointFlagOf(domain);
      if (disjoint == nullptr) continue;
      MDNode*& replacement = older[domain];
      if (replacement == nullptr) replacement = WithoutFlag(*domain);
      if (disjoint->isOne()) scopes_of_disjoint_[replacement].insert(scope);
      scope->replaceOperandWith(1, replacement);
    }
    if (!scopes_of_disjoint_.empty())
      ForEachInstruction([&](llvm::Instruction& i) { AddDisjoint(i); });
  }

 private:
  void ForEachInstruction(llvm::function_ref<void(llvm::Instruction&)> visit) {
    for (llvm::Function& function : module_) {
      for (llvm::Instruction& instruction : llvm::instructions(function)) visit(instruction);
    }
  }

  void AddScopes(const MDNode* list) {
    if (list == nullptr) return;
    for (const llvm::MDOperand& op : list->operands()) {
      if (auto* scope = llvm::dyn_cast_or_null<MDNode>(op.get())) scopes_.insert(scope);
    }
  }

  // Null unless the domain has the newer form: an id, an i1, and a description that may be missing.
  static const llvm::ConstantInt* DisjointFlagOf(const MDNode* domain) {
    if (domain == nullptr) return nullptr;
    const unsigned count = domain->getNumOperands();
    if (count != 2 && count != 3) return nullptr;
    if (count == 3 && !llvm::isa_and_nonnull<llvm::MDString>(domain->getOperand(2).get()))
      return nullptr;
    auto* flag = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(domain->getOperand(1));
    return flag != nullptr && flag->getType()->isIntegerTy(1) ? flag : nullptr;
  }

  // A node of its own for each domain, so that domains stay apart.
  MDNode* WithoutFlag(const MDNode& domain) const {
    const bool is_self = domain.getOperand(0).get() == &domain;
    llvm::SmallVector<llvm::Metadata*, 2> parts = {is_self ? nullptr : domain.getOperand(0).get()};
    if (domain.getNumOperands() == 3) parts.push_back(domain.getOperand(2).get());
    MDNode* older = MDNode::getDistinct(module_.getContext(), parts);
    if (is_self) older->replaceOperandWith(0, older);
    return older;
  }

  // The scopes of a disjoint domain that an instruction is not in, where it is in others of it.
  void AddDisjoint(llvm::Instruction& i) {
    const MDNode* list = i.getMetadata(LLVMContext::MD_alias_scope);
    if (list == nullptr) return;
    llvm::SmallSetVector<llvm::Metadata*, 8> noalias;
    const MDNode* before = i.getMetadata(LLVMContext::MD_noalias);
    if (before != nullptr) noalias.insert_range(before->operands());
    llvm::SmallPtrSet<const llvm::Metadata*, 8> own;
    for (const llvm::MDOperand& op : list->operands()) own.insert(op.get());
    for (const llvm::MDOperand& op : list->operands()) {
      const auto* scope = llvm::dyn_cast_or_null<MDNode>(op.get());
      const auto found =
          scope ? scopes_of_disjoint_.find(DomainOf(*scope)) : scopes_of_disjoint_.end();
      if (found == scopes_of_disjoint_.end()) continue;
      for (MDNode* other : found->second) {
        if (!own.contains(other)) noalias.insert(other);
      }
    }
    if (!noalias.empty())
      i.setMetadata(LLVMContext::MD_noalias,
                    MDNode::get(module_.getContext(), noalias.getArrayRef()));
  }

  llvm::Module& module_;
  llvm::SetVector<MDNode*> scopes_;  // in the order of the text, so that lists are the same always
  llvm::DenseMap<MDNode*, llvm::SetVector<MDNode*>> scopes_of_disjoint_;  // by the older domain
};

}  // namespace

void RewriteAliasDomains(llvm::Module& module) { AliasDomains(module).Rewrite(); }

}  // namespace affirm::kernel
