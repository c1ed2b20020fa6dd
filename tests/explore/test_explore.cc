// What `affirm explore` writes: the data of the page as JSON, and the file around it.
#include <gtest/gtest.h>

#include <map>

#include "core/hlo/text.h"
#include "driver/explore/explore.h"
#include "driver/explore/graph_layout.h"
#include "driver/explore/map_json.h"
#include "driver/explore/page_html.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm {
namespace {

using driver::ExploreOptions;
using driver::ExplorePage;
using testing::RunAffirm;
using testing::TemporaryFile;
using testing::TemporaryFolder;

std::string JsonOf(llvm::StringRef text, Context& context) {
  auto map = ParseIndexingMap(text, context);
  EXPECT_TRUE(bool(map));
  std::string json;
  llvm::raw_string_ostream os(json);
  os << llvm::json::Value(driver::MapJson(*map));
  return json;
}

// The data of a page.
llvm::json::Object DataOf(llvm::StringRef html) {
  auto [before, rest] = html.split("id=\"data\">");
  auto json = llvm::json::parse(rest.split("</script>").first);
  EXPECT_TRUE(bool(json));
  if (!json) {
    llvm::consumeError(json.takeError());
    return {};
  }
  return *json->getAsObject();
}

std::string PageOf(const ExploreOptions& options) {
  auto page = ExplorePage(options, [](const std::string&) {});
  EXPECT_TRUE(bool(page)) << llvm::toString(page.takeError());
  return page ? page->html : "";
}

TEST(MapJson, IsATreeOfEachResultAndConstraint) {
  Context context;
  EXPECT_EQ(JsonOf("(d0, d1)[s0] -> (d0 * 8 + s0, d1 mod 4), domain: d0 in [0, 3], d1 in [0, 9], "
                   "s0 in [0, 7], d0 + s0 in [0, 9]",
                   context),
            R"({"constraints":[[["+",0,"d0","s0"],0,9]],"dims":[[0,3],[0,9]],"ranges":[[0,7]],)"
            R"("results":[["+",0,["*",8,"d0"],"s0"],["mod","d1",4]],"runtime":[],)"
            R"("text":"(d0, d1)[s0] -> (d0 * 8 + s0, d1 mod 4), domain: d0 in [0, 3], )"
            R"(d1 in [0, 9], s0 in [0, 7], d0 + s0 in [0, 9]"})");
}

TEST(MapJson, WritesIntegersThatNoDoubleHoldsAsTexts) {
  Context context;
  const std::string json =
      JsonOf("(d0) -> (9223372036854775806, d0 * 9007199254740993), domain: d0 in [0, 1]", context);
  EXPECT_NE(json.find(R"(["c","9223372036854775806"])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"(["*","9007199254740993","d0"])"), std::string::npos) << json;
}

TEST(GraphLayout, PlacesOperandsAboveUsersAndConstantsBesideEach) {
  auto module = hlo::ParseModule(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  one = f32[4] constant({1, 1, 1, 1})
  a = f32[4] add(p, one)
  b = f32[4] multiply(a, one)
  ROOT c = f32[4] subtract(b, a)
})",
                                 "m.hlo");
  ASSERT_TRUE(bool(module));
  auto graph = driver::LayOut(*(*module)->entry);
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  std::map<int64_t, double> heights;
  for (const llvm::json::Value& node : *graph->getArray("nodes"))
    heights[*(*node.getAsArray())[0].getAsInteger()] = *(*node.getAsArray())[2].getAsNumber();
  EXPECT_EQ(graph->getArray("nodes")->size(), 6U);  // five, and a copy of the constant
  EXPECT_EQ(graph->getArray("edges")->size(), 6U);
  for (const auto& op : (*module)->entry->instructions) {
    for (const hlo::Instruction* operand : op->operands) {
      if (operand->opcode == hlo::Opcode::kConstant) continue;
      EXPECT_LT(heights[operand->id], heights[op->id]) << op->name;
    }
  }
}

TEST(Page, StandsInOneFileThatNamesNoOther) {
  const std::string html = PageOf({.input = "corpus/hlo/softmax.hlo", .check = false});
  for (const char* other : {" src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(html.find(other), std::string::npos) << other;
}

TEST(Page, IsTheSameEachTime) {
  const ExploreOptions options{.input = "corpus/hlo/reduce_odd.hlo", .seed = 3};
  EXPECT_EQ(PageOf(options), PageOf(options));
}

// Text of the module is data, whatever it says.
TEST(Page, TextOfAModuleEndsNoScript) {
  const TemporaryFile file("m.hlo", R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p), metadata={op_name="</script><script>alert(1)</script><!--"}
})");
  const std::string html = PageOf({.input = file.path(), .check = false});
  size_t ends = 0;
  for (size_t at = html.find("</script"); at != std::string::npos;
       at = html.find("</script", at + 1))
    ++ends;
  EXPECT_EQ(ends, 2U);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  const llvm::json::Object data = DataOf(html);
  EXPECT_EQ(data.getArray("modules")->size(), 1U);
}

// Every instruction of every computation, with what the check says of its maps; nothing is said to
// be proved where nothing was checked.
TEST(Page, SaysWhatTheCheckSays) {
  for (const bool check : {true, false}) {
    const llvm::json::Object data =
        DataOf(PageOf({.input = "corpus/hlo/softmax.hlo", .check = check}));
    const llvm::json::Object& module = *(*data.getArray("modules"))[0].getAsObject();
    int64_t instructions = 0, proved = 0;
    for (const llvm::json::Value& computation : *module.getArray("computations")) {
      for (const llvm::json::Value& op : *computation.getAsObject()->getArray("instructions")) {
        ++instructions;
        const llvm::json::Array* proofs = op.getAsObject()->getArray("proofs");
        for (size_t k = 0; proofs && k < proofs->size(); ++k)
          proved += (*proofs)[k].getAsObject()->getString("verdict") == "proved";
      }
    }
    EXPECT_EQ(instructions, 18);
    EXPECT_EQ(proved, check ? 16 : 0);  // 15 maps of instructions and the composed one
    EXPECT_EQ(*module.getBoolean("checked"), check);
    EXPECT_EQ(module.getArray("refutations")->size(), 0U);
    const llvm::json::Array& kernels = *module.getArray("kernels");
    ASSERT_EQ(kernels.size(), 1U);
    EXPECT_EQ(kernels[0].getAsObject()->getArray("claims") != nullptr, check);
  }
}

TEST(Explore, WritesAFileAndAnswersAsCheckDoes) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/page.html";
  auto run = RunAffirm({"explore", "corpus/hlo/reduce_odd.hlo", "-o", file});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("KiB, affirmed"), std::string::npos) << run.out;
  EXPECT_TRUE(llvm::StringRef(testing::ReadFile(file)).starts_with("<!DOCTYPE html>"));
}

TEST(Explore, RefusesWhatItCannotRead) {
  EXPECT_EQ(RunAffirm({"explore", "no_such.hlo"}).status, 3);
  const TemporaryFolder empty;
  EXPECT_EQ(RunAffirm({"explore", empty.path()}).status, 3);
  EXPECT_EQ(RunAffirm({"explore", "corpus/hlo/softmax.hlo", "--launch", "l.json"}).status, 3);
  const std::string nowhere = empty.path() + "/none/page.html";
  auto run = RunAffirm({"explore", "corpus/hlo/iota.hlo", "--no-check", "-o", nowhere});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("cannot write"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace affirm
