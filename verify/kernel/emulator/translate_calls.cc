// Calls: functions of the module, and what devices have: registers, barriers, shuffles, matrices.
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "verify/kernel/emulator/math_functions.h"
#include "verify/kernel/emulator/translate_impl.h"
#include "verify/kernel/lane_reduction.h"
#include "verify/kernel/small_float_pairs.h"

namespace affirm::kernel {
namespace {

bool MeansNothingHere(llvm::StringRef name) {
  for (const char* prefix :
       {"llvm.lifetime.", "llvm.dbg.", "llvm.nvvm.griddepcontrol.", "llvm.experimental.noalias",
        "llvm.invariant.", "llvm.prefetch", "llvm.donothing", "llvm.nvvm.fence.", "llvm.annotation",
        "llvm.pseudoprobe"}) {
    if (name.starts_with(prefix)) return true;
  }
  return OrdersInstructionsAlone(name);
}

}  // namespace

bool IsFence(llvm::StringRef name) {
  return name.starts_with("llvm.nvvm.membar.") || name.starts_with("llvm.nvvm.fence.sc") ||
         name.starts_with("llvm.nvvm.fence.acq_rel");
}

llvm::Error Translator::TranslateCall(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return TranslateAsm(call);
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return Unsupported(call, "calls through pointers are not executed");
  if (!callee->isDeclaration()) return TranslateFunctionCall(call, *callee);
  llvm::StringRef name = callee->getName();
  if (IsFence(name)) {
    EmitFence(name.ends_with(".cta"));
    return llvm::Error::success();
  }
  if (MeansNothingHere(name)) return llvm::Error::success();
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (llvm::isa<llvm::AnyMemIntrinsic>(call)) return TranslateMemIntrinsic(*intrinsic);
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::assume) {
      if (call.hasOperandBundles()) return llvm::Error::success();
      auto condition = GetScalar(call.getArgOperand(0));
      if (!condition) return condition.takeError();
      Emit(Op::kAssume).a = *condition;
      return llvm::Error::success();
    }
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::trap) {
      Emit(Op::kTrap);
      return llvm::Error::success();
    }
  }
  for (auto part : {&Translator::TranslateSpecialRegister, &Translator::TranslateBarrier,
                    &Translator::TranslateWave, &Translator::TranslateShuffle,
                    &Translator::TranslateDevice, &Translator::TranslateSmallFloats,
                    &Translator::TranslateFloatIntrinsic, &Translator::TranslateMath}) {
    auto done = (this->*part)(call, name);
    if (!done) return done.takeError();
    if (*done) return CheckRange(call);
  }
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    for (auto part :
         {&Translator::TranslateIntegerIntrinsic, &Translator::TranslateOverflowIntrinsic}) {
      auto done = (this->*part)(*intrinsic);
      if (!done) return done.takeError();
      if (*done) return CheckRange(call);
    }
  }
  return Unsupported(call, "the emulator does not know " + name);
}

llvm::Error Translator::TranslateFunctionCall(const llvm::CallBase& call,
                                              const llvm::Function& callee) {
  if (callee.isVarArg() || call.arg_size() != callee.arg_size()) return Unsupported(call);
  Operands arguments;
  for (unsigned k = 0; k < call.arg_size(); ++k) {
    auto values = Get(call.getArgOperand(k));
    if (!values) return values.takeError();
    if (call.paramHasAttr(k, llvm::Attribute::NoUndef)) {
      for (Operand value : *values) Emit(Op::kCheckNotUndef).a = value;
    }
    if (auto range = callee.getArg(k)->getRange()) CheckInRange(*range, *values);
    arguments.append(values->begin(), values->end());
  }
  auto pieces = PiecesOf(call.getType());
  if (!pieces) return pieces.takeError();
  const uint32_t first = NewRegisters(pieces->size());
  RecordRounds();
  Code& code = Emit(Op::kCall);
  code.dst = first;
  code.imm = FunctionNumber(callee);
  code.b = static_cast<uint32_t>(program_.lists.size());
  code.c = static_cast<uint32_t>(arguments.size());
  program_.lists.insert(program_.lists.end(), arguments.begin(), arguments.end());
  Define(&call, first, pieces->size());
  return CheckRange(call);
}

