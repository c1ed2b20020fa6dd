#include "emit/runtime/device_kernel.h"

#include <algorithm>

#include "emit/codegen/kernel_impl.h"

namespace affirm::emit {

kernel::Launch LaunchOf(const Kernel& kernel) {
  const Kernel::Impl& impl = kernel.impl();
  kernel::Launch launch;
  launch.kernel = impl.name;
  launch.grid = {impl.launch.blocks, 1, 1};
  launch.threads = {impl.launch.threads, 1, 1};
  // An argument for each slice, in the order of their first arrays.
  std::vector<int64_t> slices;
  const auto num_inputs = static_cast<int64_t>(impl.inputs.size());
  for (int64_t k = 0; k < static_cast<int64_t>(impl.slices.size()); ++k) {
    const Buffer& buffer = k < num_inputs ? impl.inputs[k] : impl.outputs[k - num_inputs];
    auto slice = std::find(slices.begin(), slices.end(), impl.slices[k]) - slices.begin();
    if (slice == static_cast<int64_t>(slices.size())) slices.push_back(impl.slices[k]);
    kernel::Param param;
    param.shape = buffer.shape;
    param.shape.layout.reset();  // row-major whatever the shape's layout is
    param.bytes = buffer.bytes();
    param.role = k < num_inputs ? kernel::Param::kInput : kernel::Param::kOutput;
    param.memory = param.argument = slice;
    param.alignment = kernel::kAllocationAlignment;
    // A result that starts as an operand in another slice is a copy of it.
    if (k >= num_inputs && !impl.aliases.empty() && impl.aliases[k - num_inputs] >= 0) {
      const int64_t operand = impl.aliases[k - num_inputs];
      if (impl.slices[operand] != impl.slices[k]) param.starts_as = operand;
    }
    launch.params.push_back(std::move(param));
  }
  return launch;
}

llvm::Expected<DeviceKernel> DeviceKernelOf(const Kernel& kernel, Stage stage) {
  llvm::Expected<std::string> text = kernel.Text(Target::kNvptx, stage);
  if (!text) return text.takeError();
  auto ir = kernel::ReadKernelIr(*text, kernel.name(), kernel.name());
  if (!ir) return ir.takeError();
  return DeviceKernel{std::move(*ir), LaunchOf(kernel), std::move(*text)};
}

}  // namespace affirm::emit
