// The output of `affirm explore`: the data of the page as JSON, and the file around it.
#include <gtest/gtest.h>

#include <map>

#include "core/hlo/text.h"
#include "driver/explore/explore.h"
#include "driver/explore/graph_layout.h"
#include "driver/explore/map_json.h"
#include "driver/explore/page_html.h"
#include "driver/explore/page_server.h"
#include "driver/output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm {
namespace {

using driver::ExploreOptions;
using driver::ExplorePage;
using testing::RunAffirm;
using testing::RunResult;
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
  ASSERT_TRUE(data.getArray("modules"));
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

const llvm::json::Object& OnlyModule(const llvm::json::Object& data) {
  return *(*data.getArray("modules"))[0].getAsObject();
}

TEST(Dump, APassThatChangesAResultIsDrawnWithBothValues) {
  auto module = [](const std::string& name) {
    return testing::ReadFile("corpus/equivalence/slice_of_slice." + name + ".hlo");
  };
  const TemporaryFolder dump(
      {{"m.before_optimizations.txt", module("before")},
       {"m.0000.simplification.after_pipeline-start.before_algsimp.txt", module("fixed")},
       {"m.0001.simplification.after_algsimp.before_dce.txt", module("after")}});
  auto page = ExplorePage({.input = dump.path()}, [](const std::string&) {});
  ASSERT_TRUE(bool(page)) << llvm::toString(page.takeError());
  EXPECT_EQ(page->status, 1);
  const llvm::json::Object data = DataOf(page->html);
  const llvm::json::Array& refuted = *OnlyModule(data).getArray("refutations");
  ASSERT_EQ(refuted.size(), 1U);
  const llvm::json::Object& one = *refuted[0].getAsObject();
  EXPECT_EQ(one.getString("reason"), "simplification, algsimp");
  EXPECT_NE(one.getString("expected"), one.getString("actual"));
  EXPECT_TRUE(one.getObject("at"));
}

// A module that was run without a difference is not called proved, whatever the other modules are.
TEST(Dump, HasTheWorstVerdictOfItsModules) {
  const std::string head = "HloModule m\nENTRY e { p = f32[4] parameter(0) ";
  auto passes = [&](const std::string& name, const std::string& after) {
    return TemporaryFolder::Files{
        {name + ".0000.s.after_pipeline-start.before_a.txt", head + "ROOT t = f32[4] add(p, p) }"},
        {name + ".0001.s.after_a.before_b.txt", head + after}};
  };
  const std::string doubled =
      "c = f32[] constant(2) b = f32[4] broadcast(c), dimensions={} "
      "ROOT t = f32[4] multiply(p, b) }";
  const TemporaryFolder dump(passes("m1", doubled));
  for (const auto& [name, text] : passes("m2", "ROOT u = f32[4] add(p, p) }")) dump.Add(name, text);
  const RunResult xla = RunAffirm({"xla", dump.path(), "--json"});
  auto said = llvm::json::parse(xla.out);
  ASSERT_TRUE(bool(said)) << xla.out << xla.err;
  auto page = ExplorePage({.input = dump.path()}, [](const std::string&) {});
  ASSERT_TRUE(bool(page)) << llvm::toString(page.takeError());
  EXPECT_EQ(page->verdict, said->getAsObject()->getString("verdict"));
  EXPECT_NE(page->verdict, "proved");
  EXPECT_EQ(page->status, xla.status);
}

// The guard of the kernel lets one thread more through than there are elements.
TEST(Dump, AKernelThatIsWrongHasItsAccessesAndItsThread) {
  const TemporaryFolder dump({{"m.gpu_after_optimizations.txt", R"(HloModule m, is_scheduled=true
negated { p = f32[50] parameter(0) ROOT n = f32[50] negate(p) }
ENTRY e {
  x = f32[50] parameter(0)
  ROOT loop_fusion.1 = f32[50] fusion(x), kind=kLoop, calls=negated
}
)"},
                              {"m.thunk_sequence.txt",
                               "001: kCustomKernel [source | sink] loop_fusion_1 grid: [1, 1, 1] "
                               "threads: [64, 1, 1]  shared_memory: 0 bytes\n"},
                              {"m.0.ir-no-opt.ll", R"(target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @loop_fusion_1(ptr %0, ptr %1) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ule i32 %t, 50
  br i1 %in, label %body, label %done
body:
  %from = getelementptr [50 x float], ptr %0, i32 0, i32 %t
  %x = load float, ptr %from, align 4
  %n = fneg float %x
  %to = getelementptr [50 x float], ptr %1, i32 0, i32 %t
  store float %n, ptr %to, align 4
  br label %done
done:
  ret void
}
)"}});
  auto page = ExplorePage({.input = dump.path()}, [](const std::string&) {});
  ASSERT_TRUE(bool(page)) << llvm::toString(page.takeError());
  EXPECT_EQ(page->status, 1);
  const llvm::json::Object data = DataOf(page->html);
  const llvm::json::Object& kernel = *(*OnlyModule(data).getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel.getArray("groups")->size(), 2U);
  EXPECT_EQ(kernel.getArray("instructions")->size(), 2U);  // the fusion, and what is in it
  const llvm::json::Array& refuted = *OnlyModule(data).getArray("refutations");
  ASSERT_GE(refuted.size(), 1U);
  EXPECT_EQ(refuted[0].getAsObject()->getString("claim"), "bounds");
  EXPECT_EQ(refuted[0].getAsObject()->getInteger("thread"), 50);
  EXPECT_EQ(refuted[0].getAsObject()->getObject("at")->getInteger("element"), 50);
}

// The result is column-major, and the kernel copies the bytes of a row-major operand.
TEST(Given, AWrongValueIsAtItsIndex) {
  const TemporaryFolder folder({{"m.hlo", R"(HloModule m
ENTRY e {
  a = s32[4,16] parameter(0)
  ROOT r = s32[4,16] copy(a)
})"},
                                {"l.json", R"({"grid": [2], "threads": [32], "params": [
  {"shape": "s32[4,16]{1,0}", "role": "input"},
  {"shape": "s32[4,16]{0,1}", "role": "output"}]})"}});
  const ExploreOptions options{.input = folder.path() + "/m.hlo",
                               .kernel = "tests/kernel/wrong/layout_ignored.ll",
                               .launch = folder.path() + "/l.json",
                               .check = false};
  auto page = ExplorePage(options, [](const std::string&) {});
  ASSERT_TRUE(bool(page)) << llvm::toString(page.takeError());
  EXPECT_EQ(page->status, 1);
  const llvm::json::Object data = DataOf(page->html);
  const llvm::json::Object& one = *(*OnlyModule(data).getArray("refutations"))[0].getAsObject();
  EXPECT_EQ(one.getString("claim"), "values");
  const llvm::json::Object& at = *one.getObject("at");
  const int64_t element = *at.getInteger("element");
  EXPECT_TRUE(one.getString("reason")->starts_with("element " + std::to_string(element) + " of"))
      << one.getString("reason")->str();
  const llvm::json::Object& values = *at.getObject("values");
  const auto index = static_cast<size_t>(element - *values.getInteger("from"));
  EXPECT_EQ((*values.getArray("expected"))[index].getAsString(), one.getString("expected"));
  EXPECT_EQ((*values.getArray("actual"))[index].getAsString(), one.getString("actual"));
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

std::string StatusOf(const std::string& request) {
  const std::string answer =
      driver::AnswerTo(request, [] { return driver::RenderedPage{"<p>page</p>"}; });
  return llvm::StringRef(answer).split("\r\n").first.substr(9, 3).str();
}

TEST(PageServer, AnswersForThePageOnly) {
  const std::string host = "\r\nHost: localhost:8000";
  EXPECT_EQ(StatusOf("GET / HTTP/1.1" + host), "200");
  EXPECT_EQ(StatusOf("GET /?q HTTP/1.0" + host), "200");
  EXPECT_EQ(StatusOf("GET /m.hlo HTTP/1.1" + host), "404");
  EXPECT_EQ(StatusOf("GET // HTTP/1.1" + host), "404");
  EXPECT_EQ(StatusOf("PUT / HTTP/1.1" + host), "405");
  EXPECT_EQ(StatusOf("GET /" + host), "400");
  EXPECT_EQ(StatusOf(""), "400");
}

// A page from elsewhere may have a name that leads here; a browser says that name.
TEST(PageServer, IsThisMachineAndNoOther) {
  auto status = [](const std::string& headers) {
    return StatusOf("GET / HTTP/1.1\r\nAccept: *" + headers);
  };
  EXPECT_EQ(status("\r\nHost: 127.0.0.1"), "200");
  EXPECT_EQ(status("\r\nhost:LOCALHOST:9"), "200");
  for (const char* host : {"a.example", "localhost.a.example", "localhost:1@a.example", "0.0.0.0",
                           "localhost:70000", "localhost:", "127.0.0.1 a.example", ""}) {
    EXPECT_EQ(status(std::string("\r\nHost: ") + host), "421") << host;
  }
  EXPECT_EQ(status(""), "421");
  EXPECT_EQ(status("\r\nHost: localhost\r\nHost: a.example"), "421");
  EXPECT_EQ(status("\r\nHost: a.example\r\nHost: localhost"), "421");
}

TEST(FileWatch, SeesAFileAFolderAndWhatIsNotThere) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/m.hlo", inside = folder.path() + "/dump/a/b.txt";
  driver::FileWatch watch({file, folder.path() + "/dump"});
  EXPECT_FALSE(watch.HasChanged());
  ASSERT_FALSE(driver::WriteTextFile(file, "a"));
  EXPECT_TRUE(watch.HasChanged());
  EXPECT_FALSE(watch.HasChanged());
  ASSERT_FALSE(llvm::sys::fs::create_directories(folder.path() + "/dump/a"));
  EXPECT_TRUE(watch.HasChanged());
  ASSERT_FALSE(driver::WriteTextFile(inside, "a"));
  EXPECT_TRUE(watch.HasChanged());
  ASSERT_FALSE(driver::WriteTextFile(inside, "ab"));
  EXPECT_TRUE(watch.HasChanged());
  ASSERT_FALSE(llvm::sys::fs::remove(inside));
  EXPECT_TRUE(watch.HasChanged());
  EXPECT_FALSE(watch.HasChanged());
}

}  // namespace
}  // namespace affirm
