// From a fusion to a kernel and its runs: the header of emit/ that tools include.
//
//   Context context;
//   llvm::Expected<Kernel> kernel = EmitKernel(*module->entry, context);
//   llvm::Expected<std::string> ptx = kernel->Text(Target::kNvptx, Stage::kAsm);
//   llvm::Expected<hlo::Literal> result = RunOnEmulator(*kernel, arguments);
//
// On the way the computation is flattened and partitioned into functions (plan), each function is
// emitted as MLIR (elements), an emitter chosen by the hero writes the entry function (emitters),
// passes lower both to the LLVM dialect (transforms), and LLVM does the rest (codegen, runtime).
#ifndef AFFIRM_EMIT_KERNEL_H_
#define AFFIRM_EMIT_KERNEL_H_

#include "core/hlo/module.h"
#include "core/symbolic/context.h"
#include "emit/codegen/kernel_artifact.h"
#include "emit/emitters/emit_options.h"
#include "emit/runtime/run.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// Emits a computation (a fusion's or an entry) as one kernel. Unsupported ops are an error that
// names the instruction, its position in the text and the reason.
llvm::Expected<Kernel> EmitKernel(const hlo::Computation& computation, Context& context,
                                  const EmitOptions& options = {});

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_KERNEL_H_
