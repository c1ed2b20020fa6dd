// Tests of replica groups and source-target pairs of collectives, and of attributes that are kept
// as text.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/attribute_values.h"
#include "core/hlo/replica_groups.h"
#include "core/hlo/text.h"

namespace affirm::hlo {
namespace {

std::string TextWithOp(const std::string& op) {
  return "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, "
         "b) "
         "}\n"
         "ENTRY e { x = f32[8] parameter(0) ROOT r = " +
         op + " }";
}

// The root of an entry in which `op` uses x = f32[8].
std::unique_ptr<Module> WithOp(const std::string& op) {
  auto module = ParseModule(TextWithOp(op), "t");
  if (module) return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError());
  return nullptr;
}

std::optional<std::vector<Ints>> GroupsOf(const std::string& groups) {
  const auto module = WithOp("f32[8] all-reduce(x), to_apply=sum, replica_groups=" + groups);
  return module ? ReplicaGroups(*module->entry->root) : std::nullopt;
}

using Lists = std::vector<Ints>;

TEST(ReplicaGroups, OfEveryForm) {
  EXPECT_EQ(GroupsOf("{}"), Lists());
  EXPECT_EQ(GroupsOf("{{0,2},{1,3}}"), (Lists{{0, 2}, {1, 3}}));
  EXPECT_EQ(GroupsOf("[1,4]<=[4]"), (Lists{{0, 1, 2, 3}}));
  EXPECT_EQ(GroupsOf("[4,2]<=[2,4]T(1,0)"), (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(GroupsOf("[2,4]<=[2,2,2]T(2,0,1)"), (Lists{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(ReplicaGroups, WhatIsNoSuchTextIsNotGuessed) {
  for (const char* text : {"[2,4]<=[4]", "[1,2000000]<=[2000000]",
                           "[4294967296,4294967296]<=[4294967296,4294967296]"}) {
    EXPECT_EQ(GroupsOf(text), std::nullopt) << text;
  }
}

// The error of reading `op`, or "".
std::string ErrorOf(const std::string& op) {
  auto module = ParseModule(TextWithOp(op), "t");
  return module ? "" : llvm::toString(module.takeError());
}

TEST(ReplicaGroups, WhatIsNoListOfGroupsIsNotRead) {
  for (const char* text : {"[2,2]<=[4]T(1,0)", "[2,2]<=[2,2]T(0,0)", "[2]<=[2]", "[a,b]<=[4]",
                           "[2,2]", "[-1,-4]<=[4]", "everybody"}) {
    EXPECT_EQ(ErrorOf(std::string("f32[8] all-reduce(x), to_apply=sum, replica_groups=") + text)
                  .substr(0, 30),
              "t:3:95: error: expected groups")
        << text;
  }
  for (const char* text : {"{{0,1,2}}", "{0,1}", "{{0}}"}) {
    EXPECT_EQ(ErrorOf(std::string("f32[8] collective-permute(x), source_target_pairs=") + text)
                  .substr(0, 29),
              "t:3:94: error: expected pairs")
        << text;
  }
}

TEST(ReplicaGroups, TheSizeOfAGroupNeedsNoLists) {
  auto size_of = [](const std::string& groups) {
    return GroupSize(
        *WithOp("f32[8] all-reduce(x), to_apply=sum, replica_groups=" + groups)->entry->root);
  };
  EXPECT_EQ(size_of("{{0,1,2}}"), 3);
  EXPECT_EQ(size_of("[2,8]<=[16]"), 8);
  EXPECT_EQ(size_of("[1,2000000]<=[2000000]"), 2000000);
  EXPECT_EQ(size_of("{}"), 0);
}

// Every device is in one group, at the place that the transposed array gives it.
RC_GTEST_PROP(ReplicaGroups, IotaListsEveryDeviceOnce, ()) {
  const int64_t a = *rc::gen::inRange(1, 5), b = *rc::gen::inRange(1, 5);
  const auto groups = GroupsOf("[" + std::to_string(b) + "," + std::to_string(a) + "]<=[" +
                               std::to_string(a) + "," + std::to_string(b) + "]T(1,0)");
  RC_ASSERT(groups.has_value());
  RC_ASSERT(std::ssize(*groups) == b);
  for (int64_t i = 0; i < b; ++i) {
    RC_ASSERT(std::ssize((*groups)[i]) == a);
    for (int64_t j = 0; j < a; ++j) RC_ASSERT((*groups)[i][j] == j * b + i);
  }
}

TEST(ReplicaGroups, ChannelsChooseWhatIsCounted) {
  auto mode_of = [](const std::string& op) { return ModeOf(*WithOp(op)->entry->root); };
  const std::string reduce = "f32[8] all-reduce(x), to_apply=sum";
  EXPECT_EQ(mode_of(reduce), GroupMode::kReplicas);
  EXPECT_EQ(mode_of(reduce + ", channel_id=1"), GroupMode::kReplicasAllPartitions);
  EXPECT_EQ(mode_of(reduce + ", channel_id=1, use_global_device_ids=true"), GroupMode::kDevices);
  const std::string permute = "f32[8] collective-permute(x), source_target_pairs={{0,1}}";
  EXPECT_EQ(mode_of(permute), GroupMode::kReplicas);
  EXPECT_EQ(mode_of(permute + ", channel_id=3"), GroupMode::kPartitions);
}

TEST(SourceTargetPairs, AreReadOrRefused) {
  auto pairs_of = [](const std::string& text) {
    return SourceTargetPairs(
        *WithOp("f32[8] collective-permute(x), source_target_pairs=" + text)->entry->root);
  };
  const std::vector<std::pair<int64_t, int64_t>> want = {{0, 1}, {1, 0}};
  EXPECT_EQ(pairs_of("{{0,1},{1,0}}"), want);
  EXPECT_EQ(pairs_of("{}")->size(), 0u);
}

TEST(AttributeValues, AreOfTheirKindOrAbsent) {
  Attributes a;
  a.extra = {
      {"n", " 7 "}, {"yes", "true"}, {"list", "{3, 1}"}, {"lists", "{{1},{}}"}, {"bad", "{1"}};
  EXPECT_EQ(IntegerAttribute(a, "n"), 7);
  EXPECT_EQ(IntegerAttribute(a, "yes"), std::nullopt);
  EXPECT_EQ(IntegerAttribute(a, "none"), std::nullopt);
  EXPECT_EQ(BoolAttribute(a, "yes"), true);
  EXPECT_EQ(BoolAttribute(a, "n"), std::nullopt);
  EXPECT_EQ(IntsAttribute(a, "list"), (Ints{3, 1}));
  EXPECT_EQ(IntsAttribute(a, "lists"), std::nullopt);
  EXPECT_EQ(ListsAttribute(a, "lists"), (Lists{{1}, {}}));
  EXPECT_EQ(ListsAttribute(a, "bad"), std::nullopt);
  EXPECT_EQ(WordAttribute(a, "none"), "");
}

}  // namespace
}  // namespace affirm::hlo
