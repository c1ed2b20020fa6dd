#include "driver/dump/launch_builder.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"

namespace affirm::driver {

using hlo::Instruction;

// The alignment that kernels of XLA:GPU declare for arguments (kXlaAllocatedBufferAlignBytes).
static constexpr int64_t kMostAligned = 256;

LaunchBuilder::LaunchBuilder(const KernelLaunch& launch, const BufferAssignment* buffers)
    : buffers_(buffers) {
  launch_.kernel = launch.kernel;
  launch_.grid = launch.grid;
  launch_.threads = launch.threads;
  launch_.shared_bytes = launch.shared_bytes;
}

llvm::Error LaunchBuilder::Add(const Instruction& op, kernel::Param::Role role) {
  for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
    auto dense = hlo::CheckedByteSize(*leaf.shape);
    if (!leaf.shape->IsArray() || !dense)
      return MakeError("a kernel has no parameter of shape " + leaf.shape->ToString());
    kernel::Param param;
    param.name = op.name + (op.shape.IsTuple() ? "{" + std::to_string(leaf.index) + "}" : "");
    param.shape = *leaf.shape;
    param.role = role;
    param.bytes = *dense;
    BufferSlice slice;
    if (buffers_ != nullptr) {
      auto found = buffers_->Find(op, leaf.index);
      if (!found) return MakeError("the buffer assignment has no buffer of " + param.name);
      slice = *found;
      param.bytes = slice.size;
      // Allocations begin at multiples of 256 bytes, on CPUs of 64: what lies elsewhere in one is
      // aligned as its place in it.
      if (slice.offset % kMostAligned != 0) param.alignment = slice.offset & -slice.offset;
    } else {
      slice = {static_cast<int64_t>(slices_.size()), 0, param.bytes};
    }
    if (llvm::Error error = Place(slice, param)) return error;
    of_params_.push_back(slice);
    launch_.params.push_back(std::move(param));
  }
  return llvm::Error::success();
}

int64_t LaunchBuilder::StartAsOperands(const Instruction& root) {
  const bool in_place = root.opcode == hlo::Opcode::kSort || root.opcode == hlo::Opcode::kScatter ||
                        root.opcode == hlo::Opcode::kDynamicUpdateSlice;
  if (!in_place) return 0;
  int64_t copies = 0;
  size_t result = 0;
  for (kernel::Param& param : launch_.params) {
    if (param.role != kernel::Param::kOutput || result >= root.operands.size()) continue;
    const Instruction& operand = *root.operands[result++];
    if (operand.opcode != hlo::Opcode::kParameter) continue;
    // Operands are arrays, so that they are the first parameters of the launch.
    const int64_t from = operand.parameter_number;
    if (launch_.params[from].memory == param.memory) continue;
    param.starts_as = from;
    ++copies;
  }
  return copies;
}

kernel::Launch LaunchBuilder::Finish() {
  // One memory has one size.
  for (kernel::Param& param : launch_.params) {
    for (const kernel::Param& other : launch_.params) {
      if (other.memory == param.memory) param.bytes = std::max(param.bytes, other.bytes);
    }
  }
  return std::move(launch_);
}

llvm::Error LaunchBuilder::Place(const BufferSlice& slice, kernel::Param& param) {
  for (size_t k = 0; k < slices_.size(); ++k) {
    const bool together =
        slices_[k].allocation == slice.allocation && slices_[k].offset == slice.offset;
    if (together) {
      param.memory = static_cast<int64_t>(k);
      return llvm::Error::success();
    }
    // Operands may be parts of each other; what is written may not.
    if (Overlap(slices_[k], slice) && param.role == kernel::Param::kOutput)
      return MakeError(param.name + " lies across the buffer of another parameter");
  }
  param.memory = static_cast<int64_t>(slices_.size());
  slices_.push_back(slice);
  return llvm::Error::success();
}

}  // namespace affirm::driver
