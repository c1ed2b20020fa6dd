// Interpretation on several simulated devices, which run one program and communicate in its
// collectives.
//
// Device r * partitions + p runs replica r and partition p. With two devices that hold {1} and
// {10}, `f32[2] all-gather(f32[1] x), dimensions={0}` gives {1, 10} on both.
#ifndef AFFIRM_VERIFY_REFERENCE_DEVICES_H_
#define AFFIRM_VERIFY_REFERENCE_DEVICES_H_

#include <functional>
#include <vector>

#include "verify/reference/interpreter.h"

namespace affirm::hlo {

// The largest number of devices, of replicas, and of partitions.
inline constexpr int64_t kMaxDevices = 4096;

struct Devices {
  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
};
// The counts in the module's header (replica_count, num_partitions); 1 where there is none.
Devices DevicesOf(const Module& module);
// An error unless both counts are from 1 to kMaxDevices, and so is their product.
llvm::Error CheckDevices(const Devices& devices);

// A read of an element of an operand of device `source` for an element of the result of `device`.
struct DeviceRead {
  int64_t device, result_leaf, result_linear;
  int64_t source, operand, leaf, linear;
};
using DeviceReadObserver = std::function<void(const DeviceRead&)>;

// The result of a computation on each device, from its arguments there. Every op runs on all
// devices before the next one starts. It is an error when a loop with collectives runs for
// different numbers of trips on two devices, or a conditional with collectives takes different
// branches. Reductions are left folds in the order of the group. A device that is in no group and
// no pair gets zeros.
llvm::Expected<std::vector<Literal>> InterpretOnDevices(
    const Computation& computation, llvm::ArrayRef<std::vector<Literal>> arguments,
    const Devices& devices);

// One instruction, on the operands of every device.
llvm::Expected<std::vector<Literal>> InterpretInstructionOnDevices(
    const Instruction& instruction, llvm::ArrayRef<std::vector<const Literal*>> operands,
    const Devices& devices, const DeviceReadObserver* observer = nullptr);

// Is it an op in which devices communicate?
bool IsCollective(Opcode opcode);

// The groups of a collective as lists of device numbers. An error where a group names a device that
// does not exist, or two groups name the same one.
llvm::Expected<std::vector<std::vector<int64_t>>> DeviceGroups(const Instruction& collective,
                                                               const Devices& devices);

// The result of a collective on every device. Internal to the interpreter.
llvm::Expected<std::vector<Literal>> EvaluateCollective(
    const Instruction& instruction, llvm::ArrayRef<std::vector<const Literal*>> operands,
    const Devices& devices, const DeviceReadObserver* observer);

// ragged_all_to_all.cc
llvm::Expected<std::vector<Literal>> EvaluateRaggedAllToAll(
    const Instruction& instruction, llvm::ArrayRef<std::vector<const Literal*>> operands,
    const Devices& devices, const DeviceReadObserver* observer);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_DEVICES_H_
