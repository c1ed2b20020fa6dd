// Runs kernels as checked code on the SIMT emulator: blocks one after the other, and the threads of
// a block interleaved when they share memory or wait for each other.
#include <algorithm>
#include <numeric>
#include <random>

#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/lower_to_llvm.h"
#include "emit/codegen/machine_code.h"
#include "emit/ir/dialect.h"
#include "emit/plan/error.h"
#include "emit/runtime/kernel_arguments.h"
#include "emit/runtime/run.h"
#include "emit/runtime/simt_emulator.h"
#include "emit/transforms/emulator_calls.h"
#include "emit/transforms/lower_tensors.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
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
  SimtEmulator** emulator = nullptr;
};

// The functions that kernels call (emulator_calls.h).
void EmulatorBarrier(SimtEmulator* emulator) { emulator->Barrier(); }
int64_t EmulatorShuffle(SimtEmulator* emulator, int64_t bits, int64_t distance) {
  return static_cast<int64_t>(emulator->Shuffle(static_cast<uint64_t>(bits), distance));
}
void EmulatorAccessShared(SimtEmulator* emulator, int64_t allocation, int64_t element,
                          int64_t is_store) {
  emulator->AccessShared(allocation, element, is_store != 0);
}

llvm::Error DefineEmulatorCalls(llvm::orc::LLJIT& jit) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](const char* name, auto* function) {
    symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                          llvm::JITSymbolFlags::Exported};
  };
  define(kEmulatorBarrier, &EmulatorBarrier);
  define(kEmulatorShuffle, &EmulatorShuffle);
  define(kEmulatorAccessShared, &EmulatorAccessShared);
  return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Expected<CompiledKernel> Compile(const Kernel::Impl& kernel) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      LowerToLlvm(kernel, Target::kHost, *context);
  if (!module) return module.takeError();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = MakeTargetMachine(Target::kHost);
  if (!machine) return machine.takeError();
  (*module)->setTargetTriple((*machine)->getTargetTriple());
  (*module)->setDataLayout((*machine)->createDataLayout());
  Optimize(**module, **machine);

  CompiledKernel compiled;
  auto jit = MakeJit(std::move(*machine));
  if (!jit) return jit.takeError();
  compiled.jit = std::move(*jit);
  if (llvm::Error error = DefineEmulatorCalls(*compiled.jit)) return error;
  llvm::orc::ThreadSafeModule safe(std::move(*module), std::move(context));
  if (llvm::Error error = compiled.jit->addIRModule(std::move(safe))) return error;
  auto entry = compiled.jit->lookup(kHostEntry);
  if (!entry) return entry.takeError();
  auto fault = compiled.jit->lookup(kFaultRecord);
  if (!fault) return fault.takeError();
  auto emulator = compiled.jit->lookup(kEmulatorPointer);
  if (!emulator) return emulator.takeError();
  compiled.emulator = emulator->toPtr<SimtEmulator**>();
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
  for (auto [k, output] : llvm::enumerate(kernel.outputs)) {
    memory.emplace_back(output.bytes() + output.elements + 16);
    if (kernel.aliases.empty() || kernel.aliases[k] < 0) continue;
    const std::vector<uint8_t>& input = memory[kernel.aliases[k]];
    std::copy_n(input.begin(), output.bytes(), memory.back().begin());
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
  if (fault.buffer <= kSharedBuffer) {
    buffer = "shared memory " + std::to_string(kSharedBuffer - fault.buffer);
  } else if (fault.buffer >= inputs) {
    buffer = "result " + std::to_string(fault.buffer - inputs);
  } else if (fault.buffer >= 0) {
    buffer = "argument " + std::to_string(fault.buffer);
  }
  std::string access = function + (fault.store ? " writes " : " reads ") + buffer;
  std::string who =
      " (thread " + std::to_string(thread) + " of block " + std::to_string(block) + ")";
  if (fault.dimension == kMisalignedDimension) {
    return KernelFault(access + " at a place that no vector may start at" + who);
  }
  std::string text = access + " out of bounds: index " + std::to_string(fault.index) +
                     " of dimension " + std::to_string(fault.dimension) + ", whose size is " +
                     std::to_string(fault.size) + who;
  return KernelFault(text);
}

// Every element of every result must have been written once; one of a result that is updated in
// place at most once, or by atomic updates alone, or by the one thread that there is.
llvm::Error CheckWrites(const Kernel::Impl& kernel, llvm::ArrayRef<std::vector<uint8_t>> memory) {
  for (size_t k = 0; k < kernel.outputs.size(); ++k) {
    const Buffer& output = kernel.outputs[k];
    bool in_place = !kernel.aliases.empty() && kernel.aliases[k] >= 0;
    if (in_place && kernel.launch.blocks * kernel.launch.threads == 1) continue;
    const uint8_t* counts = memory[kernel.inputs.size() + k].data() + output.bytes();
    for (int64_t i = 0; i < output.elements; ++i) {
      if (counts[i] == 1 || (in_place && (counts[i] == 0 || counts[i] == kAtomicWrite))) continue;
      return KernelFault("element " + llvm::Twine(i) + " of result " + llvm::Twine(k) + " of " +
                         kernel.name + " was written " +
                         (counts[i] == 0 ? "never" : "more than once"));
    }
  }
  return llvm::Error::success();
}

