// Which parts of a module become kernels, and the run of an entry computation over them.
#ifndef AFFIRM_TOOLS_AFFIRM_UNITS_H_
#define AFFIRM_TOOLS_AFFIRM_UNITS_H_

#include <functional>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::cli {

// A computation that one kernel computes: a fusion's of the entry, or the entry itself when it has
// no fusion.
struct Unit {
  std::string name;  // of the fusion instruction, or of the entry computation
  const hlo::Computation* computation = nullptr;
  const hlo::Instruction* fusion = nullptr;  // null for an entry
};
std::vector<Unit> UnitsOf(const hlo::Module& module);

// The value of the entry on its arguments. Units go to `run_unit` (which may be asked for the same
// fusion once only), every other instruction to the reference interpreter.
using UnitRunner =
    std::function<llvm::Expected<hlo::Literal>(const Unit& unit, llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunEntry(const hlo::Module& module,
                                      llvm::ArrayRef<hlo::Literal> arguments,
                                      const UnitRunner& run_unit);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_UNITS_H_
