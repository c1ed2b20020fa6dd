// From LLVM IR to assembly and object files of devices.
#ifndef AFFIRM_EMIT_CODEGEN_MACHINE_CODE_H_
#define AFFIRM_EMIT_CODEGEN_MACHINE_CODE_H_

#include <memory>
#include <string>

#include "emit/codegen/kernel_impl.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace affirm::emit {

// A machine for a target. `name` is LLVM's name of the processor; empty means sm_90 or gfx942. The
// version of PTX is the first that has the machine. Floating-point operations are never fused. It
// is an error when the target has no such machine.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(Target target,
                                                                       llvm::StringRef name = "");

// LLVM's default O2 pipeline. Calls of library functions stay calls, so that results are those of
// the library.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine);
// Says for which machine the module is, as its passes have to know.
void SetMachine(llvm::Module& module, const llvm::TargetMachine& machine);

// Assembly, or an object file, of a module for its target. An error when the backend itself called
// a function that a device does not have.
llvm::Expected<std::string> PrintMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                                             bool object);

// The kernel's assembly (PTX or GCN's) or its object file.
llvm::Expected<std::string> MachineCode(const Kernel::Impl& kernel, Target target,
                                        llvm::StringRef machine = "", bool object = false);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_MACHINE_CODE_H_
