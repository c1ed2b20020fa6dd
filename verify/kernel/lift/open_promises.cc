#include "verify/kernel/lift/open_promises.h"

#include <algorithm>
#include <string>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "verify/kernel/lift/functions.h"
#include "verify/kernel/promise_table.h"

namespace affirm::kernel {

namespace {

using llvm::Attribute;
using llvm::CallBase;
using llvm::Function;
using llvm::StringRef;

bool IsKernelConvention(llvm::CallingConv::ID convention) {
  return convention == llvm::CallingConv::PTX_Kernel ||
         convention == llvm::CallingConv::AMDGPU_KERNEL;
}

// Whether the effects of a function without a body are known: from LLVM, for intrinsics, or from
// the table of functions.cc.
bool IsKnownFunction(const Function& function) {
  const Callee::Kind kind = ClassifyCallee(function).kind;
  return function.isIntrinsic() || kind == Callee::Kind::kMath || kind == Callee::Kind::kIdentifier;
}

bool ComputesWithFloats(const Function& function) {
  for (const llvm::Instruction& op : llvm::instructions(function)) {
    const bool moves = llvm::isa<llvm::PHINode, llvm::SelectInst>(op);
    if (llvm::isa<llvm::FPMathOperator>(op) && !moves) return true;
    if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(op)) return true;
  }
  return false;
}

// Whether the function, or one that it calls, may read an implicit argument of AMDGPU kernels, such
// as "workitem-id-x" by llvm.amdgcn.workitem.id.x. Functions of ROCm's library may read any. A
// kernel always has the IDs of the first dimension, so LLVM puts the attribute even on kernels that
// read them (AMDGPUAttributor).
bool MayReadOfAmdgpu(const Function& function, StringRef what) {
  if (what.ends_with("-id-x") && IsKernelConvention(function.getCallingConv())) return false;
  std::string intrinsic = ("llvm.amdgcn." + what).str();
  std::replace(intrinsic.begin() + strlen("llvm.amdgcn."), intrinsic.end(), '-', '.');
  llvm::SetVector<const Function*> reached;
  reached.insert(&function);
  for (size_t k = 0; k < reached.size(); ++k) {
    const StringRef name = reached[k]->getName();
    if (name == intrinsic || name.starts_with("__ockl_")) return true;
    for (const llvm::Instruction& op : llvm::instructions(*reached[k])) {
      const auto* call = llvm::dyn_cast<CallBase>(&op);
      if (call && call->getCalledFunction()) reached.insert(call->getCalledFunction());
    }
  }
  return false;
}

// ABI attributes, on which caller and callee must agree.
constexpr Attribute::AttrKind kHandover[] = {Attribute::SExt, Attribute::ZExt, Attribute::NoExt,
                                             Attribute::InReg};

class PromiseSearch {
 public:
  PromiseSearch(const KernelIr& ir, EffectAnalysis& effects) : ir_(ir), effects_(effects) {}

  std::vector<OpenPromise> Run() {
    CheckModule();
    reached_.insert(ir_.kernel);
    for (size_t k = 0; k < reached_.size(); ++k) CheckFunction(*reached_[k]);
    return std::move(open_);
  }

 private:
  void Add(const llvm::Instruction* at, const llvm::Twine& promise, const llvm::Twine& place) {
    open_.push_back({at, (promise + " of " + place).str()});
  }
  const llvm::Instruction* FirstOf(const Function& function) const {
    const Function& in = function.isDeclaration() ? *ir_.kernel : function;
    return &*in.getEntryBlock().begin();
  }
  static std::string Quoted(Attribute attribute) { return "'" + attribute.getAsString() + "'"; }

