// Loads, stores and atomic operations of buffers, and loads of constants.
#include "llvm/Analysis/ConstantFolding.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/lift/load_times.h"
#include "verify/kernel/sync_scope.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;

// The most effects searched for a thread's own store.
constexpr size_t kMostEffects = 256;

// The operation of an atomicrmw; kNone if terms have none.
terms::Op OperationOfAtomic(llvm::AtomicRMWInst::BinOp operation) {
  using Atomic = llvm::AtomicRMWInst;
  switch (operation) {
    case Atomic::Xchg:
      return terms::Op::kExchange;
    case Atomic::Add:
    case Atomic::FAdd:
      return terms::Op::kAdd;
    case Atomic::Sub:
    case Atomic::FSub:
      return terms::Op::kSubtract;
    case Atomic::And:
      return terms::Op::kAnd;
    case Atomic::Or:
      return terms::Op::kOr;
    case Atomic::Xor:
      return terms::Op::kXor;
    case Atomic::Max:
    case Atomic::FMaximum:
      return terms::Op::kMaximum;
    case Atomic::Min:
    case Atomic::FMinimum:
      return terms::Op::kMinimum;
    case Atomic::UMax:
      return terms::Op::kMaximumUnsigned;
    case Atomic::UMin:
      return terms::Op::kMinimumUnsigned;
    case Atomic::FMax:
      return terms::Op::kMaximumNumber;
    case Atomic::FMin:
      return terms::Op::kMinimumNumber;
    default:
      return terms::Op::kNone;
  }
}

// Whether an operation on bytes that hold integers of fewer bits, extended, gives such a byte: a
// sum leaves the type's range in the byte and wraps in the type.
bool KeepsNarrow(terms::Op operation, hlo::PrimitiveType type) {
  if (!hlo::IsInt(type) || hlo::BitWidth(type) >= 8) return true;
  switch (operation) {
    case terms::Op::kAnd:
    case terms::Op::kExchange:
    case terms::Op::kMaximum:
    case terms::Op::kMaximumUnsigned:
    case terms::Op::kMinimum:
    case terms::Op::kMinimumUnsigned:
    case terms::Op::kOr:
    case terms::Op::kXor:
      return true;
    default:
      return false;
  }
}

}  // namespace

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
  const int64_t size = ElementBytes(*memory.param);
  const bool is_alone = launch_.NumBlocks() == 1 && launch_.NumThreads() == 1;
  for (const Scalar& scalar : scalars) {
    Memory now = memory;
    if (memory.written && size > 0 && is_alone) {
      const Term first = scope_.Quotient(pool_.Add(offset, pool_.Number(scalar.offset)), size);
      const auto number = NumberAtTime(scope_, memory.buffer, memory.initial, first,
                                       (scalar.size + size - 1) / size, loops_, effects_);
      if (!number) return Fail(*now_, "a load of one of so many buffers");
      now.initial = *number;
    }
    Value value = LoadScalar(now, offset, scalar);
    if (failed()) return {};
    // Packed elements are read by a single thread alone (LoadPacked), so they cannot race.
    if (memory.written && size > 0 && !IsFirstExpectation(*now_)) {
      Term element = scope_.Quotient(pool_.Add(offset, pool_.Number(scalar.offset)), size);
      Term stored = scalar.size == size ? StoredBefore(thread, memory, element) : nullptr;
      if (stored && memory.stored_as)
        return Fail(*now_, "a load of what was stored as another type");
      if (stored) {
        value = FromStored(stored, memory.param->shape.type, scalar);
      } else {
        const hlo::PrimitiveType of = terms::TermType(memory.param->shape.type);
        for (int64_t k = 0; k == 0 || k * size < scalar.size; ++k) {
          const Term at = pool_.Add(element, pool_.Number(k));
          AddEffect(thread, {.kind = Effect::Kind::kRead,
                             .buffer = memory.buffer,
                             .element = at,
                             .load = pool_.Load(now.initial, at, of),
                             .initial = pool_.Load(memory.initial, at, of)});
        }
      }
    }
    values.push_back(value);
  }
  llvm::ArrayRef<Value> rest = values;
  return Assemble(type, rest);
}

// After a store, the padding bits of a narrow element's byte are unspecified, and differ from those
// of an equal element elsewhere.
Value Lifter::FromStored(Term element, hlo::PrimitiveType type, const Scalar& scalar) {
  const int64_t width = hlo::BitWidth(type);
  if (width >= 8 || type == hlo::PrimitiveType::kPred) return FromElement(element, type, 0, scalar);
  Term bits = pool_.IntegerOf(terms::WithBits(pool_, element, terms::IntegerType(width)));
  const Int128 rests = Int128{1} << (8 - width);
  Term rest = pool_.Unknown({-rests / 2, rests / 2 - 1});
  return FromBits(pool_.Add(bits, pool_.Scale(rest, Int128{1} << width)), scalar.type);
}

