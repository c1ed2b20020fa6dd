// An instruction as an object of Python.
#ifndef AFFIRM_TOOLS_PYTHON_INSTRUCTIONS_H_
#define AFFIRM_TOOLS_PYTHON_INSTRUCTIONS_H_

#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "tools/python/module.h"

namespace affirm::python {

// An instruction, and the module that has it.
struct Instruction {
  ModulePtr module;
  const hlo::Instruction* op;
};

std::vector<Instruction> AllOf(const ModulePtr& module, llvm::ArrayRef<hlo::Instruction*> ops);

}  // namespace affirm::python

#endif  // AFFIRM_TOOLS_PYTHON_INSTRUCTIONS_H_
