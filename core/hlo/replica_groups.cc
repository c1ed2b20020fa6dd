// Expands the forms of replica_groups and source_target_pairs.
#include "core/hlo/replica_groups.h"

#include <numeric>

#include "core/hlo/attribute_values.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::hlo {
namespace {

constexpr int64_t kMaxDevices = int64_t{1} << 20;

// "2,4"
std::optional<Ints> Numbers(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  Ints numbers;
  for (llvm::StringRef part : parts) {
    int64_t number = 0;
    if (part.trim().getAsInteger(10, number) || number < 0) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

// The product of sizes; nullopt beyond the limit.
std::optional<int64_t> NumDevices(const Ints& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (llvm::MulOverflow(count, size, count) || count > kMaxDevices) return std::nullopt;
  }
  return count;
}

// "[groups,members]<=[sizes]T(order)": numbers from 0 fill an array of these sizes; its dims are
// put in this order, and the elements are cut into groups.
struct IotaGroups {
  int64_t groups = 0, members = 0;
  Ints sizes, order;
};

std::optional<IotaGroups> ParseIota(llvm::StringRef text) {
  auto [shape, from] = text.trim().split("<=");
  auto [sizes, order] = from.split('T');
  if (!shape.consume_front("[") || !shape.consume_back("]")) return std::nullopt;
  if (!sizes.consume_front("[") || !sizes.consume_back("]")) return std::nullopt;
  const std::optional<Ints> counts = Numbers(shape), dims = Numbers(sizes);
  if (!counts || counts->size() != 2 || !dims) return std::nullopt;
  IotaGroups iota{(*counts)[0], (*counts)[1], *dims, Ints(dims->size())};
  std::iota(iota.order.begin(), iota.order.end(), 0);
  if (order.empty()) return iota;
  if (!order.consume_front("(") || !order.consume_back(")")) return std::nullopt;
  const std::optional<Ints> permutation = Numbers(order);
  if (!permutation || !std::is_permutation(permutation->begin(), permutation->end(),
                                           iota.order.begin(), iota.order.end())) {
    return std::nullopt;
  }
  iota.order = *permutation;
  return iota;
}

std::optional<std::vector<Ints>> Expand(const IotaGroups& iota) {
  const std::optional<int64_t> count = NumDevices(iota.sizes);
  if (!count || NumDevices({iota.groups, iota.members}) != count) return std::nullopt;
  Ints strides(iota.sizes.size(), 1);
  for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * iota.sizes[d];
  std::vector<Ints> groups(iota.groups);
  for (int64_t place = 0; place < *count; ++place) {
    int64_t device = 0, rest = place;
    for (size_t k = iota.order.size(); k-- > 0;) {
      const int64_t d = iota.order[k];
      device += rest % iota.sizes[d] * strides[d];
      rest /= iota.sizes[d];
    }
    groups[place / iota.members].push_back(device);
  }
  return groups;
}

}  // namespace

GroupMode ModeOf(const Instruction& collective) {
  const Attributes& a = collective.attributes;
  if (!IntegerAttribute(a, "channel_id").has_value()) return GroupMode::kReplicas;
  switch (collective.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return BoolAttribute(a, "use_global_device_ids").value_or(false)
                 ? GroupMode::kDevices
                 : GroupMode::kReplicasAllPartitions;
    default:
      return GroupMode::kPartitions;
  }
}

std::optional<std::vector<Ints>> ReplicaGroups(const Instruction& collective) {
  const Attributes& a = collective.attributes;
  if (!a.replica_groups.empty()) return a.replica_groups;
  const llvm::StringRef text = WordAttribute(a, "replica_groups");
  if (text.empty() || llvm::StringRef(text.drop_front()).ltrim() == "}") {
    return std::vector<Ints>();
  }
  const std::optional<IotaGroups> iota = ParseIota(text);
  return iota ? Expand(*iota) : std::nullopt;
}

bool IsReplicaGroups(llvm::StringRef text) {
  return ParseLists(text).has_value() || ParseIota(text).has_value();
}

int64_t GroupSize(const Instruction& collective) {
  const auto& groups = collective.attributes.replica_groups;
  if (!groups.empty()) return static_cast<int64_t>(groups.front().size());
  const auto iota = ParseIota(WordAttribute(collective.attributes, "replica_groups"));
  return iota ? iota->members : 0;
}

std::optional<std::vector<std::pair<int64_t, int64_t>>> SourceTargetPairs(
    const Instruction& collective) {
  const auto lists = ListsAttribute(collective.attributes, "source_target_pairs");
  if (!lists) return std::nullopt;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const Ints& pair : *lists) {
    if (pair.size() != 2) return std::nullopt;
    pairs.emplace_back(pair[0], pair[1]);
  }
  return pairs;
}

}  // namespace affirm::hlo
