// Modules on all of their devices: what is affirmed, and that a wrong map of a collective, and a
// collective that some of its group do not reach, are not.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/check.h"

namespace affirm::driver {
namespace {

ModuleReport Check(const std::string& text, FaultInjection faults = {}) {
  auto module = hlo::ParseModule(text, "test.hlo");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  CheckOptions options;
  options.faults = std::move(faults);
  return Checker(options).Check(**module, "test.hlo", [](llvm::StringRef) {});
}

constexpr char kSum[] =
    "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n";

std::string Gathered(const std::string& header) {
  return "HloModule m" + header +
         "\nENTRY e { x = f32[2,3] parameter(0) n = f32[2,3] negate(x) g = f32[4,3] "
         "all-gather(n), dimensions={0}, replica_groups={{1,0},{2,3}} ROOT r = f32[4,3] "
         "exponential(g) }";
}

TEST(Devices, AreThoseOfTheHeaderOrOfTheGroups) {
  const std::string covered =
      "4 of 4 instructions, 2 of 2 kernels, the module as a whole on 5 sets of arguments for each "
      "of 4 devices";
  const ModuleReport named = Check(Gathered(", replica_count=4"));
  EXPECT_EQ(named.verdict(), "affirmed");
  EXPECT_EQ(named.Covered(), covered);
  const ModuleReport assumed = Check(Gathered(""));
  EXPECT_EQ(assumed.verdict(), "affirmed");
  EXPECT_EQ(assumed.Covered(), covered + " (4 replicas, from the groups of its collectives)");
  for (const CollectiveCheck& check : assumed.whole.collectives) EXPECT_EQ(check.runs, 5);
  // Each kernel runs on each device.
  for (const KernelCheck& check : assumed.kernels) EXPECT_EQ(check.runs, 20);
  // Too few.
  EXPECT_NE(Check(Gathered(", replica_count=2")).status(), 0);
}

// The proof refutes the map, and the exchange by it gives other values.
TEST(Devices, WrongReplicasAreFound) {
  FaultInjection faults;
  faults.op_map = [](const hlo::Instruction& op, int64_t, LabeledMap& map) {
    if (op.opcode != hlo::Opcode::kAllGather) return;
    const SymbolicExpr member = map.replica_id->results()[0];
    map.replica_id = map.replica_id->WithResults({-member + 1});
  };
  const ModuleReport report = Check(Gathered(""), faults);
  int refuted = 0, different = 0;
  for (const Finding& finding : report.findings) {
    refuted += finding.kind == Finding::Kind::kRefuted;
    different += finding.kind == Finding::Kind::kMismatch &&
                 finding.text.find("an exchange by its maps") != std::string::npos;
  }
  EXPECT_EQ(refuted, 1);
  EXPECT_EQ(different, 1);
  EXPECT_EQ(report.status(), 1);
}

// Replicas that a map does not state are not guessed.
TEST(Devices, MapsWithoutReplicasCannotBeExchanged) {
  FaultInjection faults;
  faults.op_map = [](const hlo::Instruction& op, int64_t, LabeledMap& map) {
    if (op.opcode == hlo::Opcode::kAllGather) map.replica_id.reset();
  };
  const ModuleReport report = Check(Gathered(""), faults);
  EXPECT_EQ(report.status(), 2);
  EXPECT_NE(report.verdict().find("its map does not say which member is read"), std::string::npos)
      << report.verdict();
  EXPECT_EQ(report.whole.runs, 0);
}

std::string Loop(const std::string& start) {
  return std::string("HloModule m, replica_count=2\n") + kSum +
         "more { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
         "n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }\n"
         "step { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
         "x = f32[2] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) "
         "y = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=sum "
         "ROOT t = (s32[], f32[2]) tuple(j, y) }\n"
         "ENTRY e { x = f32[2] parameter(0) given = s32[] parameter(1) k = u32[] replica-id() "
         "id = s32[] convert(k) zero = s32[] constant(0) s = (s32[], f32[2]) tuple(" +
         start +
         ", x) w = (s32[], f32[2]) while(s), condition=more, body=step "
         "ROOT r = f32[2] get-tuple-element(w), index=1 }";
}

TEST(Devices, DeadlocksAreFound) {
  const ModuleReport report = Check(Loop("id"));
  EXPECT_EQ(report.status(), 1);
  EXPECT_NE(report.verdict().find("all-reduce y is never over: of a group device 0 waits for "
                                  "device 1, which does not come to it"),
            std::string::npos)
      << report.verdict();
}

// A loop that an argument ends: devices that are given the same meet.
TEST(Devices, ShareScalarsWhereLoopsNeedIt) {
  const ModuleReport report = Check(Loop("given"));
  EXPECT_NE(report.status(), 1) << report.verdict();
  EXPECT_EQ(report.whole.shared, hlo::SharedArguments::kScalars);
  EXPECT_NE(report.Covered().find("with the same scalar arguments"), std::string::npos)
      << report.Covered();
  EXPECT_EQ(Check(Loop("zero")).whole.shared, hlo::SharedArguments::kNone);
}

// With one device the report does not mention devices.
TEST(Devices, OneIsNotMentioned) {
  const ModuleReport report = Check(
      "HloModule m, replica_count=8\nENTRY e { x = f32[2] parameter(0) ROOT n = f32[2] "
      "negate(x) }");
  EXPECT_EQ(report.Covered(),
            "2 of 2 instructions, 1 of 1 kernels, the module as a whole on 5 sets of arguments");
}

}  // namespace
}  // namespace affirm::driver
