// The kernel that is validated: the computation that it stands for, and whether both fit.
#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "driver/validate/validate.h"
#include "driver/validate/written_layouts.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

llvm::Expected<const hlo::Computation*> FindComputation(const hlo::Module& module,
                                                        llvm::StringRef fusion) {
  if (fusion.empty()) return module.entry;
  const hlo::Instruction* instruction = module.FindInstruction(fusion);
  if (instruction == nullptr) {
    return MakeError("there is no instruction '" + fusion + "', expected a fusion");
  }
  if (instruction->opcode != hlo::Opcode::kFusion || instruction->called.empty()) {
    return MakeError("'" + fusion + "' is not a fusion");
  }
  return instruction->called.front();
}

enclosure::Freedom KernelFreedom(const KernelSubject& subject) {
  enclosure::Freedom freedom = enclosure::kKernelFreedom;
  freedom.tf32_neighbors = subject.rounds_dots;
  return freedom;
}

llvm::Error CheckSubject(const KernelSubject& subject) {
  std::vector<const hlo::Shape*> inputs, outputs;
  for (const hlo::Instruction* parameter : subject.computation->parameters) {
    for (const hlo::Shape* leaf : hlo::LeafShapes(parameter->shape)) inputs.push_back(leaf);
  }
  for (const hlo::Shape* leaf : hlo::LeafShapes(subject.computation->root->shape)) {
    outputs.push_back(leaf);
  }
  size_t input = 0, output = 0;
  for (auto [k, param] : llvm::enumerate(subject.launch.params)) {
    const bool is_input = param.role == kernel::Param::kInput;
    auto& leaves = is_input ? inputs : outputs;
    size_t& next = is_input ? input : output;
    const char* what = is_input ? "operand" : "result";
    if (next >= leaves.size()) {
      return MakeError("parameter " + llvm::Twine(subject.launch.PlaceOf(k)) +
                       " of the launch is an " + (is_input ? "input" : "output") +
                       ", and the computation has only " + llvm::Twine(leaves.size()) + " " + what +
                       "s");
    }
    if (!leaves[next]->SameIgnoringLayout(param.shape)) {
      return MakeError("parameter " + llvm::Twine(subject.launch.PlaceOf(k)) +
                       " of the launch is " + param.shape.ToString() + ", and " + what + " " +
                       llvm::Twine(next) + " of the computation is " + leaves[next]->ToString());
    }
    ++next;
  }
  if (input != inputs.size() || output != outputs.size()) {
    return MakeError("the launch has " + llvm::Twine(input) + " inputs and " + llvm::Twine(output) +
                     " outputs, and the computation has " + llvm::Twine(inputs.size()) + " and " +
                     llvm::Twine(outputs.size()));
  }
  return CheckWrittenLayouts(*subject.computation, subject.launch);
}

}  // namespace affirm::driver
