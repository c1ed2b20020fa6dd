#include "verify/kernel/call_frame.h"

#include <algorithm>
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
#include "verify/kernel/promise_table.h"

namespace affirm::kernel {

namespace {

// XLA:CPU aligns every buffer to this many bytes, and its emitters rely on it.
constexpr uint64_t kAlignmentOfArrays = 64;
constexpr llvm::Align kAlignmentOfScalars = llvm::Align::Constant<8>();
constexpr uint64_t kMostArrays = 1024;
constexpr uint64_t kBytesOfWord = 8, kBytesOfArgument = 16, kBytesOfFrame = 32;

// The part of the frame that a pointer points into.
enum class Part : uint8_t { kFrame, kWorkgroups, kWorkgroup, kArguments };

// Whether XLA:CPU keeps an attribute of the frame, or of the null that is returned.
bool KeepsFrame(llvm::Attribute attribute) {
  if (attribute.isStringAttribute()) return false;
  switch (attribute.getKindAsEnum()) {
    case llvm::Attribute::NoAlias:
    case llvm::Attribute::NoUndef:
    case llvm::Attribute::NonNull:
    case llvm::Attribute::ReadOnly:
    case llvm::Attribute::Captures:
    case llvm::Attribute::NoFree:
      return true;
    case llvm::Attribute::Alignment:
      return attribute.getAlignment()->value() <= kBytesOfWord;
    case llvm::Attribute::Dereferenceable:
      return attribute.getDereferenceableBytes() <= kBytesOfFrame;
    default:
      return false;
  }
}

// Metadata of loads from the frame: no thread writes it, and no other access reaches it.
bool KeepsLoadOfFrame(unsigned kind) {
  using Context = llvm::LLVMContext;
  return kind == Context::MD_invariant_load || kind == Context::MD_noundef ||
         kind == Context::MD_nonnull || kind == Context::MD_alias_scope ||
         kind == Context::MD_noalias || kind == Context::MD_nontemporal ||
         kind == Context::MD_annotation;
}

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
    if (!function_.use_empty()) return Fail(function_, "a kernel that its module uses");
    if (llvm::Error error = CheckAttributes()) return error;
    if (llvm::Error error = Follow(*function_.getArg(0), Part::kFrame, 0)) return error;
    if (llvm::Error error = CheckReturns()) return error;
    llvm::Function* unpacked = NewFunction();
    for (const FrameLoad& load : loads_) {
      if (llvm::Error error = KeepPromises(load, *unpacked)) return error;
      Replace(load, *unpacked);
    }
    // Uses first: each comes after what it uses.
    for (auto it = addresses_.rbegin(); it != addresses_.rend(); ++it) (*it)->eraseFromParent();
    function_.eraseFromParent();
    return unpacked;
  }

