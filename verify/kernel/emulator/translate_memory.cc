// Addresses, loads, stores and atomics.
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/AtomicOrdering.h"
#include "llvm/Support/MathExtras.h"
#include "verify/kernel/emulator/translate_impl.h"
#include "verify/kernel/sync_scope.h"

namespace affirm::kernel {
namespace {

// Whether a value is made from the load by phis, casts and moves of bits alone.
bool ComesFrom(const llvm::Value* value, const llvm::LoadInst& load,
               llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  if (value == &load) return true;
  auto* op = llvm::dyn_cast<llvm::Instruction>(value);
  if (op == nullptr || !seen.insert(value).second) return false;
  if (!llvm::isa<llvm::PHINode, llvm::CastInst, llvm::SelectInst, llvm::ExtractElementInst,
                 llvm::InsertElementInst>(op)) {
    return false;
  }
  return llvm::any_of(op->operands(), [&](const llvm::Use& operand) {
    return ComesFrom(operand.get(), load, seen);
  });
}

constexpr const char* kShortPointers = "pointers of less than 64 bits in memory are not executed";

// Whether a value of the type is stored with a pointer that has no room for an address of ours.
bool HasShortPointer(llvm::Type* type, const llvm::DataLayout& layout) {
  if (type->isPointerTy()) return layout.getPointerTypeSizeInBits(type) < 64;
  return llvm::any_of(type->subtypes(),
                      [&](llvm::Type* part) { return HasShortPointer(part, layout); });
}

const llvm::Value* Stripped(const llvm::Value* pointer) { return pointer->stripPointerCasts(); }

// Whether the value that a compare-and-swap of the same address expects is the load's.
bool StartsExchange(const llvm::LoadInst& load,
                    llvm::ArrayRef<const llvm::AtomicCmpXchgInst*> exchanges) {
  return llvm::any_of(exchanges, [&](const llvm::AtomicCmpXchgInst* exchange) {
    llvm::SmallPtrSet<const llvm::Value*, 8> seen;
    return Stripped(exchange->getPointerOperand()) == Stripped(load.getPointerOperand()) &&
           ComesFrom(exchange->getCompareOperand(), load, seen);
  });
}

bool IsExtremum(llvm::AtomicRMWInst::BinOp operation) {
  using Op = llvm::AtomicRMWInst;
  switch (operation) {
    case Op::Max:
    case Op::Min:
    case Op::UMax:
    case Op::UMin:
    case Op::FMax:
    case Op::FMin:
      return true;
    default:
      return false;
  }
}

// Whether all that is made of the condition is which way branches go.
bool OnlyBranches(const llvm::Value& condition) {
  return llvm::all_of(condition.users(), [](const llvm::User* user) {
    if (llvm::isa<llvm::BranchInst>(user)) return true;
    auto* combined = llvm::dyn_cast<llvm::BinaryOperator>(user);
    return combined != nullptr && combined->getType()->isIntegerTy(1) && OnlyBranches(*combined);
  });
}

// Whether an instruction writes nothing, or is an atomic maximum or minimum of that address. Its
// value is no choice by a branch.
bool OnlyRaises(const llvm::Instruction& op, const llvm::Value* address) {
  if (llvm::isa<llvm::CallBase>(op)) return true;  // of functions that are looked at, or intrinsics
  auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&op);
  if (atomic == nullptr) return !op.mayWriteToMemory();
  return IsExtremum(atomic->getOperation()) && Stripped(atomic->getPointerOperand()) == address &&
         !llvm::isa<llvm::PHINode>(atomic->getValOperand());
}

// Whether the load only decides, by comparisons and branches, if an atomic maximum or minimum of
// the same address is needed, and nothing else is written: what was there before other threads'
// does no harm, for the element only moves one way.
bool SparesExtremum(const llvm::LoadInst& load) {
  const llvm::Value* address = Stripped(load.getPointerOperand());
  const bool compares = llvm::all_of(load.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::CmpInst>(user) && OnlyBranches(*user);
  });
  if (load.user_empty() || !compares) return false;
  bool found = false;
  for (const llvm::Function& function : *load.getModule()) {
    for (const llvm::Instruction& op : llvm::instructions(function)) {
      if (!OnlyRaises(op, address)) return false;
      found |= llvm::isa<llvm::AtomicRMWInst>(op);
    }
  }
  return found;
}

uint8_t ScopeFlag(const llvm::Instruction& atomic, llvm::SyncScope::ID scope) {
  return IsOfBlock(atomic, scope) ? kOfBlock : 0;
}

bool IsConstantZero(const llvm::Value* value) {
  auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number != nullptr && number->isZero();
}

}  // namespace

bool IsOfBlock(const llvm::Instruction& atomic, llvm::SyncScope::ID scope) {
  return !IsOfDevice(atomic, scope);
}