  void CheckFunction(const Function& function) {
    const llvm::Instruction* first = FirstOf(function);
    const std::string place = ("the function '" + function.getName() + "'").str();
    const bool is_kernel = &function == ir_.kernel;
    // LLVM's own attributes of intrinsics need no check.
    if (!function.isIntrinsic() ||
        function.getAttributes() != llvm::Intrinsic::getAttributes(function.getContext(),
                                                                   function.getIntrinsicID(),
                                                                   function.getFunctionType())) {
      CheckFunctionAttributes(function.getAttributes().getFnAttrs(), function,
                              effects_.EffectsOf(function), first, place);
      for (const llvm::Argument& argument : function.args()) {
        auto uses = [&] {
          return function.isDeclaration() ? PointerUses::All() : effects_.UsesOf(argument);
        };
        CheckParameter(function.getAttributes().getParamAttrs(argument.getArgNo()), uses, &argument,
                       first, "argument " + std::to_string(argument.getArgNo()) + " of " + place);
      }
      CheckResult(function.getAttributes().getRetAttrs(), first, "the result of " + place);
    }
    if (is_kernel && function.hasFnAttribute(Attribute::NoReturn)) Add(first, "'noreturn'", place);
    if (TreatmentOf(function.getCallingConv()) == Treatment::kUnsupported)
      Add(first, "the calling convention", place);
    if (!is_kernel && !function.isDeclaration()) {
      if (IsKernelConvention(function.getCallingConv()))
        Add(first, "the calling convention", place);
      if (function.isInterposable()) Add(first, "the linkage, which allows another one,", place);
      const bool hides_library = !function.hasLocalLinkage() &&
                                 OperationOfFunction(function.getName()) != terms::Op::kNone;
      if (hides_library) Add(first, "the name, which is one of a library,", place);
    }
    if (function.hasPrologueData() || function.hasGC()) Add(first, "prologue or gc", place);
    CheckMetadata(function, first, place);
    for (const llvm::Instruction& op : llvm::instructions(function)) CheckInstruction(op);
  }

  void CheckFunctionAttributes(llvm::AttributeSet attributes, const Function& function,
                               const FunctionEffects& effects, const llvm::Instruction* at,
                               const std::string& place) {
    for (const Attribute attribute : attributes) {
      const Treatment treatment = TreatmentOf(attribute);
      const bool open = treatment == Treatment::kUnsupported ||
                        (treatment == Treatment::kText && !Keeps(function, effects, attribute));
      if (open) Add(at, Quoted(attribute), place);
    }
  }

  // Whether a function with these effects keeps an attribute that its text decides.
  static bool Keeps(const Function& function, const FunctionEffects& effects, Attribute attribute) {
    if (attribute.isStringAttribute()) return KeepsString(function, attribute);
    switch (attribute.getKindAsEnum()) {
      case Attribute::Memory:
        return (attribute.getMemoryEffects() | effects.memory) == attribute.getMemoryEffects();
      case Attribute::NoRecurse:
        return !effects.calls_itself;
      case Attribute::NoSync:
        return !effects.synchronizes;
      case Attribute::NoCallback:
        return !effects.calls_defined;
      case Attribute::Speculatable:
      case Attribute::NoCreateUndefOrPoison:
        return IsKnownFunction(function) && !effects.synchronizes;
      default:
        return false;
    }
  }

  static bool KeepsString(const Function& function, Attribute attribute) {
    const StringRef key = attribute.getKindAsString(), value = attribute.getValueAsString();
    if (key.starts_with("denormal-fp-math"))
      return value == "ieee" || value == "ieee,ieee" || !ComputesWithFloats(function);
    // Fast-math for the whole function is not supported.
    if (key.ends_with("fp-math") || key.ends_with("fpmad")) return value != "true";
    if (key.starts_with("amdgpu-no-"))
      return !MayReadOfAmdgpu(function, key.substr(strlen("amdgpu-no-")));
    return true;  // about launches (promises.h)
  }

