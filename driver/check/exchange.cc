#include "driver/check/exchange.h"

#include <utility>

#include "core/hlo/attribute_values.h"
#include "core/hlo/leaves.h"
#include "core/hlo/replica_groups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {

using hlo::GroupMode;
using hlo::Opcode;
using hlo::OperandsOfDevices;

namespace {

bool IsPermute(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
}

bool IsInside(llvm::ArrayRef<int64_t> index, const hlo::Shape& shape) {
  return std::ssize(index) == shape.rank() &&
         llvm::all_of(llvm::zip_equal(index, shape.dims), [](const auto& pair) {
           const auto [i, size] = pair;
           return i >= 0 && i < size;
         });
}

}  // namespace

llvm::Error Exchange::Fail(const llvm::Twine& what) const {
  return llvm::createStringError(
      std::errc::invalid_argument, "%s",
      (op_->opcode_text + " '" + op_->name + "': " + what).str().c_str());
}

llvm::Expected<Exchange> Exchange::Create(const hlo::Instruction& collective,
                                          const hlo::Devices& devices,
                                          std::vector<InstructionIndexing> maps) {
  Exchange made(collective, devices, std::move(maps));
  for (const InstructionIndexing& of_leaf : made.maps_) {
    if (of_leaf.maps.size() != collective.operands.size()) return made.Fail("it has no maps");
  }
  for (int64_t d = 0; d < devices.count(); ++d) {
    made.groups_.push_back(made.GroupOf(d));
    made.senders_.push_back(made.SourceOfPair(d));
  }
  if (!made.IsReduction()) return made;
  if (collective.called.size() != 1) return made.Fail("it calls no computation");
  for (const hlo::Instruction* operand : collective.operands) {
    const hlo::PrimitiveType type = operand->shape.type;
    auto combiner =
        hlo::ScalarFunction::Create(collective, *collective.called.front(), {type, type}, {type});
    if (!combiner) return combiner.takeError();
    made.combiners_.push_back(std::move(*combiner));
  }
  return made;
}

bool Exchange::IsReduction() const {
  return op_->opcode == Opcode::kAllReduce || op_->opcode == Opcode::kAllReduceStart ||
         op_->opcode == Opcode::kReduceScatter;
}

// The operands stand in the tuple of these starts, before the results.
bool Exchange::IsHandedThrough(int64_t leaf) const {
  const bool has_operands =
      op_->opcode == Opcode::kAllGatherStart || op_->opcode == Opcode::kCollectivePermuteStart;
  return has_operands && leaf < std::ssize(op_->operands);
}

// The number of a device as groups and pairs count it.
int64_t Exchange::NumberOf(int64_t device) const {
  switch (hlo::ModeOf(*op_)) {
    case GroupMode::kPartitions:
      return device % devices_.partitions;
    case GroupMode::kDevices:
      return device;
    case GroupMode::kReplicas:
    case GroupMode::kReplicasAllPartitions:
      return device / devices_.partitions;
  }
  return device;
}

// The devices with that number that `device` can meet.
std::vector<int64_t> Exchange::WithNumber(int64_t number, int64_t device) const {
  const int64_t partitions = devices_.partitions;
  switch (hlo::ModeOf(*op_)) {
    case GroupMode::kReplicas:
      return {number * partitions + device % partitions};
    case GroupMode::kPartitions:
      return {device - device % partitions + number};
    case GroupMode::kDevices:
      return {number};
    case GroupMode::kReplicasAllPartitions:
      break;
  }
  std::vector<int64_t> all;
  all.reserve(partitions);
  for (int64_t p = 0; p < partitions; ++p) all.push_back(number * partitions + p);
  return all;
}

Exchange::Group Exchange::GroupOf(int64_t device) const {
  Group group;
  if (IsPermute(op_->opcode)) return group;
  std::vector<int64_t> numbers;
  auto groups = hlo::ReplicaGroups(*op_);
  if (!groups) return group;
  const int64_t own = NumberOf(device);
  for (const std::vector<int64_t>& some : *groups) {
    if (llvm::is_contained(some, own)) numbers = some;
  }
  if (groups->empty()) {  // everybody
    for (int64_t other = 0; other < devices_.count(); ++other) {
      if (!llvm::is_contained(numbers, NumberOf(other))) numbers.push_back(NumberOf(other));
    }
    llvm::sort(numbers);
  }
  for (int64_t number : numbers) llvm::append_range(group.members, WithNumber(number, device));
  group.position = llvm::find(group.members, device) - group.members.begin();
  return group;
}

// The device that sends to a device by a permute.
std::optional<int64_t> Exchange::SourceOfPair(int64_t device) const {
  if (!IsPermute(op_->opcode)) return std::nullopt;
  const auto pairs = hlo::SourceTargetPairs(*op_);
  if (!pairs) return std::nullopt;
  for (const auto& [source, target] : *pairs) {
    if (target == NumberOf(device)) return WithNumber(source, device).front();
  }
  return std::nullopt;
}

