// Every kernel of the corpus is proved from its LLVM IR, and nothing that the emulator sees is
// wrong: two tests of each module, so that a fault in an emitter or a pass says which of them finds
// it, and in which claim. A line `open: CLAIM` is a claim that is not proved, `refuted: CLAIM` one
// that a run shows to be false (tests/mutations/run_mutations.py
// --proofs reads them).
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/hlo/text.h"
#include "driver/campaign/mutants.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using driver::ClaimResult;

// Claims that are open without a fault: there is no proof of these values yet, or no value term.
using kernel::Claim;
const std::map<std::string, std::set<Claim>> kOpen = {
    {"arithmetic_u64", {Claim::kValues}},
    {"complex_functions_c128", {Claim::kValues}},
    {"complex_functions_c64", {Claim::kValues}},
    {"max_pool_gradient", {Claim::kElements, Claim::kValues}},
};

std::string NameOf(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

std::vector<driver::KernelOfModule> KernelsIn(const std::string& file) {
  std::vector<driver::KernelOfModule> kernels;
  auto modules = hlo::ParseModules(ReadFile(file), file);
  if (!modules) {
    ADD_FAILURE() << llvm::toString(modules.takeError());
    return kernels;
  }
  for (auto& module : *modules) {
    auto more = driver::KernelsOf(std::shared_ptr<const hlo::Module>(std::move(module)), file);
    kernels.insert(kernels.end(), more.begin(), more.end());
  }
  EXPECT_FALSE(kernels.empty());
  return kernels;
}

driver::KernelSubject SubjectOf(const driver::KernelOfModule& kernel) {
  return {kernel.computation, &kernel.device->ir, kernel.device->launch};
}

class CorpusProofs : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusProofs, AreThere) {
  auto open = kOpen.find(NameOf(GetParam()));
  for (const driver::KernelOfModule& kernel : KernelsIn(GetParam())) {
    for (const ClaimResult& claim : driver::ProveClaims(SubjectOf(kernel), {})) {
      if (open != kOpen.end() && open->second.contains(claim.claim)) continue;
      EXPECT_EQ(claim.verdict, Verdict::kProved)
          << "open: " << kernel::Name(claim.claim) << " of " << kernel.name << ": " << claim.reason;
    }
  }
}

class CorpusRuns : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusRuns, RefuteNothing) {
  for (const driver::KernelOfModule& kernel : KernelsIn(GetParam())) {
    for (const ClaimResult& claim : driver::ExecuteClaims(SubjectOf(kernel), {}).claims) {
      EXPECT_NE(claim.verdict, Verdict::kRefuted) << "refuted: " << kernel::Name(claim.claim)
                                                  << " of " << kernel.name << ": " << claim.reason;
    }
  }
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  return NameOf(info.param);
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusProofs, ::testing::ValuesIn(FilesIn("corpus/hlo", ".hlo")),
                         TestName);
INSTANTIATE_TEST_SUITE_P(Corpus, CorpusRuns, ::testing::ValuesIn(FilesIn("corpus/hlo", ".hlo")),
                         TestName);

}  // namespace
}  // namespace affirm::testing
