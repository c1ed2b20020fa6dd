// Device code of a kernel on this computer: its LLVM IR with stand-ins for what only a device has.
#include "tests/emit/device_code.h"

#include "emit/codegen/device_math.h"
#include "emit/codegen/lower_to_llvm.h"
#include "emit/codegen/machine_code.h"
#include "emit/runtime/kernel_arguments.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace affirm::testing {
namespace {

// Turns a kernel for PTX into a function of this computer: a thread is `thread` of block `block`.
llvm::Error TakeToHost(llvm::Module& module, llvm::Function& entry) {
  entry.setCallingConv(llvm::CallingConv::C);
  llvm::SmallVector<llvm::Instruction*> replaced;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      llvm::IRBuilder<> b(&instruction);
      auto load = [&](llvm::StringRef global) {
        return b.CreateLoad(b.getInt32Ty(), module.getOrInsertGlobal(global, b.getInt32Ty()));
      };
      const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      llvm::StringRef name = call ? call->getCalledFunction()->getName() : "";
      llvm::Value* value = nullptr;
      if (name.ends_with("sreg.tid.x")) {
        value = load("thread");
      } else if (name.ends_with("sreg.ctaid.x")) {
        value = load("block");
      } else if (name.starts_with("llvm.nvvm")) {
        return llvm::createStringError(name + " needs a device");
      } else if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction)) {
        // What a number that is too large becomes, LLVM leaves open; PTX's conversions saturate,
        // and some functions look up tables with it before they choose another result.
        bool is_signed = llvm::isa<llvm::FPToSIInst>(instruction);
        llvm::Value* from = instruction.getOperand(0);
        value =
            b.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                              {instruction.getType(), from->getType()}, {from});
      }
      if (!value) continue;
      instruction.replaceAllUsesWith(value);
      replaced.push_back(&instruction);
    }
  }
  for (llvm::Instruction* instruction : replaced) instruction->eraseFromParent();
  for (const char* name : {"thread", "block"}) {
    auto* global = llvm::cast<llvm::GlobalVariable>(
        module.getOrInsertGlobal(name, llvm::Type::getInt32Ty(module.getContext())));
    global->setInitializer(llvm::ConstantInt::get(global->getValueType(), 0));
  }
  return llvm::Error::success();
}

// Adds run(void** buffers), which calls the entry with each of them.
void AddRun(llvm::Module& module, llvm::Function& entry) {
  llvm::IRBuilder<> b(module.getContext());
  auto* run = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
                                     llvm::Function::ExternalLinkage, "run", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", run));
  llvm::SmallVector<llvm::Value*> arguments;
  for (size_t i = 0; i < entry.arg_size(); ++i) {
    llvm::Value* slot = b.CreateConstGEP1_64(b.getPtrTy(), run->getArg(0), i);
    arguments.push_back(b.CreateLoad(b.getPtrTy(), slot));
  }
  b.CreateCall(&entry, arguments);
  b.CreateRetVoid();
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> Compile(const emit::Kernel& kernel,
                                                          size_t pointers) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = emit::LowerToLlvm(kernel.impl(), emit::Target::kNvptx, *context);
  if (!module) return module.takeError();
  auto machine = emit::MakeTargetMachine(emit::Target::kHost);
  if (!machine) return machine.takeError();
  (*module)->setTargetTriple((*machine)->getTargetTriple());
  (*module)->setDataLayout((*machine)->createDataLayout());
  if (auto error = emit::LinkDeviceMath(**module, emit::Target::kNvptx)) return error;
  llvm::Function& entry = *(*module)->getFunction(kernel.name());
  if (entry.arg_size() != pointers) {
    return llvm::createStringError("the entry takes another number of pointers");
  }
  if (auto error = TakeToHost(**module, entry)) return error;
  AddRun(**module, entry);
  emit::Optimize(**module, **machine);
  auto jit = emit::MakeJit(std::move(*machine));
  if (!jit) return jit.takeError();
  if (auto error = (*jit)->addIRModule({std::move(*module), std::move(context)})) return error;
  return std::move(*jit);
}

// Memory of a buffer, aligned as kernels expect.
struct alignas(16) Unit {
  uint8_t bytes[16];
};
using Memory = std::vector<Unit>;

}  // namespace

llvm::Expected<hlo::Literal> RunDeviceCode(const emit::Kernel& kernel,
                                           llvm::ArrayRef<hlo::Literal> arguments) {
  const emit::Kernel::Impl& impl = kernel.impl();
  auto inputs = emit::ArgumentLeaves(impl, arguments);
  if (!inputs) return inputs.takeError();
  std::vector<Memory> memory(impl.slices.size());
  std::vector<void*> pointers;
  for (size_t k = 0; k < impl.slices.size(); ++k) {
    if (impl.slices[k] != static_cast<int64_t>(k)) continue;
    int64_t start = static_cast<int64_t>(k);
    int64_t output = start - std::ssize(*inputs);
    if (output >= 0) start = impl.aliases.empty() ? -1 : impl.aliases[output];
    const hlo::Literal* from = start < 0 ? nullptr : (*inputs)[start];
    size_t bytes = from ? from->bytes().size() : impl.outputs[output].bytes();
    memory[k].resize(bytes / sizeof(Unit) + 1);
    if (from && bytes > 0) std::memcpy(memory[k].data(), from->data(), bytes);
    pointers.push_back(memory[k].data());
  }
  auto jit = Compile(kernel, pointers.size());
  if (!jit) return jit.takeError();
  auto find = [&](const char* name) { return llvm::cantFail((*jit)->lookup(name)); };
  auto* run = find("run").toPtr<void (*)(void**)>();
  auto* thread = find("thread").toPtr<int32_t*>();
  auto* block = find("block").toPtr<int32_t*>();
  for (*block = 0; *block < kernel.launch().blocks; ++*block) {
    for (*thread = 0; *thread < kernel.launch().threads; ++*thread) run(pointers.data());
  }
  std::vector<std::vector<uint8_t>> results;
  for (size_t k = 0; k < impl.outputs.size(); ++k) {
    const auto* bytes =
        reinterpret_cast<const uint8_t*>(memory[impl.slices[inputs->size() + k]].data());
    results.emplace_back(bytes, bytes + impl.outputs[k].bytes());
  }
  return emit::ResultLiteral(impl, results);
}

}  // namespace affirm::testing
