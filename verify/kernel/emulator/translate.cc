// Functions, blocks and control flow.
#include "verify/kernel/emulator/translate.h"

#include "core/symbolic/error.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/emulator/translate_impl.h"

namespace affirm::kernel {
namespace {

// More code or registers than any kernel has; the numbers of operands fit their fields below it.
constexpr size_t kMostCode = size_t{1} << 24;
constexpr uint32_t kMostRegisters = 1u << 22;

}  // namespace

llvm::Expected<Program> Translate(const KernelIr& ir, uint64_t first_region, bool observes) {
  return Translator(ir, first_region, observes).Run();
}

Translator::Translator(const KernelIr& ir, uint64_t first_region, bool observes)
    : ir_(ir),
      layout_(ir.module->getDataLayout()),
      next_region_(first_region),
      slots_(ir.module.get()),
      observes_(observes) {}

llvm::Expected<Program> Translator::Run() {
  if (ir_.module->getDataLayout().isBigEndian())
    return MakeError("big-endian memory of the module is not modelled");
  program_.sources.push_back({0, ""});
  if (IsOfAmdgpu(ir_)) program_.lanes = LanesOf(ir_).value_or(0);
  if (llvm::Error error = AddVariables()) return error;
  LookForSynchronization();
  for (const llvm::Argument& argument : ir_.kernel->args())
    program_.noalias.push_back(argument.hasNoAliasAttr());
  FunctionNumber(*ir_.kernel);
  for (size_t k = 0; k < functions_.size(); ++k) {
    if (llvm::Error error = TranslateFunction(*functions_[k])) return error;
  }
  return std::move(program_);
}

uint32_t Translator::FunctionNumber(const llvm::Function& function) {
  auto [at, is_new] =
      function_numbers_.try_emplace(&function, static_cast<uint32_t>(functions_.size()));
  if (is_new) {
    functions_.push_back(&function);
    program_.functions.push_back({function.getName().str(), 0, 0, {}});
  }
  return at->second;
}

std::string Translator::TextOf(const llvm::Value& value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Registers without a name are numbered once for each function, not for each instruction.
  if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value))
    slots_.incorporateFunction(*instruction->getFunction());
  value.print(os, slots_);
  llvm::StringRef line = llvm::StringRef(text).trim();
  // Attributes and metadata say nothing that helps to find the place.
  line = line.split(", !").first;
  return line.substr(0, 300).str();
}

llvm::Error Translator::Unsupported(const llvm::Instruction& instruction, const llvm::Twine& why) {
  const int line = ir_.LineOf(&instruction);
  return MakeError(ir_.where + ":" + llvm::Twine(std::max(line, 1)) + ":1: error: " +
                   (why.isTriviallyEmpty() ? "the emulator does not execute" : why) + ": " +
                   TextOf(instruction));
}

Code& Translator::Emit(Op op) {
  Code code{.op = op};
  return Emit(code);
}

Code& Translator::Emit(Code code) {
  code.source = source_;
  return program_.code.emplace_back(code);
}

