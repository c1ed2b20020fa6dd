// Executes inline PTX (verify/kernel/inline_ptx.h): loads, moves and stores.
#include "llvm/IR/DerivedTypes.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;

// The type of the register of element k; null for an immediate.
llvm::Type* TypeOfElement(const PtxInstruction& instruction, size_t k,
                          const PtxRegisters& registers) {
  if (instruction.kind == PtxInstruction::Kind::kLoad)
    return registers.result_types[instruction.targets[k]];
  const auto& binding = instruction.sources[k].binding;
  return binding ? registers.TypeOf(*binding) : nullptr;
}

}  // namespace

const InlinePtx* Lifter::PtxOf(const llvm::CallBase& call) {
  auto& known = ptx_[&call];
  if (!known) {
    auto read = ReadInlinePtx(call);
    if (!read) {
      Fail(call, llvm::toString(read.takeError()));
      return nullptr;
    }
    known = std::make_unique<InlinePtx>(std::move(*read));
  }
  return known.get();
}

Value Lifter::InlineAssembly(LiftThread& thread, const llvm::CallBase& call) {
  const InlinePtx* ptx = PtxOf(call);
  if (!ptx) return {};
  PtxRegisters registers;
  for (const llvm::Use& argument : call.args()) {
    registers.arguments.push_back(Get(thread.frames.back(), argument));
    registers.argument_types.push_back(argument->getType());
  }
  auto* structure = llvm::dyn_cast<llvm::StructType>(call.getType());
  for (unsigned k = 0; k < ptx->num_results; ++k) {
    registers.result_types.push_back(structure ? structure->getElementType(k) : call.getType());
    registers.results.push_back(ArbitraryOf(registers.result_types.back()));
  }
  for (auto [result, argument] : ptx->ties) {
    if (registers.result_types[result] != registers.argument_types[argument])
      return Fail(call, "inline PTX with a result of another type than its argument");
    registers.results[result] = registers.arguments[argument];
  }
  for (const PtxInstruction& instruction : ptx->instructions) {
    if (failed()) return {};
    ExecutePtxIf(thread, instruction, registers);
  }
  if (failed() || ptx->num_results == 0) return {};
  return structure ? ListOf(registers.results) : registers.results[0];
}

// Executes under the instruction's predicate. If that is undecided, results are selects by it, and
// it guards stores like the condition of a branch.
void Lifter::ExecutePtxIf(LiftThread& thread, const PtxInstruction& instruction,
                          PtxRegisters& registers) {
  if (!instruction.predicate) return ExecutePtx(thread, instruction, registers);
  const Value predicate = registers.At(*instruction.predicate);
  ObligeNoPoison(predicate);
  Term holds = RequireCondition(predicate);
  if (failed()) return;
  if (instruction.negated) holds = pool_.Not(holds);
  auto decided = Decide(holds);
  if (decided == false) return;
  if (decided == true) return ExecutePtx(thread, instruction, registers);
  if (IsArbitrary(holds)) {
    Fail(*now_, "a predicate that is unspecified");
    return;
  }
  if (by_block_) {
    split_ = BlockPart(holds);
    if (split_) return;
  }
  llvm::SmallVector<Value, 4> before = registers.results;
  const size_t saved = scope_.Save();
  if (scope_.Assume(holds)) {
    guards_.push_back(holds);
    ExecutePtx(thread, instruction, registers);
    guards_.pop_back();
  }
  scope_.Restore(saved);
  for (size_t k = 0; k < before.size() && !failed(); ++k)
    registers.results[k] = Choose(holds, registers.results[k], before[k]);
}

