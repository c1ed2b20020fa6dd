// Address computation, and dispatch of accesses to their memory.
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "verify/kernel/inline_ptx.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/lift/word_swap.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;

// The most bytes that one instruction may copy.
constexpr Int128 kMostCopied = 4096;

// The address space of the instruction's pointer. 0, the generic one, for calls, whose arguments
// ObligeArguments checks.
unsigned SpaceOf(const llvm::Instruction& access) {
  const llvm::Value* pointer = llvm::getPointerOperand(&access);
  if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    pointer = atomic->getPointerOperand();
  if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    pointer = swap->getPointerOperand();
  return pointer ? pointer->getType()->getPointerAddressSpace() : 0;
}

// Whether the scalars of a type may be pointers: in memory of the thread they are kept whole.
enum class Pointers { kNowhere, kInOwnMemory };

// Appends the scalars of the type, at that offset. Returns why it cannot, or null.
const char* ListScalars(const llvm::DataLayout& layout, llvm::Type* type, int64_t offset,
                        Pointers pointers, llvm::SmallVectorImpl<Scalar>& scalars) {
  auto parts = [&](llvm::Type* of, uint64_t count) -> const char* {
    auto stride = static_cast<int64_t>(layout.getTypeAllocSize(of).getFixedValue());
    if (type->isVectorTy() &&
        layout.getTypeSizeInBits(of).getFixedValue() != static_cast<uint64_t>(stride) * 8)
      return "a vector of parts of bytes";
    for (uint64_t k = 0; k < count; ++k) {
      const int64_t at = offset + static_cast<int64_t>(k) * stride;
      if (const char* why = ListScalars(layout, of, at, pointers, scalars)) return why;
    }
    return nullptr;
  };
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return parts(vector->getElementType(), vector->getNumElements());
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return parts(array->getElementType(), array->getNumElements());
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* places = layout.getStructLayout(structure);
    for (unsigned k = 0; k < structure->getNumElements(); ++k) {
      const int64_t at = offset + static_cast<int64_t>(places->getElementOffset(k).getFixedValue());
      llvm::Type* of = structure->getElementType(k);
      if (const char* why = ListScalars(layout, of, at, pointers, scalars)) return why;
    }
    return nullptr;
  }
  const uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
  const bool is_number = type->isIntegerTy() || type->isFloatingPointTy();
  const bool is_pointer = type->isPointerTy() && pointers == Pointers::kInOwnMemory;
  if (bits % 8 != 0 || !(is_number || is_pointer)) return "memory of this type";
  constexpr size_t kMostScalars = 4096;
  if (scalars.size() == kMostScalars) return "an access of more than 4096 scalars";
  scalars.push_back({type, offset, static_cast<int64_t>(bits / 8)});
  return nullptr;
}

}  // namespace

// Whether memory lies in the address space; a pointer of another space cannot reach it.
bool Lifter::IsInSpace(const Value::Pointer& pointer, unsigned space) const {
  constexpr unsigned kAll = 0, kGlobal = 1, kShared = 3, kOwn = 5;
  if (space == kAll || pointer.memory >= kNowhere) return true;
  if (pointer.memory >= kOfThread) return space == kOwn;
  switch (memories_[pointer.memory].kind) {
    case Memory::Kind::kParam:
      return space == kGlobal;
    case Memory::Kind::kShared:
      return space == kShared;
    case Memory::Kind::kConstant: {
      // NVPTX puts a variable of no space into global memory.
      const unsigned own = memories_[pointer.memory].variable->getAddressSpace();
      return space == (own == kAll ? kGlobal : own);
    }
  }
  return false;
}

void Lifter::ObligeSpace(const Value::Pointer& pointer, unsigned space) {
  constexpr const char* kSpace = "the pointer is one of its memory's address space";
  if (IsInSpace(pointer, space))
    Met(Claim::kBounds, kSpace);
  else
    Unproved(Claim::kBounds, kSpace, "");
}

