// `affirm xla` on HLO files that are not those of one module.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "driver/dump/dump_files.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::string kBefore = "module_0001.f.before_optimizations.txt",
                  kAfter = "module_0001.f.0001.p.after_x.before_y.txt",
                  kOptimized = "module_0001.f.sm_9.0a_gpu_after_optimizations.txt";

std::string Module(const std::string& operation) {
  return "HloModule f\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT n = f32[4] " + operation +
         "(p)\n}\n";
}

RunResult Passes(const std::string& before, const std::string& after) {
  const TemporaryFolder dump({{kBefore, before}, {kAfter, after}, {kOptimized, after}});
  return RunAffirm({"xla", dump.path(), "--passes"});
}

TEST(XlaFiles, EachModuleOfAFileCounts) {
  const std::string one = Module("negate"), two = one + "// -----\n" + Module("abs");
  EXPECT_EQ(Passes(one, one).status, 0);
  EXPECT_EQ(Passes(one, one + "\n").status, 0);
  for (const auto& [before, after] : {std::pair(one, two), {two, one}, {two, two}}) {
    const RunResult r = Passes(before, after);
    EXPECT_EQ(r.status, 2) << r.out << r.err;
    EXPECT_THAT(r.out, HasSubstr("holds 2 modules, expected one"));
  }
}

TEST(XlaFiles, ATextThatIsNoModuleIsNotProved) {
  for (const char* text :
       {"hello garbage\n", "HloModule f\nENTRY e { ROOT n = f32[4] negate(p) }\n"}) {
    const RunResult r = Passes(text, text);
    EXPECT_EQ(r.status, 2) << r.out << r.err;
    EXPECT_THAT(r.out, HasSubstr("error: "));
  }
}

// A folder, and a module, may have any name: the end of a file's name says whose it is.
TEST(XlaFiles, ThePlatformIsNotAskedOfFolders) {
  const TemporaryFolder dump(
      {{"module_0001.jit_cpu_after_optimizations.sm_9.0_gpu_after_optimizations.txt",
        Module("negate")},
       {"module_0002.jit_gpu_after_optimizations.cpu_after_optimizations.txt", Module("abs")}});
  auto modules = driver::FindModules(dump.path());
  ASSERT_TRUE(!!modules) << llvm::toString(modules.takeError());
  std::map<std::string, bool> on_cpu;
  for (const driver::ModuleFiles& module : *modules) on_cpu[module.name] = module.on_cpu;
  EXPECT_THAT(on_cpu, ElementsAre(Pair("module_0001.jit_cpu_after_optimizations", false),
                                  Pair("module_0002.jit_gpu_after_optimizations", true)));
}

// A caller lays arrays out as the first HLO of the dump says, whatever the program says of layouts.
TEST(XlaFiles, LayoutsAreThoseOfTheDump) {
  const auto module = [](const std::string& layout) {
    const std::string array = "f32[4,8]" + layout;
    return "HloModule f" +
           (layout.empty() ? "" : ", entry_computation_layout={(" + array + ")->" + array + "}") +
           "\nENTRY e {\n  p = " + array + " parameter(0)\n  ROOT n = " + array + " negate(p)\n}\n";
  };
  const TemporaryFile source("source.hlo", module(""));
  for (const auto& [layout, is_kept] : {std::pair("{1,0}", true), {"{0,1}", false}}) {
    const TemporaryFolder dump({{kBefore, module("{1,0}")}, {kOptimized, module(layout)}});
    for (const std::vector<std::string>& with :
         {std::vector<std::string>(), {"--source", source.path()}}) {
      std::vector<std::string> arguments = {"xla", dump.path(), "--passes"};
      arguments.insert(arguments.end(), with.begin(), with.end());
      const RunResult r = RunAffirm(arguments);
      EXPECT_EQ(r.status, is_kept ? 0 : 2) << r.out << r.err;
      EXPECT_EQ(r.out.find("entry layouts") == std::string::npos, is_kept) << r.out;
    }
  }
}