  void CheckParameter(llvm::AttributeSet attributes, llvm::function_ref<PointerUses()> uses,
                      const llvm::Argument* argument, const llvm::Instruction* at,
                      const std::string& place) {
    for (const Attribute attribute : attributes) {
      bool open = false;
      switch (TreatmentOf(attribute)) {
        case Treatment::kUnsupported:
          open = true;
          break;
        case Treatment::kText:
          open = attribute.isStringAttribute() ||
                 !KeepsParameter(uses(), argument, attribute.getKindAsEnum());
          break;
        default:
          break;
      }
      if (open) Add(at, Quoted(attribute), place);
    }
  }

  static bool KeepsParameter(const PointerUses& uses, const llvm::Argument* argument,
                             Attribute::AttrKind kind) {
    switch (kind) {
      case Attribute::ReadNone:
        return !uses.escapes && !uses.is_read && !uses.is_written;
      case Attribute::ReadOnly:
        return !uses.escapes && !uses.is_written;
      case Attribute::WriteOnly:
        return !uses.escapes && !uses.is_read;
      case Attribute::Captures:
        return !uses.escapes;
      case Attribute::Returned:
        return argument != nullptr && ReturnsArgument(*argument);
      default:
        return llvm::is_contained(kHandover, kind);  // see CheckHandover
    }
  }

  void CheckResult(llvm::AttributeSet attributes, const llvm::Instruction* at,
                   const std::string& place) {
    for (const Attribute attribute : attributes) {
      const bool is_new_memory =
          attribute.isEnumAttribute() && attribute.getKindAsEnum() == Attribute::NoAlias;
      if (is_new_memory || TreatmentOf(attribute) == Treatment::kUnsupported)
        Add(at, Quoted(attribute), place);
    }
  }

  void CheckInstruction(const llvm::Instruction& op) {
    CheckMetadata(op);
    const auto* own = llvm::dyn_cast<llvm::AllocaInst>(&op);
    if (own && (own->isUsedWithInAlloca() || own->isSwiftError()))
      Add(&op, "'inalloca' or 'swifterror'", "the 'alloca'");
    for (const llvm::Value* operand : op.operands()) CheckConstant(op, operand);
    const auto* call = llvm::dyn_cast<CallBase>(&op);
    if (!call) return;
    const Function* function = call->getCalledFunction();
    if (function) reached_.insert(function);
    // Other callees are not lifted.
    if (!function && !call->isInlineAsm()) return;
    const FunctionEffects effects = effects_.EffectsOf(*call);
    const std::string place = function ? ("the call of '" + function->getName() + "'").str()
                                       : std::string("the inline assembly");
    CheckFunctionAttributes(call->getAttributes().getFnAttrs(),
                            function ? *function : *op.getFunction(), effects, &op, place);
    for (unsigned k = 0; k < call->arg_size(); ++k) {
      const llvm::Argument* argument =
          function && k < function->arg_size() ? function->getArg(k) : nullptr;
      CheckParameter(
          call->getAttributes().getParamAttrs(k), [&] { return effects_.UsesOfArgument(*call, k); },
          argument, &op, "argument " + std::to_string(k) + " of " + place);
    }
    CheckResult(call->getAttributes().getRetAttrs(), &op, "the result of " + place);
    if (call->hasOperandBundles() && !llvm::isa<llvm::AssumeInst>(call))
      Add(&op, "an operand bundle", place);
    if (function) CheckCall(*call, *function, place);
    // Alias metadata on a call concerns all accesses of the callee, which are not tracked.
    if (function && !function->isDeclaration() && call->getAAMetadata())
      Add(&op, "metadata about aliases", place);
    if (call->isInlineAsm()) CheckAssembly(*call, effects);
    // A call that is not convergent may be made control-dependent (LangRef, "convergent").
    const bool hides =
        effects.is_convergent && function && !function->isDeclaration() && !call->isConvergent();
    if (hides) Add(&op, "no 'convergent', though there is a barrier in it,", place);
  }

