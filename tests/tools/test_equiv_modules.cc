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