Value Lifter::Address(const llvm::GEPOperator& gep, const Value& base,
                      llvm::ArrayRef<Value> indices) {
  const Value::Pointer from = RequirePointer(base);
  if (failed()) return {};
  int64_t width = layout_.getIndexSizeInBits(gep.getPointerAddressSpace());
  bool flagged = gep.isInBounds() || gep.hasNoUnsignedSignedWrap() || gep.hasNoUnsignedWrap();
  int64_t bytes = 0;
  if (from.memory < memories_.size()) bytes = memories_[from.memory].bytes;
  if (const ByteMemory* own = OwnOf(from)) bytes = own->bytes();
  constexpr const char* kInBounds = "inbounds: the address is in its buffer";
  // Indices that are undef may differ from each other and at each use.
  llvm::SmallVector<Value, 4> parts(indices.begin(), indices.end());
  parts.push_back(base);
  if (NumVarying(parts) > 1) return Fail(*now_, "an address of several unspecified values");
  Term offset = from.offset;
  const bool starts_inside = offset->IsNumber() && offset->number >= 0 && offset->number <= bytes;
  if (flagged && !starts_inside) ObligeInside(kInBounds, offset, 0, bytes);
  size_t k = 0;
  for (auto it = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); it != end; ++it, ++k) {
    llvm::Type* type = it.getOperand()->getType();
    if (!type->isIntegerTy()) return Fail(*now_, "an index that is no integer");
    ObligeNoPoison(indices[k]);
    if (llvm::StructType* structure = it.getStructTypeOrNull()) {
      Term number = UnsignedOf(indices[k], type);
      if (failed()) return {};
      if (!number->IsNumber() || number->number < 0 ||
          number->number >= structure->getNumElements())
        return Fail(*now_, "a member that the structure does not have");
      auto field = static_cast<unsigned>(number->number);
      auto at = layout_.getStructLayout(structure)->getElementOffset(field).getFixedValue();
      offset = pool_.Add(offset, pool_.Number(static_cast<int64_t>(at)));
    } else {
      if (type->getIntegerBitWidth() > width) return Fail(*now_, "an index that is cut off");
      Term index = SignedOf(indices[k], type);
      if (failed()) return {};
      if (gep.hasNoUnsignedWrap())
        ObligeInside("nuw: the index is not negative", index, 0, terms::kInfinity - 1);
      const llvm::TypeSize step = it.getSequentialElementStride(layout_);
      if (step.isScalable()) return Fail(*now_, "an element whose size is not known");
      const auto stride = static_cast<int64_t>(step.getFixedValue());
      if (index->IsNumber() && index->number == 0) continue;
      offset = pool_.Add(offset, pool_.Scale(index, stride));
    }
    if (flagged) ObligeInside(kInBounds, offset, 0, bytes);
  }
  return Value::Pointer(from.memory, offset);
}

bool Lifter::Scalars(llvm::Type* type, int64_t offset, llvm::SmallVectorImpl<Scalar>& scalars) {
  const char* why = ListScalars(layout_, type, offset, Pointers::kNowhere, scalars);
  if (why) Fail(*now_, why);
  return !why;
}

Value Lifter::Assemble(llvm::Type* type, llvm::ArrayRef<Value>& values) {
  auto parts = [&](uint64_t count, auto&& type_of) {
    std::vector<Value> list;
    list.reserve(count);
    for (uint64_t k = 0; k < count; ++k)
      list.push_back(Assemble(type_of(static_cast<unsigned>(k)), values));
    return ListOf(list);
  };
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return parts(vector->getNumElements(), [&](unsigned) { return vector->getElementType(); });
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return parts(array->getNumElements(), [&](unsigned) { return array->getElementType(); });
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type))
    return parts(structure->getNumElements(),
                 [&](unsigned k) { return structure->getElementType(k); });
  Value value = values.front();
  values = values.drop_front();
  return value;
}

void Lifter::Flatten(llvm::Type* type, const Value& value, llvm::SmallVectorImpl<Value>& values) {
  auto list = value.As<Value::List>();
  if (!list) {
    values.push_back(value);
    return;
  }
  for (const Value& part : list->parts) Flatten(type, part, values);
}

// Skips calls other than inline PTX: copies and matrix moves are not accesses of single lanes.
void Lifter::ListAccess(const Value::Pointer& pointer, int64_t size) {
  const bool is_swap = llvm::isa<llvm::AtomicCmpXchgInst>(now_);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(now_);
  if (pointer.memory >= memories_.size() || (call && !call->isInlineAsm())) return;
  const Memory& memory = memories_[pointer.memory];
  if (memory.kind == Memory::Kind::kConstant) return;
  MemoryAccess access{.instruction = now_,
                      .line = ir_.LineOf(now_),
                      .is_shared = memory.kind == Memory::Kind::kShared,
                      .is_write = now_->mayWriteToMemory(),
                      .is_swap = is_swap,
                      .buffer = memory.param ? memory.buffer : -1,
                      .memory = pointer.memory,
                      .offset = pointer.offset,
                      .bytes = size,
                      .guard = Guard(),
                      .thread = thread_->number};
  accesses_.push_back(access);
}

