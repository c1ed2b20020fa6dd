// `affirm xla`: verdicts on the passes of small dumps.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "core/hlo/text.h"
#include "driver/equivalence/equivalence.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/dump_names.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

std::string Corpus(const std::string& which) {
  return ReadFile("corpus/equivalence/slice_of_slice." + which + ".hlo");
}

// The compiler's input is compared with the first HLO of the module of the same name.
TEST(Xla, ComparesTheSource) {
  auto slice = [](int64_t start) {
    return "HloModule jit_f\nENTRY e { x = s32[300] parameter(0)\n ROOT s = s32[2] slice(x), "
           "slice={[" +
           std::to_string(start) + ":" + std::to_string(start + 2) + "]} }";
  };
  const std::string given =
      "HloModule jit_f\nENTRY e { x = s32[300] parameter(0)\n start = u8[] constant(200)\n ROOT s "
      "= s32[2] dynamic-slice(x, start), dynamic_slice_sizes={2} }";
  const TemporaryFile source("source.hlo", given);
  for (const auto& [start, status] : {std::pair(200, 0), {0, 1}}) {
    TemporaryFolder dump({{kPass + "before_optimizations.txt", slice(start)},
                          {kPass + "sm_9.0a_gpu_after_optimizations.txt", slice(start)}});
    EXPECT_EQ(RunAffirm({"xla", dump.path(), "--passes"}).status, 0);
    const RunResult run = RunAffirm({"xla", dump.path(), "--passes", "--source", source.path()});
    EXPECT_EQ(run.status, status) << run.out << run.err;
    EXPECT_EQ(run.out.find("pass import changes the result") != std::string::npos, status == 1)
        << run.out;
  }
  TemporaryFolder of_another_name({{"module_0001.jit_g.before_optimizations.txt", slice(200)}});
  const RunResult other = RunAffirm({"xla", of_another_name.path(), "--source", source.path()});
  EXPECT_EQ(other.status, 3);
  EXPECT_NE(other.err.find("the dump has no module 'jit_f'"), std::string::npos) << other.err;
}

// A computation in front of the entry is not the entry, though a reader of snippets takes the last
// one.
TEST(Xla, AFileThatWasCutIsUnknown) {
  const std::string start =
                        "HloModule jit_f, entry_computation_layout={(s32[3]{0})->s32[3]{0}}\n"
                        "f { p = s32[3] parameter(0) ROOT n = s32[3] negate(p) }\n",
                    rest =
                        "ENTRY e { x = s32[3] parameter(0) ROOT c = s32[3] call(x), to_apply=f }";
  const std::string before = kPass + "before_optimizations.txt",
                    after = kPass + "cpu_after_optimizations.txt";
  auto run = [&](const std::string& first, const std::string& last) {
    return RunAffirm({"xla", TemporaryFolder({{before, first}, {after, last}}).path(), "--passes"});
  };
  EXPECT_EQ(run(start + rest, start + rest + "\n").status, 0);
  for (const auto& [first, last] :
       {std::pair(start + rest, start), {start, start + rest}, {start, start}}) {
    const RunResult cut = run(first, last);
    EXPECT_EQ(cut.status, 2) << cut.out;
    EXPECT_NE(cut.out.find("the text has no ENTRY: it was cut"), std::string::npos) << cut.out;
  }
}

TEST(Xla, NamesTheFirstPassThatIsWrong) {
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kStart, Corpus("fixed")},
                        {kAlgsimp, Corpus("after")},
                        {kDce, Corpus("after")}});
  RunResult r = RunAffirm({"xla", dump.path(), "--json"});
  EXPECT_EQ(r.status, 1) << r.err;
  auto json = llvm::json::parse(r.out);
  ASSERT_TRUE(static_cast<bool>(json)) << llvm::toString(json.takeError()) << r.out;
  const llvm::json::Object& object = *json->getAsObject();
  EXPECT_EQ(object.getString("verdict"), "refuted");
  const llvm::json::Object* wrong = object.getObject("first_wrong");
  ASSERT_NE(wrong, nullptr);
  EXPECT_EQ(wrong->getString("stage"), "hlo-pass");
  EXPECT_EQ(wrong->getString("name"), "algsimp");
  EXPECT_EQ(object.getArray("passes")->size(), 3u);
  // The replay line gives the same witness.
  const std::string replay =
      wrong->getObject("counterexample")->getString("replay").value_or("").str();
  ASSERT_TRUE(replay.starts_with("affirm equiv --hlo ")) << replay;
  RunResult again = RunAffirm({"equiv", "--hlo", dump.path() + "/" + kStart,
                               dump.path() + "/" + kAlgsimp, "--rounding", "--seed", "0"});
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--json", "--jobs", "4"}).out.size() > 0, true);
}

