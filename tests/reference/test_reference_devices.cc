// Collectives and control flow on simulated devices.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/reference/run.h"
#include "verify/reference/devices.h"

namespace affirm::hlo {
namespace {

const std::string kSum =
    "sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n";

// The values on each device, as lists; device d is given `base` + 10 * d.
std::vector<std::vector<int64_t>> OnDevices(const std::string& text, const Devices& devices,
                                            const std::vector<int64_t>& dims,
                                            std::string* error = nullptr) {
  const auto module = Parse(text);
  if (module == nullptr) return {};
  std::vector<std::vector<Literal>> arguments;
  for (int64_t d = 0; d < devices.count(); ++d) {
    Literal literal = Numbered(dims);
    for (int64_t i = 0; i < literal.NumElements(); ++i) literal.SetInt(i, i + 10 * d);
    arguments.push_back({std::move(literal)});
  }
  auto results = InterpretOnDevices(*module->entry, arguments, devices);
  if (!results) {
    const std::string message = llvm::toString(results.takeError());
    if (error == nullptr) ADD_FAILURE() << message;
    if (error != nullptr) *error = message;
    return {};
  }
  std::vector<std::vector<int64_t>> values;
  for (const Literal& result : *results) values.push_back(IntValues(result));
  return values;
}

using Lists = std::vector<std::vector<int64_t>>;

std::string Entry(const std::string& op) {
  return kSum + "ENTRY e { x = s32[2] parameter(0) ROOT r = " + op + " }";
}

TEST(Collectives, AllGather) {
  EXPECT_EQ(
      OnDevices(Entry("s32[4] all-gather(x), dimensions={0}, replica_groups={{1,0}}"), {2, 1}, {2}),
      (Lists{{10, 11, 0, 1}, {10, 11, 0, 1}}));
}

TEST(Collectives, AllReduceInGroups) {
  EXPECT_EQ(OnDevices(Entry("s32[2] all-reduce(x), to_apply=sum, replica_groups={{0,2},{1,3}}"),
                      {4, 1}, {2}),
            (Lists{{20, 22}, {40, 42}, {20, 22}, {40, 42}}));
  EXPECT_EQ(
      OnDevices(Entry("s32[2] all-reduce(x), to_apply=sum, replica_groups=[2,2]<=[2,2]T(1,0)"),
                {4, 1}, {2}),
      (Lists{{20, 22}, {40, 42}, {20, 22}, {40, 42}}));
}

// Devices 0 and 1 are the partitions of replica 0.
TEST(Collectives, ChannelsSayWhatGroupsCount) {
  const std::string op = "s32[2] all-reduce(x), to_apply=sum";
  const Devices devices{2, 2};
  EXPECT_EQ(OnDevices(Entry(op + ", replica_groups={{0,1}}"), devices, {2}),
            (Lists{{20, 22}, {40, 42}, {20, 22}, {40, 42}}));
  EXPECT_EQ(OnDevices(Entry(op + ", replica_groups={{0},{1}}, channel_id=1"), devices, {2}),
            (Lists{{10, 12}, {10, 12}, {50, 52}, {50, 52}}));
  EXPECT_EQ(OnDevices(Entry(op + ", replica_groups={{0,3},{1,2}}, channel_id=1, "
                                 "use_global_device_ids=true"),
                      devices, {2}),
            (Lists{{30, 32}, {30, 32}, {30, 32}, {30, 32}}));
  EXPECT_EQ(OnDevices(Entry("s32[2] collective-permute(x), channel_id=1, "
                            "source_target_pairs={{0,1}}"),
                      devices, {2}),
            (Lists{{0, 0}, {0, 1}, {0, 0}, {20, 21}}));
}

TEST(Collectives, ReduceScatterAndAllToAll) {
  EXPECT_EQ(OnDevices(Entry("s32[1] reduce-scatter(x), dimensions={0}, to_apply=sum, "
                            "replica_groups={{1,0}}"),
                      {2, 1}, {2}),
            (Lists{{12}, {10}}));
  EXPECT_EQ(
      OnDevices(Entry("s32[2] all-to-all(x), dimensions={0}, replica_groups={{0,1}}"), {2, 1}, {2}),
      (Lists{{0, 10}, {1, 11}}));
}

TEST(Collectives, PermuteAndBroadcast) {
  EXPECT_EQ(OnDevices(Entry("s32[2] collective-permute(x), source_target_pairs={{0,2},{2,1}}"),
                      {3, 1}, {2}),
            (Lists{{0, 0}, {20, 21}, {0, 1}}));
  EXPECT_EQ(OnDevices(Entry("s32[2] collective-broadcast(x), replica_groups={{2,0}}"), {3, 1}, {2}),
            (Lists{{20, 21}, {0, 0}, {20, 21}}));
}

// A reduce-scatter and an all-gather together are an all-reduce; two all-to-alls are the identity.
RC_GTEST_PROP(Collectives, GoTogether, ()) {
  const int64_t n = *rc::gen::inRange(1, 5), size = *rc::gen::inRange(1, 4);
  const std::string whole = Text(PrimitiveType::kS32, {n * size}),
                    piece = Text(PrimitiveType::kS32, {size});
  const std::string begin = kSum + "ENTRY e { x = " + whole + " parameter(0) ";
  const Devices devices{n, 1};
  RC_ASSERT(OnDevices(begin + "s = " + piece + " reduce-scatter(x), dimensions={0}, to_apply=sum " +
                          "ROOT r = " + whole + " all-gather(s), dimensions={0} }",
                      devices, {n * size}) ==
            OnDevices(begin + "ROOT r = " + whole + " all-reduce(x), to_apply=sum }", devices,
                      {n * size}));
  std::string group = "0";
  for (int64_t d = 1; d < n; ++d) group += "," + std::to_string(d);
  const std::string to_all = " all-to-all(%), dimensions={0}, replica_groups={{" + group + "}} ";
  auto of = [&](std::string name) { return std::string(to_all).replace(12, 1, name); };
  RC_ASSERT(OnDevices(begin + "y = " + whole + of("x") + "ROOT r = " + whole + of("y") + "}",
                      devices, {n * size}) ==
            OnDevices(begin + "ROOT r = " + whole + " copy(x) }", devices, {n * size}));
}

// Loops, branches and calls with collectives run in step on all devices.
TEST(Devices, MeetInControlFlow) {
  const std::string loop =
      kSum +
      "more { s = (s32[], s32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }\n"
      "step { s = (s32[], s32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "x = s32[2] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) "
      "y = s32[2] all-reduce(x), to_apply=sum ROOT t = (s32[], s32[2]) tuple(j, y) }\n"
      "ENTRY e { x = s32[2] parameter(0) k = u32[] replica-id() i = s32[] START "
      "s = (s32[], s32[2]) tuple(i, x) w = (s32[], s32[2]) while(s), condition=more, body=step "
      "ROOT r = s32[2] get-tuple-element(w), index=1 }";
  auto with = [&](const std::string& start) {
    std::string text = loop;
    return text.replace(text.find("START"), 5, start);
  };
  // 10 + 0 each, then twice what there is.
  EXPECT_EQ(OnDevices(with("constant(0)"), {2, 1}, {2}), (Lists{{40, 48}, {40, 48}}));
  std::string error;
  OnDevices(with("convert(k)"), {2, 1}, {2}, &error);
  EXPECT_NE(error.find("different numbers of trips"), std::string::npos) << error;
  EXPECT_EQ(OnDevices("ENTRY e { x = s32[2] parameter(0) a = u32[] replica-id() "
                      "b = u32[] partition-id() t = u32[] constant(10) m = u32[] multiply(a, t) "
                      "ROOT r = u32[] add(m, b) }",
                      {2, 2}, {2}),
            (Lists{{0}, {1}, {10}, {11}}));
}

TEST(Devices, ErrorsNameTheOp) {
  auto error_of = [](const std::string& op, Devices devices) {
    std::string error;
    OnDevices(Entry(op), devices, {2}, &error);
    return error;
  };
  EXPECT_NE(error_of("s32[2] all-reduce(x), to_apply=sum, replica_groups={{0,5}}", {2, 1})
                .find("all-reduce r names a device that is not there"),
            std::string::npos);
  EXPECT_NE(error_of("s32[2] all-reduce(x), to_apply=sum, replica_groups={{0,0}}", {2, 1})
                .find("names a device twice"),
            std::string::npos);
  EXPECT_NE(error_of("s32[6] all-gather(x), dimensions={0}, replica_groups={{0,1}}", {2, 1})
                .find("does not fit its operands"),
            std::string::npos);
  EXPECT_NE(error_of("s32[2] copy(x)", {0, 1}).find("expected from 1 to 4096 devices"),
            std::string::npos);
}

}  // namespace
}  // namespace affirm::hlo
