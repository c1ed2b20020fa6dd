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

#include <functional>

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

// Whether the kernel of a computation can be told to write an array of the result over an array of
// the parameters, by their leaves (EmitOptions::slices): each thread reads of the operand only the
// elements that it then writes. Never for what has no kernel. The computation and the context must
// outlive the answer.
//
//   add(p0, negate(p1)) over p0, over p1: yes     add(p0, transpose(p1)) over p1: no
using MayWriteOver = std::function<bool(size_t result_leaf, size_t operand_leaf)>;
MayWriteOver MakeMayWriteOver(const hlo::Computation& computation, Context& context);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_KERNEL_H_
