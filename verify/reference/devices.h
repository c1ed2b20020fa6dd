// Several devices that run one computation and meet in its collectives.
#ifndef AFFIRM_VERIFY_REFERENCE_DEVICES_H_
#define AFFIRM_VERIFY_REFERENCE_DEVICES_H_

#include <functional>
#include <vector>

#include "verify/reference/interpreter.h"

namespace affirm::hlo {

// Device number: replica * partitions + partition.
// Of replicas, and of partitions.
inline constexpr int64_t kMaxDevices = 4096;

struct Devices {
  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
};
// What the module's header says (replica_count, num_partitions); one of each where it says nothing.
Devices DevicesOf(const Module& module);
// An error unless both counts are from 1 to kMaxDevices, and so is their product.
llvm::Error CheckDevices(const Devices& devices);

// An element of an operand of device `source`, read for an element of the result of `device`.
struct DeviceRead {
  int64_t device, result_leaf, result_linear;
  int64_t source, operand, leaf, linear;
};
using DeviceReadObserver = std::function<void(const DeviceRead&)>;

// The result of a computation on each device, from its arguments there. Every op runs on all
// devices before the next one starts. A loop that has collectives must run equally often on all
// devices, a conditional take the same branch; else an error.
//
// Reductions are folds in the order of the group. A device that no group and no pair names gets
// zeros.
llvm::Expected<std::vector<Literal>> InterpretOnDevices(
    const Computation& computation, llvm::ArrayRef<std::vector<Literal>> arguments,
    const Devices& devices);

// One instruction, on the operands of every device.
llvm::Expected<std::vector<Literal>> InterpretInstructionOnDevices(
    const Instruction& instruction, llvm::ArrayRef<std::vector<const Literal*>> operands,
    const Devices& devices, const DeviceReadObserver* observer = nullptr);

// Is it an op that devices run together?
bool IsCollective(Opcode opcode);

// Devices 0, 1, .. in the groups of a collective, as lists in their order. An error where a group
// names a device that is not there, or two name the same.
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
