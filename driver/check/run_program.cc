// Runs a program with the reference interpreter, and its fusions with whatever runs their kernels.
#include <map>

#include "driver/check/program.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {

llvm::Expected<hlo::Literal> RunProgram(const Program& program,
                                        llvm::ArrayRef<hlo::Literal> arguments,
                                        const FusionRunner& run_fusion) {
  hlo::InterpretOptions options;
  options.run_fusion = [&](const hlo::Instruction& fusion,
                           llvm::ArrayRef<const hlo::Literal*> operands)
      -> std::optional<llvm::Expected<hlo::Literal>> {
    const FusedComputation* fused = program.FindFused(fusion);
    if (fused == nullptr) return std::nullopt;
    std::vector<hlo::Literal> values;
    for (const hlo::Literal* operand : operands) values.push_back(*operand);
    const FusionKernels& fusion_kernels = program.partitions(*fused);
    size_t next = 0;
    return emit::RunPartitions(fusion_kernels.split, values,
                               [&](const hlo::Computation&, llvm::ArrayRef<hlo::Literal> inputs) {
                                 return run_fusion(fusion_kernels.kernels[next++], inputs);
                               });
  };
  return hlo::Interpret(program.entry(), arguments, options);
}

llvm::Expected<hlo::Literal> RunWithKernels(const hlo::Module& module,
                                            llvm::ArrayRef<hlo::Literal> arguments,
                                            const KernelRunner& run) {
  const Program program(module);
  Context context;
  std::map<const hlo::Computation*, emit::Kernel> kernels;  // a loop runs its own again and again
  return RunProgram(program, arguments,
                    [&](const FusedComputation& fused,
                        llvm::ArrayRef<hlo::Literal> values) -> llvm::Expected<hlo::Literal> {
                      auto known = kernels.find(fused.computation);
                      if (known == kernels.end()) {
                        auto emitted = EmitKernel(fused, context);
                        if (!emitted) return emitted.takeError();
                        known = kernels.emplace(fused.computation, std::move(*emitted)).first;
                      }
                      return run(known->second, values);
                    });
}

}  // namespace affirm::driver
