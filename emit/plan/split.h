// Partitions a computation into kernels that run one after the other, so that no reduction is
// computed twice, and a scatter's operand is in memory.
//
// In one kernel, each thread computes all values that it needs. A reduction that many elements of
// the result need, through a broadcast, would be recomputed for each of them; it gets a kernel of
// its own. A reduction that each element needs once, through an epilogue of elementwise ops and ops
// that move elements, stays in its kernel; so do reductions along rows that fit registers
// (row_fusion.h): a softmax is one kernel. A scatter is a kernel of its own, and so is the
// computation of an array that it updates. A value that would be recomputed very often for one
// element (repeated_calls.h), or in many kernels (shared_values.h), is materialized as well.
// Normalizing the columns of f32[4, 8] takes three kernels:
//
//   max(x): f32[8]    sum(exp(x - max)): f32[8]    exp(x - max) / sum: f32[4, 8]
#ifndef AFFIRM_EMIT_PLAN_SPLIT_H_
#define AFFIRM_EMIT_PLAN_SPLIT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// The part of a computation that becomes one kernel.
struct KernelPartition {
  // The source of a parameter: a parameter of the original computation, or the result of an earlier
  // kernel.
  struct Argument {
    int64_t producer = -1;  // the kernel that computes it; -1: an original parameter
    int64_t number = -1;    // the original parameter, or the tuple element; -1: the whole result
  };
  const hlo::Computation* computation = nullptr;
  std::vector<Argument> arguments;
};

struct KernelPartitions {
  std::unique_ptr<hlo::Module> module;      // owns the computations; null when there is one kernel
  std::vector<KernelPartition> partitions;  // the last one computes the result
  // Copy -> instruction of the original computation.
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> originals{};
};

// Inlines the calls of a computation, which must outlive the result, and partitions it.
KernelPartitions PartitionIntoKernels(const hlo::Computation& computation);

// Evaluates the original computation by running every kernel in turn with `run`. An error if a
// kernel's arguments do not fit its parameters.
using PartitionRunner = llvm::function_ref<llvm::Expected<hlo::Literal>(
    const hlo::Computation&, llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunPartitions(const KernelPartitions& kernels,
                                           llvm::ArrayRef<hlo::Literal> arguments,
                                           PartitionRunner run);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_SPLIT_H_
