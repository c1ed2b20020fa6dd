#include "driver/check/device_runs.h"

#include <algorithm>
#include <set>

#include "core/analysis/loops/carried_maps.h"
#include "driver/check/module_size.h"
#include "driver/errors.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/control.h"
#include "verify/reference/device_arguments.h"
#include "verify/reference/device_count.h"

namespace affirm::driver {
namespace {

using hlo::SharedArguments;

// Kernels of one module with more elements than this are run on two devices only: the first and the
// last.
constexpr double kMostWorkOnDevices = 1 << 22;

// Device 0, the last, and others between them.
std::vector<int64_t> Sample(int64_t devices, int64_t wanted) {
  std::vector<int64_t> sample;
  sample.reserve(wanted);
  for (int64_t k = 0; k < wanted; ++k) sample.push_back(k * (devices - 1) / (wanted - 1));
  return sample;
}

// Trips of a loop that are waited for when nothing says that it ends; those of all such loops
// together; and those that are run when it does not.
constexpr int64_t kTripsToWaitFor = 1024;
constexpr int64_t kTripsInAll = int64_t{1} << 16;
constexpr int64_t kTripsToRun = 64;

// Whether the condition of a loop says after how many trips it ends, and these can be made.
bool Ends(const hlo::Instruction& loop) {
  Context context;
  const std::optional<int64_t> trips = TripCountOf(loop, context).by_condition;
  return trips && *trips <= hlo::kMaxTrips;
}

// Leaves the loops of which nothing says that they end, as the module has them.
class LoopLimit {
 public:
  LoopLimit(const Program& program, int64_t most_trips, int64_t in_all)
      : program_(program), most_trips_(most_trips), in_all_(in_all) {}

  bool Leave(const hlo::Instruction& loop, int64_t trips) {
    ++made_;
    if (trips < most_trips_ && made_ <= in_all_) return false;
    const hlo::Instruction* original = program_.Original(loop);
    const hlo::Instruction& of_module = original == nullptr ? loop : *original;
    const auto [known, is_new] = ends_.try_emplace(&of_module);
    if (is_new) known->second = Ends(of_module);
    if (!known->second) left_.insert(of_module.name);
    return !known->second;
  }
  // The names of those that were left.
  const std::set<std::string>& left() const { return left_; }

 private:
  const Program& program_;
  int64_t most_trips_, in_all_, made_ = 0;
  llvm::DenseMap<const hlo::Instruction*, bool> ends_;
  std::set<std::string> left_;
};

llvm::Expected<InterpretedModule> Interpret(const State& state, hlo::ArgumentKind kind,
                                            SharedArguments shared,
                                            const hlo::EvaluationOrders& orders, LoopLimit& limit) {
  const hlo::Computation& entry = *state.module.entry;
  const hlo::Devices& devices = state.report.devices.devices;
  if (auto error = hlo::CheckDevices(devices)) return error;
  InterpretedModule made;
  made.arguments = hlo::MakeArgumentsOnDevices(entry, state.options().seed, kind, devices, shared);
  hlo::DeviceOptions options;
  options.orders = &orders;
  options.leave_loop = [&](const hlo::Instruction& loop, int64_t trips) {
    return limit.Leave(loop, trips);
  };
  auto expected = hlo::InterpretOnDevices(entry, made.arguments, devices, options);
  if (!expected) return expected.takeError();
  made.expected = std::move(*expected);
  return made;
}

}  // namespace

DevicesCheck FindDevices(const hlo::Module& module) {
  DevicesCheck check;
  check.kernels_on = {0};
  if (!hlo::DependsOnDevices(*module.entry)) return check;
  hlo::DeviceCount count = hlo::CountDevices(module);
  check.devices = count.devices;
  check.assumed = std::move(count.assumed);
  const int64_t devices = check.devices.count();
  if (devices < 2 || devices > hlo::kMaxDevices) return check;
  const double room = kMostWorkOnDevices / std::max(WorkOf(module), 1.0);
  const int64_t wanted = static_cast<int64_t>(std::min<double>(room, static_cast<double>(devices)));
  check.kernels_on = Sample(devices, std::max<int64_t>(wanted, 2));
  return check;
}

llvm::Expected<InterpretedModule> InterpretModule(State& state, hlo::ArgumentKind kind,
                                                  const hlo::EvaluationOrders& orders) {
  WholeCheck& check = state.report.whole;
  while (true) {
    LoopLimit wait(state.program, kTripsToWaitFor, kTripsInAll);
    auto made = Interpret(state, kind, check.shared, orders, wait);
    if (made && wait.left().empty()) {
      ++check.ended_runs;
      return made;
    }
    if (made) {
      LoopLimit few(state.program, kTripsToRun, kInt64Max);
      made = Interpret(state, kind, check.shared, orders, few);
      if (!made) return made;
      made->most_trips = kTripsToRun;
      for (const std::string& loop : few.left()) {
        if (!llvm::is_contained(check.left_loops, loop)) check.left_loops.push_back(loop);
      }
      return made;
    }
    llvm::Error error = made.takeError();
    if (!error.isA<hlo::Deadlock>()) return error;
    const std::string why = MessageOf(std::move(error));
    if (check.shared == SharedArguments::kAll) {
      state.AddFinding(Finding::Kind::kRefuted, "deadlock",
                       "deadlock, also where all devices have the same arguments: " + why);
      return llvm::createStringError(std::errc::resource_deadlock_would_occur, "%s", why.c_str());
    }
    check.shared =
        check.shared == SharedArguments::kNone ? SharedArguments::kScalars : SharedArguments::kAll;
    check.why_shared = why;
  }
}

llvm::Expected<std::vector<hlo::Literal>> RunOnDevices(State& state, CollectiveChecker& collectives,
                                                       hlo::ArgumentKind kind,
                                                       const InterpretedModule& given,
                                                       const DeviceFusionRunner& run_fusion) {
  hlo::DeviceOptions options;
  options.run_fusion = [&](int64_t device, const hlo::Instruction& fusion,
                           llvm::ArrayRef<const hlo::Literal*> operands)
      -> std::optional<llvm::Expected<hlo::Literal>> {
    const FusedComputation* fused = state.program.FindFused(fusion);
    if (fused == nullptr) return std::nullopt;
    std::vector<hlo::Literal> values;
    for (const hlo::Literal* operand : operands) values.push_back(*operand);
    return run_fusion(device, *fused, values);
  };
  LoopLimit limit(state.program, given.most_trips, kInt64Max);
  if (given.most_trips > 0) {
    options.leave_loop = [&](const hlo::Instruction& loop, int64_t trips) {
      return limit.Leave(loop, trips);
    };
  }
  options.run_collective = [&](const hlo::Instruction& collective,
                               hlo::OperandsOfDevices operands) {
    return collectives.Run(collective, operands, hlo::Name(kind));
  };
  return hlo::InterpretOnDevices(state.program.entry(), given.arguments,
                                 state.report.devices.devices, options);
}

}  // namespace affirm::driver
