// Attributes, metadata and flags of LLVM IR (verify/kernel/promise_table.h) as obligations.
#include "verify/kernel/promises.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "verify/kernel/lift/licences.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/lift/open_promises.h"
#include "verify/kernel/promise_table.h"
#include "verify/kernel/scalar_argument.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;

// The alignment of every device allocation (CUDA C++ Programming Guide, "Device
// Memory Accesses"); a larger alignment of an argument has to stand in the launch.
constexpr uint64_t kMostAssumedAlignment = 256;

// Alias results from the types of accesses (LangRef, "tbaa Metadata").
class TypeBasedAliases {
 public:
  explicit TypeBasedAliases(const llvm::Module& module)
      : library_(module.getTargetTriple()), info_(library_), all_(info_), query_(all_) {}

  bool AreApart(const llvm::AAMDNodes& a, const llvm::AAMDNodes& b) {
    return by_type_.alias(LocationOf(a), LocationOf(b), query_, nullptr) ==
           llvm::AliasResult::NoAlias;
  }
  bool IsConstant(const llvm::AAMDNodes& of) {
    return of.TBAA &&
           by_type_.getModRefInfoMask(LocationOf(of), query_, false) == llvm::ModRefInfo::NoModRef;
  }

 private:
  static llvm::MemoryLocation LocationOf(const llvm::AAMDNodes& nodes) {
    return llvm::MemoryLocation(nullptr, llvm::LocationSize::beforeOrAfterPointer(), nodes);
  }
  llvm::TargetLibraryInfoImpl library_;
  llvm::TargetLibraryInfo info_;
  llvm::AAResults all_;
  llvm::SimpleAAQueryInfo query_;
  llvm::TypeBasedAAResult by_type_{/*UsingTypeSanitizer=*/false};
};

// The attributes that the metadata of a load gives the pointer it loads.
llvm::SmallVector<llvm::Attribute, 2> AttributesOfPointer(const llvm::Instruction& i) {
  using Context = llvm::LLVMContext;
  llvm::SmallVector<llvm::Attribute, 2> attributes;
  if (i.hasMetadata(Context::MD_nonnull))
    attributes.push_back(llvm::Attribute::get(i.getContext(), llvm::Attribute::NonNull));
  for (auto [kind, attribute] :
       {std::pair(Context::MD_align, llvm::Attribute::Alignment),
        {Context::MD_dereferenceable, llvm::Attribute::Dereferenceable},
        {Context::MD_dereferenceable_or_null, llvm::Attribute::Dereferenceable}}) {
    if (const llvm::MDNode* node = i.getMetadata(kind)) {
      const auto* number = llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0));
      attributes.push_back(llvm::Attribute::get(i.getContext(), attribute, number->getZExtValue()));
    }
  }
  return attributes;
}

bool IsOfThread(uint32_t memory) { return memory >= kOfThread && memory < kNowhere; }

bool AreInOtherScopes(const llvm::AAMDNodes& a, const llvm::AAMDNodes& b) {
  using Scoped = llvm::ScopedNoAliasAAResult;
  return !Scoped::mayAliasInScopes(a.Scope, b.NoAlias) ||
         !Scoped::mayAliasInScopes(b.Scope, a.NoAlias);
}

}  // namespace

// ---- values

void Lifter::ObligeDefined(const Value& value) {
  WithoutPoison(value);
  const auto pointer = value.As<Value::Pointer>();
  if (value.Is<Value::None>() || MarksOf(value) != 0 || (pointer && pointer->memory >= kNowhere))
    Unproved(Claim::kIntegers, "noundef: the value is neither undef nor poison", "");
}

