#include "driver/validate/rounded_dots.h"

#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/dot_algorithms.h"
#include "verify/kernel/inline_ptx.h"

namespace affirm::driver {

RoundedDots::RoundedDots(const KernelSubject& given) : subject_(given) {
  bool has_dots = false, has_algorithms = false;
  for (const hlo::Instruction* op : AllInstructions(*given.computation)) {
    if (op->opcode != hlo::Opcode::kDot) continue;
    has_dots = true;
    has_algorithms |= op->attributes.FindExtra("algorithm") != nullptr;
  }
  const bool in_tf32 = has_dots && kernel::UsesTf32(*given.ir->module);
  if (!has_algorithms && !in_tf32) return;
  module_ = hlo::ModuleOf(*given.computation);
  if (in_tf32) calls::UseTf32(*module_);
  calls::ExpandDotAlgorithms(*module_);
  subject_.computation = module_->entry;
  subject_.rounds_dots = true;
}

}  // namespace affirm::driver
