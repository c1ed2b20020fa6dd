// A module as objects of Python share it. Nothing changes it, so that threads need no turns.
#ifndef AFFIRM_TOOLS_PYTHON_MODULE_H_
#define AFFIRM_TOOLS_PYTHON_MODULE_H_

#include <memory>
#include <string>

#include "core/hlo/module.h"

namespace affirm::python {

struct ModuleHolder {
  std::string name;  // of the text, in errors
  std::unique_ptr<hlo::Module> module;
};
using ModulePtr = std::shared_ptr<ModuleHolder>;

}  // namespace affirm::python

#endif  // AFFIRM_TOOLS_PYTHON_MODULE_H_
