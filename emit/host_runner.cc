// The host grid: every thread of the launch, one after the other, in checked code.
#include <algorithm>
#include <numeric>
#include <random>

#include "emit/codegen.h"
#include "emit/error.h"
#include "emit/kernel_impl.h"
#include "emit/lower_tensors.h"
#include "emit/lowering.h"
#include "emit/runner.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace affirm::emit {
namespace {

using EntryFn = void (*)(int64_t thread, int64_t block, void** buffers);

struct CompiledKernel {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  EntryFn entry = nullptr;
  FaultRecord* fault = nullptr;
};

llvm::Expected<CompiledKernel> Compile(const Kernel::Impl& kernel) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      LowerToLlvm(kernel, Target::kHost, *context);
  if (!module) return module.takeError();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = MakeTargetMachine(Target::kHost);
  if (!machine) return machine.takeError();
  (*module)->setTargetTriple((*machine)->getTargetTriple());
  (*module)->setDataLayout((*machine)->createDataLayout());
  Optimise(**module, **machine);

  CompiledKernel compiled;
  // The processor as MakeTargetMachine describes it, rather than as the JIT would.
  using Compiler = llvm::orc::IRCompileLayer::IRCompiler;
  llvm::orc::JITTargetMachineBuilder builder((*machine)->getTargetTriple());
  auto jit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(builder)
          .setDataLayout((*machine)->createDataLayout())
          .setCompileFunctionCreator(
              [&](llvm::orc::JITTargetMachineBuilder) -> llvm::Expected<std::unique_ptr<Compiler>> {
                return std::make_unique<llvm::orc::TMOwningSimpleCompiler>(std::move(*machine));
              })
          .create();
  if (!jit) return jit.takeError();
  compiled.jit = std::move(*jit);
  llvm::orc::ThreadSafeModule safe(std::move(*module), std::move(context));
  if (llvm::Error error = compiled.jit->addIRModule(std::move(safe))) return error;
  auto entry = compiled.jit->lookup(kHostEntry);
  if (!entry) return entry.takeError();
  auto fault = compiled.jit->lookup(kFaultRecord);
  if (!fault) return fault.takeError();
  compiled.entry = entry->toPtr<EntryFn>();
  compiled.fault = fault->toPtr<FaultRecord*>();
  return compiled;
}

// Inputs are copied: a kernel that wrote to one would be noticed by its bounds, not by corrupting
// the caller. Each result is followed by one write count an element. Nothing is empty, so that
// element 0 can be read.
std::vector<std::vector<uint8_t>> Allocate(const Kernel::Impl& kernel,
                                           llvm::ArrayRef<const hlo::Literal*> inputs) {
  std::vector<std::vector<uint8_t>> memory;
  for (const hlo::Literal* input : inputs) {
    memory.emplace_back(input->bytes().begin(), input->bytes().end());
    memory.back().resize(memory.back().size() + 16);
  }
  for (const Buffer& output : kernel.outputs) {
    memory.emplace_back(output.bytes() + output.elements + 16);
  }
  return memory;
}

llvm::Error DescribeFault(const Kernel::Impl& kernel, const FaultRecord& fault, int64_t thread,
                          int64_t block) {
  std::string function = "?";
  int64_t number = 0;
  for (auto op : kernel.module.get().getOps<mlir::func::FuncOp>()) {
    if (number++ == fault.function) function = op.getName().str();
  }
  std::string buffer = "an array constant";
  auto inputs = static_cast<int64_t>(kernel.inputs.size());
  if (fault.buffer >= inputs) {
    buffer = "result " + std::to_string(fault.buffer - inputs);
  } else if (fault.buffer >= 0) {
    buffer = "argument " + std::to_string(fault.buffer);
  }
  std::string text = function + (fault.store ? " writes " : " reads ") + buffer +
                     " out of bounds: index " + std::to_string(fault.index) + " of dimension " +
                     std::to_string(fault.dimension) + ", whose size is " +
                     std::to_string(fault.size) + " (thread " + std::to_string(thread) +
                     " of block " + std::to_string(block) + ")";
  return KernelFault(text);
}

// Every element of every result must have been written once.
llvm::Error CheckWrites(const Kernel::Impl& kernel, llvm::ArrayRef<std::vector<uint8_t>> memory) {
  for (size_t k = 0; k < kernel.outputs.size(); ++k) {
    const Buffer& output = kernel.outputs[k];
    const uint8_t* counts = memory[kernel.inputs.size() + k].data() + output.bytes();
    for (int64_t i = 0; i < output.elements; ++i) {
      if (counts[i] == 1) continue;
      return KernelFault("element " + llvm::Twine(i) + " of result " + llvm::Twine(k) + " of " +
                         kernel.name + " was written " +
                         (counts[i] == 0 ? "never" : "more than once"));
    }
  }
  return llvm::Error::success();
}

// Calls `run` for each thread: by block and thread, or in a permutation under a seed. Threads share
// nothing, so the result must not depend on it. Stops at the first error.
llvm::Error ForEachThread(LaunchShape launch, uint64_t seed,
                          llvm::function_ref<llvm::Error(int64_t thread, int64_t block)> run) {
  int64_t total = launch.blocks * launch.threads;
  std::vector<int64_t> order(seed == 0 ? 0 : total);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (int64_t i = 0; i < total; ++i) {
    int64_t id = seed == 0 ? i : order[i];
    if (llvm::Error error = run(id % launch.threads, id / launch.threads)) return error;
  }
  return llvm::Error::success();
}

// More would take minutes.
constexpr int64_t kMaxThreads = int64_t{1} << 27;

}  // namespace

llvm::Expected<hlo::Literal> RunOnHost(const Kernel& kernel, llvm::ArrayRef<hlo::Literal> arguments,
                                       uint64_t seed) {
  const Kernel::Impl& impl = kernel.impl();
  llvm::Expected<std::vector<const hlo::Literal*>> inputs = ArgumentLeaves(impl, arguments);
  if (!inputs) return inputs.takeError();
  if (impl.launch.blocks > kMaxThreads / impl.launch.threads) {
    return NotSupported("the grid is too large to run on the host");
  }
  llvm::Expected<CompiledKernel> compiled = Compile(impl);
  if (!compiled) return compiled.takeError();
  std::vector<std::vector<uint8_t>> memory = Allocate(impl, *inputs);
  std::vector<void*> buffers;
  for (std::vector<uint8_t>& buffer : memory) buffers.push_back(buffer.data());
  llvm::Error failure =
      ForEachThread(impl.launch, seed, [&](int64_t thread, int64_t block) -> llvm::Error {
        compiled->entry(thread, block, buffers.data());
        if (!compiled->fault->happened) return llvm::Error::success();
        return DescribeFault(impl, *compiled->fault, thread, block);
      });
  if (failure) return failure;
  if (llvm::Error error = CheckWrites(impl, memory)) return error;
  return ResultLiteral(impl, llvm::ArrayRef(memory).drop_front(impl.inputs.size()));
}

}  // namespace affirm::emit
