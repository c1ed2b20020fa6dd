// `affirm equiv --hlo`: statuses, reports, bad input.
#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

const std::string kFolder = "corpus/equivalence/slice_of_slice.";

TEST(EquivModules, ASliceOfASliceClampsTwice) {
  RunResult r = RunAffirm({"equiv", "--hlo", kFolder + "before.hlo", kFolder + "fixed.hlo"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("result 0  s32[4]  proved"), std::string::npos) << r.out;
  r = RunAffirm({"equiv", "--hlo", kFolder + "before.hlo", kFolder + "after.hlo"});
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("verdict: different"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("replay: affirm equiv --hlo " + kFolder + "before.hlo"), std::string::npos);
}

TEST(EquivModules, AChoiceWithoutAnOpenPart) {
  const std::string folder = "corpus/equivalence/decided_parts.";
  const RunResult r =
      RunAffirm({"equiv", "--hlo", folder + "before.hlo", folder + "after.hlo", "--rounding"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("executed without a difference"), std::string::npos) << r.out;
}

TEST(EquivModules, AProtoIsTheModuleOfItsText) {
  const std::string text = "corpus/hlo/loop_zero_trips.hlo";
  const std::string proto = "corpus/hlo_proto/loop_zero_trips.hlo.pb";
  RunResult r = RunAffirm({"equiv", "--hlo", text, proto});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("same graph"), std::string::npos) << r.out;
  r = RunAffirm({"check", proto});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(RunAffirm({"run", proto}).out, RunAffirm({"run", text}).out);
}

TEST(EquivModules, JsonHasTheWitness) {
  RunResult r = RunAffirm(
      {"equiv", "--hlo", "--json", "--seed", "3", kFolder + "before.hlo", kFolder + "after.hlo"});
  EXPECT_EQ(r.status, 1) << r.err;
  auto json = llvm::json::parse(r.out);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError()) << r.out;
  const llvm::json::Object& object = *json->getAsObject();
  EXPECT_EQ(object.getString("verdict"), "different");
  const llvm::json::Object* example = object.getObject("counterexample");
  ASSERT_NE(example, nullptr);
  EXPECT_EQ(example->getInteger("result"), 0);
  EXPECT_EQ(example->getArray("index")->size(), 1u);
  EXPECT_NE(example->getString("a"), example->getString("b"));
  EXPECT_TRUE(object.getString("replay")->contains("--seed 3"));
  EXPECT_EQ(example->getString("kind"), "solver");
  EXPECT_TRUE(example->getString("terms")->contains("the first reads x[")) << r.out;
}

// Two modules that differ for one integer out of 2^32, and read one element of 5.
RunResult RunOnRareDifference(const std::string& rare) {
  const std::string text = R"(HloModule m
ENTRY e {
  x = f32[2,5] parameter(0)
  t = (s32[3], pred[]) parameter(1)
  n = s32[3] get-tuple-element(t), index=0
  p = pred[] get-tuple-element(t), index=1
  m = s32[1] slice(n), slice={[1:2]}
  s = s32[] reshape(m)
  rare = s32[] constant()" +
                           rare +
                           R"()
  is = pred[] compare(s, rare), direction=EQ
  both = pred[] and(is, p)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  column = s32[] select(both, one, zero)
  d = f32[2,1] dynamic-slice(x, zero, column), dynamic_slice_sizes={2,1}
  ROOT e = f32[2,1] exponential(d)
})";
  const std::string never = R"(HloModule m
ENTRY e {
  x = f32[2,5] parameter(0)
  t = (s32[3], pred[]) parameter(1)
  d = f32[2,1] slice(x), slice={[0:2], [0:1]}
  ROOT e = f32[2,1] exponential(d)
})";
  TemporaryFile a("rare.hlo", text), b("never.hlo", never);
  return RunAffirm({"equiv", "--hlo", a.path(), b.path()});
}

TEST(EquivModules, TermsFindARareDifference) {
  RunResult r = RunOnRareDifference("-123456789");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("on arguments that terms gave"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(",1], the second reads x["), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(", -123456789, "), std::string::npos) << r.out;
}

TEST(EquivModules, BadInputNamesItsPlace) {
  TemporaryFile good("good.hlo", "HloModule m\nENTRY e { ROOT p = f32[4] parameter(0) }\n");
  TemporaryFile other("other.hlo", "HloModule m\nENTRY e { ROOT p = f32[5] parameter(0) }\n");
  TemporaryFile broken("broken.hlo", "HloModule m\nENTRY e { ROOT p = f32[4] parameter(0 }\n");
  RunResult r = RunAffirm({"equiv", "--hlo", good.path(), other.path()});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find(other.path() + ":1:1: error: "), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("parameter 0 is f32[4] and f32[5]"), std::string::npos) << r.err;
  r = RunAffirm({"equiv", "--hlo", good.path(), broken.path()});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find(broken.path() + ":2:"), std::string::npos) << r.err;
  EXPECT_EQ(RunAffirm({"equiv", "--hlo", good.path(), "no/such.hlo"}).status, 3);
  EXPECT_EQ(RunAffirm({"equiv", "--hlo", good.path()}).status, 3);
  EXPECT_EQ(RunAffirm({"equiv", "--seed", "1", good.path(), good.path()}).status, 3);
  r = RunAffirm({"equiv", "--hlo", "--allow", "everything", good.path(), good.path()});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("there is no law 'everything'"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace affirm::testing
