// Arguments of a module on each of its devices: different numbers, but such that what has to fit
// between devices does.
#include "verify/reference/device_arguments.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

// The parameter that has the elements of a value in their order; null where none has.
const Instruction* ParameterBehind(const Instruction* value) {
  while (value->opcode == Opcode::kCopy || value->opcode == Opcode::kReshape) {
    value = value->operands[0];
  }
  return value->opcode == Opcode::kParameter ? value : nullptr;
}

// Offsets and sizes by which each member of a group sends rows to each: blocks of one size, of
// which every other one lacks its first row.
class RaggedRows {
 public:
  RaggedRows(const Instruction& op, int64_t members)
      : block_(std::min(op.operands[0]->shape.dims[0], op.operands[1]->shape.dims[0]) / members) {}

  // Operand 2, 3, 4 or 5 of the member at `own`, the element for the member at `other`.
  int64_t Value(size_t operand, int64_t own, int64_t other) const {
    const int64_t missing = block_ > 0 ? (own + other) % 2 : 0;
    switch (operand) {
      case 2:
        return other * block_ + missing;  // where the rows begin
      case 4:
        return own * block_;  // where they go
      default:
        return block_ - missing;  // how many are sent, and as many come back
    }
  }

 private:
  int64_t block_;
};

void FitRaggedRows(const Instruction& op, const Devices& devices,
                   std::vector<std::vector<Literal>>& arguments) {
  const bool fits = op.operands.size() == 6 && op.operands[0]->shape.rank() > 0 &&
                    op.operands[1]->shape.rank() > 0;
  auto groups = DeviceGroups(op, devices);
  if (!groups) return llvm::consumeError(groups.takeError());  // the interpreter says so
  for (const std::vector<int64_t>& group : *groups) {
    if (!fits || group.empty()) continue;
    const RaggedRows rows(op, std::ssize(group));
    for (size_t operand = 2; operand < 6; ++operand) {
      const Instruction* parameter = ParameterBehind(op.operands[operand]);
      if (parameter == nullptr || !IsInt(parameter->shape.type)) continue;
      for (size_t own = 0; own < group.size(); ++own) {
        Literal& sizes = arguments[group[own]][parameter->parameter_number];
        const int64_t count = std::min<int64_t>(sizes.NumElements(), std::ssize(group));
        for (int64_t other = 0; other < count; ++other) {
          sizes.SetInt(other, rows.Value(operand, static_cast<int64_t>(own), other));
        }
      }
    }
  }
}

bool IsShared(SharedArguments shared, const Literal& argument) {
  return shared == SharedArguments::kAll ||
         (shared == SharedArguments::kScalars && argument.shape().IsScalar());
}

}  // namespace

const char* Name(SharedArguments shared) {
  switch (shared) {
    case SharedArguments::kNone:
      return "none";
    case SharedArguments::kScalars:
      return "scalars";
    case SharedArguments::kAll:
      return "all";
  }
  return "?";
}

std::vector<std::vector<Literal>> MakeArgumentsOnDevices(const Computation& computation,
                                                         uint64_t seed, ArgumentKind kind,
                                                         const Devices& devices,
                                                         SharedArguments shared) {
  std::vector<std::vector<Literal>> arguments;
  for (int64_t d = 0; d < devices.count(); ++d) {
    // Any odd number would do: MakeArguments draws from what it makes of the seed.
    constexpr uint64_t kBetweenDevices = 0x9e3779b97f4a7c15;
    const uint64_t of_device = seed + static_cast<uint64_t>(d) * kBetweenDevices;
    arguments.push_back(MakeArguments(computation, of_device, kind));
    for (auto [own, first] : llvm::zip_equal(arguments.back(), arguments.front())) {
      if (d > 0 && IsShared(shared, own)) own = first;
    }
  }
  for (const auto& op : computation.instructions) {
    if (op->opcode == Opcode::kRaggedAllToAll) FitRaggedRows(*op, devices, arguments);
  }
  return arguments;
}

}  // namespace affirm::hlo