// Obligations of value attributes, of a call or a function.
void Lifter::ObligeAttributes(llvm::AttributeSet attributes, llvm::Type* type, const Value& value) {
  for (const llvm::Attribute attribute : attributes) {
    if (failed()) return;
    if (TreatmentOf(attribute) != Treatment::kObligation) continue;
    switch (attribute.getKindAsEnum()) {
      case llvm::Attribute::NoUndef:
        ObligeDefined(value);
        break;
      case llvm::Attribute::Range:
        ObligeInRange(attribute.getRange(), value);
        break;
      case llvm::Attribute::NoFPClass:
        Unproved(Claim::kIntegers, "nofpclass: no float of these classes", "not looked at");
        break;
      case llvm::Attribute::NonNull:
      case llvm::Attribute::Alignment:
      case llvm::Attribute::Dereferenceable:
      case llvm::Attribute::DereferenceableOrNull:
        ObligePointer(attribute, type, value);
        break;
      default:
        break;  // attributes of functions, and noalias
    }
  }
}

void Lifter::ObligePointer(llvm::Attribute attribute, llvm::Type* type, const Value& value) {
  constexpr const char* kOneMemory = "what is said of the address holds";
  const auto pointer = value.As<Value::Pointer>();
  if (!pointer || pointer->memory >= kNowhere) {
    Unproved(Claim::kBounds, kOneMemory,
             attribute.getAsString() + ", of null or several addresses");
    return;
  }
  int64_t bytes = 0, alignment = 1;
  if (pointer->memory < memories_.size()) {
    const Memory& memory = memories_[pointer->memory];
    bytes = memory.bytes;
    alignment = memory.alignment;
    if (memory.kind == Memory::Kind::kParam)
      bytes = static_cast<int64_t>(llvm::alignTo(bytes, kAllocationAlignment));
  } else if (const ByteMemory* own = OwnOf(*pointer)) {
    bytes = own->bytes();
    alignment = own->alignment();
  }
  auto inside = [&](const char* what, int64_t count) {
    Oblige(Claim::kBounds, what,
           pool_.And({pool_.AtLeastZero(pointer->offset),
                      pool_.AtLeast(pool_.Number(bytes - count), pointer->offset)}));
  };
  switch (attribute.getKindAsEnum()) {
    case llvm::Attribute::NonNull:
      // Shared memory and allocas may begin at address 0 of their address spaces.
      if (type->getPointerAddressSpace() > 1 || bytes == 0)
        Unproved(Claim::kBounds, kOneMemory, "nonnull");
      else
        inside("nonnull: the address is in its memory", 0);
      break;
    case llvm::Attribute::Alignment: {
      const auto needed = static_cast<int64_t>(attribute.getAlignment()->value());
      if (needed > alignment)
        Unproved(Claim::kBounds, kOneMemory, attribute.getAsString());
      else if (needed > 1)
        Oblige(Claim::kBounds, "align: the address is a multiple of it",
               pool_.IsZero(scope_.Residue(pointer->offset, needed)));
      break;
    }
    default:
      inside("dereferenceable: the bytes are in one memory",
             static_cast<int64_t>(attribute.getValueAsInt()));
  }
}

// Obligations of metadata and flags of a result.
void Lifter::ObligeResult(const llvm::Instruction& i, const Value& result) {
  if (const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&i)) {
    if (math->hasNoNaNs()) Unproved(Claim::kIntegers, "nnan: nothing is NaN", "not looked at");
    if (math->hasNoInfs()) Unproved(Claim::kIntegers, "ninf: nothing is infinite", "not looked at");
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
    const llvm::Function* function = call->getCalledFunction();
    ObligeAttributes(call->getAttributes().getRetAttrs(), i.getType(), result);
    if (function) ObligeAttributes(function->getAttributes().getRetAttrs(), i.getType(), result);
    if (call->doesNotReturn()) Unproved(Claim::kIntegers, "noreturn: the call does not return", "");
  }
  if (!i.hasMetadataOtherThanDebugLoc()) return;
  if (i.hasMetadata(llvm::LLVMContext::MD_noundef)) ObligeDefined(result);
  for (const llvm::Attribute attribute : AttributesOfPointer(i))
    ObligePointer(attribute, i.getType(), result);
  const llvm::MDNode* range = i.getMetadata(llvm::LLVMContext::MD_range);
  if (!range) return;
  if (range->getNumOperands() == 2)
    ObligeInRange(llvm::getConstantRangeFromMetadata(*range), result);
  else
    Unproved(Claim::kIntegers, "range: the value is in the range that it has", "several ranges");
}

