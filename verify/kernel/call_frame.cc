#include "verify/kernel/call_frame.h"

#include <map>
#include <string>

#include "core/symbolic/error.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::kernel {

namespace {

// XLA:CPU aligns every buffer to this many bytes, and its emitters rely on it.
constexpr uint64_t kAlignmentOfArrays = 64;
constexpr uint64_t kAlignmentOfConstants = 16;
constexpr uint64_t kMostArrays = 1024;
constexpr uint64_t kBytesOfWord = 8, kBytesOfArgument = 16;

// What a pointer points into.
enum class Part : uint8_t { kFrame, kWorkgroups, kWorkgroup, kArguments };

// A load from the frame, or from what it points to.
struct FrameLoad {
  llvm::LoadInst* load;
  Part part;
  uint64_t offset;
};

class Unpacker {
 public:
  Unpacker(llvm::Function& function, llvm::StringRef where)
      : function_(function), where_(where), layout_(function.getParent()->getDataLayout()) {}

  llvm::Expected<llvm::Function*> Run() {
    if (llvm::Error error = Follow(*function_.getArg(0), Part::kFrame, 0)) return error;
    if (llvm::Error error = CheckReturns()) return error;
    llvm::Function* unpacked = NewFunction();
    for (const FrameLoad& load : loads_) Replace(load, *unpacked);
    // Uses first: each comes after what it uses.
    for (auto it = addresses_.rbegin(); it != addresses_.rend(); ++it) (*it)->eraseFromParent();
    function_.eraseFromParent();
    return unpacked;
  }

 private:
  llvm::Error Fail(const llvm::Value& at, const llvm::Twine& why) const {
    std::string text;
    llvm::raw_string_ostream(text) << at;
    return MakeError(where_ + ":1:1: error: " + why + ": '" + llvm::StringRef(text).trim() +
                     "', expected a kernel of XLA:CPU");
  }

  // Finds all loads through a pointer into a part of the frame.
  llvm::Error Follow(llvm::Value& pointer, Part part, uint64_t offset) {
    for (llvm::User* user : pointer.users()) {
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt more(layout_.getIndexTypeSizeInBits(address->getType()), 0);
        if (!address->accumulateConstantOffset(layout_, more))
          return Fail(*user, "an address in the call frame that is not known");
        addresses_.push_back(address);
        if (llvm::Error error = Follow(*address, part, offset + more.getZExtValue())) return error;
        continue;
      }
      auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (!load || !load->isSimple())
        return Fail(*user, "a use of the call frame that is no plain load");
      if (llvm::Error error = Add({load, part, offset})) return error;
    }
    return llvm::Error::success();
  }

  llvm::Error Add(FrameLoad load) {
    const bool pointer = load.load->getType()->isPointerTy();
    const bool number = load.load->getType()->isIntegerTy(64);
    switch (load.part) {
      case Part::kFrame: {
        static const std::map<uint64_t, Part> kPointers = {
            {0, Part::kWorkgroups}, {8, Part::kWorkgroup}, {24, Part::kArguments}};
        auto to = kPointers.find(load.offset);
        if (!pointer || to == kPointers.end()) break;
        addresses_.push_back(load.load);
        return Follow(*load.load, to->second, 0);
      }
      case Part::kWorkgroups:
      case Part::kWorkgroup:
        if (!number || load.offset % kBytesOfWord != 0 || load.offset >= 3 * kBytesOfWord) break;
        loads_.push_back(load);
        return llvm::Error::success();
      case Part::kArguments:
        if (!pointer || load.offset % kBytesOfArgument != 0) break;
        if (load.offset / kBytesOfArgument >= kMostArrays) break;
        arrays_ = std::max(arrays_, load.offset / kBytesOfArgument + 1);
        loads_.push_back(load);
        return llvm::Error::success();
    }
    return Fail(*load.load, "a load of a part of the call frame that is not known");
  }

  llvm::Error CheckReturns() const {
    for (const llvm::BasicBlock& block : function_) {
      const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (ret && !llvm::isa<llvm::ConstantPointerNull>(ret->getReturnValue()))
        return Fail(*ret, "an error is returned");
    }
    return llvm::Error::success();
  }

  // The same blocks, with arrays as arguments, that return nothing.
  llvm::Function* NewFunction() {
    llvm::LLVMContext& context = function_.getContext();
    const llvm::SmallVector<llvm::Type*, 8> types(arrays_, function_.getArg(0)->getType());
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
    auto* unpacked =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", function_.getParent());
    unpacked->takeName(&function_);
    unpacked->splice(unpacked->begin(), &function_);
    for (llvm::Argument& argument : unpacked->args()) {
      argument.addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(kAlignmentOfArrays)));
    }
    for (llvm::BasicBlock& block : *unpacked) {
      auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (!ret) continue;
      llvm::ReturnInst::Create(context, nullptr, ret->getIterator());
      ret->eraseFromParent();
    }
    return unpacked;
  }

  void Replace(const FrameLoad& from, llvm::Function& unpacked) {
    llvm::Value* value = nullptr;
    if (from.part == Part::kArguments) {
      value = unpacked.getArg(static_cast<unsigned>(from.offset / kBytesOfArgument));
    } else {
      constexpr llvm::Intrinsic::ID kIds[2][3] = {
          {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
           llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
           llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z},
          {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
           llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z}};
      llvm::IRBuilder<> builder(from.load);
      const llvm::Intrinsic::ID id =
          kIds[from.part == Part::kWorkgroup][from.offset / kBytesOfWord];
      value = builder.CreateZExt(builder.CreateIntrinsic(id, {}), from.load->getType());
    }
    from.load->replaceAllUsesWith(value);
    from.load->eraseFromParent();
  }

  llvm::Function& function_;
  llvm::StringRef where_;
  const llvm::DataLayout& layout_;
  uint64_t arrays_ = 0;
  std::vector<FrameLoad> loads_;
  std::vector<llvm::Instruction*> addresses_;  // each before those that use it
};

// XLA:CPU has a function of its own that rounds: xla.fptrunc.f32.to.bf16, also of vectors.
void ReplaceRoundings(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with("xla.fptrunc.") ||
        function.arg_size() != 1 || !function.getReturnType()->isFPOrFPVectorTy()) {
      continue;
    }
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != &function) continue;
      llvm::IRBuilder<> builder(call);
      call->replaceAllUsesWith(builder.CreateFPTrunc(call->getArgOperand(0), call->getType()));
      call->eraseFromParent();
    }
  }
}

// The alignment of a constant that has none is what the target finds convenient, and x86 reads
// scalars anywhere: accesses may rely on it.
void AlignConstants(llvm::Module& module) {
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.isConstant() && !global.getAlign())
      global.setAlignment(llvm::Align(kAlignmentOfConstants));
  }
}

}  // namespace

bool TakesCallFrame(const llvm::Function& function) {
  return !function.isDeclaration() && function.arg_size() == 1 && !function.isVarArg() &&
         function.getArg(0)->getType()->isPointerTy() && function.getReturnType()->isPointerTy() &&
         llvm::StructType::getTypeByName(function.getContext(), "XLA_CPU_KernelCallFrame");
}

llvm::Expected<llvm::Function*> UnpackCallFrame(llvm::Function& function, llvm::StringRef where) {
  ReplaceRoundings(*function.getParent());
  AlignConstants(*function.getParent());
  return Unpacker(function, where).Run();
}

}  // namespace affirm::kernel
