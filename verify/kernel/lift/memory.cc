// Addresses, and which memory an access is of.
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "verify/kernel/inline_ptx.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;

// Bytes that one instruction copies.
constexpr Int128 kMostCopied = 4096;

// The address space through which the instruction accesses memory; 0, which has all: also of calls.
unsigned SpaceOf(const llvm::Instruction& access) {
  const llvm::Value* pointer = llvm::getPointerOperand(&access);
  if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    pointer = atomic->getPointerOperand();
  if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    pointer = swap->getPointerOperand();
  return pointer ? pointer->getType()->getPointerAddressSpace() : 0;
}

}  // namespace

// Memory of another address space than the pointer's is at no address of it.
bool Lifter::IsInSpace(const Value& pointer, unsigned space) const {
  constexpr unsigned kAll = 0, kGlobal = 1, kShared = 3, kConstant = 4, kOwn = 5;
  if (space == kAll || pointer.place >= kNowhere) return true;
  if (pointer.place >= kOfThread) return space == kOwn;
  switch (memories_[pointer.place].kind) {
    case Memory::Kind::kParam:
      return space == kGlobal;
    case Memory::Kind::kShared:
      return space == kShared;
    case Memory::Kind::kConstant:
      return space == kGlobal || space == kConstant;
  }
  return false;
}

Value Lifter::Address(const llvm::GEPOperator& gep, const Value& base,
                      llvm::ArrayRef<Value> indices) {
  if (base.kind != Value::Kind::kPointer) return Fail(*now_, "an address of no pointer");
  int64_t width = layout_.getIndexSizeInBits(gep.getPointerAddressSpace());
  bool flagged = gep.isInBounds() || gep.hasNoUnsignedSignedWrap() || gep.hasNoUnsignedWrap();
  int64_t bytes = 0;
  if (base.place < memories_.size()) bytes = memories_[base.place].bytes;
  if (const ByteMemory* own = OwnOf(base)) bytes = own->bytes();
  Term offset = base.term;
  size_t k = 0;
  for (auto it = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); it != end; ++it, ++k) {
    Term index = indices[k].term;
    ObligeNoPoison(indices[k]);
    if (llvm::StructType* structure = it.getStructTypeOrNull()) {
      auto field = static_cast<unsigned>(index->number);
      auto at = layout_.getStructLayout(structure)->getElementOffset(field).getFixedValue();
      offset = pool_.Add(offset, pool_.Number(static_cast<int64_t>(at)));
    } else {
      int64_t index_width = it.getOperand()->getType()->getScalarSizeInBits();
      if (index_width > width) return Fail(*now_, "an index that is cut off");
      index = terms::Signed(scope_, index, index_width);
      if (gep.hasNoUnsignedWrap())
        ObligeInside("nuw: the index is not negative", index, 0, terms::kInfinity - 1);
      auto stride = static_cast<int64_t>(it.getSequentialElementStride(layout_).getFixedValue());
      if (index->IsNumber() && index->number == 0) continue;
      offset = pool_.Add(offset, pool_.Scale(index, stride));
    }
    if (flagged) ObligeInside("inbounds: the address is in its buffer", offset, 0, bytes);
  }
  return Value::Pointer(base.place, offset);
}

bool Lifter::Scalars(llvm::Type* type, int64_t offset, llvm::SmallVectorImpl<Scalar>& scalars) {
  auto part = [&](llvm::Type* of, uint64_t count) {
    auto stride = static_cast<int64_t>(layout_.getTypeAllocSize(of).getFixedValue());
    if (type->isVectorTy() &&
        layout_.getTypeSizeInBits(of).getFixedValue() != static_cast<uint64_t>(stride) * 8) {
      Fail(*now_, "a vector of parts of bytes");
      return false;
    }
    for (uint64_t k = 0; k < count; ++k) {
      if (!Scalars(of, offset + static_cast<int64_t>(k) * stride, scalars)) return false;
    }
    return true;
  };
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return part(vector->getElementType(), vector->getNumElements());
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return part(array->getElementType(), array->getNumElements());
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* places = layout_.getStructLayout(structure);
    for (unsigned k = 0; k < structure->getNumElements(); ++k) {
      auto at = static_cast<int64_t>(places->getElementOffset(k).getFixedValue());
      if (!Scalars(structure->getElementType(k), offset + at, scalars)) return false;
    }
    return true;
  }
  uint64_t bits = layout_.getTypeSizeInBits(type).getFixedValue();
  bool bytes = (type->isIntegerTy() || type->isFloatingPointTy()) && bits % 8 == 0;
  if (!bytes) {
    Fail(*now_, "memory of this type");
    return false;
  }
  scalars.push_back({type, offset, static_cast<int64_t>(bits / 8)});
  return true;
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
  if (value.kind != Value::Kind::kList || type->isIntegerTy()) {
    values.push_back(value);
    return;
  }
  for (const Value& part : value.list()) Flatten(type, part, values);
}

// Copies, and matrices that a warp moves, are no accesses of single lanes.
void Lifter::ListAccess(const Value& pointer, int64_t size) {
  const bool is_swap = llvm::isa<llvm::AtomicCmpXchgInst>(now_);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(now_);
  if (pointer.place >= memories_.size() || (call && !call->isInlineAsm())) return;
  const Memory& memory = memories_[pointer.place];
  if (memory.kind == Memory::Kind::kConstant) return;
  MemoryAccess access{.instruction = now_,
                      .line = ir_.LineOf(now_),
                      .is_shared = memory.kind == Memory::Kind::kShared,
                      .is_write = now_->mayWriteToMemory(),
                      .is_swap = is_swap,
                      .buffer = memory.param ? memory.buffer : -1,
                      .memory = pointer.place,
                      .offset = pointer.term,
                      .bytes = size,
                      .guard = Guard(),
                      .thread = thread_->number};
  accesses_.push_back(access);
}