bool Lifter::Inside(const Value::Pointer& pointer, int64_t size, int64_t alignment) {
  int64_t bytes = 0, base_alignment = 1;
  if (pointer.memory < memories_.size()) {
    Memory& memory = memories_[pointer.memory];
    bytes = memory.bytes;
    base_alignment = memory.alignment;
    memory.accessed = now_;
    memory.stored |= now_->mayWriteToMemory();
    memory.may_move |= !IsOrderedPtx(*now_);
  } else if (const ByteMemory* own = OwnOf(pointer)) {
    bytes = own->bytes();
    base_alignment = own->alignment();
    constexpr const char* kAlive = "local memory is alive";
    if (own->is_alive())
      Met(Claim::kBounds, kAlive);
    else
      Unproved(Claim::kBounds, kAlive, "");
  }
  if (options_.list_accesses) ListAccess(pointer, size);
  RecordScopedAccess(pointer.memory, pointer.offset, size);
  if (llvm::isa<llvm::LoadInst>(now_)) ObligeInvariant(pointer.memory);
  ObligeSpace(pointer, SpaceOf(*now_));
  Term offset = pointer.offset;
  bool inside;
  constexpr const char* kInside = "the access is inside its buffer";
  terms::Range range = offset->IsNumber() ? offset->range : scope_.RangeOf(offset);
  if (range.lo >= 0 && range.hi <= bytes - size) {
    Met(Claim::kBounds, kInside);
    inside = true;
  } else {
    inside = Oblige(
        Claim::kBounds, kInside,
        pool_.And({pool_.AtLeastZero(offset), pool_.AtLeast(pool_.Number(bytes - size), offset)}));
  }
  constexpr const char* kAligned = "the access is aligned";
  if (alignment > base_alignment) {
    Unproved(Claim::kBounds, kAligned, "the buffer is aligned to less");
  } else if (alignment > 1) {
    Oblige(Claim::kBounds, kAligned, pool_.IsZero(scope_.Residue(offset, alignment)));
  }
  return inside;
}

Value Lifter::Load(LiftThread& thread, const Value& from, llvm::Type* type, int64_t alignment) {
  if (failed()) return {};
  if (llvm::Type* whole = BytesOfPackedVector(type))
    return Unpacked(Load(thread, from, whole, alignment), type);
  const Value::Pointer pointer = RequirePointer(from);
  if (failed()) return {};
  llvm::SmallVector<Scalar, 4> scalars;
  const auto pointers = OwnOf(pointer) ? Pointers::kInOwnMemory : Pointers::kNowhere;
  if (const char* why = ListScalars(layout_, type, 0, pointers, scalars)) return Fail(*now_, why);
  auto size = static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
  bool inside = Inside(pointer, size, alignment);
  if (failed()) return {};
  if (pointer.memory < memories_.size()) {
    const Memory& memory = memories_[pointer.memory];
    if (memory.kind == Memory::Kind::kParam)
      return LoadGlobal(thread, memory, pointer.offset, scalars, type);
    if (memory.kind == Memory::Kind::kConstant)
      return inside ? LoadConstant(memory, pointer.offset, type) : ArbitraryOf(type);
  }
  if (!inside) return ArbitraryOf(type);
  return LoadBytes(thread, pointer.memory, pointer.offset, scalars, type);
}

void Lifter::Store(LiftThread& thread, const Value& to, llvm::Type* type, const Value& value,
                   int64_t alignment) {
  if (failed()) return;
  if (llvm::Type* whole = BytesOfPackedVector(type))
    return Store(thread, to, whole, Packed(value, type), alignment);
  const Value::Pointer pointer = RequirePointer(to);
  if (failed()) return;
  llvm::SmallVector<Scalar, 4> scalars;
  llvm::SmallVector<Value, 4> values;
  const auto pointers = OwnOf(pointer) ? Pointers::kInOwnMemory : Pointers::kNowhere;
  if (const char* why = ListScalars(layout_, type, 0, pointers, scalars)) {
    Fail(*now_, why);
    return;
  }
  Flatten(type, value, values);
  if (values.size() != scalars.size()) {
    Fail(*now_, "a value that has not the scalars of its type");
    return;
  }
  auto size = static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
  // A store makes padding bytes undefined (LangRef, "store").
  int64_t of_scalars = 0;
  for (const Scalar& scalar : scalars) of_scalars += scalar.size;
  if (of_scalars != size) {
    Fail(*now_, "a store of a structure with padding");
    return;
  }
  bool inside = Inside(pointer, size, alignment);
  if (failed()) return;
  if (pointer.memory < memories_.size()) {
    Memory& memory = memories_[pointer.memory];
    if (memory.kind == Memory::Kind::kParam) {
      memory.stored_in_parts = true;
      if (memory.swapped) Unproved(Claim::kRaces, kSwapsAlone, "");
      return StoreGlobal(thread, memory, pointer.offset, scalars, values);
    }
    if (memory.kind == Memory::Kind::kConstant) {
      Unproved(Claim::kBounds, "constants are not written", "");
      return;
    }
  }
  if (inside) StoreBytes(thread, pointer.memory, pointer.offset, scalars, values);
}

