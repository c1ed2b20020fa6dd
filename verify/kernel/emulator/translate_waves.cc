// Exchanges of lanes of a wave of AMDGPU, and counters of iterations (wave.h).
#include "verify/kernel/emulator/translate_impl.h"

namespace affirm::kernel {

// A counter of iterations is a register of the function: it begins at 0 with the loop.
void Translator::EmitRound(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  if (!wave_loops_->IsHeader(&to)) return;
  const auto [at, is_new] = rounds_.try_emplace(&to, 0);
  if (is_new) at->second = NewRegister();
  Code code{.op = Op::kMove, .width = 64, .dst = at->second, .a = AddConstant(Slot{0, kCounter})};
  if (wave_loops_->Repeats(&from, &to)) {
    code.op = Op::kAdd;
    code.a = Register(at->second);
    code.b = AddConstant(1);
  }
  Emit(code);
}

void Translator::RecordRounds() {
  std::vector<uint32_t> registers;
  for (const llvm::BasicBlock* header : wave_loops_->Around(instruction_->getParent())) {
    const auto [at, is_new] = rounds_.try_emplace(header, 0);
    if (is_new) at->second = NewRegister();
    registers.push_back(at->second);
  }
  if (!registers.empty()) program_.rounds[Here()] = std::move(registers);
}

llvm::Expected<bool> Translator::TranslateWave(const llvm::CallBase& call, llvm::StringRef name) {
  const bool counts = name.starts_with("llvm.amdgcn.mbcnt.");
  const bool asks = name == "llvm.amdgcn.wavefrontsize";
  const llvm::Function& function = *call.getCalledFunction();
  if (!counts && !asks && !IsExchange(function)) return false;
  if (program_.lanes == 0) return Unsupported(call, "how many lanes a wave has is not known");
  if (asks) {
    Define(&call, {AddConstant(static_cast<uint64_t>(program_.lanes))});
    return true;
  }
  Operands operands;
  for (const llvm::Use& argument : call.args()) {
    auto operand = GetScalar(argument);
    if (!operand) return operand.takeError();
    operands.push_back(*operand);
  }
  if (counts) {
    Define(&call, {EmitLanesBelow(operands[0], operands[1], name.ends_with(".hi"))});
    return true;
  }
  if (!wave_loops_->is_reducible())
    return Unsupported(call, "the emulator does not tell iterations of this function apart");
  const auto exchange = FindExchange(call, program_.lanes);
  if (!exchange) return Unsupported(call, "the emulator does not know this form of " + name);
  RecordRounds();
  Code code{.op = Op::kExchange, .dst = NewRegister(), .a = operands[exchange->value]};
  if (exchange->index) code.b = operands[*exchange->index];
  if (exchange->old) code.c = operands[*exchange->old];
  code.imm = static_cast<int64_t>(program_.exchanges.size());
  program_.exchanges.push_back(*exchange);
  Emit(code);
  Define(&call, code.dst, 1);
  return true;
}

// base + how many lanes of the mask are before this one.
Operand Translator::EmitLanesBelow(Operand mask, Operand base, bool upper) {
  using Register = affirm::kernel::SpecialRegister;
  const auto below =
      static_cast<uint8_t>(upper ? Register::kLanesBelowUpper : Register::kLanesBelowLower);
  const uint32_t first = NewRegisters(4);
  auto operand = [&](uint32_t k) { return Translator::Register(first + k); };
  Emit({.op = Op::kSpecial, .aux = below, .dst = first});
  Emit({.op = Op::kAnd, .width = 32, .dst = first + 1, .a = operand(0), .b = mask});
  Emit({.op = Op::kIntrinsicUnary,
        .width = 32,
        .aux = static_cast<uint8_t>(IntegerFunction::kPopulation),
        .dst = first + 2,
        .a = operand(1)});
  Emit({.op = Op::kAdd, .width = 32, .dst = first + 3, .a = operand(2), .b = base});
  return operand(3);
}

}  // namespace affirm::kernel