llvm::Error Translator::TranslateFunction(const llvm::Function& function) {
  values_.clear();
  constants_.clear();
  block_starts_.clear();
  block_order_.clear();
  pending_jumps_.clear();
  registers_ = 0;
  std::vector<uint32_t> parameters;
  for (const llvm::Argument& argument : function.args()) {
    auto pieces = PiecesOf(argument.getType());
    if (!pieces) return pieces.takeError();
    const uint32_t first = NewRegisters(pieces->size());
    for (uint32_t k = 0; k < pieces->size(); ++k) parameters.push_back(first + k);
    Define(&argument, first, pieces->size());
  }
  // Values are defined before they are used in this order; blocks that nothing reaches are left
  // out.
  llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  uint32_t number = 0;
  for (const llvm::BasicBlock* block : order) {
    block_order_[block] = number++;
    for (const llvm::PHINode& phi : block->phis()) {
      auto pieces = PiecesOf(phi.getType());
      if (!pieces) return Unsupported(phi, llvm::toString(pieces.takeError()));
      Define(&phi, NewRegisters(pieces->size()), pieces->size());
    }
  }
  rounds_.clear();
  wave_loops_.emplace(function);
  const uint32_t entry = Here();
  for (const llvm::BasicBlock* block : order) {
    if (llvm::Error error = TranslateBlock(*block)) return error;
    if (program_.code.size() > kMostCode || registers_ > kMostRegisters) {
      return MakeError(ir_.where + ":1:1: error: the kernel is too large for the emulator");
    }
  }
  for (auto [code, to] : pending_jumps_) program_.code[code].imm = block_starts_.lookup(to);
  Function& made = program_.functions[function_numbers_[&function]];
  made.entry = entry;
  made.registers = registers_;
  made.parameters = std::move(parameters);
  return llvm::Error::success();
}

llvm::Error Translator::TranslateBlock(const llvm::BasicBlock& block) {
  block_starts_[&block] = Here();
  for (const llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    instruction_ = &instruction;
    source_ = static_cast<uint32_t>(program_.sources.size());
    program_.sources.push_back({ir_.LineOf(&instruction), TextOf(instruction)});
    llvm::Error error =
        instruction.isTerminator() ? TranslateTerminator(instruction) : Translate(instruction);
    if (error) {
      // Adds the place to an error of a part that has none.
      std::string message = llvm::toString(std::move(error));
      if (llvm::StringRef(message).contains(": error: ")) return MakeError(message);
      return Unsupported(instruction, message);
    }
  }
  return llvm::Error::success();
}

llvm::Error Translator::Translate(const llvm::Instruction& instruction) {
  using llvm::dyn_cast;
  if (auto* op = dyn_cast<llvm::BinaryOperator>(&instruction)) return TranslateBinary(*op);
  if (auto* op = dyn_cast<llvm::UnaryOperator>(&instruction)) return TranslateUnary(*op);
  if (auto* op = dyn_cast<llvm::CmpInst>(&instruction)) return TranslateCompare(*op);
  if (auto* op = dyn_cast<llvm::CastInst>(&instruction)) return TranslateCast(*op);
  if (auto* op = dyn_cast<llvm::SelectInst>(&instruction)) return TranslateSelect(*op);
  if (auto* op = dyn_cast<llvm::FreezeInst>(&instruction)) return TranslateFreeze(*op);
  if (auto* op = dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    return TranslateExtractElement(*op);
  }
  if (auto* op = dyn_cast<llvm::InsertElementInst>(&instruction)) {
    return TranslateInsertElement(*op);
  }
  if (auto* op = dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    return TranslateShuffleVector(*op);
  }
  if (auto* op = dyn_cast<llvm::ExtractValueInst>(&instruction)) return TranslateExtractValue(*op);
  if (auto* op = dyn_cast<llvm::InsertValueInst>(&instruction)) return TranslateInsertValue(*op);
  if (auto* op = dyn_cast<llvm::GetElementPtrInst>(&instruction)) return TranslateGep(*op);
  if (auto* op = dyn_cast<llvm::AllocaInst>(&instruction)) return TranslateAlloca(*op);
  if (auto* op = dyn_cast<llvm::LoadInst>(&instruction)) return TranslateLoad(*op);
  if (auto* op = dyn_cast<llvm::StoreInst>(&instruction)) return TranslateStore(*op);
  if (auto* op = dyn_cast<llvm::AtomicRMWInst>(&instruction)) return TranslateAtomicRmw(*op);
  if (auto* op = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return TranslateCompareExchange(*op);
  }
  if (auto* op = dyn_cast<llvm::FenceInst>(&instruction)) {
    EmitFence(IsOfBlock(*op, op->getSyncScopeID()));
    return llvm::Error::success();
  }
  if (auto* op = dyn_cast<llvm::CallBase>(&instruction)) return TranslateCall(*op);
  return Unsupported(instruction);
}