// An atomic operation whose result is unused observes nothing that an order could rest on: it
// acquires nothing. Kernels that only count or add so cost no clocks.
void Translator::LookForSynchronization() {
  bool reads = false, acquires = false, has_fences = false;
  auto read = [&](const llvm::Instruction& op, llvm::AtomicOrdering ordering) {
    if (op.use_empty()) return;
    reads = true;
    program_.may_spin |= !llvm::isa<llvm::CallBase>(op);
    acquires |= llvm::isAcquireOrStronger(ordering);
  };
  for (const llvm::Function& function : *ir_.module) {
    has_fences |= function.isDeclaration() && IsFence(function.getName()) && !function.use_empty();
    for (const llvm::Instruction& op : llvm::instructions(function)) {
      has_fences |= llvm::isa<llvm::FenceInst>(op);
      program_.makes_pointers |= llvm::isa<llvm::IntToPtrInst>(op);
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&op); load && !load->isSimple())
        read(op, load->getOrdering());
      if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&op)) read(op, atomic->getOrdering());
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&op); call && call->isInlineAsm())
        read(op, llvm::AtomicOrdering::Monotonic);  // which may be a relaxed load
      if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&op))
        read(op, swap->getMergedOrdering());
    }
  }
  synchronizes_ = reads && (acquires || has_fences);
}

void Translator::EmitRelease(Operand address, llvm::AtomicOrdering ordering) {
  if (!synchronizes_) return;
  Code& code = Emit(Op::kRelease);
  code.a = address;
  code.flags = llvm::isReleaseOrStronger(ordering) ? kOrdered : 0;
}

void Translator::EmitAcquire(const llvm::Instruction& read, Operand address) {
  if (synchronizes_ && !read.use_empty()) Emit(Op::kAcquire).a = address;
}

void Translator::EmitFence(bool of_block) {
  if (synchronizes_) Emit(Op::kFence).flags = of_block ? kOfBlock : 0;
}

bool Translator::IsPacked(llvm::Type* type) const {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getScalarType()->isIntegerTy() &&
         vector->getScalarSizeInBits() % 8 != 0;
}

llvm::Error Translator::TranslateGep(const llvm::GetElementPtrInst& op) {
  if (op.getType()->isVectorTy()) return Unsupported(op);
  auto base = GetScalar(op.getPointerOperand());
  if (!base) return base.takeError();
  Operand at = *base;
  int64_t constant = 0;
  for (auto step = llvm::gep_type_begin(op), end = llvm::gep_type_end(op); step != end; ++step) {
    const llvm::Value* index = step.getOperand();
    if (llvm::StructType* record = step.getStructTypeOrNull()) {
      const auto field = llvm::cast<llvm::ConstantInt>(index)->getZExtValue();
      constant += static_cast<int64_t>(
          layout_.getStructLayout(record)->getElementOffset(field).getFixedValue());
      continue;
    }
    const auto scale =
        static_cast<int64_t>(step.getSequentialElementStride(layout_).getFixedValue());
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      if (number->getBitWidth() > 64) return Unsupported(op);
      constant += static_cast<int64_t>(static_cast<uint64_t>(number->getSExtValue()) *
                                       static_cast<uint64_t>(scale));
      continue;
    }
    auto operand = GetScalar(index);
    if (!operand) return operand.takeError();
    Code& code = Emit(Op::kGep);
    code.aux = static_cast<uint8_t>(index->getType()->getIntegerBitWidth());
    code.imm = scale;
    code.a = at;
    code.b = *operand;
    code.dst = NewRegister();
    at = Register(code.dst);
  }
  if (constant != 0) {
    Code& code = Emit(Op::kOffset);
    code.a = at;
    code.imm = constant;
    code.dst = NewRegister();
    at = Register(code.dst);
  }
  const bool zero = llvm::all_of(op.indices(), IsConstantZero);
  if (op.isInBounds() && !zero) {
    Code& code = Emit(Op::kCheckInBounds);
    code.a = at;
    code.b = *base;
    code.dst = NewRegister();
    at = Register(code.dst);
  }
  Define(&op, Operands{at});
  return llvm::Error::success();
}

llvm::Error Translator::TranslateAlloca(const llvm::AllocaInst& op) {
  auto count = GetScalar(op.getArraySize());
  if (!count) return count.takeError();
  const uint32_t dst = NewRegister();
  Code& code = Emit(Op::kAlloca);
  code.dst = dst;
  code.a = *count;
  code.aux = static_cast<uint8_t>(llvm::Log2(op.getAlign()));
  code.imm = static_cast<int64_t>(layout_.getTypeAllocSize(op.getAllocatedType()).getFixedValue());
  Define(&op, dst, 1);
  return llvm::Error::success();
}