// Checks the promise of !range or of the attribute range for an integer, or for each of a vector.
llvm::Error Translator::CheckRange(const llvm::Instruction& instruction) {
  std::optional<llvm::ConstantRange> range;
  if (llvm::MDNode* node = instruction.getMetadata(llvm::LLVMContext::MD_range)) {
    range = llvm::getConstantRangeFromMetadata(*node);
  } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    range = call->getRange();
  }
  if (!range || !instruction.getType()->isIntOrIntVectorTy()) return llvm::Error::success();
  Operands values = values_[&instruction];
  CheckInRange(*range, values);
  Define(&instruction, std::move(values));
  return llvm::Error::success();
}

void Translator::CheckInRange(const llvm::ConstantRange& range,
                              llvm::MutableArrayRef<Operand> values) {
  if (range.isFullSet() || range.getBitWidth() > 64) return;
  for (Operand& value : values) {
    Code& code = Emit(Op::kCheckRange);
    code.a = value;
    code.dst = NewRegister();
    code.width = static_cast<uint8_t>(range.getBitWidth());
    code.imm = static_cast<int64_t>(program_.ranges.size());
    program_.ranges.push_back({range.getLower().getZExtValue(), range.getUpper().getZExtValue()});
    value = Register(code.dst);
  }
}

llvm::Error Translator::EmitPerScalar(const llvm::CallBase& call, unsigned arguments, Code code) {
  llvm::SmallVector<Operands, 3> values;
  for (unsigned k = 0; k < arguments; ++k) {
    auto operands = Get(call.getArgOperand(k));
    if (!operands) return operands.takeError();
    values.push_back(std::move(*operands));
  }
  const uint32_t count = static_cast<uint32_t>(values[0].size());
  const uint32_t first = NewRegisters(count);
  for (uint32_t k = 0; k < count; ++k) {
    code.dst = first + k;
    code.a = values[0][k];
    if (arguments > 1) code.b = values[1][k];
    if (arguments > 2) code.c = values[2][k];
    Emit(code);
  }
  Define(&call, first, count);
  return llvm::Error::success();
}

llvm::Expected<bool> Translator::TranslateSpecialRegister(const llvm::CallBase& call,
                                                          llvm::StringRef name) {
  int which = -1;
  auto axis = [](llvm::StringRef rest) {
    return rest.size() == 1 && rest[0] >= 'x' && rest[0] <= 'z' ? rest[0] - 'x' : -100;
  };
  if (name.consume_front("llvm.nvvm.read.ptx.sreg.")) {
    auto [kind, rest] = name.split('.');
    which = llvm::StringSwitch<int>(kind)
                .Case("tid", axis(rest))
                .Case("ctaid", 3 + axis(rest))
                .Case("ntid", 6 + axis(rest))
                .Case("nctaid", 9 + axis(rest))
                .Case("laneid", static_cast<int>(SpecialRegister::kLane))
                .Case("warpsize", static_cast<int>(SpecialRegister::kWarpSize))
                .Default(-1);
  } else if (const auto identifier = FindIdentifier(call)) {
    which = 3 * static_cast<int>(identifier->of) + identifier->dimension;
  }
  if (which < 0) return false;
  const uint32_t dst = NewRegister();
  Code& code = Emit(Op::kSpecial);
  code.aux = static_cast<uint8_t>(which);
  code.dst = dst;
  Define(&call, dst, 1);
  return true;
}