TEST(Xla, ProvesPassesThatKeepTheResult) {
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kStart, Corpus("before")},
                        {kAlgsimp, Corpus("fixed")},
                        {kLast, Corpus("fixed")}});
  RunResult r = RunAffirm({"xla", dump.path(), "-v", "--passes"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("verdict: proved"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("pass algsimp"), std::string::npos) << r.out;
}

// XLA dumps the HLO before all passes whenever it dumps single passes, so a file was lost.
TEST(Xla, WhatRunsBeforeTheFirstFileIsNotCovered) {
  const TemporaryFolder dump(
      {{kStart, Corpus("before")}, {kAlgsimp, Corpus("fixed")}, {kLast, Corpus("fixed")}});
  RunResult r = RunAffirm({"xla", dump.path(), "--passes"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("passes: what runs before " + kStart), std::string::npos) << r.out;
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--passes", "--assume", "passes"}).status, 0);
  const TemporaryFile source("source.hlo", Corpus("before"));
  r = RunAffirm({"xla", dump.path(), "--passes", "--source", source.path()});
  EXPECT_EQ(r.out.find("what runs before"), std::string::npos) << r.out << r.err;
}

// A compiler that crashes in a pass dumps what ran before it.
TEST(Xla, WhatRunsAfterTheLastFileIsNotCovered) {
  const TemporaryFolder dump(
      {{kPass + "before_optimizations.txt", Corpus("before")}, {kAlgsimp, Corpus("fixed")}});
  RunResult r = RunAffirm({"xla", dump.path(), "--passes"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("passes: what runs after " + kAlgsimp), std::string::npos) << r.out;
  EXPECT_EQ(RunAffirm({"xla", dump.path(), "--passes", "--assume", "passes"}).status, 0);
  const TemporaryFolder none({{kStart, Corpus("before")}, {kAlgsimp, Corpus("fixed")}});
  r = RunAffirm({"xla", none.path(), "--passes"});
  EXPECT_NE(r.out.find("passes: what runs before " + kStart), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("passes: what runs after " + kAlgsimp), std::string::npos) << r.out;
  dump.Add(kDce, Corpus("after"));
  r = RunAffirm({"xla", dump.path(), "--passes"});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  const TemporaryFolder whole({{kPass + "before_optimizations.txt", Corpus("before")},
                               {kAlgsimp, Corpus("fixed")},
                               {kLast, Corpus("fixed")}});
  r = RunAffirm({"xla", whole.path(), "--passes"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
}

TEST(Xla, WithoutPassesBeforeIsHeldAgainstAfter) {
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kPass + "gpu_after_optimizations.txt", Corpus("after")}});
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 1) << r.err;
  EXPECT_NE(r.out.find("pass all passes changes the result"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("not told apart: single passes"), std::string::npos) << r.out;
}

// A pass may drop a rounding, unless --strict asks for equal bits.
TEST(Xla, LawsExplainRoundings) {
  const std::string head = "HloModule m\nENTRY e { p = f32[64] parameter(0) ";
  TemporaryFolder dump({{kPass + "before_optimizations.txt",
                         head + "n = f16[64] convert(p) ROOT r = f32[64] convert(n) }"},
                        {kLast, head + "ROOT r = f32[64] copy(p) }"}});
  RunResult r = RunAffirm({"xla", dump.path(), "--passes", "-v"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("proved  by convert.narrow_widen"), std::string::npos) << r.out;
  r = RunAffirm({"xla", dump.path(), "--passes", "--strict"});
  EXPECT_EQ(r.status, 1) << r.out;
}

TEST(Xla, LibraryCallsAreUnknown) {
  const std::string head = "HloModule m\nENTRY e { p = f32[4] parameter(0) ";
  TemporaryFolder dump(
      {{kStart, head + "ROOT r = f32[4] negate(p) }"},
       {kAlgsimp, head + "ROOT r = f32[4] custom-call(p), custom_call_target=\"negate\" }"}});
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 2) << r.err;
  EXPECT_NE(r.out.find("custom-call r is not supported"), std::string::npos) << r.out;
}

TEST(Xla, AFileThatIsNoHloIsUnknownWithItsPlace) {
  TemporaryFolder dump({{kStart, Corpus("before")}, {kAlgsimp, "HloModule m\nENTRY e {"}});
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.out.find(kAlgsimp + ":2:"), std::string::npos) << r.out;
}

TEST(Xla, OneModuleAlone) {
  TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                        {kPass + "gpu_after_optimizations.txt", Corpus("after")},
                        {"module_0002.jit_g.before_optimizations.txt", Corpus("before")},
                        {"module_0002.jit_g.gpu_after_optimizations.txt", Corpus("fixed")}});
  EXPECT_EQ(RunAffirm({"xla", dump.path()}).status, 1);
  RunResult r = RunAffirm({"xla", dump.path(), "--passes", "--module", "module_0002.jit_g"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(r.out.find("module_0001"), std::string::npos) << r.out;
  auto without_times = [](const std::string& text) {
    return std::regex_replace(text, std::regex(" +[0-9.]+ ms"), "");
  };
  EXPECT_EQ(without_times(RunAffirm({"xla", dump.path(), "--passes", "--module", "jit_g"}).out),
            without_times(r.out));
  r = RunAffirm({"xla", dump.path(), "--module", "jit"});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("no module 'jit' in"), std::string::npos) << r.err;
}