// Identifies an instruction by its call stack, since inlined copies may be optimized differently.
// A value with Licence::kValue gets a new number, the size of the pool, at each execution:
// unrolled iterations and scalarized lanes may be optimized differently as well.
int32_t Lifter::NumberOf(const llvm::Instruction& i, Licence licence) {
  if (licence == Licence::kValue) return -static_cast<int32_t>(pool_.size());
  std::vector<const llvm::Instruction*> place = {&i};
  for (const LiftFrame& frame : thread_->frames) place.push_back(frame.call);
  return instructions_.try_emplace(place, static_cast<int32_t>(instructions_.size()) + 1)
      .first->second;
}

// Marks the result with the licences of its fast-math flags.
Value Lifter::Licensed(const llvm::Instruction& i, const Value& result) {
  if (!llvm::isa<llvm::FPMathOperator>(i)) return result;
  if (auto list = result.As<Value::List>()) {
    std::vector<Value> parts;
    for (const Value& part : list->parts) parts.push_back(Licensed(i, part));
    return ListOf(parts);
  }
  auto data = result.As<Value::Data>();
  if (!data) return result;
  const Licence licence = products_.LicenceOf(i, data->term);
  return Value(Value::Data(WithLicence(pool_, data->term, licence, NumberOf(i, licence))))
      .WithSound(result.sound());
}

// Obligations of the arguments of a call, and of the call as a whole, before it is executed.
void Lifter::ObligeArguments(const LiftThread& thread, const llvm::CallBase& call) {
  const LiftFrame& frame = thread.frames.back();
  const llvm::Function* function = call.getCalledFunction();
  const auto* instruction = llvm::dyn_cast<llvm::CallInst>(&call);
  for (unsigned k = 0; k < call.arg_size() && !failed(); ++k) {
    llvm::Type* type = call.getArgOperand(k)->getType();
    if (type->isMetadataTy()) continue;
    const llvm::AttributeSet at_call = call.getAttributes().getParamAttrs(k);
    // The attributes of intrinsics follow from the model of the intrinsic.
    const llvm::AttributeSet of_function = function && !function->isIntrinsic()
                                               ? function->getAttributes().getParamAttrs(k)
                                               : llvm::AttributeSet();
    const bool is_tail = instruction && instruction->isTailCall() && HoldsPointers(*type);
    // A function without a body may access memory through the pointer.
    const bool has_space = type->isPointerTy() && type->getPointerAddressSpace() != 0 &&
                           (!function || function->isDeclaration());
    if (!at_call.hasAttributes() && !of_function.hasAttributes() && !is_tail && !has_space)
      continue;
    const Value value = GetAny(frame, call.getArgOperand(k));
    if (failed()) return;
    if (has_space) ObligeSpace(RequirePointer(value), type->getPointerAddressSpace());
    ObligeAttributes(at_call, type, value);
    ObligeAttributes(of_function, type, value);
    // LangRef, "call": a tail call must not access allocas of its caller.
    const auto pointer = value.As<Value::Pointer>();
    if (is_tail && (!pointer || IsOfThread(pointer->memory)))
      Unproved(Claim::kIntegers, "tail: no memory of the caller is reached", "");
  }
  if (function && !function->isDeclaration() && !failed()) ObligeAlone(frame, call, *function);
}

// Identifies the buffer or variable: parameters that share a buffer share the number.
int64_t Lifter::MemoryOf(uint32_t memory) const {
  const bool is_buffer =
      memory < memories_.size() && memories_[memory].kind == Memory::Kind::kParam;
  return is_buffer ? -1 - memories_[memory].buffer : int64_t{memory};
}