llvm::Expected<bool> Translator::TranslateBarrier(const llvm::CallBase& call,
                                                  llvm::StringRef name) {
  auto constant = [&](uint64_t bits) { return AddConstant(bits); };
  if (name == "llvm.nvvm.barrier0" || name == "llvm.amdgcn.s.barrier") {
    RecordRounds();
    Code& code = Emit(Op::kBarrier);
    code.a = constant(0);
    code.flags = kAligned;
    return true;
  }
  if (name == "llvm.nvvm.bar.warp.sync") {
    auto mask = GetScalar(call.getArgOperand(0));
    if (!mask) return mask.takeError();
    Emit(Op::kWarpSync).a = *mask;
    return true;
  }
  if (name == "llvm.nvvm.wgmma.fence.sync.aligned") return true;
  if (name == "llvm.nvvm.wgmma.commit_group.sync.aligned") {
    Emit(Op::kCommitProducts);
    return true;
  }
  if (name == "llvm.nvvm.cp.async.commit.group") {
    Emit(Op::kCommitCopies);
    return true;
  }
  if (name == "llvm.nvvm.cp.async.wait.group" || name == "llvm.nvvm.cp.async.wait.all") {
    int64_t but = -1;
    if (call.arg_size() == 1)
      but = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
    if (call.arg_size() == 1 && but < 0) return Unsupported(call, "a number of groups below 0");
    Emit({.op = Op::kWaitCopies, .imm = but});
    return true;
  }
  const bool all = name == "llvm.nvvm.barrier.cta.sync.aligned.all" ||
                   name == "llvm.nvvm.barrier.cta.sync.all" || name == "llvm.nvvm.barrier.n" ||
                   name == "llvm.nvvm.bar.sync" || name == "llvm.nvvm.barrier.sync";
  const bool counted = name == "llvm.nvvm.barrier.cta.sync.aligned.count" ||
                       name == "llvm.nvvm.barrier.cta.sync.count" || name == "llvm.nvvm.barrier" ||
                       name == "llvm.nvvm.barrier.sync.cnt";
  const bool arrives = name == "llvm.nvvm.barrier.cta.arrive.aligned.count" ||
                       name == "llvm.nvvm.barrier.cta.arrive.count";
  if (!all && !counted && !arrives) return false;
  auto id = GetScalar(call.getArgOperand(0));
  if (!id) return id.takeError();
  Operand count = 0;
  if (!all) {
    auto operand = GetScalar(call.getArgOperand(1));
    if (!operand) return operand.takeError();
    count = *operand;
  }
  RecordRounds();
  Code& code = Emit(Op::kBarrier);
  code.a = *id;
  code.b = count;
  code.aux = all ? 0 : 1;
  const bool unaligned = name.starts_with("llvm.nvvm.barrier.cta.") && !name.contains(".aligned.");
  const bool is_sync = name == "llvm.nvvm.barrier.sync" || name == "llvm.nvvm.barrier.sync.cnt";
  code.flags =
      static_cast<uint8_t>((unaligned || is_sync ? 0 : kAligned) | (arrives ? kArrives : 0));
  return true;
}

