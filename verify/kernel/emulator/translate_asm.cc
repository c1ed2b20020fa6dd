// Inline PTX (verify/kernel/inline_ptx.h) as code.
#include "core/symbolic/error.h"
#include "llvm/Support/MathExtras.h"
#include "verify/kernel/emulator/translate_impl.h"
#include "verify/kernel/inline_ptx.h"

namespace affirm::kernel {

// In 32 bits an address keeps its place but not its variable.
llvm::Expected<Operand> Translator::WidenSharedAddress(Operand address) {
  const Variable* only = nullptr;
  for (const Variable& variable : program_.variables) {
    if (!variable.shared) continue;
    if (only != nullptr)
      return MakeError("inline PTX has an address of 32 bits, of one of several variables");
    only = &variable;
  }
  if (only == nullptr) return MakeError("inline PTX names shared memory, and there is none");
  Code& code = Emit(Op::kOffset);
  code.a = address;
  code.imm = static_cast<int64_t>(only->address);
  code.dst = NewRegister();
  return Register(code.dst);
}

llvm::Error Translator::TranslateAsm(const llvm::CallBase& call) {
  auto ptx = ReadInlinePtx(call);
  if (!ptx) return ptx.takeError();
  auto pieces = PiecesOf(call.getType());
  if (!pieces) return pieces.takeError();
  if (ptx->num_results != pieces->size()) return Unsupported(call, "inline PTX with other results");
  llvm::SmallVector<Operand> arguments;
  for (const llvm::Use& argument : call.args()) {
    auto value = GetScalar(argument);
    if (!value) return value.takeError();
    arguments.push_back(*value);
  }

  const uint32_t first = NewRegisters(pieces->size());
  for (unsigned k = 0; k < ptx->num_results; ++k) {
    Code& code = Emit(Op::kMove);
    code.dst = first + k;
    code.a = AddConstant(Slot{0, MakeMark(kUnspecified, source_)});
    for (auto [tied, argument] : ptx->ties) {
      if (tied == k) code.a = arguments[argument];
    }
  }
  auto operand = [&](PtxBinding binding) {
    return binding.is_result ? Register(first + binding.number) : arguments[binding.number];
  };
  for (const PtxInstruction& instruction : ptx->instructions) {
    uint32_t branch = 0;
    if (instruction.predicate) {
      branch = Here();
      Emit(Op::kBranch).a = operand(*instruction.predicate);
    }
    llvm::SmallVector<Operand> sources;
    for (const PtxInstruction::Source& source : instruction.sources) {
      sources.push_back(source.binding ? operand(*source.binding)
                                       : AddConstant(static_cast<uint64_t>(source.immediate)));
    }
    if (instruction.kind == PtxInstruction::Kind::kWaitForProducts) {
      Emit({.op = Op::kWaitForProducts, .imm = instruction.groups});
    } else if (instruction.kind == PtxInstruction::Kind::kMultiplyShared) {
      if (llvm::Error error = EmitSharedProduct(call, instruction, sources, first)) return error;
    } else if (instruction.kind == PtxInstruction::Kind::kStartCopy) {
      llvm::Error error = EmitStartCopy(call, instruction, operand(instruction.destination),
                                        operand(instruction.address), sources);
      if (error) return error;
    } else if (instruction.kind == PtxInstruction::Kind::kMultiplyMatrices) {
      EmitMatrixProduct(instruction, sources, first);
    } else if (instruction.kind == PtxInstruction::Kind::kRoundToTf32) {
      Emit({.op = Op::kToTf32, .dst = first + instruction.targets[0], .a = sources[0]});
    } else if (instruction.kind == PtxInstruction::Kind::kMove) {
      Emit({.op = Op::kTrunc,
            .width = static_cast<uint8_t>(instruction.bits),
            .aux = 64,
            .dst = first + instruction.targets[0],
            .a = sources[0]});
    } else {
      Operand address = operand(instruction.address);
      const bool narrow =
          !instruction.address.is_result &&
          call.getArgOperand(instruction.address.number)->getType()->isIntegerTy(32);
      if (narrow) {
        auto wide = instruction.is_shared
                        ? WidenSharedAddress(address)
                        : llvm::Expected<Operand>(Unsupported(call, "an address of 32 bits"));
        if (!wide) return wide.takeError();
        address = *wide;
      }
      EmitAccess(instruction, address, sources, first, IsOrderedPtx(call));
    }
    if (instruction.predicate) {
      const uint32_t then = branch + 1, after = Here();
      program_.code[branch].b = instruction.negated ? after : then;
      program_.code[branch].c = instruction.negated ? then : after;
    }
  }
  Define(&call, first, pieces->size());
  return llvm::Error::success();
}

llvm::Error Translator::EmitStartCopy(const llvm::CallBase& call, const PtxInstruction& instruction,
                                      Operand destination, Operand source,
                                      llvm::ArrayRef<Operand> sources) {
  const bool wide = !call.getArgOperand(instruction.address.number)->getType()->isIntegerTy(32) &&
                    !call.getArgOperand(instruction.destination.number)->getType()->isIntegerTy(32);
  if (!wide) return Unsupported(call, "an address of 32 bits");
  auto at = [&](Operand address, int64_t offset) {
    Code& code = Emit(Op::kOffset);
    code.a = address;
    code.imm = offset;
    code.dst = NewRegister();
    return Register(code.dst);
  };
  const Operand to = at(destination, instruction.destination_offset);
  const Operand from = at(source, instruction.offset);
  const auto bytes = static_cast<uint8_t>(instruction.bits / 8);
  Emit({.op = Op::kStartCopy,
        .width = bytes,
        .flags = kInOrder,
        .a = to,
        .b = from,
        .c = sources.empty() ? AddConstant(uint64_t{bytes}) : sources[0]});
  program_.narrowest_access = std::min<int64_t>(program_.narrowest_access, 4);
  return llvm::Error::success();
}

void Translator::EmitMatrixProduct(const PtxInstruction& instruction,
                                   llvm::ArrayRef<Operand> sources, uint32_t first) {
  const uint32_t product = NewRegisters(instruction.targets.size());
  RecordRounds();
  Emit({.op = Op::kMultiplyMatrices,
        .dst = product,
        .c = static_cast<uint32_t>(program_.products.size()),
        .imm = static_cast<int64_t>(program_.lists.size())});
  program_.products.push_back(instruction.matrices);
  program_.lists.insert(program_.lists.end(), sources.begin(), sources.end());
  for (unsigned k = 0; k < instruction.targets.size(); ++k)
    Emit({.op = Op::kMove, .dst = first + instruction.targets[k], .a = Register(product + k)});
}

// The addends are the registers that the sums go to.
llvm::Error Translator::EmitSharedProduct(const llvm::CallBase& call,
                                          const PtxInstruction& instruction,
                                          llvm::ArrayRef<Operand> sources, uint32_t first) {
  const Variable* only = nullptr;
  for (const Variable& variable : program_.variables) {
    if (!variable.shared) continue;
    if (only != nullptr) return Unsupported(call, "a matrix in one of several arrays");
    only = &variable;
  }
  if (only == nullptr)
    return Unsupported(call, "a matrix in shared memory, of which there is none");
  const uint32_t product = NewRegisters(instruction.targets.size());
  RecordRounds();
  Emit({.op = Op::kMultiplyShared,
        .dst = product,
        .c = static_cast<uint32_t>(program_.shared_products.size()),
        .imm = static_cast<int64_t>(program_.lists.size())});
  program_.shared_products.push_back({instruction.matrices, instruction.a_is_shared,
                                      instruction.a_is_transposed, instruction.b_is_transposed,
                                      only->address});
  program_.lists.insert(program_.lists.end(), sources.begin(), sources.end());
  for (unsigned target : instruction.targets) program_.lists.push_back(Register(first + target));
  for (unsigned k = 0; k < instruction.targets.size(); ++k)
    Emit({.op = Op::kMove, .dst = first + instruction.targets[k], .a = Register(product + k)});
  program_.narrowest_access =
      std::min<int64_t>(program_.narrowest_access, hlo::ByteWidth(instruction.matrices.a));
  return llvm::Error::success();
}

// A load or a store: one code for each element, the first of which is aligned like all together.
void Translator::EmitAccess(const PtxInstruction& instruction, Operand address,
                            llvm::ArrayRef<Operand> sources, uint32_t first, bool in_order) {
  const bool is_load = instruction.kind == PtxInstruction::Kind::kLoad;
  const size_t count = is_load ? instruction.targets.size() : sources.size();
  const unsigned bytes = instruction.bits / 8;
  Observe(address, instruction.offset, bytes * static_cast<int64_t>(count));
  Code code{.op = is_load ? Op::kLoad : Op::kStore};
  code.width = static_cast<uint8_t>(bytes);
  const bool invariant = is_load && instruction.is_constant;
  code.flags = static_cast<uint8_t>((in_order ? kInOrder : 0) | (invariant ? kInvariant : 0));
  if (instruction.is_strong) {
    code.flags |= (is_load ? kAtomicLoad : kAtomicStore) | (instruction.is_of_block ? kOfBlock : 0);
    program_.may_spin |= is_load;
    if (!is_load) EmitRelease(address, llvm::AtomicOrdering::Monotonic);
  }
  program_.has_invariant_loads |= invariant;
  code.a = address;
  code.imm = instruction.offset;
  code.aux = static_cast<uint8_t>(llvm::Log2_32(bytes * static_cast<unsigned>(count)));
  for (size_t k = 0; k < count; ++k) {
    if (is_load) {
      code.dst = first + instruction.targets[k];
      code.b = instruction.bits;
      code.c = 1;
    } else {
      code.b = sources[k];
    }
    Emit(code);
    code.imm += bytes;
    code.aux = 0;
  }
  if (instruction.is_strong && is_load && synchronizes_) Emit(Op::kAcquire).a = address;
  program_.narrowest_access = std::min<int64_t>(program_.narrowest_access, bytes);
}

}  // namespace affirm::kernel