  // Attributes on which both sides of a call must agree.
  void CheckCall(const CallBase& call, const Function& function, const std::string& place) {
    if (call.getCallingConv() != function.getCallingConv())
      Add(&call, "another calling convention than the function's", place);
    if (function.isIntrinsic()) return;
    auto differs = [&](llvm::AttributeSet a, llvm::AttributeSet b) {
      return llvm::any_of(kHandover, [&](Attribute::AttrKind kind) {
        return a.hasAttribute(kind) != b.hasAttribute(kind);
      });
    };
    const llvm::AttributeList at_call = call.getAttributes(),
                              of_function = function.getAttributes();
    for (unsigned k = 0; k < call.arg_size(); ++k) {
      if (differs(at_call.getParamAttrs(k), of_function.getParamAttrs(k)))
        Add(&call, "another way to extend argument " + llvm::Twine(k) + " than the function's",
            place);
    }
    if (differs(at_call.getRetAttrs(), of_function.getRetAttrs()))
      Add(&call, "another way to extend the result than the function's", place);
  }

  // A compiler may drop or move assembly without `sideeffect`.
  void CheckAssembly(const CallBase& call, const FunctionEffects& effects) {
    const auto& assembly = llvm::cast<llvm::InlineAsm>(*call.getCalledOperand());
    const bool acts = effects.memory != llvm::MemoryEffects::none() || effects.synchronizes;
    if (acts && !assembly.hasSideEffects())
      Add(&call, "no 'sideeffect', though it accesses memory or waits,", "the inline assembly");
    const bool other = assembly.getDialect() != llvm::InlineAsm::AD_ATT || assembly.canThrow();
    if (other) Add(&call, "'inteldialect' or 'unwind'", "the inline assembly");
  }

  // Checks a constant and its operands, transitively.
  void CheckConstant(const llvm::Instruction& op, const llvm::Value* operand) {
    std::vector<const llvm::Constant*> open;
    auto add = [&](const llvm::Value* value) {
      const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
      if (constant && constants_.insert(constant).second) open.push_back(constant);
    };
    add(operand);
    while (!open.empty()) {
      const llvm::Constant* constant = open.back();
      open.pop_back();
      const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(constant);
      if (gep && gep->getInRange()) Add(&op, "'inrange'", "a constant address");
      if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
        CheckVariable(op, *variable);
      } else if (!llvm::isa<llvm::GlobalValue>(constant)) {
        for (const llvm::Value* part : constant->operands()) add(part);
      }
    }
  }

  void CheckVariable(const llvm::Instruction& op, const llvm::GlobalVariable& variable) {
    if (!variables_.insert(&variable)) return;
    const std::string place = ("the variable '" + variable.getName() + "'").str();
    if (variable.isThreadLocal()) Add(&op, "'thread_local'", place);
    for (const Attribute attribute : variable.getAttributes()) {
      if (TreatmentOf(attribute) == Treatment::kUnsupported) Add(&op, Quoted(attribute), place);
    }
    CheckMetadata(variable, &op, place);
  }