TEST(Xla, AFolderWithoutModulesIsBadInput) {
  const TemporaryFolder dump;
  dump.Add("readme.txt", "nothing");
  RunResult r = RunAffirm({"xla", dump.path()});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("holds no module, expected a dump of XLA"), std::string::npos) << r.err;
  EXPECT_EQ(RunAffirm({"xla", "no/such/folder"}).status, 3);
  EXPECT_EQ(RunAffirm({"xla"}).status, 3);
}

// Folders inside a dump are checked too, and a module without HLO is named.
TEST(Xla, FoldersInADumpAreChecked) {
  const TemporaryFolder::Files right = {{kPass + "before_optimizations.txt", Corpus("before")},
                                        {kLast, Corpus("fixed")}};
  const TemporaryFolder::Files wrong = {{kPass + "before_optimizations.txt", Corpus("before")},
                                        {kLast, Corpus("after")}};
  auto run = [&](const TemporaryFolder::Files& inside, const std::string& folder) {
    const TemporaryFolder dump(right);
    std::filesystem::create_directories(dump.path() + "/" + folder);
    for (const auto& [name, text] : inside) dump.Add((folder + "/").append(name), text);
    return RunAffirm({"xla", dump.path(), "--passes"});
  };
  EXPECT_EQ(run(right, "a").status, 0);
  EXPECT_EQ(run({{"readme.txt", "no dump"}}, "a").status, 0);
  for (const char* folder : {"a", "a/b/c"}) {
    const RunResult refuted = run(wrong, folder);
    EXPECT_EQ(refuted.status, 1) << refuted.out << refuted.err;
    EXPECT_NE(refuted.out.find(std::string(folder) + "/" + kPass), std::string::npos)
        << refuted.out;
  }
  for (const std::string name :
       {"thunk_sequence.txt", "0.ir-no-opt.ll", "0.ptx", "f.mlir-passes.log",
        "gpu_after_optimizations-buffer-assignment.txt"}) {
    EXPECT_EQ(run({{kPass + name, "x"}}, "a").status, 2) << name;
  }
}

// A second module left only its kernels in the dump.
TEST(Xla, AModuleOfWhichOnlyKernelsAreThereIsNotCovered) {
  const TemporaryFolder dump({{kPass + "before_optimizations.txt", Corpus("before")},
                              {kLast, Corpus("fixed")},
                              {"module_0002.jit_g.0.ir-no-opt.ll", "x"}});
  const RunResult r = RunAffirm({"xla", dump.path(), "--passes", "-v"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_NE(r.out.find("module_0002.jit_g"), std::string::npos) << r.out;
}

TEST(Xla, ElidedConstantsAreNotCovered) {
  const std::string text =
      "HloModule m\nENTRY e { x = f32[64] parameter(0) c = f32[64] constant({...})\n ROOT r = "
      "f32[64] add(x, c) }\n";
  const std::string other =
      "HloModule m\nENTRY e { x = f32[64] parameter(0) d = f32[64] "
      "constant({...})\n ROOT r = f32[64] add(x, d) }\n";
  for (const std::string& after : {text, other}) {
    TemporaryFolder dump({{kStart, text}, {kLast, after}});
    const RunResult r = RunAffirm({"xla", dump.path(), "--passes"});
    EXPECT_EQ(r.status, 2) << r.out << r.err;
    EXPECT_NE(r.out.find("elided constants"), std::string::npos) << r.out;
  }
}

// An execution overrules a proof. The proof here is invented, by a law that changes roundings.
TEST(Xla, ExecutionWins) {
  auto module = [](const std::string& operation) {
    auto parsed = hlo::ParseModule(
        "HloModule m\nENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1)\n ROOT r = "
        "f32[4] " +
            operation + "(x, y) }",
        "m");
    EXPECT_TRUE(static_cast<bool>(parsed));
    return std::move(*parsed);
  };
  const auto sum = module("add"), difference = module("subtract");
  for (const std::vector<std::string>& laws :
       {std::vector<std::string>{}, std::vector<std::string>{"add.reassociate"}}) {
    driver::ModuleEquivalence proof;
    proof.laws = laws;
    proof.results.push_back({0, "f32[4]", Verdict::kProved});
    driver::EquivalenceOptions options;
    options.rounding = true;
    driver::ExecuteModules(*sum, *difference, options, proof);
    ASSERT_TRUE(proof.difference.has_value());
    EXPECT_NE(proof.difference->note.find("a fault of affirm"), std::string::npos);
    EXPECT_EQ(proof.results[0].verdict, Verdict::kRefuted);
    driver::ModuleEquivalence right;
    right.laws = laws;
    right.results.push_back({0, "f32[4]", Verdict::kProved});
    driver::ExecuteModules(*sum, *sum, options, right);
    EXPECT_FALSE(right.difference.has_value());
    EXPECT_GT(right.sets, 0);
  }
}

}  // namespace
}  // namespace affirm::testing