// LangRef, "noalias": memory that is accessed through the argument, and modified during the call,
// is accessed through that argument alone.
void Lifter::ObligeAlone(const LiftFrame& frame, const llvm::CallBase& call,
                         const llvm::Function& function) {
  constexpr const char* kAlone = "noalias: what is changed has one argument";
  auto conflict = [](const PointerUses& a, const PointerUses& b) {
    return (a.is_written && (b.is_read || b.is_written)) || (b.is_written && a.is_read);
  };
  for (const llvm::Argument& argument : function.args()) {
    const unsigned k = argument.getArgNo();
    if (!argument.hasNoAliasAttr() && !call.paramHasAttr(k, llvm::Attribute::NoAlias)) continue;
    const auto pointer = GetAny(frame, call.getArgOperand(k)).As<Value::Pointer>();
    const PointerUses uses = effect_analysis_.UsesOf(argument);
    bool alone = pointer.has_value();
    for (const llvm::Argument& other : function.args()) {
      if (!alone || &other == &argument || !HoldsPointers(*other.getType())) continue;
      const auto to = GetAny(frame, call.getArgOperand(other.getArgNo())).As<Value::Pointer>();
      const bool meets = !to || MemoryOf(to->memory) == MemoryOf(pointer->memory);
      const PointerUses of_other =
          other.getType()->isPointerTy() ? effect_analysis_.UsesOf(other) : PointerUses::All();
      alone = !meets || !conflict(uses, of_other);
    }
    // Memory of the thread may hold pointers that no argument is.
    const auto is_to = [&](const Cell& cell) {
      const auto held = cell.value.As<Value::Pointer>();
      return held && MemoryOf(held->memory) == MemoryOf(pointer->memory);
    };
    if (alone && thread_->own.AnyCell(is_to)) alone = !conflict(uses, PointerUses::All());
    // Global variables can be accessed without an argument.
    if (alone && pointer->memory < memories_.size() && memories_[pointer->memory].variable) {
      const llvm::ModRefInfo rest =
          effect_analysis_.EffectsOf(function).memory.getModRef(llvm::IRMemLocation::Other);
      alone = !conflict(uses, {llvm::isRefSet(rest), llvm::isModSet(rest)});
    }
    if (!alone) Unproved(Claim::kRaces, kAlone, "argument " + llvm::Twine(k));
  }
}

// ---- accesses

// Obligation of a load whose metadata says that its memory is never written.
void Lifter::ObligeInvariant(uint32_t memory) {
  if (!now_->hasMetadataOtherThanDebugLoc()) return;
  const llvm::AAMDNodes nodes = now_->getAAMetadata();
  // "amdgpu.noclobber": nothing in the kernel writes it before (LLVM, AMDGPUAnnotateUniformValues).
  const bool said = now_->hasMetadata(llvm::LLVMContext::MD_invariant_load) ||
                    now_->hasMetadata("amdgpu.noclobber") ||
                    (nodes.TBAA && TypeBasedAliases(*ir_.module).IsConstant(nodes));
  if (!said) return;
  const bool is_constant = memory < memories_.size() &&
                           memories_[memory].kind != Memory::Kind::kShared &&
                           !memories_[memory].written;
  if (!is_constant) Unproved(Claim::kRaces, "invariant: nobody writes what is loaded", "");
}

// Records the accesses of instructions with the same metadata, as one interval in each memory.
void Lifter::RecordScopedAccess(uint32_t memory, Term offset, int64_t size) {
  if (!now_->hasMetadataOtherThanDebugLoc()) return;
  const llvm::AAMDNodes nodes = now_->getAAMetadata();
  if (!nodes) return;
  const terms::Range range = scope_.RangeOf(offset);
  // A copy reads and writes.
  ScopedAccess access{MemoryOf(memory), range.lo, range.hi + size, now_->mayWriteToMemory(), now_};
  for (ScopedAccess& known : scoped_accesses_[nodes]) {
    if (known.memory != access.memory || known.is_write != access.is_write) continue;
    known.first = std::min(known.first, access.first);
    known.end = std::max(known.end, access.end);
    return;
  }
  scoped_accesses_[nodes].push_back(access);
}

// LangRef, "noalias and alias.scope Metadata", "tbaa Metadata".
void Lifter::JudgeScopes() {
  TypeBasedAliases types(*ir_.module);
  auto meet = [](const ScopedAccess& a, const ScopedAccess& b) {
    return a.memory == b.memory && (a.is_write || b.is_write) && a.first < b.end && b.first < a.end;
  };
  for (auto a = scoped_accesses_.begin(); a != scoped_accesses_.end(); ++a) {
    for (auto b = a; b != scoped_accesses_.end(); ++b) {
      if (!AreInOtherScopes(a->first, b->first) && !types.AreApart(a->first, b->first)) continue;
      for (const ScopedAccess& one : a->second) {
        for (const ScopedAccess& other : b->second) {
          if (meet(one, other))
            OpenAt(Claim::kRaces, "accesses that metadata tells apart are of other bytes",
                   *other.at, "");
        }
      }
    }
  }
}