llvm::Expected<uint32_t> Translator::EmitEdge(const llvm::BasicBlock& from,
                                              const llvm::BasicBlock& to) {
  const uint32_t start = Here();
  std::vector<std::pair<uint32_t, Operand>> moves;  // register, its new value
  for (const llvm::PHINode& phi : to.phis()) {
    auto value = Get(phi.getIncomingValueForBlock(&from));
    if (!value) return value.takeError();
    for (auto [target, operand] : llvm::zip_equal(values_[&phi], *value)) {
      if (target != operand) moves.push_back({target / 2, operand});
    }
  }
  // All phis change at once: where one is read by another of them, copies come first.
  llvm::DenseSet<Operand> written;
  for (auto [target, operand] : moves) written.insert(Register(target));
  for (auto& [target, operand] : moves) {
    if (!written.contains(operand)) continue;
    Code& copy = Emit(Op::kMove);
    copy.a = operand;
    copy.dst = NewRegister();
    operand = Register(copy.dst);
  }
  for (auto [target, operand] : moves) {
    Code& move = Emit(Op::kMove);
    move.dst = target;
    move.a = operand;
  }
  EmitRound(from, to);
  pending_jumps_.push_back({Here(), &to});
  Emit(block_order_.lookup(&to) <= block_order_.lookup(&from) ? Op::kJumpBack : Op::kJump);
  return start;
}

llvm::Error Translator::TranslateTerminator(const llvm::Instruction& instruction) {
  const llvm::BasicBlock& from = *instruction.getParent();
  if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) return TranslateReturn(*ret);
  if (llvm::isa<llvm::UnreachableInst>(instruction)) {
    Emit(Op::kUnreachable);
    return llvm::Error::success();
  }
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    if (branch->isUnconditional()) return EmitEdge(from, *branch->getSuccessor(0)).takeError();
    auto condition = GetScalar(branch->getCondition());
    if (!condition) return condition.takeError();
    const uint32_t at = Here();
    Emit(Op::kBranch).a = *condition;
    for (unsigned k : {0, 1}) {
      auto target = EmitEdge(from, *branch->getSuccessor(k));
      if (!target) return target.takeError();
      (k == 0 ? program_.code[at].b : program_.code[at].c) = *target;
    }
    return llvm::Error::success();
  }
  if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    auto condition = GetScalar(choice->getCondition());
    if (!condition) return condition.takeError();
    Code& code = Emit(Op::kSwitch);
    code.a = *condition;
    code.imm = static_cast<int64_t>(program_.switches.size());
    SwitchTable table;
    for (const auto& entry : choice->cases()) {
      auto target = EmitEdge(from, *entry.getCaseSuccessor());
      if (!target) return target.takeError();
      table.cases.push_back({entry.getCaseValue()->getZExtValue(), *target});
    }
    auto otherwise = EmitEdge(from, *choice->getDefaultDest());
    if (!otherwise) return otherwise.takeError();
    table.otherwise = *otherwise;
    llvm::sort(table.cases);
    program_.switches.push_back(std::move(table));
    return llvm::Error::success();
  }
  return Unsupported(instruction);
}

llvm::Error Translator::TranslateReturn(const llvm::ReturnInst& instruction) {
  if (instruction.getFunction() == ir_.kernel) {
    Emit(Op::kExit);
    return llvm::Error::success();
  }
  Operands values;
  if (const llvm::Value* value = instruction.getReturnValue()) {
    auto operands = Get(value);
    if (!operands) return operands.takeError();
    values = std::move(*operands);
  }
  Code& code = Emit(Op::kReturn);
  code.b = static_cast<uint32_t>(program_.lists.size());
  code.c = static_cast<uint32_t>(values.size());
  program_.lists.insert(program_.lists.end(), values.begin(), values.end());
  return llvm::Error::success();
}

}  // namespace affirm::kernel
