// check --symbolic says what was proved of the formula and where the code was held against it.
#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

bool Has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Symbolic, SaysWhatIsProvedOfWhat) {
  const RunResult run = RunAffirm({"check", "--symbolic", "slice", "--rank", "1"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_TRUE(Has(run.out, "the formula proved for all start0 >= 0")) << run.out;
  EXPECT_TRUE(Has(run.out, "sizes compared")) << run.out;
  EXPECT_TRUE(Has(run.out, "the code's maps equal them at the 20 sizes compared")) << run.out;
  EXPECT_FALSE(Has(run.out, "verdict: proved for all sizes")) << run.out;
}

TEST(Symbolic, SaysItInJsonToo) {
  const RunResult run = RunAffirm({"check", "--symbolic", "pad", "--rank", "1", "--json"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  auto json = llvm::json::parse(run.out);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError());
  const llvm::json::Object& root = *json->getAsObject();
  EXPECT_TRUE(Has(root.getString("verdict")->str(), "sizes compared"));
  for (const llvm::json::Value& form : *root.getArray("forms")) {
    const llvm::json::Object& object = *form.getAsObject();
    EXPECT_EQ(object.get("verdict"), nullptr);
    EXPECT_EQ(object.getObject("formula")->getString("verdict_for_all_sizes"), "proved");
    const llvm::json::Object& code = *object.getObject("code");
    EXPECT_EQ(code.getInteger("equal"), code.getInteger("sizes_compared"));
    // Most of the comparisons are of arrays that have elements.
    EXPECT_GT(*code.getInteger("with_elements") * 2, *code.getInteger("sizes_compared"));
  }
}

TEST(Symbolic, HelpSaysIt) {
  const RunResult run = RunAffirm({"check", "--help"});
  EXPECT_TRUE(Has(run.out, "formula")) << run.out;
  EXPECT_FALSE(Has(run.out, "verdict: proved for all sizes")) << run.out;
}

}  // namespace
}  // namespace affirm::testing
