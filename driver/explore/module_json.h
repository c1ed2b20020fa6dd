// A module as the page shows it: its computations, their graphs, the maps of each instruction both
// ways, and what the check says of them.
#ifndef AFFIRM_DRIVER_EXPLORE_MODULE_JSON_H_
#define AFFIRM_DRIVER_EXPLORE_MODULE_JSON_H_

#include "core/hlo/module.h"
#include "driver/check/check.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// {"name", "maps": [..], "computations": [{"name", "entry", "graph", "compositions",
// "instructions":
//   [{"id", "name", "opcode", "text", "operands", "arrays", "op_name"?, "output_to_input",
//     "input_to_output", "proofs", "ledger"?}]}]}
// Without a report nothing is said to be proved. An error when the graph cannot be laid out.
llvm::Expected<llvm::json::Object> ModuleJson(
    const hlo::Module& module, const ModuleReport* report,
    llvm::function_ref<void(const std::string&)> progress);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_MODULE_JSON_H_
