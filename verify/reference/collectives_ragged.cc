// ragged-all-to-all, in which each device sends rows of its input to each member of its group,
// where they replace rows of the output operand.
#include <cstring>

#include "verify/reference/devices.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// The operands. The last four have an entry for each member of the group: where in the input the
// rows for it begin, how many they are, where in its output they go, and how many rows it sends.
enum Operand : int64_t {
  kInput,
  kOutput,
  kInputOffsets,
  kSendSizes,
  kOutputOffsets,
  kReceiveSizes
};

struct Rows {
  int64_t from, count, to;
};

class Exchange {
 public:
  Exchange(const Instruction& op, OperandsOfDevices operands, llvm::ArrayRef<int64_t> group,
           const DeviceReadObserver* observer)
      : op_(op), operands_(operands), group_(group), observer_(observer) {}

  // Replaces the rows that the device at `position` receives in `result`, its output operand.
  llvm::Error Receive(int64_t position, Literal& result) {
    const Shape& in = op_.operands[kInput]->shape;
    const int64_t rows = result.shape().dims[0];
    const int64_t row = rows == 0 ? 0 : result.NumElements() / rows;
    std::vector<bool> replaced(result.NumElements());
    for (int64_t sender = 0; sender < std::ssize(group_); ++sender) {
      const Rows moved = RowsBetween(sender, position);
      const bool inside = moved.count >= 0 && moved.from >= 0 && moved.to >= 0 &&
                          moved.count <= in.dims[0] && moved.from <= in.dims[0] - moved.count &&
                          moved.count <= rows && moved.to <= rows - moved.count;
      if (!inside) return Fail(op_, "sends rows that are not there");
      const Literal& input = *operands_[group_[sender]][kInput];
      const int64_t width = ByteWidth(in.type);
      for (int64_t i = 0; i < moved.count * row; ++i) {
        const int64_t to = moved.to * row + i, from = moved.from * row + i;
        std::memcpy(result.data() + to * width, input.data() + from * width, width);
        replaced[to] = true;
        Read(position, to, group_[sender], kInput, from);
      }
    }
    for (int64_t at = 0; at < result.NumElements(); ++at) {
      if (!replaced[at]) Read(position, at, group_[position], kOutput, at);
      for (int64_t sender : group_) {
        for (int64_t k : {kInputOffsets, kSendSizes, kOutputOffsets}) {
          Read(position, at, sender, k, position);
        }
      }
    }
    return llvm::Error::success();
  }

 private:
  Rows RowsBetween(int64_t sender, int64_t receiver) const {
    const auto& given = operands_[group_[sender]];
    return {LoadIndex(*given[kInputOffsets], receiver), LoadIndex(*given[kSendSizes], receiver),
            LoadIndex(*given[kOutputOffsets], receiver)};
  }
  void Read(int64_t position, int64_t at, int64_t source, int64_t operand, int64_t from) const {
    if (observer_) (*observer_)({group_[position], 0, at, source, operand, 0, from});
  }

  const Instruction& op_;
  OperandsOfDevices operands_;
  llvm::ArrayRef<int64_t> group_;
  const DeviceReadObserver* observer_;
};

bool Fits(const Instruction& op, int64_t members) {
  if (op.operands.size() != 6 || !op.shape.IsArray() || op.shape.rank() == 0) return false;
  const Shape &in = op.operands[kInput]->shape, &out = op.operands[kOutput]->shape;
  if (in.type != op.shape.type || !out.SameIgnoringLayout(op.shape)) return false;
  if (in.rank() != out.rank() ||
      !std::equal(in.dims.begin() + 1, in.dims.end(), out.dims.begin() + 1)) {
    return false;
  }
  for (int64_t k = kInputOffsets; k <= kReceiveSizes; ++k) {
    const Shape& shape = op.operands[k]->shape;
    if (!IsInt(shape.type) || shape.rank() != 1 || shape.dims[0] != members) return false;
  }
  return true;
}

}  // namespace

llvm::Expected<std::vector<Literal>> EvaluateRaggedAllToAll(
    const Instruction& op, OperandsOfDevices operands, llvm::ArrayRef<std::vector<int64_t>> groups,
    const DeviceReadObserver* observer) {
  std::vector<Literal> results;
  for (const auto& of_device : operands) {
    if (!of_device.empty() && of_device.size() != 6) return Fail(op, "needs six operands");
    results.push_back(of_device.empty() ? Literal() : *of_device[kOutput]);
  }
  for (const std::vector<int64_t>& group : groups) {
    if (!Fits(op, std::ssize(group))) return Fail(op, "does not fit its operands");
    Exchange exchange(op, operands, group, observer);
    for (size_t position = 0; position < group.size(); ++position) {
      if (auto error = exchange.Receive(position, results[group[position]])) return error;
    }
  }
  return results;
}

}  // namespace affirm::hlo
