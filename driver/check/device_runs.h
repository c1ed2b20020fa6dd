// A module on all of its devices, interpreted and run. A module that asks for no device's number
// and has no collectives runs on one. Internal to the check.
#ifndef AFFIRM_DRIVER_CHECK_DEVICE_RUNS_H_
#define AFFIRM_DRIVER_CHECK_DEVICE_RUNS_H_

#include <functional>
#include <string>
#include <vector>

#include "driver/check/collectives.h"
#include "driver/check/steps.h"
#include "verify/reference/arguments.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::driver {

// On how many devices the module runs, and on which of them kernels do: those that the work leaves
// time for.
DevicesCheck FindDevices(const hlo::Module& module);

// Arguments, and what the interpreter makes of them, by device.
struct InterpretedModule {
  std::vector<std::vector<hlo::Literal>> arguments;
  std::vector<hlo::Literal> expected;
  // Loops that would go on for longer than is waited for are left after so many trips; 0: none is.
  int64_t most_trips = 0;
};

// Devices get different arguments. Where a collective is then not reached by all of its group,
// which a loop that ends by what an argument holds would explain, they get the same scalars, and at
// last the same of everything: when that does not help, it is a finding. Where a loop does not end,
// as may happen when floats decide that, what is run instead is the module whose loops are left
// after a few trips; the report says which.
llvm::Expected<InterpretedModule> InterpretModule(State& state, hlo::ArgumentKind kind,
                                                  const hlo::EvaluationOrders& orders);

// The results of the program on the same arguments, its fusions by `run_fusion` and its collectives
// by their maps.
using DeviceFusionRunner = std::function<llvm::Expected<hlo::Literal>(
    int64_t device, const FusedComputation& fused, llvm::ArrayRef<hlo::Literal> arguments)>;
llvm::Expected<std::vector<hlo::Literal>> RunOnDevices(State& state, CollectiveChecker& collectives,
                                                       hlo::ArgumentKind kind,
                                                       const InterpretedModule& given,
                                                       const DeviceFusionRunner& run_fusion);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_DEVICE_RUNS_H_