// The first access of a value checks the alignment that its instruction promises.
Code Translator::Access(Op op, uint64_t alignment) {
  Code code{.op = op};
  code.aux = static_cast<uint8_t>(llvm::Log2_64(std::max<uint64_t>(alignment, 1)));
  return code;
}

void Translator::Observe(Operand address, int64_t offset, int64_t bytes) {
  if (!observes_) return;
  Code& code = Emit(Op::kObserve);
  code.a = address;
  code.c = static_cast<uint32_t>(offset);
  code.imm = bytes;
}

llvm::ArrayRef<const llvm::AtomicCmpXchgInst*> Translator::ExchangesOf(
    const llvm::Function& function) {
  const auto [known, is_new] = exchanges_.try_emplace(&function);
  if (!is_new) return known->second;
  for (const llvm::Instruction& op : llvm::instructions(function)) {
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&op))
      known->second.push_back(exchange);
  }
  return known->second;
}

llvm::Error Translator::TranslateLoad(const llvm::LoadInst& op) {
  auto address = GetScalar(op.getPointerOperand());
  if (!address) return address.takeError();
  llvm::Type* type = op.getType();
  if (HasShortPointer(type, layout_)) return Unsupported(op, kShortPointers);
  auto pieces = PiecesOf(type);
  if (!pieces) return pieces.takeError();
  const bool invariant = op.hasMetadata(llvm::LLVMContext::MD_invariant_load);
  const bool starts = StartsExchange(op, ExchangesOf(*op.getFunction())) || SparesExtremum(op);
  const auto flags = static_cast<uint8_t>(
      (starts ? kStartsExchange : 0) | (invariant ? kInvariant : 0) |
      (op.isSimple() ? 0 : kAtomicLoad) | (op.isAtomic() ? ScopeFlag(op, op.getSyncScopeID()) : 0));
  program_.has_invariant_loads |= invariant;
  llvm::SmallVector<uint8_t> packed, apart;
  if (IsPacked(type)) {
    for (const Piece& piece : *pieces) apart.push_back(static_cast<uint8_t>(piece.bits));
    unsigned bits = static_cast<unsigned>(layout_.getTypeSizeInBits(type).getFixedValue());
    pieces->clear();
    for (int64_t at = 0; bits > 0; at += 8) {
      pieces->push_back({at, std::min(bits, 64u)});
      packed.push_back(static_cast<uint8_t>(pieces->back().bits));
      bits -= pieces->back().bits;
    }
  }
  Observe(*address, 0, static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue()));
  const uint32_t first = NewRegisters(pieces->size());
  Code code = Access(Op::kLoad, op.getAlign().value());
  // Neighbours of one width are one code.
  for (uint32_t k = 0; k < pieces->size();) {
    const Piece& piece = (*pieces)[k];
    const unsigned bytes = (piece.bits + 7) / 8;
    uint32_t count = 1;
    while (k + count < pieces->size() && (*pieces)[k + count].bits == piece.bits &&
           (*pieces)[k + count].offset == piece.offset + int64_t{count} * bytes) {
      ++count;
    }
    code.width = static_cast<uint8_t>(bytes);
    code.flags = flags;
    code.dst = first + k;
    code.a = *address;
    code.b = piece.bits;
    code.c = count;
    code.imm = piece.offset;
    Emit(code);
    program_.narrowest_access = std::min<int64_t>(program_.narrowest_access, bytes);
    code.aux = 0;
    k += count;
  }
  if (!op.isSimple()) EmitAcquire(op, *address);
  Define(&op, first, pieces->size());
  if (!packed.empty()) Define(&op, RepackTo(values_[&op], packed, apart));
  return CheckRange(op);
}

llvm::Error Translator::TranslateStore(const llvm::StoreInst& op) {
  auto address = GetScalar(op.getPointerOperand());
  if (!address) return address.takeError();
  auto values = Get(op.getValueOperand());
  if (!values) return values.takeError();
  llvm::Type* type = op.getValueOperand()->getType();
  if (HasShortPointer(type, layout_)) return Unsupported(op, kShortPointers);
  auto pieces = PiecesOf(type);
  if (!pieces) return pieces.takeError();
  if (IsPacked(type)) {
    llvm::SmallVector<uint8_t> packed, apart;
    for (const Piece& piece : *pieces) apart.push_back(static_cast<uint8_t>(piece.bits));
    unsigned bits = static_cast<unsigned>(layout_.getTypeSizeInBits(type).getFixedValue());
    pieces->clear();
    for (int64_t at = 0; bits > 0; at += 8) {
      pieces->push_back({at, std::min(bits, 64u)});
      packed.push_back(static_cast<uint8_t>(pieces->back().bits));
      bits -= pieces->back().bits;
    }
    *values = RepackTo(std::move(*values), apart, packed);
  }
  Observe(*address, 0, static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue()));
  Code code = Access(Op::kStore, op.getAlign().value());
  if (!op.isSimple()) {
    EmitRelease(*address, op.getOrdering());
    code.flags |= kAtomicStore | (op.isAtomic() ? ScopeFlag(op, op.getSyncScopeID()) : 0);
  }
  for (auto [piece, value] : llvm::zip_equal(*pieces, *values)) {
    code.width = static_cast<uint8_t>((piece.bits + 7) / 8);
    code.a = *address;
    code.b = value;
    code.imm = piece.offset;
    Emit(code);
    program_.narrowest_access = std::min<int64_t>(program_.narrowest_access, code.width);
    code.aux = 0;
  }
  return llvm::Error::success();
}

