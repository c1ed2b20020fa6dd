// Kernels on the SIMT emulator: the code that a device gets.
#include <algorithm>
#include <limits>
#include <utility>

#include "emit/codegen/kernel_impl.h"
#include "emit/plan/error.h"
#include "emit/runtime/device_kernel.h"
#include "emit/runtime/kernel_arguments.h"
#include "emit/runtime/run.h"
#include "verify/kernel/emulator/emulator.h"

namespace affirm::emit {

namespace {

// More would take minutes.
constexpr int64_t kMaxThreads = int64_t{1} << 27;

}  // namespace

struct EmulatedKernel::Impl {
  const Kernel::Impl& kernel;
  kernel::Launch launch;
  kernel::Emulator emulator;
};

EmulatedKernel::EmulatedKernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EmulatedKernel::EmulatedKernel(EmulatedKernel&&) noexcept = default;
EmulatedKernel& EmulatedKernel::operator=(EmulatedKernel&&) noexcept = default;
EmulatedKernel::~EmulatedKernel() = default;

llvm::Expected<EmulatedKernel> EmulatedKernel::Compile(const Kernel& kernel) {
  llvm::Expected<DeviceKernel> device = DeviceKernelOf(kernel);
  if (!device) return device.takeError();
  return Compile(kernel, std::move(*device));
}

llvm::Expected<EmulatedKernel> EmulatedKernel::Compile(const Kernel& kernel, DeviceKernel device) {
  const Kernel::Impl& impl = kernel.impl();
  if (impl.launch.blocks > kMaxThreads / impl.launch.threads) {
    return NotSupported("the grid is too large for the emulator");
  }
  auto emulator = kernel::Emulator::Create(device.ir, device.launch);
  if (!emulator) return emulator.takeError();
  return EmulatedKernel(
      std::make_unique<Impl>(Impl{impl, std::move(device.launch), std::move(*emulator)}));
}

llvm::Expected<hlo::Literal> EmulatedKernel::Run(llvm::ArrayRef<hlo::Literal> arguments,
                                                 uint64_t seed, int64_t most_steps) {
  const Kernel::Impl& kernel = impl_->kernel;
  llvm::Expected<std::vector<const hlo::Literal*>> inputs = ArgumentLeaves(kernel, arguments);
  if (!inputs) return inputs.takeError();
  const kernel::Launch& launch = impl_->launch;
  std::vector<std::vector<uint8_t>> memories(launch.NumMemories());
  size_t next = 0;
  for (const kernel::Param& param : launch.params) {
    std::vector<uint8_t>& memory = memories[param.memory];
    memory.resize(param.bytes);
    if (param.role != kernel::Param::kInput) continue;
    llvm::ArrayRef<uint8_t> bytes = (*inputs)[next++]->bytes();
    std::copy(bytes.begin(), bytes.end(), memory.begin());
  }
  // Whether loops end is what is proved: a long one is none that does not.
  kernel::EmulatorOptions options;
  options.seed = seed;
  options.most_jumps_back = std::numeric_limits<int64_t>::max();
  options.most_codes = most_steps;
  options.most_codes_is_a_budget = true;
  kernel::EmulatorRun run = impl_->emulator.Run(memories, options);
  for (const kernel::Finding& finding : run.findings) {
    // Emitters write an element once, also where an order would make two writes right.
    if (finding.kind == kernel::Finding::Kind::kWrong || finding.claim == kernel::Claim::kWrites)
      return KernelFault(kernel.name + ": " + finding.ToString());
  }
  if (!run.findings.empty())
    return NotSupported(kernel.name + ": " + run.findings.front().ToString());
  if (!run.complete) {
    return TooManySteps(kernel.name + ": its run takes more than " + llvm::Twine(most_steps) +
                        " steps");
  }
  std::vector<std::vector<uint8_t>> results;
  for (const kernel::Param& param : launch.params) {
    if (param.role == kernel::Param::kOutput) results.push_back(memories[param.memory]);
  }
  return ResultLiteral(kernel, results);
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