 private:
  llvm::Error Fail(const llvm::Value& at, const llvm::Twine& why) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (llvm::isa<llvm::Function>(at))
      os << at.getName();
    else
      os << at;
    return MakeError(where_ + ":1:1: error: " + why + ": '" + llvm::StringRef(text).trim() +
                     "', expected a kernel of XLA:CPU");
  }

  // Attributes of the frame and of the function, except for what the new one says as well.
  llvm::Error CheckAttributes() const {
    auto check = [&](llvm::AttributeSet attributes, bool is_result) -> llvm::Error {
      for (const llvm::Attribute attribute : attributes) {
        const bool is_not_null =
            is_result && (attribute.hasAttribute(llvm::Attribute::NonNull) ||
                          attribute.hasAttribute(llvm::Attribute::Dereferenceable));
        if (!KeepsFrame(attribute) || is_not_null)
          return Fail(function_, "'" + attribute.getAsString() + "' of the frame or the result");
      }
      return llvm::Error::success();
    };
    const llvm::AttributeList all = function_.getAttributes();
    if (llvm::Error error = check(all.getParamAttrs(0), false)) return error;
    if (llvm::Error error = check(all.getRetAttrs(), true)) return error;
    // The arrays are no arguments yet.
    const llvm::MemoryEffects effects = function_.getMemoryEffects();
    if (effects.getModRef(llvm::IRMemLocation::Other) != llvm::ModRefInfo::ModRef ||
        !llvm::isRefSet(effects.getModRef(llvm::IRMemLocation::ArgMem)))
      return Fail(function_, "a function that may not access all memory");
    return llvm::Error::success();
  }

  // Finds all loads through a pointer into a part of the frame.
  llvm::Error Follow(llvm::Value& pointer, Part part, uint64_t offset) {
    for (llvm::User* user : pointer.users()) {
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt more(layout_.getIndexTypeSizeInBits(address->getType()), 0);
        if (!address->accumulateConstantOffset(layout_, more))
          return Fail(*user, "an address in the call frame that is not known");
        // Then no address between the frame and what is loaded is outside, whatever its flags say.
        if (more.isNegative()) return Fail(*user, "an address in the call frame that goes back");
        addresses_.push_back(address);
        if (llvm::Error error = Follow(*address, part, offset + more.getZExtValue())) return error;
        continue;
      }
      auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (!load || !load->isSimple() || load->getAlign().value() > kBytesOfWord)
        return Fail(*user, "a use of the call frame that is no plain load");
      if (llvm::Error error = Add({load, part, offset})) return error;
    }
    return llvm::Error::success();
  }

  llvm::Error Add(FrameLoad load) {
    const bool pointer = load.load->getType() == function_.getArg(0)->getType();
    const bool number = load.load->getType()->isIntegerTy(64);
    switch (load.part) {
      case Part::kFrame: {
        static const std::map<uint64_t, Part> kPointers = {
            {0, Part::kWorkgroups}, {8, Part::kWorkgroup}, {24, Part::kArguments}};
        auto to = kPointers.find(load.offset);
        if (!pointer || to == kPointers.end()) break;
        llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> metadata;
        load.load->getAllMetadataOtherThanDebugLoc(metadata);
        for (const auto& [kind, node] : metadata) {
          if (!KeepsLoadOfFrame(kind))
            return Fail(*load.load, "a promise about the call frame that is not known");
        }
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
    unpacked->copyAttributesFrom(&function_);
    unpacked->setAttributes(llvm::AttributeList().addFnAttributes(
        context, llvm::AttrBuilder(context, function_.getAttributes().getFnAttrs())));
    unpacked->removeFnAttr(llvm::Attribute::Memory);
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> metadata;
    function_.getAllMetadata(metadata);
    for (const auto& [kind, node] : metadata) {
      if (kind != llvm::LLVMContext::MD_dbg) unpacked->addMetadata(kind, *node);
    }
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

  // The metadata of a load becomes what the argument says, or an assumption.
  llvm::Error KeepPromises(const FrameLoad& from, llvm::Function& unpacked) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> metadata;
    from.load->getAllMetadataOtherThanDebugLoc(metadata);
    const bool is_array = from.part == Part::kArguments;
    llvm::Argument* array =
        is_array ? unpacked.getArg(static_cast<unsigned>(from.offset / kBytesOfArgument)) : nullptr;
    for (const auto& [kind, node] : metadata) {
      if (array && kind == llvm::LLVMContext::MD_nonnull) {
        array->addAttr(llvm::Attribute::NonNull);
      } else if (KeepsLoadOfFrame(kind)) {
        continue;
      } else if (array && (kind == llvm::LLVMContext::MD_dereferenceable ||
                           kind == llvm::LLVMContext::MD_dereferenceable_or_null)) {
        const uint64_t bytes = std::max(array->getDereferenceableBytes(), NumberIn(*node));
        array->removeAttr(llvm::Attribute::Dereferenceable);
        array->addAttr(llvm::Attribute::getWithDereferenceableBytes(unpacked.getContext(), bytes));
      } else if (!array && kind == llvm::LLVMContext::MD_range && node->getNumOperands() == 2) {
        continue;  // AssumeInRange
      } else if (!array || kind != llvm::LLVMContext::MD_align ||
                 NumberIn(*node) > kAlignmentOfArrays) {
        return Fail(*from.load, "a promise about the call frame that is not known");
      }
    }
    return llvm::Error::success();
  }

  static uint64_t NumberIn(const llvm::MDNode& node) {
    return llvm::mdconst::extract<llvm::ConstantInt>(node.getOperand(0))->getZExtValue();
  }

  // The number of a workgroup is in the range that its load has.
  static void AssumeInRange(llvm::IRBuilder<>& builder, llvm::Value& number,
                            const llvm::MDNode& node) {
    const llvm::ConstantRange range = llvm::getConstantRangeFromMetadata(node);
    llvm::CmpInst::Predicate predicate;
    llvm::APInt bound, offset;
    range.getEquivalentICmp(predicate, bound, offset);
    llvm::Value* moved = builder.CreateAdd(&number, builder.getInt(offset));
    builder.CreateAssumption(builder.CreateICmp(predicate, moved, builder.getInt(bound)));
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
      if (const llvm::MDNode* range = from.load->getMetadata(llvm::LLVMContext::MD_range))
        AssumeInRange(builder, *value, *range);
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

// Whether an attribute is said that a function that rounds need not keep.
bool SaysMore(const llvm::AttributeList& attributes) {
  for (const llvm::AttributeSet& set : attributes) {
    for (const llvm::Attribute attribute : set) {
      const Treatment treatment = TreatmentOf(attribute);
      if (treatment == Treatment::kObligation || treatment == Treatment::kUnsupported) return true;
    }
  }
  return false;
}

// XLA:CPU has one function of its own that rounds, xla.fptrunc.f32.to.bf16, also of vectors: the
// types of the name are those of the declaration.
bool RoundsAsItsName(const llvm::Function& function) {
  auto [from, to] = function.getName().substr(strlen("xla.fptrunc.")).split(".to.");
  const auto is = [](llvm::StringRef name, const llvm::Type* type, llvm::StringRef scalar,
                     llvm::Type::TypeID id) {
    unsigned count = 0;
    const bool names_vector = name.consume_front("v") && !name.consumeInteger(10, count);
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    const bool as_many = names_vector ? vector && vector->getNumElements() == count : !vector;
    return as_many && name == scalar && type->getScalarType()->getTypeID() == id;
  };
  return function.arg_size() == 1 &&
         is(from, function.getArg(0)->getType(), "f32", llvm::Type::FloatTyID) &&
         is(to, function.getReturnType(), "bf16", llvm::Type::BFloatTyID);
}

void ReplaceRoundings(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with("xla.fptrunc.") ||
        !RoundsAsItsName(function) || SaysMore(function.getAttributes())) {
      continue;
    }
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != &function || call->getFastMathFlags().any() ||
          SaysMore(call->getAttributes()) || call->getCallingConv() != function.getCallingConv() ||
          call->hasMetadataOtherThanDebugLoc() || call->hasOperandBundles()) {
        continue;
      }
      llvm::IRBuilder<> builder(call);
      call->replaceAllUsesWith(builder.CreateFPTrunc(call->getArgOperand(0), call->getType()));
      call->eraseFromParent();
    }
  }
}

