// The interpretation of a program on several simulated devices, instruction by instruction in step.
#include "verify/reference/devices.h"

#include <deque>
#include <map>

#include "core/hlo/dynamic_sizes.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/control.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar.h"
#include "verify/reference/trace.h"
#include "verify/reference/values.h"

namespace affirm::hlo {
namespace {

using Results = llvm::Expected<std::vector<Literal>>;
// The operand values of an instruction, on each device.
using Operands = std::vector<std::vector<const Literal*>>;

bool IsDeviceNumber(Opcode opcode) {
  return opcode == Opcode::kReplicaId || opcode == Opcode::kPartitionId;
}

std::vector<const Literal*> Pointers(llvm::ArrayRef<Literal> literals) {
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

// Runs computations on all devices, each op on all of them before the next one.
class Program {
 public:
  explicit Program(const Devices& devices) : devices_(devices) {}

  Results Run(const Computation& computation, const Operands& arguments) {
    std::vector<Literal> results;
    if (!IsShared(computation)) {
      for (const auto& of_device : arguments) {
        Result result = InterpretWith(computation, of_device);
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
      if (auto error = RunInstruction(*instruction, values)) return error;
    }
    for (const Values& of_device : values) {
      const Literal* root = of_device.Get(computation.root);
      if (root == nullptr) return Fail(*computation.root, "has no value");
      results.push_back(*root);
    }
    return results;
  }

  Results Evaluate(const Instruction& op, const Operands& operands,
                   const DeviceReadObserver* observer) {
    if (IsCollective(op.opcode) && UsesDynamicSizes(op)) {
      return Fail(op, "has a size that is known at run time only");
    }
    if (IsCollective(op.opcode)) return EvaluateCollective(op, operands, devices_, observer);
    if (IsDeviceNumber(op.opcode)) return DeviceNumbers(op);
    if (llvm::any_of(op.called, [&](const Computation* c) { return IsShared(*c); })) {
      return Control(op, operands);
    }
    std::vector<Literal> results;
    for (int64_t d = 0; d < devices_.count(); ++d) {
      const ReadObserver reads = [&](const Instruction&, int64_t result_leaf, int64_t linear,
                                     int64_t operand, int64_t leaf, int64_t from) {
        (*observer)({d, result_leaf, linear, d, operand, leaf, from});
      };
      Result result = InterpretInstruction(op, operands[d], observer ? &reads : nullptr);
      if (!result) return result.takeError();
      results.push_back(std::move(*result));
    }
    return results;
  }

 private:
  // Whether the computation, or one that it calls, has collectives or asks for the device number.
  bool IsShared(const Computation& computation) {
    const auto known = shared_.find(&computation);
    if (known != shared_.end()) return known->second;
    const bool shared = llvm::any_of(computation.instructions, [&](const auto& op) {
      return IsCollective(op->opcode) || IsDeviceNumber(op->opcode) ||
             llvm::any_of(op->called, [&](const Computation* c) { return IsShared(*c); });
    });
    return shared_[&computation] = shared;
  }

  llvm::Error RunInstruction(const Instruction& op, std::deque<Values>& values) {
    Operands operands;
    for (const Values& of_device : values) {
      std::vector<const Literal*>& given = operands.emplace_back();
      for (const Instruction* operand : op.operands) {
        given.push_back(of_device.Get(operand));
        if (given.back() == nullptr) return Fail(op, "uses what has no value yet");
      }
    }
    Results results = Evaluate(op, operands, nullptr);
    if (!results) return results.takeError();
    for (size_t d = 0; d < values.size(); ++d) {
      values[d].Set(&op, std::move((*results)[d]));
      values[d].Release(op);
    }
    return llvm::Error::success();
  }

  Results DeviceNumbers(const Instruction& op) {
    std::vector<Literal> results;
    for (int64_t d = 0; d < devices_.count(); ++d) {
      Result number = NewLiteral(op, op.shape);
      if (!number) return number.takeError();
      if (!number->shape().IsScalar()) return Fail(op, "gives no scalar");
      const bool replica = op.opcode == Opcode::kReplicaId;
      Store(*number, 0, {.i = replica ? d / devices_.partitions : d % devices_.partitions});
      results.push_back(std::move(*number));
    }
    return results;
  }

  Results Control(const Instruction& op, const Operands& operands) {
    switch (op.opcode) {
      case Opcode::kCall:
      case Opcode::kFusion:
        return Run(*op.called[0], operands);
      case Opcode::kAsyncStart: {
        Results made = Run(*op.called[0], operands);
        if (!made) return made.takeError();
        for (size_t d = 0; d < made->size(); ++d) {
          Result start = AsyncStartValue({op, operands[d]}, std::move((*made)[d]));
          if (!start) return start.takeError();
          (*made)[d] = std::move(*start);
        }
        return made;
      }
      case Opcode::kConditional:
        return RunBranch(op, operands);
      case Opcode::kWhile:
        return RunLoop(op, operands);
      default:
        return Fail(op, "calls a computation that has collectives");
    }
  }

  Results RunBranch(const Instruction& op, const Operands& operands) {
    const Computation* callee = nullptr;
    Operands arguments;
    for (const auto& of_device : operands) {
      auto branch = ChooseBranch({op, of_device});
      if (!branch) return branch.takeError();
      if (callee != nullptr && branch->callee != callee) {
        return Fail(op, "has collectives, and devices that take different branches");
      }
      callee = branch->callee;
      arguments.push_back({of_device[branch->operand]});
    }
    return Run(*callee, arguments);
  }

  Results RunLoop(const Instruction& op, const Operands& operands) {
    auto condition = Callee(op, "condition");
    if (!condition) return condition.takeError();
    auto body = Callee(op, "body");
    if (!body) return body.takeError();
    std::vector<Literal> states;
    for (const auto& of_device : operands) states.push_back(*of_device[0]);
    for (int64_t trip = 0; trip < kMaxTrips; ++trip) {
      auto again = LoopRunsAgain(op, **condition, states[0]);
      if (!again) return again.takeError();
      for (const Literal& state : states) {
        auto other = LoopRunsAgain(op, **condition, state);
        if (!other) return other.takeError();
        if (*other != *again) {
          return Fail(op, "has collectives, and devices that make different numbers of trips");
        }
      }
      if (!*again) return states;
      Operands arguments;
      for (const Literal& state : states) arguments.push_back({&state});
      Results next = Run(**body, arguments);
      if (!next) return next.takeError();
      states = std::move(*next);
    }
    return Fail(op, "ran for more than " + llvm::Twine(kMaxTrips) + " trips");
  }

  Devices devices_;
  std::map<const Computation*, bool> shared_;
};

int64_t Count(const Module& module, llvm::StringRef key) {
  for (const auto& [name, value] : module.extra_attributes) {
    int64_t count = 0;
    if (name == key && !llvm::StringRef(value).trim().getAsInteger(10, count)) return count;
  }
  return 1;
}

llvm::Error CheckDevices(const Devices& devices, size_t given) {
  if (llvm::Error error = hlo::CheckDevices(devices)) return error;
  if (devices.count() == static_cast<int64_t>(given)) return llvm::Error::success();
  return llvm::createStringError(std::errc::invalid_argument,
                                 "expected arguments for every device");
}

}  // namespace

Devices DevicesOf(const Module& module) {
  return {Count(module, "replica_count"), Count(module, "num_partitions")};
}

llvm::Error CheckDevices(const Devices& devices) {
  const bool fits = devices.replicas >= 1 && devices.partitions >= 1 &&
                    devices.replicas <= kMaxDevices && devices.partitions <= kMaxDevices &&
                    devices.count() <= kMaxDevices;
  if (fits) return llvm::Error::success();
  return llvm::createStringError(std::errc::invalid_argument,
                                 "expected from 1 to %d devices, found %s replicas of %s "
                                 "partitions",
                                 static_cast<int>(kMaxDevices),
                                 std::to_string(devices.replicas).c_str(),
                                 std::to_string(devices.partitions).c_str());
}

Results InterpretOnDevices(const Computation& computation,
                           llvm::ArrayRef<std::vector<Literal>> arguments, const Devices& devices) {
  if (auto error = CheckDevices(devices, arguments.size())) return error;
  Operands pointers;
  for (const auto& of_device : arguments) pointers.push_back(Pointers(of_device));
  return Program(devices).Run(computation, pointers);
}

Results InterpretInstructionOnDevices(const Instruction& instruction,
                                      llvm::ArrayRef<std::vector<const Literal*>> operands,
                                      const Devices& devices, const DeviceReadObserver* observer) {
  if (auto error = CheckDevices(devices, operands.size())) return error;
  return Program(devices).Evaluate(instruction, Operands(operands), observer);
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
