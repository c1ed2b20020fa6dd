// The collectives of a module while it runs on its devices: each is exchanged by its maps
// (exchange.h) and held against the interpreter's result. Internal to the check.
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
  // An entry of the report for each collective that the host runs.
  explicit CollectiveChecker(State& state);

  // The results of a collective of the program on all devices: the interpreter's, where those by
  // its maps are the same. A difference is a finding. `kind` names the arguments.
  llvm::Expected<std::vector<hlo::Literal>> Run(const hlo::Instruction& collective,
                                                hlo::OperandsOfDevices operands,
                                                const std::string& kind);

 private:
  // A collective of the module.
  struct Entry {
    size_t number = 0;  // in the report
    std::unique_ptr<Exchange> exchange;
  };
  llvm::Error Prepare(const hlo::Instruction& original, Entry& entry);

  State& state_;
  llvm::DenseMap<const hlo::Instruction*, Entry> entries_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_COLLECTIVES_H_