llvm::Error Translator::TranslateAtomicRmw(const llvm::AtomicRMWInst& op) {
  auto address = GetScalar(op.getPointerOperand());
  if (!address) return address.takeError();
  auto value = Get(op.getValOperand());
  if (!value) return value.takeError();
  llvm::Type* type = op.getType();
  auto kind = KindOf(type);
  const unsigned bits = static_cast<unsigned>(layout_.getTypeSizeInBits(type).getFixedValue());
  if (bits > 64 || bits % 8 != 0) return Unsupported(op);
  Observe(*address, 0, bits / 8);
  Code code = Access(Op::kAtomicRmw, op.getAlign().value());
  code.imm = code.aux;
  code.aux = static_cast<uint8_t>(op.getOperation());
  code.flags = ScopeFlag(op, op.getSyncScopeID());
  code.a = *address;
  code.b = value->front();
  EmitRelease(*address, op.getOrdering());
  const uint32_t first = NewRegisters(value->size());
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    // Each lane is an atomic of its own on devices too.
    if (!kind) return Unsupported(op);
    const unsigned lane_bits = bits / vector->getNumElements();
    for (uint32_t k = 0; k < value->size(); ++k) {
      Code& offset = Emit(Op::kOffset);
      offset.a = *address;
      offset.imm = int64_t{k} * lane_bits / 8;
      offset.dst = NewRegister();
      code.a = Register(offset.dst);
      code.b = (*value)[k];
      code.dst = first + k;
      code.width = static_cast<uint8_t>(lane_bits);
      code.flags |= kIsFloat;
      code.c = *kind;
      code.imm = 0;
      Emit(code);
    }
    program_.narrowest_access = std::min<int64_t>(program_.narrowest_access, lane_bits / 8);
  } else {
    code.dst = first;
    code.width = static_cast<uint8_t>(bits);
    if (kind) {
      code.flags |= kIsFloat;
      code.c = *kind;
    }
    Emit(code);
    program_.narrowest_access = std::min<int64_t>(program_.narrowest_access, bits / 8);
  }
  EmitAcquire(op, *address);
  Define(&op, first, value->size());
  return llvm::Error::success();
}

llvm::Error Translator::TranslateCompareExchange(const llvm::AtomicCmpXchgInst& op) {
  auto address = GetScalar(op.getPointerOperand());
  if (!address) return address.takeError();
  auto expected = GetScalar(op.getCompareOperand());
  if (!expected) return expected.takeError();
  auto next = GetScalar(op.getNewValOperand());
  if (!next) return next.takeError();
  const auto bytes = static_cast<int64_t>(
      layout_.getTypeStoreSize(op.getNewValOperand()->getType()).getFixedValue());
  Observe(*address, 0, bytes);
  Code code = Access(Op::kCompareExchange, op.getAlign().value());
  code.width = static_cast<uint8_t>(bytes);
  code.flags = ScopeFlag(op, op.getSyncScopeID());
  code.a = *address;
  code.b = *expected;
  code.c = *next;
  code.dst = NewRegisters(2);
  EmitRelease(*address, op.getMergedOrdering());
  Emit(code);
  EmitAcquire(op, *address);
  program_.narrowest_access = std::min(program_.narrowest_access, bytes);
  Define(&op, code.dst, 2);
  return llvm::Error::success();
}

llvm::Error Translator::TranslateMemIntrinsic(const llvm::IntrinsicInst& op) {
  const auto& memory = llvm::cast<llvm::AnyMemIntrinsic>(op);
  auto to = GetScalar(memory.getRawDest());
  if (!to) return to.takeError();
  auto length = GetScalar(memory.getLength());
  if (!length) return length.takeError();
  auto from = GetScalar(op.getArgOperand(1));
  if (!from) return from.takeError();
  Code& code = Emit(llvm::isa<llvm::AnyMemSetInst>(op) ? Op::kMemFill : Op::kMemCopy);
  code.a = *to;
  code.b = *from;
  code.c = *length;
  program_.narrowest_access = 1;
  return llvm::Error::success();
}

}  // namespace affirm::kernel