bool Lifter::Inside(const Value& pointer, int64_t size, int64_t alignment) {
  if (pointer.kind != Value::Kind::kPointer) {
    Fail(*now_, "an access through no pointer");
    return false;
  }
  int64_t bytes = 0, base_alignment = 1;
  if (pointer.place < memories_.size()) {
    Memory& memory = memories_[pointer.place];
    bytes = memory.bytes;
    base_alignment = memory.alignment;
    memory.accessed = now_;
    memory.stored |= now_->mayWriteToMemory();
    memory.may_move |= !IsOrderedPtx(*now_);
  } else if (const ByteMemory* own = OwnOf(pointer)) {
    bytes = own->bytes();
    base_alignment = own->alignment();
  }
  if (options_.list_accesses) ListAccess(pointer, size);
  RecordScopedAccess(pointer.place, pointer.term, size);
  if (llvm::isa<llvm::LoadInst>(now_)) ObligeInvariant(pointer.place);
  constexpr const char* kSpace = "the pointer is one of its memory's address space";
  if (IsInSpace(pointer, SpaceOf(*now_)))
    Met(Claim::kBounds, kSpace);
  else
    Unproved(Claim::kBounds, kSpace, "");
  Term offset = pointer.term;
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

Value Lifter::Load(LiftThread& thread, const Value& pointer, llvm::Type* type, int64_t alignment) {
  if (failed()) return {};
  if (llvm::Type* whole = BytesOfPackedVector(type))
    return Unpacked(Load(thread, pointer, whole, alignment), type);
  llvm::SmallVector<Scalar, 4> scalars;
  if (!Scalars(type, 0, scalars)) return {};
  auto size = static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
  bool inside = Inside(pointer, size, alignment);
  if (failed()) return {};
  if (pointer.place < memories_.size()) {
    const Memory& memory = memories_[pointer.place];
    if (memory.kind == Memory::Kind::kParam)
      return LoadGlobal(thread, memory, pointer.term, scalars, type);
    if (memory.kind == Memory::Kind::kConstant)
      return inside ? LoadConstant(memory, pointer.term, type) : ArbitraryOf(type);
  }
  if (!inside) return ArbitraryOf(type);
  return LoadBytes(thread, pointer.place, pointer.term, scalars, type);
}

void Lifter::Store(LiftThread& thread, const Value& pointer, llvm::Type* type, const Value& value,
                   int64_t alignment) {
  if (failed()) return;
  if (llvm::Type* whole = BytesOfPackedVector(type))
    return Store(thread, pointer, whole, Packed(value, type), alignment);
  llvm::SmallVector<Scalar, 4> scalars;
  llvm::SmallVector<Value, 4> values;
  if (!Scalars(type, 0, scalars)) return;
  Flatten(type, value, values);
  auto size = static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
  bool inside = Inside(pointer, size, alignment);
  if (failed()) return;
  if (pointer.place < memories_.size()) {
    const Memory& memory = memories_[pointer.place];
    if (memory.kind == Memory::Kind::kParam)
      return StoreGlobal(thread, memory, pointer.term, scalars, values);
    if (memory.kind == Memory::Kind::kConstant) {
      Unproved(Claim::kBounds, "constants are not written", "");
      return;
    }
  }
  if (inside) StoreBytes(thread, pointer.place, pointer.term, scalars, values);
}

// Element by element: of the buffer, on whichever side there is one, and bytes otherwise.
void Lifter::Copy(LiftThread& thread, const llvm::CallBase& call) {
  const LiftFrame& frame = thread.frames.back();
  const Value to = Get(frame, call.getArgOperand(0)), from = Get(frame, call.getArgOperand(1)),
              count = Get(frame, call.getArgOperand(2));
  if (failed()) return;
  if (!count.term->IsNumber() || count.term->number > kMostCopied ||
      call.getArgOperand(3) != llvm::ConstantInt::getFalse(call.getContext())) {
    Fail(call, "a copy of this kind");
    return;
  }
  auto type_in = [&](const Value& pointer) -> llvm::Type* {
    if (pointer.place >= memories_.size()) return nullptr;
    const Memory& memory = memories_[pointer.place];
    return memory.kind == Memory::Kind::kParam ? TypeOfElements(*memory.param) : nullptr;
  };
  llvm::Type* type = type_in(from) ? type_in(from) : type_in(to);
  if (!type) type = llvm::Type::getInt8Ty(call.getContext());
  const auto size = static_cast<Int128>(layout_.getTypeStoreSize(type).getFixedValue());
  if (count.term->number % size != 0) {
    Fail(call, "a copy of parts of elements");
    return;
  }
  // All is read before anything is written.
  std::vector<Value> values;
  auto at = [&](const Value& pointer, Int128 offset) {
    return Value::Pointer(pointer.place, pool_.Add(pointer.term, pool_.Number(offset)));
  };
  for (Int128 k = 0; k < count.term->number && !failed(); k += size)
    values.push_back(Load(thread, at(from, k), type, 1));
  for (Int128 k = 0; k < count.term->number && !failed(); k += size)
    Store(thread, at(to, k), type, values[static_cast<size_t>(k / size)], 1);
}

// The type of which one value is an element of the array; null where there is none.
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
  const uint32_t number =
      thread.own.Add(ByteMemory(static_cast<int64_t>(size->getFixedValue()),
                                static_cast<int64_t>(alloca.getAlign().value())));
  return Value::Pointer(kOfThread + number, pool_.Number(0));
}

}  // namespace affirm::kernel