// The second module could be the one that runs.
TEST(XlaFiles, KernelsAreOfOneModule) {
  const TemporaryFolder dump(
      {{kBefore, Module("negate")}, {kOptimized, Module("negate") + "// -----\n" + Module("abs")}});
  const RunResult r = RunAffirm({"xla", dump.path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("not covered: kernels: "));
  EXPECT_THAT(r.out, HasSubstr("holds 2 modules, expected one"));
}

TEST(XlaFiles, EachBufferAssignmentCounts) {
  const std::string buffers =
      "allocation 0: size 16, parameter 0, shape |f32[4]| at ShapeIndex {}:\n";
  const TemporaryFolder dump(
      {{kOptimized, Module("negate")},
       {"module_0001.f.gpu_after_optimizations-buffer-assignment.txt", buffers},
       {"module_0001.f.sm_9.0a_gpu_after_optimizations-buffer-assignment.txt", buffers}});
  const RunResult r = RunAffirm({"xla", dump.path(), "--kernels"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("which is a buffer assignment, too"));
}

// A later compilation may have left files of an earlier one, of which no step follows.
TEST(XlaFiles, EachPassHasOneFile) {
  const TemporaryFolder dump({{kBefore, Module("negate")},
                              {"module_0001.f.0003.a.after_x.before_y.txt", Module("abs")},
                              {"module_0001.f.0003.b.after_u.before_v.txt", Module("negate")},
                              {kAfter, Module("negate")}});
  const RunResult r = RunAffirm({"xla", dump.path(), "--passes"});
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("two have one number"));
}

TEST(XlaFiles, TheSourceIsOneModule) {
  const TemporaryFolder dump({{kBefore, Module("negate")}, {kAfter, Module("negate")}});
  const TemporaryFile source("source.hlo", Module("negate") + "// -----\n" + Module("abs"));
  const RunResult r = RunAffirm({"xla", dump.path(), "--passes", "--source", source.path()});
  EXPECT_EQ(r.status, 3) << r.out << r.err;
  EXPECT_THAT(r.err, HasSubstr("holds 2 modules, expected one"));
}

// As of a function of JAX that is compiled for several shapes, or of two lambdas.
TEST(XlaFiles, TheSourceIsThatOfOneCompilation) {
  const auto before = [](int number, const std::string& operation) {
    const std::string name = "module_000" + std::to_string(number) + ".f.";
    return TemporaryFolder::Files{{name + "before_optimizations.txt", Module(operation)},
                                  {name + "cpu_after_optimizations.txt", Module(operation)}};
  };
  const TemporaryFile source("source.hlo", Module("negate"));
  const auto run = [&](const TemporaryFolder::Files& files,
                       const std::vector<std::string>& with = {}) {
    const TemporaryFolder dump;
    for (const auto& [name, text] : files) {
      const size_t folder = name.find('/');
      if (folder != std::string::npos)
        std::filesystem::create_directories(dump.path() + "/" + name.substr(0, folder));
      dump.Add(name, text);
    }
    std::vector<std::string> arguments = {"xla", dump.path(), "--passes",
                                          "-v",  "--source",  source.path()};
    arguments.insert(arguments.end(), with.begin(), with.end());
    return RunAffirm(arguments);
  };
  const auto both = [](TemporaryFolder::Files a, const TemporaryFolder::Files& b,
                       const std::string& folder = "") {
    for (const auto& [name, text] : b) a.emplace_back(folder + name, text);
    return a;
  };
  // One module alone is that of the source.
  EXPECT_EQ(run(before(0, "negate")).status, 0);
  EXPECT_EQ(run(before(2, "abs")).status, 1);
  // If one of two modules is equal to the source, it is the import, in any order.
  for (const auto& files :
       {both(before(0, "negate"), before(2, "abs")), both(before(0, "abs"), before(2, "negate")),
        both(before(0, "negate"), before(2, "negate"))}) {
    const RunResult r = run(files);
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    EXPECT_THAT(r.out, HasSubstr("3 HLO files"));
  }
  // None is known to be it.
  const auto others = both(before(0, "abs"), before(2, "floor"));
  RunResult r = run(others);
  EXPECT_EQ(r.status, 2) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("import: several modules are named 'f'"));
  r = run(others, {"--module", "module_0002.f"});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  // Each device of a program has its folder, and one of them does not speak for the others.
  EXPECT_EQ(run(both(before(0, "negate"), before(0, "negate"), "b/")).status, 0);
  EXPECT_EQ(run(both(before(0, "negate"), before(0, "abs"), "b/")).status, 2);
}

}  // namespace
}  // namespace affirm::testing