// The ranges of memcpy must be equal or disjoint (LangRef, "llvm.memcpy").
void Lifter::ObligeApart(const llvm::CallBase& call, const Value::Pointer& to,
                         const Value::Pointer& from, Int128 count) {
  if (call.getIntrinsicID() == llvm::Intrinsic::memmove) return;
  if (MemoryOf(to.memory) != MemoryOf(from.memory)) return;
  Term distance = pool_.Subtract(to.offset, from.offset), bytes = pool_.Number(count);
  Oblige(Claim::kBounds, "what is copied does not overlap",
         pool_.Or({pool_.IsZero(distance), pool_.AtLeast(distance, bytes),
                   pool_.AtLeast(pool_.Scale(distance, -1), bytes)}));
}

// Copies by elements of the buffer, if one side is a buffer, else by bytes.
void Lifter::Copy(LiftThread& thread, const llvm::CallBase& call) {
  const LiftFrame& frame = thread.frames.back();
  const Value::Pointer to = RequirePointer(Get(frame, call.getArgOperand(0))),
                       from = RequirePointer(Get(frame, call.getArgOperand(1)));
  Term count = UnsignedOf(Get(frame, call.getArgOperand(2)), call.getArgOperand(2)->getType());
  if (failed()) return;
  if (!count->IsNumber() || count->number < 0 || count->number > kMostCopied ||
      call.getArgOperand(3) != llvm::ConstantInt::getFalse(call.getContext())) {
    Fail(call, "a copy of this kind");
    return;
  }
  ObligeApart(call, to, from, count->number);
  auto type_in = [&](const Value::Pointer& pointer) -> llvm::Type* {
    if (pointer.memory >= memories_.size()) return nullptr;
    const Memory& memory = memories_[pointer.memory];
    return memory.kind == Memory::Kind::kParam ? TypeOfElements(*memory.param) : nullptr;
  };
  llvm::Type* type = type_in(from) ? type_in(from) : type_in(to);
  if (!type) type = llvm::Type::getInt8Ty(call.getContext());
  const auto size = static_cast<Int128>(layout_.getTypeStoreSize(type).getFixedValue());
  if (count->number % size != 0) {
    Fail(call, "a copy of parts of elements");
    return;
  }
  // Reads everything before it writes, as memmove requires.
  std::vector<Value> values;
  auto at = [&](const Value::Pointer& pointer, Int128 offset) {
    return Value::Pointer(pointer.memory, pool_.Add(pointer.offset, pool_.Number(offset)));
  };
  for (Int128 k = 0; k < count->number && !failed(); k += size)
    values.push_back(Load(thread, at(from, k), type, 1));
  for (Int128 k = 0; k < count->number && !failed(); k += size)
    Store(thread, at(to, k), type, values[static_cast<size_t>(k / size)], 1);
}

// The LLVM type of one element of the array, or null.
llvm::Type* Lifter::TypeOfElements(const Param& param) const {
  llvm::LLVMContext& context = ir_.module->getContext();
  switch (param.shape.type) {
    case hlo::PrimitiveType::kF16:
      return llvm::Type::getHalfTy(context);
    case hlo::PrimitiveType::kBF16:
      return llvm::Type::getBFloatTy(context);
    case hlo::PrimitiveType::kF32:
    case hlo::PrimitiveType::kC64:
      return llvm::Type::getFloatTy(context);
    case hlo::PrimitiveType::kF64:
    case hlo::PrimitiveType::kC128:
      return llvm::Type::getDoubleTy(context);
    default: {
      const int64_t bytes = ElementBytes(param);
      if (bytes == 0) return nullptr;
      return llvm::Type::getIntNTy(context, static_cast<unsigned>(bytes * 8));
    }
  }
}

Value Lifter::Alloca(LiftThread& thread, const llvm::AllocaInst& alloca) {
  auto size = alloca.getAllocationSize(layout_);
  if (!size || size->isScalable() || size->getFixedValue() > (1 << 20))
    return Fail(alloca, "memory of a size that is not known");
  if (alloca.getAlign().value() > 128) return Fail(alloca, "memory of this alignment");
  ByteMemory own(static_cast<int64_t>(size->getFixedValue()),
                 static_cast<int64_t>(alloca.getAlign().value()));
  const bool begins_later = llvm::any_of(alloca.users(), [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start;
  });
  if (begins_later) own.End();
  const uint32_t number = thread.own.Add(std::move(own));
  return Value::Pointer(kOfThread + number, pool_.Number(0));
}

}  // namespace affirm::kernel