void Lifter::ExecutePtx(LiftThread& thread, const PtxInstruction& instruction,
                        PtxRegisters& registers) {
  if (instruction.kind == PtxInstruction::Kind::kWaitForProducts)
    return WaitForProducts(thread, instruction.groups);
  if (instruction.kind == PtxInstruction::Kind::kStartCopy)
    return StartCopy(thread, instruction, registers);
  if (instruction.kind == PtxInstruction::Kind::kRoundToTf32) {
    const unsigned target = instruction.targets[0];
    llvm::Type* type = llvm::Type::getFloatTy(now_->getContext());
    const Value number = PtxSource(instruction, 0, type, registers);
    if (failed()) return;
    registers.results[target] = LowBits(Value::Data(NearestTf32(RequireData(number, type))), type,
                                        registers.result_types[target], instruction.bits);
    return;
  }
  if (instruction.kind == PtxInstruction::Kind::kMove) {
    const unsigned target = instruction.targets[0];
    registers.results[target] =
        PtxSource(instruction, 0, registers.result_types[target], registers);
    return;
  }
  const bool is_load = instruction.kind == PtxInstruction::Kind::kLoad;
  const size_t count = is_load ? instruction.targets.size() : instruction.sources.size();
  const int64_t alignment = instruction.bits / 8 * static_cast<int64_t>(count);
  Value::Pointer pointer = RequirePointer(registers.At(instruction.address));
  if (failed()) return;
  constexpr unsigned kGlobal = 1, kShared = 3;
  constexpr const char* kSpace = "the address is one of the instruction's space";
  const llvm::Type* of_address = registers.TypeOf(instruction.address);
  if (!IsInSpace(pointer, instruction.is_shared ? kShared : kGlobal) ||
      (instruction.is_shared && !IsSharedAddress(of_address)))
    Unproved(Claim::kBounds, kSpace, "");
  pointer.offset = pool_.Add(pointer.offset, pool_.Number(instruction.offset));
  // Uses the registers' common type if it has this width, so that floats stay floats.
  llvm::Type* bits = llvm::IntegerType::get(now_->getContext(), instruction.bits);
  llvm::Type* element = TypeOfElement(instruction, 0, registers);
  for (size_t k = 0; k < count; ++k) {
    llvm::Type* of = TypeOfElement(instruction, k, registers);
    const bool is_whole = of != nullptr && (of->isIntegerTy() || of->isFloatingPointTy()) &&
                          layout_.getTypeSizeInBits(of) == instruction.bits;
    if (of != element || !is_whole) element = bits;
  }
  llvm::Type* type = count == 1 ? element : llvm::FixedVectorType::get(element, count);
  if (!is_load) {
    llvm::SmallVector<Value, 4> values;
    for (size_t k = 0; k < count; ++k)
      values.push_back(PtxSource(instruction, k, element, registers));
    if (!failed()) Store(thread, pointer, type, count == 1 ? values[0] : ListOf(values), alignment);
    return;
  }
  const bool is_written = pointer.memory < memories_.size() && memories_[pointer.memory].written;
  if (instruction.is_constant && is_written)
    Unproved(Claim::kRaces, "nc: nobody writes what is loaded", "");
  const Value loaded = Load(thread, pointer, type, alignment);
  if (failed()) return;
  const llvm::ArrayRef<Value> parts =
      count == 1 ? llvm::ArrayRef(loaded) : RequireParts(loaded, count);
  for (size_t k = 0; k < count && !failed(); ++k) {
    const unsigned target = instruction.targets[k];
    registers.results[target] =
        LowBits(parts[k], element, registers.result_types[target], instruction.bits);
  }
}

Value Lifter::PtxSource(const PtxInstruction& instruction, size_t k, llvm::Type* to,
                        const PtxRegisters& registers) {
  const PtxInstruction::Source& source = instruction.sources[k];
  if (source.binding)
    return LowBits(registers.At(*source.binding), registers.TypeOf(*source.binding), to,
                   instruction.bits);
  if (!to->isIntegerTy() && !to->isFloatingPointTy())
    return Fail(*now_, "a number in a register of this type");
  Term number = pool_.Number(source.immediate);
  auto width = static_cast<int64_t>(layout_.getTypeSizeInBits(to).getFixedValue());
  if (width > instruction.bits) number = terms::Unsigned(scope_, number, instruction.bits);
  return FromBits(number, to);
}

// The low bits of a register, zero-extended in a register of another type.
Value Lifter::LowBits(const Value& value, llvm::Type* from, llvm::Type* to, unsigned bits) {
  if (failed()) return {};
  auto width_of = [&](llvm::Type* type) {
    return static_cast<int64_t>(layout_.getTypeSizeInBits(type).getFixedValue());
  };
  if (width_of(from) < bits) return Fail(*now_, "a register that is too narrow");
  if (from == to && width_of(to) == bits) return value;
  for (llvm::Type* type : {from, to}) {
    if (!type->isIntegerTy() && !type->isFloatingPointTy())
      return Fail(*now_, "a part of a register of this type");
  }
  ObligeNoPoison(value);
  Term low = BitsOf(value, from);
  if (failed()) return {};
  if (width_of(to) > bits)
    low = terms::Unsigned(scope_, low, bits);
  else
    low = terms::Congruent(pool_, low, width_of(to));
  return FromBits(low, to);
}

}  // namespace affirm::kernel