// 0 .. count-1, shuffled under a seed other than 0.
std::vector<int64_t> Order(int64_t count, uint64_t seed) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (size_t i = seed == 0 ? 0 : order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random() % i]);
  }
  return order;
}

// Whether threads of a block wait for each other or share memory.
bool IsCooperative(const Kernel::Impl& kernel) {
  auto walk = kernel.module.get()->walk([](mlir::Operation* op) {
    bool together = mlir::isa<ir::AllocateSharedOp, ir::SyncThreadsOp, ir::ShuffleReduceOp>(op);
    return together ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return walk.wasInterrupted();
}

// Threads that share nothing, all of the grid in one order: the result must not depend on it.
llvm::Error RunSequentially(const Kernel::Impl& kernel, CompiledKernel& compiled, void** buffers,
                            uint64_t seed) {
  LaunchShape launch = kernel.launch;
  int64_t total = launch.blocks * launch.threads;
  std::vector<int64_t> order;
  if (seed != 0) order = Order(total, seed);
  for (int64_t i = 0; i < total; ++i) {
    int64_t id = seed == 0 ? i : order[i];
    int64_t thread = id % launch.threads, block = id / launch.threads;
    compiled.entry(thread, block, buffers);
    if (compiled.fault->happened) return DescribeFault(kernel, *compiled.fault, thread, block);
  }
  return llvm::Error::success();
}

llvm::Error RunInterleaved(const Kernel::Impl& kernel, CompiledKernel& compiled, void** buffers,
                           uint64_t seed) {
  SimtEmulator emulator(kernel.launch.threads, seed);
  *compiled.emulator = &emulator;
  for (int64_t block : Order(kernel.launch.blocks, seed)) {
    std::string wrong =
        emulator.RunBlock([&](int64_t thread) { compiled.entry(thread, block, buffers); },
                          [&] { return compiled.fault->happened != 0; });
    if (compiled.fault->happened) {
      return DescribeFault(kernel, *compiled.fault, emulator.current(), block);
    }
    if (!wrong.empty()) {
      return KernelFault(kernel.name + ": " + wrong + " (thread " +
                         llvm::Twine(emulator.current()) + " of block " + llvm::Twine(block) + ")");
    }
  }
  return llvm::Error::success();
}

// More would take minutes.
constexpr int64_t kMaxThreads = int64_t{1} << 27;

}  // namespace

struct EmulatedKernel::Impl {
  const Kernel::Impl& kernel;
  CompiledKernel compiled;
  bool cooperative;
};

EmulatedKernel::EmulatedKernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EmulatedKernel::EmulatedKernel(EmulatedKernel&&) noexcept = default;
EmulatedKernel& EmulatedKernel::operator=(EmulatedKernel&&) noexcept = default;
EmulatedKernel::~EmulatedKernel() = default;

llvm::Expected<EmulatedKernel> EmulatedKernel::Compile(const Kernel& kernel) {
  const Kernel::Impl& impl = kernel.impl();
  if (impl.launch.blocks > kMaxThreads / impl.launch.threads) {
    return NotSupported("the grid is too large to run on the host");
  }
  llvm::Expected<CompiledKernel> compiled = emit::Compile(impl);
  if (!compiled) return compiled.takeError();
  return EmulatedKernel(
      std::make_unique<Impl>(Impl{impl, std::move(*compiled), IsCooperative(impl)}));
}

llvm::Expected<hlo::Literal> EmulatedKernel::Run(llvm::ArrayRef<hlo::Literal> arguments,
                                                 uint64_t seed) {
  const Kernel::Impl& kernel = impl_->kernel;
  CompiledKernel& compiled = impl_->compiled;
  llvm::Expected<std::vector<const hlo::Literal*>> inputs = ArgumentLeaves(kernel, arguments);
  if (!inputs) return inputs.takeError();
  *compiled.fault = {};
  std::vector<std::vector<uint8_t>> memory = Allocate(kernel, *inputs);
  std::vector<void*> buffers;
  for (std::vector<uint8_t>& buffer : memory) buffers.push_back(buffer.data());
  llvm::Error failure = impl_->cooperative
                            ? RunInterleaved(kernel, compiled, buffers.data(), seed)
                            : RunSequentially(kernel, compiled, buffers.data(), seed);
  if (failure) return failure;
  if (llvm::Error error = CheckWrites(kernel, memory)) return error;
  return ResultLiteral(kernel, llvm::ArrayRef(memory).drop_front(kernel.inputs.size()));
}

llvm::Expected<hlo::Literal> RunOnEmulator(const Kernel& kernel,
                                           llvm::ArrayRef<hlo::Literal> arguments, uint64_t seed) {
  // Arguments that do not fit are refused before anything is compiled.
  auto inputs = ArgumentLeaves(kernel.impl(), arguments);
  if (!inputs) return inputs.takeError();
  llvm::Expected<EmulatedKernel> compiled = EmulatedKernel::Compile(kernel);
  if (!compiled) return compiled.takeError();
  return compiled->Run(arguments, seed);
}

}  // namespace affirm::emit
