// Promises of kernels about their arguments and requirements on launches, held against a launch.
#include "verify/kernel/promises.h"

#include <algorithm>
#include <array>
#include <optional>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::kernel {

namespace {

using Sizes = std::array<int64_t, 3>;

// "128,1,1"; what is left out is 1. nullopt where it is something else.
std::optional<Sizes> SizesIn(llvm::StringRef text) {
  Sizes sizes = {1, 1, 1};
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, ',');
  if (parts.size() > sizes.size()) return std::nullopt;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].trim().getAsInteger(10, sizes[k]) || sizes[k] < 1) return std::nullopt;
  }
  return sizes;
}

// !{i32 128, i32 1, i32 1}
std::optional<Sizes> SizesIn(const llvm::MDNode& node) {
  Sizes sizes = {1, 1, 1};
  if (node.getNumOperands() != sizes.size()) return std::nullopt;
  for (unsigned k = 0; k < sizes.size(); ++k) {
    const auto* size = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node.getOperand(k));
    if (!size || size->getBitWidth() > 64) return std::nullopt;
    sizes[k] = size->getSExtValue();
  }
  return sizes;
}

std::string ToText(const Sizes& sizes) {
  return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " +
         std::to_string(sizes[2]);
}

enum class Requirement : uint8_t { kThreads, kMostThreads, kClusters, kRangeOfThreads };
struct RequirementRow {
  llvm::StringLiteral name;
  Requirement requirement;
};
// PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives"; of AMD GPUs, LLVM's
// "User Guide for AMDGPU Backend".
constexpr RequirementRow kRequirements[] = {
    {"nvvm.reqntid", Requirement::kThreads},
    {"nvvm.maxntid", Requirement::kMostThreads},
    {"nvvm.cluster_dim", Requirement::kClusters},
    {"amdgpu-flat-work-group-size", Requirement::kRangeOfThreads},
};
constexpr RequirementRow kRequirementsInMetadata[] = {
    {"reqd_work_group_size", Requirement::kThreads},
    {"max_work_group_size", Requirement::kMostThreads},
};

bool Meets(const Launch& launch, Requirement requirement, const Sizes& sizes) {
  switch (requirement) {
    case Requirement::kThreads:
      return launch.threads == sizes;
    case Requirement::kMostThreads:
      // The product counts, not the shape.
      return static_cast<double>(launch.NumThreads()) <= static_cast<double>(sizes[0]) *
                                                             static_cast<double>(sizes[1]) *
                                                             static_cast<double>(sizes[2]);
    case Requirement::kClusters:
      for (size_t k = 0; k < sizes.size(); ++k) {
        if (sizes[k] < 1 || launch.grid[k] % sizes[k] != 0) return false;
      }
      return true;
    case Requirement::kRangeOfThreads:
      return sizes[0] <= launch.NumThreads() && launch.NumThreads() <= sizes[1];
  }
  return false;
}

void CheckRequirement(const Launch& launch, const llvm::Function& function,
                      const RequirementRow& row, std::optional<Sizes> sizes,
                      std::vector<std::string>& broken) {
  if (sizes && Meets(launch, row.requirement, *sizes)) return;
  broken.push_back(("the function '" + function.getName() + "' requires '" + row.name + "' of " +
                    (sizes ? ToText(*sizes) : std::string("something that is no sizes")) +
                    ", and the launch has a grid of " + ToText(launch.grid) + " blocks of " +
                    ToText(launch.threads) + " threads")
                       .str());
}

llvm::SetVector<const llvm::Function*> ReachedFrom(const llvm::Function& kernel) {
  llvm::SetVector<const llvm::Function*> reached;
  reached.insert(&kernel);
  for (size_t k = 0; k < reached.size(); ++k) {
    for (const llvm::Instruction& op : llvm::instructions(*reached[k])) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&op);
      if (call && call->getCalledFunction()) reached.insert(call->getCalledFunction());
    }
  }
  return reached;
}

}  // namespace

int64_t AlignmentOf(const llvm::Argument& argument, const Param& param) {
  if (param.alignment) return *param.alignment;
  const int64_t declared =
      argument.getParamAlign() ? static_cast<int64_t>(argument.getParamAlign()->value()) : 1;
  return std::max(declared, kAllocationAlignment);
}

const Param* ParamOf(const llvm::Argument& argument, const Launch& launch) {
  for (size_t k = 0; k < launch.params.size(); ++k) {
    if (launch.ArgumentOf(k) == static_cast<int64_t>(argument.getArgNo())) return &launch.params[k];
  }
  return nullptr;
}

std::vector<std::string> BrokenRequirements(const KernelIr& ir, const Launch& launch) {
  std::vector<std::string> broken;
  if (launch.NumThreads() == 0 || launch.NumBlocks() == 0) return broken;
  if (ir.in_order && launch.NumThreads() != 1)
    broken.push_back("the kernel works in order, and the launch has blocks of several threads");
  for (const llvm::Function* function : ReachedFrom(*ir.kernel)) {
    for (const RequirementRow& row : kRequirements) {
      const llvm::Attribute attribute = function->getFnAttribute(row.name);
      if (!attribute.isValid()) continue;
      CheckRequirement(launch, *function, row, SizesIn(attribute.getValueAsString()), broken);
    }
    for (const RequirementRow& row : kRequirementsInMetadata) {
      const llvm::MDNode* node = function->getMetadata(row.name);
      if (node) CheckRequirement(launch, *function, row, SizesIn(*node), broken);
    }
  }
  return broken;
}

std::vector<std::string> BrokenPromises(const KernelIr& ir, const Launch& launch) {
  std::vector<std::string> broken = BrokenRequirements(ir, launch);
  for (const llvm::Argument& argument : ir.kernel->args()) {
    const Param* param = ParamOf(argument, launch);
    if (param == nullptr || !argument.getType()->isPointerTy()) continue;
    const std::string which = "argument " + std::to_string(argument.getArgNo()) + " is said to be ";
    const uint64_t alignment =
        argument.getParamAlign() ? argument.getParamAlign()->value() : uint64_t{1};
    if (param->alignment && alignment > static_cast<uint64_t>(*param->alignment)) {
      broken.push_back(which + "aligned to " + std::to_string(alignment) +
                       " bytes, and the launch aligns it to " + std::to_string(*param->alignment));
    }
    const uint64_t allocated = llvm::alignTo(static_cast<uint64_t>(param->bytes),
                                             static_cast<uint64_t>(kAllocationAlignment));
    const uint64_t bytes =
        std::max(argument.getDereferenceableBytes(), argument.getDereferenceableOrNullBytes());
    if (bytes > allocated) {
      broken.push_back(which + std::to_string(bytes) + " bytes, and its buffer has " +
                       std::to_string(param->bytes));
    }
    if (argument.hasNonNullAttr() && param->bytes == 0)
      broken.push_back(which + "not null, and its buffer has no bytes");
  }
  return broken;
}

}  // namespace affirm::kernel
