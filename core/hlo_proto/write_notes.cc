// Writes values of attributes that are kept as text: shardings, groups of devices, accuracies, the
// attributes of frontends.
#include <bit>
#include <map>

#include "core/hlo/attribute_text.h"
#include "core/hlo/float_format.h"
#include "core/hlo/scanner.h"
#include "core/hlo_proto/writer.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo_proto {
namespace {

// By their numbers in OpSharding.
constexpr llvm::StringLiteral kShardings[] = {"replicated", "maximal", "tuple",    "tiled",
                                              "manual",     "unknown", "unreduced"};
enum ShardingType : int32_t { kMaximal = 1, kTuple = 2, kTiled = 3 };

llvm::Expected<llvm::StringRef> NameOfSharding(int32_t type) {
  if (type >= 0 && type < static_cast<int32_t>(std::size(kShardings)))
    return llvm::StringRef(kShardings[type]);
  return MakeError("expected a known sharding, found number " + llvm::Twine(type));
}

template <typename Numbers>
std::string Inside(const Numbers& numbers) {
  const std::string text = ListText(numbers);
  return text.substr(1, text.size() - 2);
}

// "devices=[2,2]<=[4] last_tile_dim_replicate"
llvm::Expected<std::string> TilesText(const OpSharding& sharding) {
  const bool is_iota = sharding.iota_reshape_dims_size() > 0;
  if (is_iota && sharding.tile_assignment_devices_size() > 0)
    return MakeError("expected devices of a sharding as a list or as an iota, found both");
  std::string text = "devices=[" + Inside(sharding.tile_assignment_dimensions()) + "]";
  if (is_iota) {
    text += "<=[" + Inside(sharding.iota_reshape_dims()) + "]";
    if (sharding.iota_transpose_perm_size() > 1)
      text += "T(" + Inside(sharding.iota_transpose_perm()) + ")";
  } else {
    text += Inside(sharding.tile_assignment_devices());
  }
  if (sharding.replicate_on_last_tile_dim()) text += " last_tile_dim_replicate";
  if (sharding.last_tile_dims_size() == 0) return text;
  llvm::ListSeparator separator;
  text += " last_tile_dims={";
  for (const int32_t type : sharding.last_tile_dims()) {
    auto name = NameOfSharding(type);
    if (!name) return name.takeError();
    text += (llvm::Twine(llvm::StringRef(separator)) + *name).str();
  }
  return text + "}";
}

llvm::Expected<std::string> IotaGroupsText(const IotaReplicaGroupList& list) {
  if (list.iota_transpose_perm_size() != list.iota_reshape_dims_size())
    return MakeError("expected iota_transpose_perm to be as long as iota_reshape_dims");
  std::string text = "[" + std::to_string(list.num_replica_groups()) + "," +
                     std::to_string(list.num_devices_per_group()) + "]<=[" +
                     Inside(list.iota_reshape_dims()) + "]";
  if (list.iota_transpose_perm_size() > 1) text += "T(" + Inside(list.iota_transpose_perm()) + ")";
  return text;
}

}  // namespace

llvm::Expected<std::string> ReplicaGroupsText(const Instruction& op) {
  if (op.device_list_case() == Instruction::kMeshAxesReplicaGroupList)
    return MakeError("expected replica groups as lists, found axes of a mesh");
  const bool has_list = op.device_list_case() != Instruction::DEVICE_LIST_NOT_SET;
  const CollectiveDeviceList& list = op.collective_device_list();
  const bool has_groups = op.replica_groups_size() > 0 || list.replica_groups_size() > 0;
  const bool has_iota = op.has_iota_collective_device_list() || list.has_iota_replica_group_list();
  if ((has_list && op.replica_groups_size() > 0) || (has_groups && has_iota))
    return MakeError("expected one list of replica groups, found several");
  if (op.has_iota_collective_device_list()) return IotaGroupsText(op.iota_collective_device_list());
  if (has_iota) return IotaGroupsText(list.iota_replica_group_list());
  std::string text = "{";
  for (const ReplicaGroup& group : has_list ? list.replica_groups() : op.replica_groups())
    text += (text.size() > 1 ? "," : "") + ListText(group.replica_ids());
  return text + "}";
}

llvm::Expected<std::string> AccuracyText(const ResultAccuracy& accuracy) {
  if (accuracy.has_tolerance()) {
    const ResultAccuracy::Tolerance& tolerance = accuracy.tolerance();
    auto number = [](double value) {
      return hlo::FloatToText(hlo::PrimitiveType::kF64, std::bit_cast<uint64_t>(value));
    };
    return "{tolerance={atol=" + number(tolerance.atol()) + ",rtol=" + number(tolerance.rtol()) +
           ",ulps=" + std::to_string(tolerance.ulps()) + "}}";
  }
  if (accuracy.mode() == 1) return std::string("{mode=highest}");
  return MakeError("expected a known result_accuracy, found number " +
                   llvm::Twine(accuracy.mode()));
}

llvm::Expected<std::string> ShardingText(const OpSharding& sharding) {
  auto name = NameOfSharding(sharding.type());
  if (!name) return name.takeError();
  std::string text = "{";
  if (sharding.type() == kTuple) {
    for (const auto& [i, element] : llvm::enumerate(sharding.tuple_shardings())) {
      auto inner = ShardingText(element);
      if (!inner) return inner;
      text += (i > 0 ? ", " : "") + *inner;
    }
    return text + "}";
  }
  if (sharding.type() == kTiled) {
    auto tiles = TilesText(sharding);
    if (!tiles) return tiles;
    text += *tiles;
  } else {
    text += *name;
    if (sharding.type() == kMaximal)
      text += " device=" + Inside(sharding.tile_assignment_devices());
  }
  if (sharding.is_shard_group())
    text += (sharding.shard_group_type() == 0 ? " shard_as " : " shard_like ") +
            std::to_string(sharding.shard_group_id());
  return text + "}";
}

std::string JsonOrString(const std::string& text) {
  hlo::Scanner scanner(text, "", 0, text.size());
  if (llvm::StringRef(text).starts_with("{") && !llvm::StringRef(text).contains('\n')) {
    llvm::Expected<llvm::StringRef> value = scanner.RawValue();
    if (!value) {
      llvm::consumeError(value.takeError());
    } else if (value->size() == text.size()) {
      return text;
    }
  }
  std::string quoted;
  llvm::raw_string_ostream os(quoted);
  hlo::PrintString(text, os);
  return quoted;
}

llvm::Expected<std::string> FrontendAttributesText(const FrontendAttributes& attributes) {
  // A later entry of a map replaces an earlier one.
  std::map<std::string, std::string> sorted;
  for (const FrontendAttributes::Entry& entry : attributes.map())
    sorted[entry.key()] = entry.value();
  std::string text = "{";
  for (const auto& [key, value] : sorted) {
    auto word = Word(key, "the key of a frontend attribute");
    if (!word) return word.takeError();
    text += (text.size() > 1 ? "," : "") + word->str() + "=" + JsonOrString(value);
  }
  return text + "}";
}

}  // namespace affirm::hlo_proto
