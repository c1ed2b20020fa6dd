// The partition of a computation into kernels that run one after the other, so that no reduction is
// computed twice and a scatter finds in memory what it updates.
//
// In one kernel each thread computes for itself what it needs. A reduction that many elements of
// the result need, as a broadcast makes it, would be computed once for each of them: it gets a
// kernel of its own, whose result the later ones read. A reduction that each element of the result
// needs once, through an epilogue of elementwise ops and ops that move elements, stays; and so do
// reductions along rows that can be held in registers (row_fusion.h): a softmax is one kernel. A
// scatter is a kernel of its own, and so is the computation of an array that it updates. A value
// that would be computed very often for one element is in memory as well (repeated_calls.h), or in
// many kernels (shared_values.h). When columns of f32[4, 8] are normalized there are three kernels:
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

// The part of a computation that is one kernel.
struct KernelPartition {
  // Where the value of a parameter comes from: a parameter of the original computation, or the
  // result of an earlier kernel.
  struct Argument {
    int64_t producer = -1;  // the kernel that computes it; -1: it is an original parameter
    int64_t number = -1;    // the original parameter, or the tuple element; -1: the whole result
  };
  const hlo::Computation* computation = nullptr;
  std::vector<Argument> arguments;
};

struct KernelPartitions {
  std::unique_ptr<hlo::Module> module;      // owns the computations; null when there is one kernel
  std::vector<KernelPartition> partitions;  // the last computes the result
  // For each instruction that is a copy: the instruction of the original computation.
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> originals{};
};

// Partitions a computation, which must outlive the answer, with what it calls in place.
KernelPartitions PartitionIntoKernels(const hlo::Computation& computation);

// The value of the original computation: runs every kernel in turn with `run`. An error when a
// kernel would be given something else than what its parameters take.
using PartitionRunner = llvm::function_ref<llvm::Expected<hlo::Literal>(
    const hlo::Computation&, llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunPartitions(const KernelPartitions& kernels,
                                           llvm::ArrayRef<hlo::Literal> arguments,
                                           PartitionRunner run);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_SPLIT_H_
