// Collectives: for each element of each device's result, the elements of the devices' operands that
// it is computed from, and the combination of these.
#include <optional>

#include "core/hlo/replica_groups.h"
#include "verify/reference/devices.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar_function.h"

namespace affirm::hlo {
namespace {

// An element of an operand of a device.
struct DeviceElement {
  int64_t device, operand, linear;
};
using DeviceElements = llvm::SmallVector<DeviceElement, 4>;

// An element of a device's result. The device is at `position` in its group.
struct ResultElement {
  const Instruction& instruction;
  llvm::ArrayRef<int64_t> group;
  int64_t position;
  int64_t leaf;             // of the result
  const Shape& out;         // its shape
  const IndexIterator& at;  // the element

  int64_t members() const { return static_cast<int64_t>(group.size()); }
  const Shape& in(int64_t operand) const { return instruction.operands[operand]->shape; }
  // The dimension that the op splits or concatenates along; -1 when there is none.
  int64_t along() const {
    const std::vector<int64_t>& dims = instruction.attributes.dimensions;
    return dims.size() == 1 && dims[0] >= 0 && dims[0] < out.rank() ? dims[0] : -1;
  }
  // The operand element with the same index but `coordinate` along that dimension; -1 outside of
  // the operand.
  int64_t Linear(int64_t operand, int64_t coordinate) const {
    Index index = at.index();
    index[along()] = coordinate;
    for (int64_t d = 0; d < out.rank(); ++d) {
      if (index[d] < 0 || index[d] >= in(operand).dims[d]) return -1;
    }
    return Linearize(index, in(operand).dims);
  }
};

// One function for each op: the elements that an element of the result is combined from, in this
// order. The shapes have been checked.
DeviceElements GatherSources(const ResultElement& p) {
  const int64_t size = p.in(p.leaf).dims[p.along()], at = p.at[p.along()];
  return {{p.group[at / size], p.leaf, p.Linear(p.leaf, at % size)}};
}

DeviceElements ReduceSources(const ResultElement& p) {
  DeviceElements sources;
  for (int64_t device : p.group) sources.push_back({device, p.leaf, p.at.linear()});
  return sources;
}

// The device gets the block of the reduced array that belongs to its position.
DeviceElements ReduceScatterSources(const ResultElement& p) {
  DeviceElements sources;
  const int64_t first = p.position * p.out.dims[p.along()];
  for (int64_t device : p.group) {
    sources.push_back({device, p.leaf, p.Linear(p.leaf, first + p.at[p.along()])});
  }
  return sources;
}

// Block r of an array comes from member r. Element r of a tuple comes from member r too: its
// operand for this position.
DeviceElements AllToAllSources(const ResultElement& p) {
  if (p.instruction.shape.IsTuple()) return {{p.group[p.leaf], p.position, p.at.linear()}};
  const int64_t block = p.out.dims[p.along()] / p.members(), at = p.at[p.along()];
  return {{p.group[at / block], 0, p.Linear(0, p.position * block + at % block)}};
}

DeviceElements BroadcastSources(const ResultElement& p) {
  return {{p.group[0], p.leaf, p.at.linear()}};
}

// The groups of a collective-permute are its (source, target) pairs. The source receives nothing by
// its pair.
DeviceElements PermuteSources(const ResultElement& p) {
  if (p.position == 0) return {};
  return {{p.group[0], p.leaf, p.at.linear()}};
}

struct CollectiveRow {
  Opcode opcode;
  DeviceElements (*sources)(const ResultElement&);
  bool is_start;  // the result is the tuple (operands, results)
  bool shrinks;   // the result is a block of the operand along the dimension
  bool grows;     // the operand is a block of the result
};
constexpr CollectiveRow kCollectiveRows[] = {
    {Opcode::kAllGather, GatherSources, false, false, true},
    {Opcode::kAllGatherStart, GatherSources, true, false, true},
    {Opcode::kAllReduce, ReduceSources, false, false, false},
    {Opcode::kAllReduceStart, ReduceSources, false, false, false},
    {Opcode::kAllToAll, AllToAllSources, false, false, false},
    {Opcode::kCollectiveBroadcast, BroadcastSources, false, false, false},
    {Opcode::kCollectivePermute, PermuteSources, false, false, false},
    {Opcode::kCollectivePermuteStart, PermuteSources, true, false, false},
    {Opcode::kReduceScatter, ReduceScatterSources, false, true, false},
};

const CollectiveRow* FindRow(Opcode opcode) {
  for (const CollectiveRow& row : kCollectiveRows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

bool IsPermute(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
}

// The arrays that a collective makes.
std::vector<const Shape*> ArraysMade(const Instruction& op, const CollectiveRow& row) {
  const Shape* made = &op.shape;
  if (row.is_start) {
    if (!op.shape.IsTuple() || op.shape.tuple.size() < 2) return {};
    made = &op.shape.tuple[1];
  }
  if (!made->IsTuple()) return {made};
  std::vector<const Shape*> shapes;
  shapes.reserve(made->tuple.size());
  for (const Shape& element : made->tuple) shapes.push_back(&element);
  return shapes;
}

bool Fits(const Instruction& op, const CollectiveRow& row, llvm::ArrayRef<const Shape*> results,
          int64_t members) {
  const auto& dims = op.attributes.dimensions;
  const bool blocks = row.grows || row.shrinks;
  const bool to_all = op.opcode == Opcode::kAllToAll;
  if (results.empty() || results.size() != op.operands.size()) return false;
  if (to_all && op.shape.IsTuple() && std::ssize(results) != members) return false;
  for (size_t k = 0; k < results.size(); ++k) {
    const Shape &in = op.operands[k]->shape, &out = *results[k];
    if (!in.IsArray() || in.type != out.type || in.rank() != out.rank()) return false;
    std::vector<int64_t> expected = in.dims;
    if (blocks || (to_all && !op.shape.IsTuple())) {
      if (dims.size() != 1 || dims[0] < 0 || dims[0] >= in.rank()) return false;
      int64_t& size = expected[dims[0]];
      if (row.grows) {
        size *= members;
      } else if (size % members != 0) {
        return false;
      } else if (row.shrinks) {
        size /= members;
      }
    }
    if (expected != out.dims) return false;
  }
  return true;
}

// The groups of devices that communicate. For a permute: the (source, target) pairs.
llvm::Expected<std::vector<std::vector<int64_t>>> CommunicatingGroups(const Instruction& op,
                                                                      const Devices& devices) {
  if (!IsPermute(op.opcode)) return DeviceGroups(op, devices);
  const auto pairs = SourceTargetPairs(op);
  if (!pairs) return Fail(op, "has source_target_pairs of an unknown form");
  const bool partitions = ModeOf(op) == GroupMode::kPartitions;
  const int64_t count = partitions ? devices.partitions : devices.replicas;
  std::vector<std::vector<int64_t>> groups;
  std::vector<bool> is_source(count), is_target(count);
  for (const auto& [source, target] : *pairs) {
    const bool there = source >= 0 && source < count && target >= 0 && target < count;
    if (!there) return Fail(op, "names a device that is not there");
    if (is_target[target]) return Fail(op, "has a target twice");
    if (is_source[source]) return Fail(op, "has a source twice");
    is_source[source] = is_target[target] = true;
    for (int64_t other = 0; other < devices.count() / count; ++other) {
      auto device = [&](int64_t v) {
        return partitions ? other * devices.partitions + v : v * devices.partitions + other;
      };
      groups.push_back({device(source), device(target)});
    }
  }
  return groups;
}

// Writes the result of one device of a group.
class Writer {
 public:
  Writer(const Instruction& op, const CollectiveRow& row, OperandsOfDevices operands,
         const DeviceReadObserver* observer)
      : op_(op), row_(row), operands_(operands), observer_(observer) {}

  // An error unless the elements can be combined, if they have to be.
  llvm::Error PrepareCombiner() {
    if (row_.sources != ReduceSources && row_.sources != ReduceScatterSources) {
      return llvm::Error::success();
    }
    auto callee = Callee(op_, "to_apply");
    if (!callee) return callee.takeError();
    for (const Instruction* operand : op_.operands) {
      const PrimitiveType type = operand->shape.type;
      auto function = ScalarFunction::Create(op_, **callee, {type, type}, {type});
      if (!function) return function.takeError();
      combiners_.push_back(std::move(*function));
    }
    return llvm::Error::success();
  }

  llvm::Error Write(llvm::ArrayRef<int64_t> group, int64_t position, int64_t leaf,
                    Literal& result) {
    const int64_t first_leaf = row_.is_start ? std::ssize(op_.operands) : 0;
    for (IndexIterator at(result.shape().dims); !at.Done(); at.Next()) {
      std::optional<Scalar> value;
      for (const DeviceElement& from :
           row_.sources({op_, group, position, leaf, result.shape(), at})) {
        const Literal& operand = *operands_[from.device][from.operand];
        if (from.linear < 0 || from.linear >= operand.NumElements()) {
          return Fail(op_, "does not fit its operands");
        }
        Scalar pair[] = {value.value_or(Scalar()), Load(operand, from.linear)};
        if (value) {
          if (auto error = combiners_[leaf].Apply(pair, llvm::MutableArrayRef(pair, 1))) {
            return error;
          }
          value = pair[0];
        } else {
          value = pair[1];
        }
        if (observer_ == nullptr) continue;
        (*observer_)({group[position], first_leaf + leaf, at.linear(), from.device, from.operand, 0,
                      from.linear});
      }
      if (value) Store(result, at.linear(), *value);
    }
    return llvm::Error::success();
  }

 private:
  const Instruction& op_;
  const CollectiveRow& row_;
  OperandsOfDevices operands_;
  const DeviceReadObserver* observer_;
  std::vector<ScalarFunction> combiners_;  // one for each operand of a reduction
};

}  // namespace

llvm::Expected<std::vector<std::vector<int64_t>>> DeviceGroups(const Instruction& collective,
                                                               const Devices& devices) {
  auto groups = ReplicaGroups(collective);
  if (!groups) return Fail(collective, "has replica_groups of an unknown form");
  const GroupMode mode = ModeOf(collective);
  const int64_t partitions = devices.partitions;
  const int64_t count = mode == GroupMode::kPartitions ? partitions
                        : mode == GroupMode::kDevices  ? devices.count()
                                                       : devices.replicas;
  if (groups->empty()) {
    groups->emplace_back();
    for (int64_t v = 0; v < count; ++v) groups->back().push_back(v);
  }
  // The groups of devices that one group of numbers stands for.
  const int64_t copies = mode == GroupMode::kReplicas     ? partitions
                         : mode == GroupMode::kPartitions ? devices.replicas
                                                          : 1;
  std::vector<std::vector<int64_t>> out;
  std::vector<bool> seen(count);
  for (const std::vector<int64_t>& group : *groups) {
    for (int64_t v : group) {
      const bool there = v >= 0 && v < count;
      if (!there || seen[v]) {
        return Fail(collective,
                    there ? "names a device twice" : "names a device that is not there");
      }
      seen[v] = true;
    }
    for (int64_t copy = 0; copy < copies; ++copy) {
      std::vector<int64_t>& members = out.emplace_back();
      for (int64_t v : group) {
        if (mode == GroupMode::kReplicas) members.push_back(v * partitions + copy);
        if (mode == GroupMode::kPartitions) members.push_back(copy * partitions + v);
        if (mode == GroupMode::kDevices) members.push_back(v);
        if (mode != GroupMode::kReplicasAllPartitions) continue;
        for (int64_t p = 0; p < partitions; ++p) members.push_back(v * partitions + p);
      }
    }
  }
  return out;
}

namespace {

std::string Listed(llvm::ArrayRef<int64_t> devices) {
  std::string text;
  for (int64_t d : devices) text += (text.empty() ? "" : ", ") + std::to_string(d);
  return text;
}

// The groups whose members all reach the op; an error if only a part of a group does.
llvm::Expected<std::vector<std::vector<int64_t>>> ReachedGroups(
    const Instruction& op, OperandsOfDevices operands, std::vector<std::vector<int64_t>> groups) {
  std::vector<std::vector<int64_t>> reached;
  for (std::vector<int64_t>& group : groups) {
    std::vector<int64_t> there, missing;
    for (int64_t d : group) (operands[d].empty() ? missing : there).push_back(d);
    if (!there.empty() && !missing.empty()) {
      const std::string text = llvm::toString(
          Fail(op, "is never over: of a group device " + Listed(there) + " waits for device " +
                       Listed(missing) + ", which does not come to it"));
      return llvm::make_error<Deadlock>(text);
    }
    if (missing.empty()) reached.push_back(std::move(group));
  }
  return reached;
}

// The results of one device, whose arrays are `leaves`.
Result ResultOnDevice(const Instruction& op, const CollectiveRow& row, int64_t device,
                      std::vector<Literal> leaves, llvm::ArrayRef<const Literal*> operands,
                      const DeviceReadObserver* observer) {
  Literal made = Assemble(row.is_start ? op.shape.tuple[1] : op.shape, std::move(leaves));
  if (!row.is_start) return made;
  const ReadObserver reads = [&](const Instruction&, int64_t result_leaf, int64_t linear,
                                 int64_t operand, int64_t leaf, int64_t from) {
    if (observer) (*observer)({device, result_leaf, linear, device, operand, leaf, from});
  };
  return AsyncStartValue({op, operands, observer ? &reads : nullptr}, std::move(made));
}

}  // namespace

char Deadlock::ID = 0;

llvm::Expected<std::vector<Literal>> EvaluateCollective(const Instruction& op,
                                                        OperandsOfDevices operands,
                                                        const Devices& devices,
                                                        const DeviceReadObserver* observer) {
  if (op.operands.empty()) return Fail(op, "has 0 operands");
  auto all_groups = CommunicatingGroups(op, devices);
  if (!all_groups) return all_groups.takeError();
  auto groups = ReachedGroups(op, operands, std::move(*all_groups));
  if (!groups) return groups.takeError();
  if (op.opcode == Opcode::kRaggedAllToAll) {
    return EvaluateRaggedAllToAll(op, operands, *groups, observer);
  }
  const CollectiveRow& row = *FindRow(op.opcode);
  const std::vector<const Shape*> shapes = ArraysMade(op, row);
  Writer writer(op, row, operands, observer);
  if (auto error = writer.PrepareCombiner()) return error;
  std::vector<std::vector<Literal>> leaves(devices.count());
  for (int64_t d = 0; d < devices.count(); ++d) {
    if (operands[d].empty()) continue;
    for (const Shape* shape : shapes) {
      Result zeros = NewLiteral(op, *shape);
      if (!zeros) return zeros.takeError();
      leaves[d].push_back(std::move(*zeros));
    }
  }
  for (const std::vector<int64_t>& group : *groups) {
    if (!Fits(op, row, shapes, std::ssize(group))) return Fail(op, "does not fit its operands");
    for (size_t position = 0; position < group.size(); ++position) {
      for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
        if (auto error = writer.Write(group, position, leaf, leaves[group[position]][leaf])) {
          return error;
        }
      }
    }
  }
  std::vector<Literal> results(devices.count());
  for (int64_t d = 0; d < devices.count(); ++d) {
    if (operands[d].empty()) continue;
    Result result = ResultOnDevice(op, row, d, std::move(leaves[d]), operands[d], observer);
    if (!result) return result.takeError();
    results[d] = std::move(*result);
  }
  return results;
}

}  // namespace affirm::hlo
