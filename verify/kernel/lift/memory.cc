// Addresses, loads and stores.
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;

// Effects that are looked through for what a thread stored itself.
constexpr size_t kMostEffects = 256;
// Bytes that one instruction copies.
constexpr Int128 kMostCopied = 4096;

llvm::StringRef NameOfAtomic(llvm::AtomicRMWInst::BinOp operation) {
  using Op = llvm::AtomicRMWInst;
  switch (operation) {
    case Op::Xchg:
      return "exchange";
    case Op::Add:
    case Op::FAdd:
      return "add";
    case Op::Sub:
    case Op::FSub:
      return "subtract";
    case Op::And:
      return "and";
    case Op::Or:
      return "or";
    case Op::Xor:
      return "xor";
    case Op::Max:
    case Op::FMaximum:
      return "maximum";
    case Op::Min:
    case Op::FMinimum:
      return "minimum";
    case Op::UMax:
      return "maximum-unsigned";
    case Op::UMin:
      return "minimum-unsigned";
    case Op::FMax:
      return "maximum-number";
    case Op::FMin:
      return "minimum-number";
    default:
      return "";
  }
}

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
  if (base.place >= kOfThread && base.place < kNowhere)
    bytes = thread_->own[base.place - kOfThread].bytes();
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

bool Lifter::Inside(const Value& pointer, int64_t size, int64_t alignment) {
  if (pointer.kind != Value::Kind::kPointer) {
    Fail(*now_, "an access through no pointer");
    return false;
  }
  int64_t bytes = 0, base_alignment = 1;
  if (pointer.place < memories_.size()) {
    bytes = memories_[pointer.place].bytes;
    base_alignment = memories_[pointer.place].alignment;
  } else if (pointer.place >= kOfThread && pointer.place < kNowhere) {
    bytes = thread_->own[pointer.place - kOfThread].bytes();
    base_alignment = thread_->own[pointer.place - kOfThread].alignment();
  }
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

void Lifter::AddEffect(LiftThread& thread, Effect effect) {
  effect.guard = Guard();
  effect.loops = loops_;
  effect.thread = by_block_ ? thread.number : -1;
  effect.order = thread.order++;
  effect.phase = thread.phase;
  effect.instruction = now_;
  effect.line = ir_.LineOf(now_);
  effects_.push_back(std::move(effect));
}

Value Lifter::LoadGlobal(LiftThread& thread, const Memory& memory, Term offset,
                         llvm::ArrayRef<Scalar> scalars, llvm::Type* type) {
  llvm::SmallVector<Value, 4> values;
  int64_t size = ElementBytes(*memory.param);
  if (memory.written && now_->hasMetadata(llvm::LLVMContext::MD_invariant_load))
    Unproved(Claim::kRaces, "invariant: nobody writes what is loaded", "");
  for (const Scalar& scalar : scalars) {
    Value value = LoadScalar(memory, offset, scalar);
    if (failed()) return {};
    if (memory.written && !IsFirstExpectation(*now_)) {
      Term element = scope_.Quotient(pool_.Add(offset, pool_.Number(scalar.offset)), size);
      bool whole = scalar.size == size && hlo::BitWidth(memory.param->shape.type) >= 8;
      const Value* stored = whole ? StoredBefore(thread, memory, element) : nullptr;
      if (stored) {
        value = FromElement(stored->term, memory.param->shape.type, 0, scalar);
      } else {
        for (int64_t k = 0; k == 0 || k * size < scalar.size; ++k) {
          AddEffect(thread, {.kind = Effect::Kind::kRead,
                             .buffer = memory.buffer,
                             .element = pool_.Add(element, pool_.Number(k)),
                             .value = value.term});
        }
      }
    }
    values.push_back(value);
  }
  llvm::ArrayRef<Value> rest = values;
  return Assemble(type, rest);
}

const Value* Lifter::StoredBefore(const LiftThread& thread, const Memory& memory, Term element) {
  size_t count = 0;
  Term guard = Guard();
  for (auto it = effects_.rbegin(); it != effects_.rend(); ++it) {
    if (++count > kMostEffects) return nullptr;
    if (it->buffer != memory.buffer || it->kind == Effect::Kind::kRead) continue;
    if (by_block_ && it->thread != thread.number) continue;
    if (it->kind == Effect::Kind::kStore && it->element == element && it->guard == guard &&
        it->loops == loops_) {
      Value* value = lists_.Allocate<Value>();
      *value = Value::Data(it->value);
      return value;
    }
    if (scope_.Decide(pool_.Equal(it->element, element)) != false) return nullptr;
  }
  return nullptr;
}

void Lifter::StoreGlobal(LiftThread& thread, const Memory& memory, Term offset,
                         llvm::ArrayRef<Scalar> scalars, llvm::ArrayRef<Value> values) {
  if (!memory.written)
    Unproved(Claim::kRaces, "only buffers of results are written", "an operand's is");
  for (const Value& value : values) ObligeNoPoison(value);
  hlo::PrimitiveType type = memory.param->shape.type;
  int64_t size = ElementBytes(*memory.param);
  if (size == 0) {
    Fail(*now_, "a buffer of packed elements");
    return;
  }
  auto emit = [&](int64_t at, llvm::ArrayRef<std::pair<Scalar, Value>> group) {
    Term byte = pool_.Add(offset, pool_.Number(at)), element = scope_.Quotient(byte, size);
    if (!Decide(pool_.IsZero(pool_.Subtract(byte, pool_.Scale(element, size)))).value_or(false))
      Unproved(Claim::kBounds, "the access lies in elements", "");
    Term value = ToElement(group, type);
    if (failed()) return;
    AddEffect(thread, {.kind = Effect::Kind::kStore,
                       .buffer = memory.buffer,
                       .element = element,
                       .value = value});
  };
  llvm::SmallVector<std::pair<Scalar, Value>, 4> group;
  int64_t filled = 0;
  for (size_t k = 0; k < scalars.size() && !failed(); ++k) {
    const Scalar& scalar = scalars[k];
    if (scalar.size > size) {
      if (scalar.size % size != 0 || scalar.size > 8) {
        Fail(*now_, "a store of parts of elements");
        return;
      }
      Term bits = terms::Unsigned(scope_, BitsOf(values[k], scalar.type), scalar.size * 8);
      llvm::Type* of_element =
          llvm::IntegerType::get(ir_.module->getContext(), static_cast<unsigned>(size * 8));
      for (int64_t e = 0; e * size < scalar.size; ++e) {
        Term part = scope_.Quotient(bits, Int128{1} << (e * size * 8));
        int64_t at = scalar.offset + e * size;
        emit(at, {{{of_element, at, size}, Value::Integer(part)}});
      }
      continue;
    }
    group.push_back({scalar, values[k]});
    filled += scalar.size;
    if (filled < size) continue;
    int64_t at = group.front().first.offset;
    if (filled > size || scalar.offset + scalar.size - at != size) break;
    emit(at, group);
    group.clear();
    filled = 0;
  }
  if (!group.empty()) Fail(*now_, "a store of parts of elements");
}

Value Lifter::LoadConstant(const Memory& memory, Term offset, llvm::Type* type) {
  const llvm::Constant* initializer = memory.variable->getInitializer();
  if (offset->IsNumber()) {
    llvm::APInt at(64, static_cast<uint64_t>(offset->number));
    llvm::Constant* folded = llvm::ConstantFoldLoadFromConst(
        const_cast<llvm::Constant*>(initializer), type, at, layout_);
    return folded ? ConstantValue(folded) : Fail(*now_, "a constant of this kind");
  }
  // An element of an array: an operation that takes the number of the element to it.
  const auto* array = llvm::dyn_cast<llvm::ConstantDataArray>(initializer);
  auto primitive = TypeOf(type);
  if (!array || primitive == hlo::PrimitiveType::kInvalid || type->isIntegerTy(1))
    return Fail(*now_, "a constant of this kind");
  auto size = static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
  Term index = scope_.Quotient(offset, size);
  if (scope_.Decide(pool_.IsZero(pool_.Subtract(offset, pool_.Scale(index, size)))) != true ||
      static_cast<int64_t>(array->getRawDataValues().size()) % size != 0) {
    return Fail(*now_, "a constant of this kind");
  }
  llvm::StringRef raw = array->getRawDataValues();
  std::string name =
      pool_.KeepConstant(primitive, {reinterpret_cast<const uint8_t*>(raw.data()), raw.size()});
  Term element = pool_.Apply(name, primitive, {pool_.OfInteger(index, hlo::PrimitiveType::kS64)});
  return type->isIntegerTy() ? Value::Integer(pool_.IntegerOf(element)) : Value::Data(element);
}

// An atomic operation of a narrower scope than the device is none between blocks.
void Lifter::ObligeScope(const llvm::Instruction& atomic, llvm::SyncScope::ID scope) {
  llvm::SmallVector<llvm::StringRef, 8> scopes;
  atomic.getContext().getSyncScopeNames(scopes);
  llvm::StringRef name = scopes[scope];
  if (!name.empty() && name != "device" && name != "agent")
    Unproved(Claim::kRaces, "atomics are those of the whole device", "of the scope " + name);
}

Value Lifter::Atomic(LiftThread& thread, const llvm::AtomicRMWInst& atomic) {
  Value pointer = Get(thread.frames.back(), atomic.getPointerOperand());
  Value value = Get(thread.frames.back(), atomic.getValOperand());
  if (failed()) return {};
  llvm::Type* type = atomic.getType();
  llvm::SmallVector<Scalar, 4> scalars;
  if (!Scalars(type, 0, scalars)) return {};
  if (scalars.size() != 1) return Fail(atomic, "an atomic on a vector");
  Inside(pointer, scalars[0].size, static_cast<int64_t>(atomic.getAlign().value()));
  bool global =
      pointer.place < memories_.size() && memories_[pointer.place].kind == Memory::Kind::kParam;
  if (failed() || !global) return Fail(atomic, "an atomic outside of buffers");
  const Memory& memory = memories_[pointer.place];
  llvm::StringRef name = NameOfAtomic(atomic.getOperation());
  hlo::PrimitiveType element_type = memory.param->shape.type;
  bool whole = ElementBytes(*memory.param) == scalars[0].size && !hlo::IsComplex(element_type) &&
               element_type != hlo::PrimitiveType::kPred;
  // An operation on floats is one on elements of that type only; so is one on integers.
  bool on_floats = type->isFloatingPointTy();
  bool alike = on_floats ? TypeOf(type) == element_type : hlo::IsInt(element_type);
  if (name.empty() || !whole || (!alike && name != "exchange"))
    return Fail(atomic, "an atomic of this kind");
  if (!memory.written)
    Unproved(Claim::kRaces, "only buffers of results are written", "an operand's is");
  ObligeScope(atomic, atomic.getSyncScopeID());
  ObligeNoPoison(value);
  Term element = scope_.Quotient(pointer.term, scalars[0].size);
  if (!Decide(pool_.IsZero(pool_.Subtract(pointer.term, pool_.Scale(element, scalars[0].size))))
           .value_or(false)) {
    Unproved(Claim::kBounds, "the access lies in elements", "");
  }
  AddEffect(thread, {.kind = Effect::Kind::kAtomic,
                     .buffer = memory.buffer,
                     .element = element,
                     .value = ToElement({{scalars[0], value}}, element_type),
                     .operation = name.str()});
  return ArbitraryOf(type);
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
  thread.own.emplace_back(static_cast<int64_t>(size->getFixedValue()),
                          static_cast<int64_t>(alloca.getAlign().value()));
  return Value::Pointer(kOfThread + static_cast<uint32_t>(thread.own.size()) - 1, pool_.Number(0));
}

}  // namespace affirm::kernel