// LLVM gives a variable without an alignment the one that its target prefers for the type, and
// accesses may rely on it. XLA:CPU writes bytes for arrays of scalars and reads them as aligned
// ones: its targets load scalars anywhere, but no vectors of 16 bytes.
void AlignConstants(llvm::Module& module) {
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.isConstant() && !global.getAlign())
      global.setAlignment(
          std::max(module.getDataLayout().getPreferredAlign(&global), kAlignmentOfScalars));
  }
}

// A pointer of the address space that XLA:CPU's have. x86 has segments in others.
bool IsPlainPointer(const llvm::Type* type) {
  return type->isPointerTy() && type->getPointerAddressSpace() == 0;
}

}  // namespace

bool TakesCallFrame(const llvm::Function& function) {
  return !function.isDeclaration() && function.arg_size() == 1 && !function.isVarArg() &&
         IsPlainPointer(function.getArg(0)->getType()) &&
         IsPlainPointer(function.getReturnType()) &&
         llvm::StructType::getTypeByName(function.getContext(), "XLA_CPU_KernelCallFrame");
}

llvm::Expected<llvm::Function*> UnpackCallFrame(llvm::Function& function, llvm::StringRef where) {
  ReplaceRoundings(*function.getParent());
  AlignConstants(*function.getParent());
  return Unpacker(function, where).Run();
}

}  // namespace affirm::kernel
