// A kernel as an artifact: how it is launched, what its threads do, and its text at each stage.
#ifndef AFFIRM_EMIT_CODEGEN_KERNEL_ARTIFACT_H_
#define AFFIRM_EMIT_CODEGEN_KERNEL_ARTIFACT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "emit/plan/launch.h"
#include "emit/plan/target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::emit {

// The forms in which a kernel can be printed.
enum class Stage : uint8_t { kMlir, kLlvm, kOptimized, kAsm, kObject };

// A kernel for one computation: parameters in, the leaf arrays of the root out. Holds the MLIR
// module, which is not shown here: no other layer includes headers of MLIR.
class Kernel {
 public:
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;
  ~Kernel();

  const std::string& name() const;
  const std::string& emitter() const;  // "loop", "transpose", "row reduction", ...
  LaunchShape launch() const;
  int64_t num_functions() const;  // partitions, entry included
  // Together they say that each element of each output is written once, or, for results that are
  // updated in place, that each update is applied once.
  llvm::ArrayRef<ThreadMap> thread_maps() const;
  // By leaf array, those of the parameters before those of the root: the slice of memory that it
  // is. A device's kernel takes one pointer for each slice, in the order of their first arrays. An
  // output in the slice of an input is updated in place: it starts as that input.
  llvm::ArrayRef<int64_t> slices() const;
  size_t num_inputs() const;  // leaf arrays of the parameters
  // In which order the reductions that threads share take their terms; the others are left folds.
  const hlo::EvaluationOrders& evaluation_orders() const;
  // How many floating-point terms are at most added (or multiplied) for one element of a result in
  // an order that each run has of its own, as atomic updates come; 0 when every order is known.
  int64_t unordered_terms() const;

  // The text of the kernel at a stage for a target: kMlir is the same for both; kOptimized is LLVM
  // IR behind LLVM's passes, in which calls of mathematical functions stay calls; kAsm is PTX or
  // GCN's assembly; kObject is an object file, which AMD's devices alone have. `machine` names the
  // processor as LLVM does (sm_80, gfx942); empty: sm_90, gfx942. An error says when the target has
  // no such machine, or no code for a function.
  llvm::Expected<std::string> Text(Target target, Stage stage, llvm::StringRef machine = "") const;

  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_KERNEL_ARTIFACT_H_