  void CheckMetadata(const llvm::Instruction& op) {
    if (!op.hasMetadataOtherThanDebugLoc()) return;
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> all;
    op.getAllMetadataOtherThanDebugLoc(all);
    Check(all, &op, std::string("the '") + op.getOpcodeName() + "'");
  }
  void CheckMetadata(const llvm::GlobalObject& object, const llvm::Instruction* at,
                     const std::string& place) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> all;
    object.getAllMetadata(all);
    Check(all, at, place);
  }
  void Check(llvm::ArrayRef<std::pair<unsigned, llvm::MDNode*>> all, const llvm::Instruction* at,
             const std::string& place) {
    for (const auto& [kind, node] : all) {
      const StringRef name = KindName(kind);
      const Treatment treatment = TreatmentOfMetadata(kind, name);
      if (treatment == Treatment::kUnsupported) Add(at, "'!" + name + "'", place);
      if (kind == llvm::LLVMContext::MD_loop) CheckLoop(*node, at, place);
    }
  }

  StringRef KindName(unsigned kind) {
    if (kinds_.empty()) ir_.module->getContext().getMDKindNames(kinds_);
    return kinds_[kind];
  }

  // !{!"llvm.loop.unroll.count", i32 4}
  void CheckLoop(const llvm::MDNode& loop, const llvm::Instruction* at, const std::string& place) {
    for (const llvm::MDOperand& operand : llvm::drop_begin(loop.operands())) {
      const auto* property = llvm::dyn_cast_or_null<llvm::MDNode>(operand.get());
      if (!property || llvm::isa<llvm::DILocation>(property)) continue;
      const auto* name = property->getNumOperands() == 0
                             ? nullptr
                             : llvm::dyn_cast_or_null<llvm::MDString>(property->getOperand(0));
      const Treatment treatment =
          name ? TreatmentOfString(name->getString()) : Treatment::kUnsupported;
      const bool open = treatment == Treatment::kUnsupported ||
                        (treatment == Treatment::kText && !ForbidsVectors(*property));
      if (open) Add(at, "'" + (name ? name->getString() : StringRef("a property")) + "'", place);
    }
  }

  // Whether a property of vectorization disables it, by "false" or a width of 1.
  static bool ForbidsVectors(const llvm::MDNode& property) {
    const auto* value = property.getNumOperands() < 2
                            ? nullptr
                            : llvm::mdconst::dyn_extract<llvm::ConstantInt>(property.getOperand(1));
    return value && (value->getBitWidth() == 1 ? value->isZero() : value->isOne());
  }

  void CheckModule() {
    const llvm::Instruction* first = FirstOf(*ir_.kernel);
    if (!ir_.module->getModuleInlineAsm().empty()) Add(first, "inline assembly", "the module");
    if (ir_.module->getDataLayout().isBigEndian()) Add(first, "big-endian memory", "the module");
    for (const llvm::NamedMDNode& node : ir_.module->named_metadata()) {
      if (TreatmentOfString(node.getName()) == Treatment::kUnsupported)
        Add(first, "'!" + node.getName() + "'", "the module");
    }
    llvm::SmallVector<llvm::Module::ModuleFlagEntry, 8> flags;
    ir_.module->getModuleFlagsMetadata(flags);
    for (const auto& flag : flags) {
      const StringRef name = flag.Key->getString();
      const auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(flag.Val);
      const Treatment treatment = TreatmentOfString(name);
      const bool open = treatment == Treatment::kUnsupported ||
                        (treatment == Treatment::kText && !(value && value->isZero()));
      if (open) Add(first, "the flag '" + name + "'", "the module");
    }
    if (const llvm::NamedMDNode* annotations = ir_.module->getNamedMetadata("nvvm.annotations")) {
      for (const llvm::MDNode* node : annotations->operands()) CheckAnnotation(*node, first);
    }
  }

  // !{ptr @k, !"maxntidx", i32 64, ...}
  void CheckAnnotation(const llvm::MDNode& node, const llvm::Instruction* first) {
    if (node.getNumOperands() == 0) return;
    const auto* of = llvm::mdconst::dyn_extract_or_null<Function>(node.getOperand(0));
    if (of && of != ir_.kernel) return;
    for (unsigned k = 1; k < node.getNumOperands(); k += 2) {
      const auto* key = llvm::dyn_cast_or_null<llvm::MDString>(node.getOperand(k).get());
      if (!key || TreatmentOfString(key->getString()) == Treatment::kUnsupported)
        Add(first, "'" + (key ? key->getString() : StringRef("a key")) + "'", "an annotation");
    }
  }

  const KernelIr& ir_;
  EffectAnalysis& effects_;
  llvm::SetVector<const Function*> reached_;
  llvm::DenseSet<const llvm::Constant*> constants_;  // already checked
  llvm::SetVector<const llvm::GlobalVariable*> variables_;
  llvm::SmallVector<StringRef, 64> kinds_;
  std::vector<OpenPromise> open_;
};

}  // namespace

std::vector<OpenPromise> OpenPromises(const KernelIr& ir, EffectAnalysis& effects) {
  return PromiseSearch(ir, effects).Run();
}

}  // namespace affirm::kernel