llvm::Expected<bool> Translator::TranslateShuffle(const llvm::CallBase& call,
                                                  llvm::StringRef name) {
  if (name.consume_front("llvm.nvvm.vote.")) {
    name.consume_back(".sync");
    auto mode = llvm::StringSwitch<std::optional<VoteMode>>(name)
                    .Case("all", VoteMode::kAll)
                    .Case("any", VoteMode::kAny)
                    .Case("uni", VoteMode::kUniform)
                    .Case("ballot", VoteMode::kBallot)
                    .Default(std::nullopt);
    if (!mode || call.arg_size() != 2) return false;
    auto mask = GetScalar(call.getArgOperand(0)), value = GetScalar(call.getArgOperand(1));
    if (!mask) return llvm::joinErrors(mask.takeError(), value.takeError());
    if (!value) return value.takeError();
    const uint32_t dst = NewRegister();
    Emit(
        {.op = Op::kVote, .aux = static_cast<uint8_t>(*mode), .dst = dst, .a = *mask, .b = *value});
    Define(&call, dst, 1);
    return true;
  }
  if (const auto reduction = ReductionOf(call)) {
    auto value = GetScalar(call.getArgOperand(0)), mask = GetScalar(call.getArgOperand(1));
    if (!value) return llvm::joinErrors(value.takeError(), mask.takeError());
    if (!mask) return mask.takeError();
    const uint32_t dst = NewRegister();
    Emit({.op = Op::kReduceLanes,
          .width = static_cast<uint8_t>(reduction->of_magnitudes),
          .aux = static_cast<uint8_t>(reduction->kind),
          .dst = dst,
          .a = *mask,
          .b = *value});
    Define(&call, dst, 1);
    return true;
  }
  if (!name.consume_front("llvm.nvvm.shfl.sync.")) return false;
  auto [mode_name, type] = name.split('.');
  auto mode = llvm::StringSwitch<std::optional<ShuffleMode>>(mode_name)
                  .Case("up", ShuffleMode::kUp)
                  .Case("down", ShuffleMode::kDown)
                  .Case("bfly", ShuffleMode::kButterfly)
                  .Case("idx", ShuffleMode::kIndex)
                  .Default(std::nullopt);
  const bool with_predicate = type.consume_back("p");
  if (!mode || (type != "i32" && type != "f32")) return false;
  llvm::SmallVector<Operand, 4> arguments;
  for (unsigned k = 0; k < 4; ++k) {
    auto operand = GetScalar(call.getArgOperand(k));
    if (!operand) return operand.takeError();
    arguments.push_back(*operand);
  }
  const uint32_t count = with_predicate ? 2 : 1;
  const uint32_t dst = NewRegisters(count);
  Code& code = Emit(Op::kShuffle);
  code.aux = static_cast<uint8_t>(*mode);
  code.flags = with_predicate ? kWithPredicate : 0;
  code.dst = dst;
  code.a = arguments[0];
  code.b = arguments[1];
  code.imm = static_cast<int64_t>(program_.lists.size());
  program_.lists.push_back(arguments[2]);
  program_.lists.push_back(arguments[3]);
  Define(&call, dst, count);
  return true;
}

// Matrices of 8x8 elements of 16 bits in shared memory.
llvm::Expected<bool> Translator::TranslateDevice(const llvm::CallBase& call, llvm::StringRef name) {
  const bool load = name.consume_front("llvm.nvvm.ldmatrix.sync.aligned.m8n8.");
  const bool store = !load && name.consume_front("llvm.nvvm.stmatrix.sync.aligned.m8n8.");
  if (!load && !store) return false;
  unsigned count = 0;
  if (!name.consume_front("x") || name.consumeInteger(10, count) || count == 0 || count > 4) {
    return false;
  }
  const bool transposed = name.consume_front(".trans");
  if (!name.starts_with(".b16")) return false;
  auto address = GetScalar(call.getArgOperand(0));
  if (!address) return address.takeError();
  Code code{.op = load ? Op::kLoadMatrix : Op::kStoreMatrix};
  code.flags = transposed ? kTransposed : 0;
  code.a = *address;
  code.c = count;
  if (load) {
    code.dst = NewRegisters(count);
    Define(&call, code.dst, count);
  } else {
    llvm::SmallVector<Operand, 4> values;
    for (unsigned k = 0; k < count; ++k) {
      auto value = GetScalar(call.getArgOperand(1 + k));
      if (!value) return value.takeError();
      values.push_back(*value);
    }
    code.imm = static_cast<int64_t>(program_.lists.size());
    program_.lists.insert(program_.lists.end(), values.begin(), values.end());
  }
  program_.narrowest_access =
      std::min<int64_t>(program_.narrowest_access, transposed || store ? 2 : 4);
  RecordRounds();
  Emit(code);
  return true;
}

}  // namespace affirm::kernel