// Adds what one map of an operand leads to. Where the map has a range variable, what is read
// depends on the reader: `range` is the variable's value.
llvm::Error Exchange::AddSources(const LabeledMap& map, int64_t operand, int64_t device,
                                 int64_t leaf, llvm::ArrayRef<int64_t> index,
                                 std::optional<int64_t> range, std::vector<Source>& sources) const {
  if (map.map.state() != IndexingMap::State::kNormal || !map.map.runtime().empty()) {
    return Fail("its map is not known");
  }
  const std::vector<int64_t> ranges(map.map.ranges().size(), range.value_or(0));
  if (ranges.size() > (range ? 1 : 0)) return Fail("its map does not say which element is read");
  if (!map.map.InDomain(index, ranges)) return llvm::Error::success();
  auto element = map.map.Evaluate(index, ranges);
  if (!element) return element.takeError();
  const std::vector<int64_t>& members = groups_[device].members;
  std::vector<int64_t> from;
  if (map.replica_id) {
    auto member = map.replica_id->Evaluate(index, ranges);
    if (!member) return member.takeError();
    if (member->size() != 1 || member->front() < 0 || member->front() >= std::ssize(members)) {
      return Fail("its map names a member that its group does not have");
    }
    from = {members[member->front()]};
  } else if (IsHandedThrough(leaf) || op_->opcode == Opcode::kRaggedAllToAll) {
    from = {device};
  } else if (IsPermute(op_->opcode)) {
    if (senders_[device]) from = {*senders_[device]};
  } else if (IsReduction()) {
    from = members;
  } else {
    return Fail("its map does not say which member is read");
  }
  for (int64_t sender : from) sources.push_back({sender, operand, *element});
  return llvm::Error::success();
}

llvm::Expected<std::vector<Exchange::Source>> Exchange::Sources(
    OperandsOfDevices operands, int64_t device, int64_t leaf, llvm::ArrayRef<int64_t> index) const {
  if (op_->opcode == Opcode::kRaggedAllToAll) return RaggedSource(operands, device, index);
  std::vector<Source> sources;
  const bool in_group = IsPermute(op_->opcode) || !groups_[device].members.empty();
  if (!in_group && !IsHandedThrough(leaf)) return sources;
  const bool by_element = op_->opcode == Opcode::kAllToAll && op_->shape.IsTuple();
  for (auto [k, maps] : llvm::enumerate(maps_[leaf].maps)) {
    // Each member has an operand for each reader.
    if (by_element && static_cast<int64_t>(k) != groups_[device].position) continue;
    for (const LabeledMap& map : maps) {
      if (auto error = AddSources(map, static_cast<int64_t>(k), device, leaf, index,
                                  groups_[device].position, sources)) {
        return error;
      }
    }
  }
  return sources;
}

// The row of the result that a member sends here, or that of the second operand. Of members that
// send to one row the last one counts.
llvm::Expected<std::vector<Exchange::Source>> Exchange::RaggedSource(
    OperandsOfDevices operands, int64_t device, llvm::ArrayRef<int64_t> index) const {
  const Group& group = groups_[device];
  std::vector<Source> sources;
  for (int64_t sender : group.members) {
    auto number = [&](size_t k) { return operands[sender][k]->GetInt(group.position); };
    const int64_t row = index[0] - number(4);
    if (row < 0 || row >= number(3)) continue;
    sources.clear();
    for (const LabeledMap& map : maps_[0].maps[0]) {
      if (auto error = AddSources(map, 0, device, 0, index, number(2) + row, sources)) {
        return error;
      }
    }
    for (Source& source : sources) source.device = sender;
  }
  if (!sources.empty()) return sources;
  for (const LabeledMap& map : maps_[0].maps[1]) {
    if (auto error = AddSources(map, 1, device, 0, index, std::nullopt, sources)) return error;
  }
  return sources;
}

llvm::Expected<std::optional<hlo::Scalar>> Exchange::Element(OperandsOfDevices operands,
                                                             int64_t device, int64_t leaf,
                                                             llvm::ArrayRef<int64_t> index) {
  auto sources = Sources(operands, device, leaf, index);
  if (!sources) return sources.takeError();
  if (sources->size() > 1 && !IsReduction()) return Fail("its maps lead to several elements");
  std::optional<hlo::Scalar> value;
  for (const Source& source : *sources) {
    const hlo::Literal& operand = *operands[source.device][source.operand];
    if (!IsInside(source.index, operand.shape())) {
      return Fail("its map leads to an element that the operand does not have");
    }
    const hlo::Scalar next = hlo::Load(operand, operand.Linear(source.index));
    if (!value) {
      value = next;
      continue;
    }
    hlo::Scalar pair[] = {*value, next};
    if (auto error =
            combiners_[source.operand].Apply(pair, llvm::MutableArrayRef<hlo::Scalar>(pair, 1))) {
      return error;
    }
    value = pair[0];
  }
  return value;
}

}  // namespace affirm::driver
