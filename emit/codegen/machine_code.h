// From LLVM IR to machine code, assembly or code that runs in this process.
#ifndef AFFIRM_EMIT_CODEGEN_MACHINE_CODE_H_
#define AFFIRM_EMIT_CODEGEN_MACHINE_CODE_H_

#include <memory>
#include <string>

#include "emit/codegen/kernel_impl.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace affirm::emit {

// A machine for a target. `name` is LLVM's name of the processor; empty means this computer's
// processor, sm_90 or gfx942. Floating-point operations are never fused. It is an error when the
// target has no such machine.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(Target target,
                                                                       llvm::StringRef name = "");

// LLVM's default O2 pipeline. Calls of library functions stay calls, so that results are those of
// the library.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine);

// Assembly, or an object file, of a module for its target. An error when the backend itself called
// a function that a device does not have.
llvm::Expected<std::string> PrintMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                                             bool object);

// A JIT for this computer's processor as `machine` describes it, rather than as the JIT would.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> MakeJit(
    std::unique_ptr<llvm::TargetMachine> machine);

// The kernel's assembly (the host's, PTX or GCN's) or its object file.
llvm::Expected<std::string> MachineCode(const Kernel::Impl& kernel, Target target,
                                        llvm::StringRef machine = "", bool object = false);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_MACHINE_CODE_H_
