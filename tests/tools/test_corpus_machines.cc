// Every kernel of the corpus, for every machine: on the SIMT emulator it computes what the
// interpreter says; its threads are proved to write each element once; its PTX assembles for sm_80
// and sm_90; its gfx942 object links.
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "emit/kernel.h"
#include "llvm/Support/Program.h"
#include "tests/tools/run_affirm.h"
#include "verify/enclosure/compare.h"
#include "verify/maps/maps.h"
#include "verify/reference/device_count.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

using emit::Stage;
using emit::Target;

constexpr uint64_t kSeed = 7;

// A program where Debian or NVIDIA's toolkit put it; empty where it isn't.
std::string FindProgram(const std::string& name, const std::string& elsewhere) {
  auto found = llvm::sys::findProgramByName(name);
  if (!found) found = llvm::sys::findProgramByName(name, {elsewhere});
  return found ? *found : "";
}

class CorpusMachines : public ::testing::TestWithParam<std::string> {
 protected:
  void ThreadMapsAreBijections(const emit::Kernel& kernel) {
    for (const emit::ThreadMap& map : kernel.thread_maps()) {
      MapProofResult answer = ProveBijection(map.map, map.shape);
      EXPECT_EQ(answer.verdict, Verdict::kProved) << map.what << ": " << answer.reason;
    }
  }

  std::string TextOf(const emit::Kernel& kernel, Target target, Stage stage,
                     const std::string& machine) {
    auto text = kernel.Text(target, stage, machine);
    if (text) return *text;
    ADD_FAILURE() << machine << ": " << llvm::toString(text.takeError());
    return "";
  }

  void Assembles(const emit::Kernel& kernel, const std::string& machine) {
    std::string text = TextOf(kernel, Target::kNvptx, Stage::kAsm, machine);
    EXPECT_NE(text.find(".target " + machine), std::string::npos);
    if (ptxas_.empty()) return;
    TemporaryFile ptx("kernel.ptx", text);
    RunResult run = RunProgram(ptxas_, {"-arch=" + machine, "-O0", ptx.path(), "-o", "/dev/null"});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
  }

  void Links(const emit::Kernel& kernel, const std::string& machine) {
    TemporaryFile object("kernel.o", TextOf(kernel, Target::kAmdgpu, Stage::kObject, machine));
    if (linker_.empty()) return;
    RunResult run = RunProgram(linker_, {"-shared", object.path(), "-o", "/dev/null"});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
  }

  // The interpreter's value of the fusion, after its kernel was held against it.
  llvm::Expected<hlo::Literal> Check(const driver::FusedComputation& fused,
                                     llvm::ArrayRef<hlo::Literal> arguments) {
    SCOPED_TRACE(fused.name);
    auto expected = hlo::Interpret(*fused.computation, arguments);
    if (!expected) return expected;
    Context context;
    auto kernel = driver::EmitKernel(fused, context);
    if (!kernel) return kernel.takeError();
    auto actual = emit::RunOnEmulator(*kernel, arguments, kSeed);
    if (!actual) return actual.takeError();
    auto ordered = hlo::Interpret(*fused.computation, arguments, &kernel->evaluation_orders());
    if (!ordered) return ordered;
    const bool to_the_bit =
        kernel->unordered_terms() == 0 && !hlo::HasFormulasOfKernels(*fused.computation);
    enclosure::ResultComparison enclosed(*fused.computation, enclosure::kKernelFreedom,
                                         &kernel->evaluation_orders());
    const hlo::LiteralComparison comparison = to_the_bit
                                                  ? hlo::Compare(*ordered, *actual, 0)
                                                  : enclosed.Compare(arguments, *ordered, *actual);
    EXPECT_EQ(comparison.mismatches, 0)
        << kernel->emitter() << ", expected " << comparison.first->expected << ", found "
        << comparison.first->actual;
    if (!taken_.insert(fused.computation).second) return expected;  // a further trip of a loop
    ThreadMapsAreBijections(*kernel);
    Assembles(*kernel, "sm_80");
    Assembles(*kernel, "sm_90");
    Links(*kernel, "gfx942");
    return expected;
  }

  std::string ptxas_ = FindProgram("ptxas", "/usr/local/cuda/bin");
  std::string linker_ = FindProgram("ld.lld-22", "/usr/lib/llvm-22/bin");
  std::set<const hlo::Computation*> taken_;  // by their kernels, to every machine
};

TEST_P(CorpusMachines, TakeEveryKernel) {
  auto modules = hlo::ParseModules(ReadFile(GetParam()), GetParam());
  ASSERT_TRUE(!!modules) << llvm::toString(modules.takeError());
  for (const auto& module : *modules) {
    const driver::Program program(*module);
    if (hlo::CountDevices(*module).devices.count() > 1) {
      // Values that devices send each other are not here: each kernel has arguments of its own.
      for (const driver::FusedComputation& fused : program.fused_computations()) {
        for (const driver::FusedComputation& part : program.partitions(fused).kernels) {
          auto value = Check(part, hlo::MakeArguments(*part.computation, kSeed));
          ASSERT_TRUE(!!value) << llvm::toString(value.takeError());
        }
      }
      continue;
    }
    auto result = driver::RunProgram(
        program, hlo::MakeArguments(*module->entry, kSeed),
        [&](const driver::FusedComputation& fused, llvm::ArrayRef<hlo::Literal> values) {
          return Check(fused, values);
        });
    ASSERT_TRUE(!!result) << llvm::toString(result.takeError());
    // The kernels of a fused computation together compute what it computes.
    auto whole = hlo::Interpret(*module->entry, hlo::MakeArguments(*module->entry, kSeed));
    ASSERT_TRUE(!!whole) << llvm::toString(whole.takeError());
    EXPECT_EQ(hlo::Compare(*whole, *result, 0).mismatches, 0);
  }
  EXPECT_FALSE(taken_.empty());
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusMachines, ::testing::ValuesIn(FilesIn("corpus/hlo", ".hlo")),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param.substr(info.param.rfind('/') + 1);
                           return name.substr(0, name.find('.'));
                         });

TEST(Machines, UnknownOnesAreRefused) {
  RunResult run = RunAffirm({"emit", "corpus/hlo/iota.hlo", "--arch", "sm_12345"});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("there is no machine 'sm_12345'"), std::string::npos) << run.err;
  run = RunAffirm({"emit", "corpus/hlo/iota.hlo", "--target", "nvptx", "--stage", "object"});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("PTX is text"), std::string::npos) << run.err;
}

TEST(Machines, PtxIsForTheOneThatIsNamed) {
  RunResult usual = RunAffirm({"emit", "corpus/hlo/iota.hlo"});
  EXPECT_NE(usual.out.find(".target sm_90"), std::string::npos);
  RunResult older = RunAffirm({"emit", "corpus/hlo/iota.hlo", "--arch", "sm_80"});
  EXPECT_NE(older.out.find(".target sm_80"), std::string::npos);
}

}  // namespace
}  // namespace affirm::testing
