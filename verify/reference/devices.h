// Interpretation on several simulated devices, which run one program and communicate in its
// collectives.
//
// Device r * partitions + p runs replica r and partition p. With two devices that hold {1} and
// {10}, `f32[2] all-gather(f32[1] x), dimensions={0}` gives {1, 10} on both.
//
// Loops may make different numbers of trips, and conditionals take different branches, on two
// devices. Where a collective is then reached by some of a group and not by the others, those that
// reached it would wait forever: that is a Deadlock, an error.
#ifndef AFFIRM_VERIFY_REFERENCE_DEVICES_H_
#define AFFIRM_VERIFY_REFERENCE_DEVICES_H_

#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "core/hlo/devices.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {

// A read of an element of an operand of device `source` for an element of the result of `device`.
struct DeviceRead {
  int64_t device, result_leaf, result_linear;
  int64_t source, operand, leaf, linear;
};
using DeviceReadObserver = std::function<void(const DeviceRead&)>;

// The error of a collective that not every member of one of its groups reaches.
class Deadlock : public llvm::ErrorInfo<Deadlock> {
 public:
  explicit Deadlock(std::string text) : text_(std::move(text)) {}
  void log(llvm::raw_ostream& os) const override { os << text_; }
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::resource_deadlock_would_occur);
  }
  static char ID;

 private:
  std::string text_;
};

// The operand values of an instruction on each device; none on a device that does not run it.
using OperandsOfDevices = llvm::ArrayRef<std::vector<const Literal*>>;

// Changes to how a computation is interpreted on devices.
struct DeviceOptions {
  const EvaluationOrders* orders = nullptr;  // of reductions, as for Interpret()
  // As InterpretOptions::run_fusion, on one device.
  std::function<std::optional<llvm::Expected<Literal>>(int64_t device, const Instruction& fusion,
                                                       llvm::ArrayRef<const Literal*> operands)>
      run_fusion;
  // The results of a collective in the place of the interpreter's, one for each device.
  std::function<llvm::Expected<std::vector<Literal>>(const Instruction& collective,
                                                     OperandsOfDevices operands)>
      run_collective;
  InterpretOptions::LoopLeaver leave_loop;
};

// The result of a computation on each device, from its arguments there. Every op runs on all
// devices before the next one starts. Reductions are left folds in the order of the group. A device
// that is in no group and no pair gets zeros.
llvm::Expected<std::vector<Literal>> InterpretOnDevices(
    const Computation& computation, llvm::ArrayRef<std::vector<Literal>> arguments,
    const Devices& devices, const DeviceOptions& options = {});

// One instruction, on the operands of every device.
llvm::Expected<std::vector<Literal>> InterpretInstructionOnDevices(
    const Instruction& instruction, OperandsOfDevices operands, const Devices& devices,
    const DeviceReadObserver* observer = nullptr);

// The groups of a collective as lists of device numbers. An error where a group names a device that
// does not exist, or two groups name the same one.
llvm::Expected<std::vector<std::vector<int64_t>>> DeviceGroups(const Instruction& collective,
                                                               const Devices& devices);

// The result of a collective on every device. A device whose operands are missing does not reach
// it: it has no place in a group with one that does (Deadlock), and no result.
llvm::Expected<std::vector<Literal>> EvaluateCollective(const Instruction& instruction,
                                                        OperandsOfDevices operands,
                                                        const Devices& devices,
                                                        const DeviceReadObserver* observer);

// collectives_ragged.cc. The groups are those whose devices run the op. Internal to the
// interpreter.
llvm::Expected<std::vector<Literal>> EvaluateRaggedAllToAll(
    const Instruction& instruction, OperandsOfDevices operands,
    llvm::ArrayRef<std::vector<int64_t>> groups, const DeviceReadObserver* observer);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_DEVICES_H_
