// The accessors of a kernel, and its text at each stage.
#include "emit/codegen/kernel_artifact.h"

#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/lower_to_llvm.h"
#include "emit/codegen/machine_code.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::emit {

Kernel::Kernel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

const std::string& Kernel::name() const { return impl_->name; }
const std::string& Kernel::emitter() const { return impl_->emitter; }
LaunchShape Kernel::launch() const { return impl_->launch; }
llvm::ArrayRef<int64_t> Kernel::slices() const { return impl_->slices; }
size_t Kernel::num_inputs() const { return impl_->inputs.size(); }
int64_t Kernel::num_functions() const { return impl_->num_functions; }
llvm::ArrayRef<ThreadMap> Kernel::thread_maps() const { return impl_->thread_maps; }
const hlo::EvaluationOrders& Kernel::evaluation_orders() const { return impl_->evaluation_orders; }
int64_t Kernel::unordered_terms() const { return impl_->unordered_terms; }

llvm::Expected<std::string> Kernel::Text(Target target, Stage stage,
                                         llvm::StringRef machine) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (stage == Stage::kMlir) {
    impl_->module->print(os);
    return text;
  }
  if (stage == Stage::kAsm || stage == Stage::kObject) {
    return MachineCode(*impl_, target, machine, stage == Stage::kObject);
  }
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module = LowerToLlvm(*impl_, target, context);
  if (!module) return module.takeError();
  if (stage == Stage::kOptimized) {
    llvm::Expected<std::unique_ptr<llvm::TargetMachine>> of = MakeTargetMachine(target, machine);
    if (!of) return of.takeError();
    SetMachine(**module, **of);
    Optimize(**module, **of);
  }
  (*module)->print(os, nullptr);
  return text;
}

}  // namespace affirm::emit