void Lifter::OpenAt(Claim claim, const char* what, const llvm::Instruction& at,
                    const std::string& detail) {
  Obligation& obligation = obligations_.At(claim, what, at, ir_.LineOf(&at));
  ++obligation.times;
  if (++obligation.failed == 1) obligation.detail = detail;
}

// A kernel with griddepcontrol.wait may start before its predecessors have ended (PTX ISA,
// "griddepcontrol"). Finds an instruction that may access memory before the wait, or on a path
// without one; null if there is none, or the kernel has no wait.
static const llvm::Instruction* FindAccessBeforeWait(const KernelIr& ir) {
  const llvm::Function* wait = ir.module->getFunction("llvm.nvvm.griddepcontrol.wait");
  if (wait == nullptr || wait->use_empty()) return nullptr;
  const llvm::BasicBlock& entry = ir.kernel->getEntryBlock();
  for (const llvm::Instruction& i : entry) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call != nullptr && call->getCalledFunction() == wait) return nullptr;
    if (i.mayReadOrWriteMemory()) return &i;
  }
  return entry.getTerminator();
}

// Obligations of the kernel as a whole.
void Lifter::JudgePromises() {
  const llvm::Instruction& first = *ir_.kernel->getEntryBlock().begin();
  if (const llvm::Instruction* early = FindAccessBeforeWait(ir_))
    OpenAt(Claim::kRaces, "memory is accessed after griddepcontrol.wait alone", *early, "");
  for (const std::string& broken : BrokenPromises(ir_, launch_)) {
    OpenAt(Claim::kBounds, "the launch keeps what the kernel promises", first, broken);
  }
  for (const BrokenScalarPromise& broken : BrokenScalarPromises(ir_, launch_))
    OpenAt(Claim::kIntegers, "the launch keeps what the kernel promises", first, broken.text);
  JudgeScopes();
  for (const OpenPromise& open : OpenPromises(ir_, effect_analysis_))
    OpenAt(Claim::kIntegers, "every promise is kept", *open.at, open.promise);
  for (const llvm::Argument& argument : ir_.kernel->args()) {
    const llvm::MaybeAlign align = argument.getParamAlign();
    if (!align || align->value() <= kMostAssumedAlignment) continue;
    const Param* param = ParamOf(argument, launch_);
    if (param && !param->alignment) {
      OpenAt(Claim::kBounds, "the launch keeps what the kernel promises", first,
             "alignment " + std::to_string(align->value()) + " of argument " +
                 std::to_string(argument.getArgNo()) + ", of which the launch says nothing");
    }
  }
  // Two arguments with one buffer, one of which is noalias, violate it if one is stored through.
  // Compilers do not reorder accesses by inline PTX, so these alone are no violation.
  for (const llvm::Argument& a : ir_.kernel->args()) {
    const auto to_one = arguments_[a.getArgNo()].As<Value::Pointer>();
    if (!to_one || !memories_[to_one->memory].stored) continue;
    for (const llvm::Argument& b : ir_.kernel->args()) {
      const auto to_other = arguments_[b.getArgNo()].As<Value::Pointer>();
      if (!to_other) continue;  // by value
      const Memory &one = memories_[to_one->memory], &other = memories_[to_other->memory];
      if (a.getArgNo() == b.getArgNo() || one.buffer != other.buffer) continue;
      if (!other.accessed || !(one.may_move || other.may_move)) continue;
      if (!a.hasNoAliasAttr() && !b.hasNoAliasAttr()) continue;
      OpenAt(Claim::kRaces, "noalias: what is changed has one argument", *other.accessed,
             "arguments of one buffer");
    }
  }
}

}  // namespace affirm::kernel