Term Lifter::StoredBefore(const LiftThread& thread, const Memory& memory, Term element) {
  size_t count = 0;
  Term guard = Guard();
  for (auto it = effects_.rbegin(); it != effects_.rend(); ++it) {
    if (++count > kMostEffects) return nullptr;
    if (it->buffer != memory.buffer || it->kind == Effect::Kind::kRead) continue;
    if (by_block_ && it->thread != thread.number) continue;
    if (it->kind == Effect::Kind::kStore && it->element == element && it->guard == guard &&
        it->loops == loops_) {
      it->is_read_back = true;
      return it->value;
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
  const Param& result = memory.stored_as ? *memory.stored_as : *memory.param;
  hlo::PrimitiveType type = result.shape.type;
  int64_t size = ElementBytes(result);
  if (size == 0) {
    for (size_t k = 0; k < scalars.size() && !failed(); ++k)
      StorePacked(thread, memory, offset, scalars[k], values[k]);
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
      if (failed()) return;
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
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    llvm::Type* of = vector->getElementType();
    const auto stride = static_cast<int64_t>(layout_.getTypeAllocSize(of).getFixedValue());
    std::vector<Value> parts;
    for (unsigned k = 0; k < vector->getNumElements() && !failed(); ++k)
      parts.push_back(
          LoadConstant(memory, pool_.Add(offset, pool_.Number(Int128{k} * stride)), of));
    return failed() ? Value{} : ListOf(parts);
  }
  // An element of a constant array is an operation on its index.
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
  const terms::Operation element_of =
      pool_.KeepConstant(primitive, {reinterpret_cast<const uint8_t*>(raw.data()), raw.size()});
  Term element =
      pool_.Apply(element_of, primitive, {pool_.OfInteger(index, hlo::PrimitiveType::kS64)});
  if (type->isIntegerTy()) return Value::Integer(pool_.IntegerOf(element));
  return Value::Data(element);
}

// An atomic of a scope narrower than the device does not synchronize between blocks.
void Lifter::ObligeScope(const llvm::Instruction& atomic, llvm::SyncScope::ID scope) {
  if (!IsOfDevice(atomic, scope)) {
    llvm::SmallVector<llvm::StringRef, 8> scopes;
    atomic.getContext().getSyncScopeNames(scopes);
    Unproved(Claim::kRaces, "atomics are those of the whole device",
             "of the scope " + scopes[scope]);
  }
}

Value Lifter::Atomic(LiftThread& thread, const llvm::AtomicRMWInst& atomic) {
  const Value::Pointer pointer =
      RequirePointer(Get(thread.frames.back(), atomic.getPointerOperand()));
  Value value = Get(thread.frames.back(), atomic.getValOperand());
  if (failed()) return {};
  llvm::Type* type = atomic.getType();
  llvm::SmallVector<Scalar, 4> scalars;
  if (!Scalars(type, 0, scalars)) return {};
  if (scalars.size() != 1) return Fail(atomic, "an atomic on a vector");
  Inside(pointer, scalars[0].size, static_cast<int64_t>(atomic.getAlign().value()));
  bool global =
      pointer.memory < memories_.size() && memories_[pointer.memory].kind == Memory::Kind::kParam;
  if (failed() || !global) return Fail(atomic, "an atomic outside of buffers");
  const Memory& memory = memories_[pointer.memory];
  const terms::Op operation = OperationOfAtomic(atomic.getOperation());
  hlo::PrimitiveType element_type = memory.param->shape.type;
  bool whole = ElementBytes(*memory.param) == scalars[0].size && !hlo::IsComplex(element_type) &&
               element_type != hlo::PrimitiveType::kPred && !memory.stored_as &&
               KeepsNarrow(operation, element_type);
  // An operation on floats is one on elements of that type only; so is one on integers.
  bool on_floats = type->isFloatingPointTy();
  bool alike = on_floats ? TypeOf(type) == element_type : hlo::IsInt(element_type);
  if (operation == terms::Op::kNone || !whole || (!alike && operation != terms::Op::kExchange))
    return Fail(atomic, "an atomic of this kind");
  if (!memory.written)
    Unproved(Claim::kRaces, "only buffers of results are written", "an operand's is");
  ObligeScope(atomic, atomic.getSyncScopeID());
  ObligeNoPoison(value);
  Term element = scope_.Quotient(pointer.offset, scalars[0].size);
  if (!Decide(pool_.IsZero(pool_.Subtract(pointer.offset, pool_.Scale(element, scalars[0].size))))
           .value_or(false)) {
    Unproved(Claim::kBounds, "the access lies in elements", "");
  }
  Term operand = ToElement({{scalars[0], value}}, element_type);
  if (failed()) return {};
  AddEffect(thread, {.kind = Effect::Kind::kAtomic,
                     .buffer = memory.buffer,
                     .element = element,
                     .value = operand,
                     .operation = operation});
  return ArbitraryOf(type);
}

}  // namespace affirm::kernel
