// Interprets and runs a module on all of its devices. A module without collectives and device
// numbers runs on one device. Internal to the check.
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

// The module's number of devices, and those on which kernels run: as many as the amount of work
// allows.
DevicesCheck FindDevices(const hlo::Module& module);

// Arguments and the interpreter's results, by device.
struct InterpretedModule {
  std::vector<std::vector<hlo::Literal>> arguments;
  std::vector<hlo::Literal> expected;
  // Loops that run too long are left after this many trips; 0: no such loop.
  int64_t most_trips = 0;
};

// Devices get different arguments. If a collective is then not reached by all devices of its group,
// which a data-dependent loop may cause, they get equal scalars, and at last equal arguments; if
// that fails too, it is a finding. If a loop does not end, which floats may cause, the module runs
// with loops that are left after a few trips; the report names them.
llvm::Expected<InterpretedModule> InterpretModule(State& state, hlo::ArgumentKind kind,
                                                  const hlo::EvaluationOrders& orders);

// The results of the program on the same arguments, with fusions run by `run_fusion` and
// collectives by their maps.
using DeviceFusionRunner = std::function<llvm::Expected<hlo::Literal>(
    int64_t device, const FusedComputation& fused, llvm::ArrayRef<hlo::Literal> arguments)>;
llvm::Expected<std::vector<hlo::Literal>> RunOnDevices(State& state, CollectiveChecker& collectives,
                                                       hlo::ArgumentKind kind,
                                                       const InterpretedModule& given,
                                                       const DeviceFusionRunner& run_fusion);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_DEVICE_RUNS_H_
