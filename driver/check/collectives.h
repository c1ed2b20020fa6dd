// Executes the collectives of a module that runs on several devices: each is exchanged by its maps
// (exchange.h) and compared with the interpreter's result. Internal to the check.
#ifndef AFFIRM_DRIVER_CHECK_COLLECTIVES_H_
#define AFFIRM_DRIVER_CHECK_COLLECTIVES_H_

#include <memory>
#include <string>
#include <vector>

#include "driver/check/exchange.h"
#include "driver/check/steps.h"

namespace affirm::driver {

class CollectiveChecker {
 public:
  // Adds an entry to the report for each collective that the host runs.
  explicit CollectiveChecker(State& state);

  // The results of a collective on all devices, by the interpreter. Results by its maps are
  // compared with these; a difference is a finding. `kind` names the arguments.
  llvm::Expected<std::vector<hlo::Literal>> Run(const hlo::Instruction& collective,
                                                hlo::OperandsOfDevices operands,
                                                const std::string& kind);

 private:
  // A collective of the module.
  struct Entry {
    size_t number = 0;  // index in the report
    std::unique_ptr<Exchange> exchange;
  };
  llvm::Error Prepare(const hlo::Instruction& original, Entry& entry);

  State& state_;
  llvm::DenseMap<const hlo::Instruction*, Entry> entries_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_COLLECTIVES_H_
