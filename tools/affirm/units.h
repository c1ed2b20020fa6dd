// Which parts of a module become kernels, and the run of an entry computation over them.
#ifndef AFFIRM_TOOLS_AFFIRM_UNITS_H_
#define AFFIRM_TOOLS_AFFIRM_UNITS_H_

#include <functional>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "emit/split.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::cli {

// A computation that kernels compute: a fusion's of the entry, or the entry itself when it has no
// fusion.
struct Unit {
  std::string name;  // of the fusion instruction, or of the entry computation
  const hlo::Computation* computation = nullptr;
  const hlo::Instruction* fusion = nullptr;  // null for an entry
};
std::vector<Unit> UnitsOf(const hlo::Module& module);

// The parts of a unit that get a kernel each (emit/split.h), in the order in which they run; the
// last is named like the unit and computes its value.
struct UnitPieces {
  emit::Pieces pieces;
  std::vector<Unit> units;  // one a piece
};
UnitPieces PiecesOf(const Unit& unit);

// The value of the entry on its arguments. The pieces of units go to `run_unit` (which may be asked
// for the same one once only), every other instruction to the reference interpreter.
using UnitRunner =
    std::function<llvm::Expected<hlo::Literal>(const Unit& unit, llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunEntry(const hlo::Module& module,
                                      llvm::ArrayRef<hlo::Literal> arguments,
                                      const UnitRunner& run_unit);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_UNITS_H_
