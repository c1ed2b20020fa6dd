// Collectives and control flow on simulated devices.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "tests/reference/run.h"
#include "verify/reference/device_arguments.h"
#include "verify/reference/device_count.h"
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
  // Device 0 makes one trip more than device 1.
  EXPECT_NE(error.find("all-reduce y is never over: of a group device 0 waits for device 1"),
            std::string::npos)
      << error;
  EXPECT_EQ(OnDevices("ENTRY e { x = s32[2] parameter(0) a = u32[] replica-id() "
                      "b = u32[] partition-id() t = u32[] constant(10) m = u32[] multiply(a, t) "
                      "ROOT r = u32[] add(m, b) }",
                      {2, 2}, {2}),
            (Lists{{0}, {1}, {10}, {11}}));
}

// Devices 0 and 1 take one branch, 2 and 3 the other. What counts is that a group is complete.
TEST(Devices, TakeDifferentBranches) {
  auto with = [&](const std::string& groups) {
    return kSum +
           "meet { x = s32[2] parameter(0) ROOT y = s32[2] all-reduce(x), to_apply=sum, "
           "replica_groups=" +
           groups +
           " }\nstay { x = s32[2] parameter(0) ROOT y = s32[2] negate(x) }\n"
           "ENTRY e { x = s32[2] parameter(0) k = u32[] replica-id() two = u32[] constant(2) "
           "b = u32[] divide(k, two) i = s32[] convert(b) "
           "ROOT r = s32[2] conditional(i, x, x), branch_computations={meet, stay} }";
  };
  EXPECT_EQ(OnDevices(with("{{0,1},{2,3}}"), {4, 1}, {2}),
            (Lists{{10, 12}, {10, 12}, {-20, -21}, {-30, -31}}));
  std::string error;
  OnDevices(with("{{0,2},{1,3}}"), {4, 1}, {2}, &error);
  EXPECT_NE(error.find("of a group device 0 waits for device 2, which does not come to it"),
            std::string::npos)
      << error;
}

// Whether a loop goes on may be agreed upon: here while the sum of all is below 100.
TEST(Devices, DecideTogether) {
  EXPECT_EQ(
      OnDevices(kSum + "more { x = s32[2] parameter(0) y = s32[2] all-reduce(x), to_apply=sum "
                       "f = s32[1] slice(y), slice={[0:1]} s = s32[] reshape(f) "
                       "n = s32[] constant(100) ROOT c = pred[] compare(s, n), direction=LT }\n"
                       "step { x = s32[2] parameter(0) ROOT y = s32[2] add(x, x) }\n"
                       "ENTRY e { x = s32[2] parameter(0) "
                       "ROOT w = s32[2] while(x), condition=more, body=step }",
                {2, 1}, {2}),
      (Lists{{0, 16}, {160, 176}}));
}

std::string CountText(const std::string& text) {
  const auto module = Parse(text);
  if (module == nullptr) return "";
  const DeviceCount count = CountDevices(*module);
  return std::to_string(count.devices.replicas) + " x " + std::to_string(count.devices.partitions) +
         ": " + count.assumed;
}

TEST(DeviceCount, IsTheLeastThatTheCollectivesAllow) {
  EXPECT_EQ(CountText(Entry("s32[2] negate(x)")), "1 x 1: ");
  EXPECT_EQ(CountText(Entry("s32[2] all-reduce(x), to_apply=sum, replica_groups={{0,1},{2,3}}")),
            "4 x 1: 4 replicas, from the groups of its collectives");
  EXPECT_EQ(CountText(Entry("s32[2] all-reduce(x), to_apply=sum, replica_groups={}")),
            "2 x 1: 2 replicas, the fewest that communicate");
  EXPECT_EQ(CountText(Entry("s32[2] all-reduce(x), to_apply=sum, replica_groups=[1,8]<=[8], "
                            "channel_id=1, use_global_device_ids=true")),
            "1 x 8: 8 partitions, from the groups of its collectives");
  EXPECT_EQ(CountText(Entry("s32[2] collective-permute(x), channel_id=1, "
                            "source_target_pairs={{0,5}}")),
            "1 x 6: 6 partitions, from the groups of its collectives");
  EXPECT_EQ(CountText(Entry("s32[16] all-gather(x), dimensions={0}")),
            "8 x 1: 8 replicas, from the sizes of its collectives");
  // Two replicas with all of their partitions are eight.
  EXPECT_EQ(CountText(Entry("s32[16] all-gather(x), dimensions={0}, channel_id=1, "
                            "replica_groups={{0,1}}")),
            "2 x 4: 2 replicas, from the groups of its collectives; 4 partitions, from the sizes "
            "of its collectives");
}

TEST(DeviceCount, OfTheHeaderStands) {
  auto count_of = [](const std::string& header) {
    auto module = ParseModule("HloModule m, " + header + "\n" +
                                  Entry("s32[2] all-reduce(x), to_apply=sum, channel_id=1, "
                                        "replica_groups=[1,8]<=[8], use_global_device_ids=true"),
                              "test");
    EXPECT_TRUE(static_cast<bool>(module));
    const DeviceCount count = CountDevices(**module);
    return std::make_tuple(count.devices.replicas, count.devices.partitions, count.assumed);
  };
  EXPECT_EQ(count_of("replica_count=2, num_partitions=4"), std::make_tuple(2, 4, ""));
  EXPECT_EQ(count_of("replica_count=2"),
            std::make_tuple(2, 4, "4 partitions, from the groups of its collectives"));
  EXPECT_EQ(count_of("num_partitions=2"),
            std::make_tuple(4, 2, "4 replicas, from the groups of its collectives"));
  // Too few: the interpreter says so.
  EXPECT_EQ(count_of("replica_count=1, num_partitions=1"), std::make_tuple(1, 1, ""));
}

// Every member gets rows of every other one.
TEST(DeviceArguments, OfRaggedRowsFit) {
  const std::string text =
      "ENTRY e { in = s32[6,2] parameter(0) out = s32[9,2] parameter(1) a = s64[3] parameter(2) "
      "b = s64[3] parameter(3) c = s64[3] parameter(4) d = s64[3] parameter(5) "
      "ROOT r = s32[9,2] ragged-all-to-all(in, out, a, b, c, d), replica_groups={{2,0,1}} }";
  const auto module = Parse(text);
  ASSERT_NE(module, nullptr);
  for (ArgumentKind kind : kArgumentKinds) {
    const auto arguments =
        MakeArgumentsOnDevices(*module->entry, 7, kind, {3, 1}, SharedArguments::kNone);
    EXPECT_NE(IntValues(arguments[0][0]), IntValues(arguments[1][0]));
    auto results = InterpretOnDevices(*module->entry, arguments, {3, 1});
    ASSERT_TRUE(static_cast<bool>(results)) << llvm::toString(results.takeError());
    for (int64_t d = 0; d < 3; ++d) {
      EXPECT_NE(IntValues((*results)[d]), IntValues(arguments[d][1])) << d;
    }
  }
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
