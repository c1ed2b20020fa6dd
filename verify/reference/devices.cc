// The interpretation of a program on several simulated devices, instruction by instruction in step.
#include "verify/reference/devices.h"

#include <deque>
#include <map>
#include <numeric>
#include <tuple>

#include "core/hlo/dynamic_sizes.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/control.h"
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"
#include "verify/reference/values.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

using Results = llvm::Expected<std::vector<Literal>>;
using DeviceList = std::vector<int64_t>;
// Something for each of the devices in a list: the arguments of a computation, the operands of an
// instruction.
using Operands = std::vector<std::vector<const Literal*>>;

std::vector<const Literal*> Pointers(llvm::ArrayRef<Literal> literals) {
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

// Runs computations on devices, each op on all that come to it before the next one.
class Program {
 public:
  Program(const Devices& devices, const DeviceOptions& options)
      : devices_(devices), options_(options) {}

  // The results on the devices `at`, whose arguments are given in this order.
  Results Run(const Computation& computation, const DeviceList& at, const Operands& arguments) {
    std::vector<Literal> results;
    if (!DependsOnDevices(computation)) {
      for (size_t k = 0; k < at.size(); ++k) {
        const InterpretOptions options = OptionsOf(at[k]);
        Result result = InterpretWith(computation, arguments[k], &options);
        if (!result) return result.takeError();
        results.push_back(std::move(*result));
      }
      return results;
    }
    std::deque<Values> values;
    for (const auto& of_device : arguments) {
      if (auto error = CheckArguments(computation, of_device)) return error;
      values.emplace_back(computation, of_device);
    }
    for (const auto& instruction : computation.instructions) {
      if (instruction->opcode == Opcode::kParameter) continue;
      if (auto error = RunInstruction(*instruction, at, values)) return error;
    }
    for (const Values& of_device : values) {
      const Literal* root = of_device.Get(computation.root);
      if (root == nullptr) return Fail(*computation.root, "has no value");
      results.push_back(*root);
    }
    return results;
  }

  Results Evaluate(const Instruction& op, const DeviceList& at, const Operands& operands,
                   const DeviceReadObserver* observer) {
    if (IsCollective(op.opcode)) return Collective(op, at, operands, observer);
    if (IsDeviceNumber(op.opcode)) return DeviceNumbers(op, at);
    if (llvm::any_of(op.called, [&](const Computation* c) { return DependsOnDevices(*c); })) {
      return Control(op, at, operands);
    }
    std::vector<Literal> results;
    for (size_t k = 0; k < at.size(); ++k) {
      const int64_t d = at[k];
      const ReadObserver reads = [&](const Instruction&, int64_t result_leaf, int64_t linear,
                                     int64_t operand, int64_t leaf, int64_t from) {
        (*observer)({d, result_leaf, linear, d, operand, leaf, from});
      };
      const InterpretOptions options = OptionsOf(d);
      Result result = InterpretInstruction(op, operands[k], observer ? &reads : nullptr, &options);
      if (!result) return result.takeError();
      results.push_back(std::move(*result));
    }
    return results;
  }

 private:
  // Asked for each instruction of each run.
  bool DependsOnDevices(const Computation& computation) {
    auto [known, is_new] = dependent_.try_emplace(&computation);
    if (is_new) known->second = hlo::DependsOnDevices(computation);
    return known->second;
  }

  InterpretOptions OptionsOf(int64_t device) const {
    InterpretOptions options;
    options.orders = options_.orders;
    options.leave_loop = options_.leave_loop;
    if (!options_.run_fusion) return options;
    options.run_fusion = [this, device](const Instruction& fusion,
                                        llvm::ArrayRef<const Literal*> operands) {
      return options_.run_fusion(device, fusion, operands);
    };
    return options;
  }

  llvm::Error RunInstruction(const Instruction& op, const DeviceList& at,
                             std::deque<Values>& values) {
    Operands operands;
    for (const Values& of_device : values) {
      std::vector<const Literal*>& given = operands.emplace_back();
      for (const Instruction* operand : op.operands) {
        given.push_back(of_device.Get(operand));
        if (given.back() == nullptr) return Fail(op, "uses what has no value yet");
      }
    }
    Results results = Evaluate(op, at, operands, nullptr);
    if (!results) return results.takeError();
    for (size_t k = 0; k < values.size(); ++k) {
      values[k].Set(&op, std::move((*results)[k]));
      values[k].Release(op);
    }
    return llvm::Error::success();
  }

  Results Collective(const Instruction& op, const DeviceList& at, const Operands& operands,
                     const DeviceReadObserver* observer) {
    if (UsesDynamicSizes(op)) return Fail(op, "has a size that is known at run time only");
    Operands of_all(devices_.count());
    for (size_t k = 0; k < at.size(); ++k) of_all[at[k]] = operands[k];
    Results on_all = options_.run_collective ? options_.run_collective(op, of_all)
                                             : EvaluateCollective(op, of_all, devices_, observer);
    if (!on_all) return on_all.takeError();
    std::vector<Literal> results;
    for (int64_t d : at) results.push_back(std::move((*on_all)[d]));
    return results;
  }

  Results DeviceNumbers(const Instruction& op, const DeviceList& at) {
    std::vector<Literal> results;
    for (int64_t d : at) {
      Result number = NewLiteral(op, op.shape);
      if (!number) return number.takeError();
      if (!number->shape().IsScalar()) return Fail(op, "gives no scalar");
      const bool replica = op.opcode == Opcode::kReplicaId;
      Store(*number, 0, {.i = replica ? d / devices_.partitions : d % devices_.partitions});
      results.push_back(std::move(*number));
    }
    return results;
  }

  Results Control(const Instruction& op, const DeviceList& at, const Operands& operands) {
    switch (op.opcode) {
      case Opcode::kCall:
      case Opcode::kFusion:
        return Run(*op.called[0], at, operands);
      case Opcode::kAsyncStart: {
        Results made = Run(*op.called[0], at, operands);
        if (!made) return made.takeError();
        for (size_t k = 0; k < made->size(); ++k) {
          Result start = AsyncStartValue({op, operands[k]}, std::move((*made)[k]));
          if (!start) return start.takeError();
          (*made)[k] = std::move(*start);
        }
        return made;
      }
      case Opcode::kConditional:
        return RunBranches(op, at, operands);
      case Opcode::kWhile:
        return RunLoop(op, at, operands);
      default:
        return Fail(op, "calls a computation that has collectives");
    }
  }

  // The devices that take a branch run it together.
  Results RunBranches(const Instruction& op, const DeviceList& at, const Operands& operands) {
    std::vector<Branch> branches;
    for (const auto& of_device : operands) {
      auto branch = ChooseBranch({op, of_device});
      if (!branch) return branch.takeError();
      branches.push_back(*branch);
    }
    std::vector<Literal> results(at.size());
    for (int64_t operand = 1; operand < std::ssize(op.operands); ++operand) {
      DeviceList taking;
      Operands arguments;
      std::vector<size_t> places;
      for (size_t k = 0; k < at.size(); ++k) {
        if (branches[k].operand != operand) continue;
        places.push_back(k);
        taking.push_back(at[k]);
        arguments.push_back({operands[k][operand]});
      }
      if (taking.empty()) continue;
      Results of_branch = Run(*branches[places.front()].callee, taking, arguments);
      if (!of_branch) return of_branch.takeError();
      for (auto [place, value] : llvm::zip_equal(places, *of_branch)) {
        results[place] = std::move(value);
      }
    }
    return results;
  }

  // Which of the devices `at` make another trip: the places in the list.
  llvm::Expected<std::vector<size_t>> RunAgain(const Instruction& op, const Computation& condition,
                                               const DeviceList& at, const Operands& states) {
    std::vector<size_t> again;
    if (!DependsOnDevices(condition)) {
      for (size_t k = 0; k < at.size(); ++k) {
        const InterpretOptions options = OptionsOf(at[k]);
        auto one = LoopRunsAgain(op, condition, *states[k][0], &options);
        if (!one) return one.takeError();
        if (*one) again.push_back(k);
      }
      return again;
    }
    Results values = Run(condition, at, states);
    if (!values) return values.takeError();
    for (auto [k, value] : llvm::enumerate(*values)) {
      if (value.shape().type != PrimitiveType::kPred || !value.shape().IsScalar()) {
        return Fail(op, "has a condition that is no pred[]");
      }
      if (value.GetInt(0) != 0) again.push_back(k);
    }
    return again;
  }

  // The devices that make another trip run the body together; the others wait at the end of the
  // loop.
  Results RunLoop(const Instruction& op, const DeviceList& at, const Operands& operands) {
    auto condition = Callee(op, "condition");
    if (!condition) return condition.takeError();
    auto body = Callee(op, "body");
    if (!body) return body.takeError();
    std::vector<Literal> states;
    std::vector<size_t> running(at.size());
    for (size_t k = 0; k < at.size(); ++k) {
      states.push_back(*operands[k][0]);
      running[k] = k;
    }
    for (int64_t trip = 0; trip < kMaxTrips; ++trip) {
      auto [on, given] = Chosen(at, states, running);
      auto again = RunAgain(op, **condition, on, given);
      if (!again) return again.takeError();
      std::vector<size_t> next;
      const bool leave = !again->empty() && options_.leave_loop && options_.leave_loop(op, trip);
      for (size_t k : *again) {
        if (!leave) next.push_back(running[k]);
      }
      running = std::move(next);
      if (running.empty()) return states;
      std::tie(on, given) = Chosen(at, states, running);
      Results made = Run(**body, on, given);
      if (!made) return made.takeError();
      for (auto [place, state] : llvm::zip_equal(running, *made)) {
        states[place] = std::move(state);
      }
    }
    return Fail(op, "ran for more than " + llvm::Twine(kMaxTrips) + " trips");
  }

  // The devices at some places of a list, and their states.
  static std::pair<DeviceList, Operands> Chosen(const DeviceList& at,
                                                llvm::ArrayRef<Literal> states,
                                                llvm::ArrayRef<size_t> places) {
    std::pair<DeviceList, Operands> chosen;
    for (size_t place : places) {
      chosen.first.push_back(at[place]);
      chosen.second.push_back({&states[place]});
    }
    return chosen;
  }

  Devices devices_;
  const DeviceOptions& options_;
  std::map<const Computation*, bool> dependent_;
};

DeviceList AllOf(const Devices& devices) {
  DeviceList all(devices.count());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

llvm::Error CheckDevices(const Devices& devices, size_t given) {
  if (llvm::Error error = hlo::CheckDevices(devices)) return error;
  if (devices.count() == static_cast<int64_t>(given)) return llvm::Error::success();
  return llvm::createStringError(std::errc::invalid_argument,
                                 "expected arguments for every device");
}

}  // namespace

Results InterpretOnDevices(const Computation& computation,
                           llvm::ArrayRef<std::vector<Literal>> arguments, const Devices& devices,
                           const DeviceOptions& options) {
  if (auto error = CheckDevices(devices, arguments.size())) return error;
  Operands pointers;
  for (const auto& of_device : arguments) pointers.push_back(Pointers(of_device));
  return Program(devices, options).Run(computation, AllOf(devices), pointers);
}

Results InterpretInstructionOnDevices(const Instruction& instruction, OperandsOfDevices operands,
                                      const Devices& devices, const DeviceReadObserver* observer) {
  if (auto error = CheckDevices(devices, operands.size())) return error;
  const DeviceOptions options;
  return Program(devices, options)
      .Evaluate(instruction, AllOf(devices), Operands(operands), observer);
}

Result EvaluateOnOneDevice(const OpInvocation& call) {
  const DeviceReadObserver reads = [&](const DeviceRead& read) {
    call.Read(read.result_leaf, read.result_linear, read.operand, read.leaf, read.linear);
  };
  const std::vector<const Literal*> operands(call.operands.begin(), call.operands.end());
  Results results = InterpretInstructionOnDevices(call.instruction, operands, {},
                                                  call.observer ? &reads : nullptr);
  if (!results) return results.takeError();
  return std::move(results->front());
}

}  // namespace affirm::hlo
