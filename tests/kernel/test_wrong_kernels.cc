// The kernel prover from the other side: kernels that are wrong in one way each (wrong/README.md).
// None is proved, each is refuted by an execution (or HLO leaves open what is right), and its
// neighbor without the fault is proved. Each is also let through by a prover that is weakened in
// one way: a patch of tests/mutations.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/hlo/text.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernels = "tests/kernel/wrong";
constexpr const char* kMutations = "tests/mutations";
constexpr size_t kLeastWeakenings = 30;

std::string ReadFile(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> NamesIn(const char* folder, const char* extension) {
  std::vector<std::string> names;
  std::error_code none;  // a folder that is not there has no names
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  }
  llvm::sort(names);
  return names;
}

// The kernel as it is, or the one that is right: without the lines marked as wrong, and with those
// that are marked as right.
struct Kernel {
  std::string ir, hlo, launch;
  std::set<std::string> refuted;
  // Not proved, and not refuted either: HLO leaves open what the value is, since a reduction starts
  // from no identity or updates of one element have no order.
  std::set<std::string> open;
};

Kernel ReadKernel(const std::string& name, bool right) {
  Kernel kernel;
  std::istringstream lines(ReadFile(fs::path(kKernels) / (name + ".ll")));
  for (std::string text; std::getline(lines, text);) {
    llvm::StringRef line = text;
    const bool of_wrong = line.consume_back("; wrong"), of_right = line.consume_back("; right");
    if (of_wrong && right) continue;
    if (of_right && right) line = line.drop_front();
    auto part = [&](llvm::StringRef key, std::string& to) {
      llvm::StringRef rest = line;
      if (rest.consume_front(key)) to += rest.str() + "\n";
    };
    part(";hlo ", kernel.hlo);
    part(";launch ", kernel.launch);
    for (auto [key, to] :
         {std::pair(";refuted ", &kernel.refuted), std::pair(";open ", &kernel.open)}) {
      llvm::StringRef rest = line;
      if (!rest.consume_front(key)) continue;
      llvm::SmallVector<llvm::StringRef, 4> claims;
      rest.split(claims, ", ");
      for (llvm::StringRef claim : claims) to->insert(claim.str());
    }
    kernel.ir += line.str() + "\n";
  }
  return kernel;
}

// The claims of proof and execution about a kernel; an empty list if it cannot be read.
struct Judged {
  std::vector<ClaimResult> proofs;
  Validation executed, merged;
  Validation sampled;  // all blocks and all elements, as kernels that are too large are (sample.h)
};

// The first of some seeds that refutes: a few faults show on rare numbers only.
Validation ExecuteInSamples(const KernelSubject& subject) {
  ValidateOptions options;
  options.execution = ValidateOptions::Execution::kSample;
  options.sample.blocks = options.sample.elements_of_block = INT64_MAX;
  Validation sampled;
  for (options.seed = 0; options.seed < 8; ++options.seed) {
    sampled = ExecuteClaims(subject, options);
    if (sampled.verdict == Verdict::kRefuted) break;
  }
  return sampled;
}

Judged Judge(const Kernel& kernel) {
  Judged judged;
  auto module = hlo::ParseModule(kernel.hlo, "hlo");
  auto launch = kernel::ParseLaunch(kernel.launch, "launch");
  auto ir = kernel::ReadKernelIr(kernel.ir, "kernel");
  EXPECT_TRUE(!!module) << llvm::toString(module.takeError());
  EXPECT_TRUE(!!launch) << llvm::toString(launch.takeError());
  EXPECT_TRUE(!!ir) << llvm::toString(ir.takeError());
  if (!module || !launch || !ir) return judged;
  const KernelSubject subject{(*module)->entry, &*ir, *launch};
  llvm::Error error = CheckSubject(subject);
  EXPECT_FALSE(!!error) << llvm::toString(std::move(error));
  judged.proofs = ProveClaims(subject, {});
  judged.executed = ExecuteClaims(subject, {});
  judged.merged = Merge(judged.proofs, judged.executed);
  judged.sampled = ExecuteInSamples(subject);
  return judged;
}

std::set<std::string> Names(const std::vector<ClaimResult>& claims, Verdict verdict) {
  std::set<std::string> names;
  for (const ClaimResult& claim : claims) {
    if (claim.verdict == verdict) names.insert(kernel::Name(claim.claim));
  }
  return names;
}

std::string Report(const Validation& validation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintReport(os, validation);
  return text;
}

class WrongKernels : public testing::TestWithParam<std::string> {};

TEST_P(WrongKernels, AreNotProved) {
  const Kernel kernel = ReadKernel(GetParam(), /*right=*/false);
  ASSERT_FALSE(kernel.refuted.empty() && kernel.open.empty());
  const Judged judged = Judge(kernel);
  const std::set<std::string> proved = Names(judged.proofs, Verdict::kProved);
  for (const auto* claims : {&kernel.refuted, &kernel.open}) {
    for (const std::string& claim : *claims) {
      EXPECT_FALSE(proved.contains(claim))
          << claim << " are proved of a wrong kernel, and " << proved.size() - 1 << " other claims";
    }
  }
}

TEST_P(WrongKernels, AreRefuted) {
  const Kernel kernel = ReadKernel(GetParam(), /*right=*/false);
  const Judged judged = Judge(kernel);
  EXPECT_EQ(Names(judged.executed.claims, Verdict::kRefuted), kernel.refuted);
  // A value that is open is executed, or not judged.
  Verdict verdict = judged.merged.verdict;
  if (verdict == Verdict::kExecuted) verdict = Verdict::kUnknown;
  EXPECT_EQ(verdict, kernel.refuted.empty() ? Verdict::kUnknown : Verdict::kRefuted)
      << Report(judged.merged);
  for (const ClaimResult& claim : judged.executed.claims) {
    EXPECT_EQ(claim.verdict == Verdict::kRefuted, claim.counterexample.has_value());
  }
}

// Except for findings that only a run of all blocks gives: elements that no thread writes (in
// place: that keep their old value), and the results of atomic operations.
TEST_P(WrongKernels, AreRefutedInSamples) {
  const Kernel kernel = ReadKernel(GetParam(), /*right=*/false);
  const Judged judged = Judge(kernel);
  const std::set<std::string> refuted = Names(judged.sampled.claims, Verdict::kRefuted);
  EXPECT_TRUE(
      std::includes(kernel.refuted.begin(), kernel.refuted.end(), refuted.begin(), refuted.end()))
      << Report(judged.sampled);
  const std::set<std::string> of_whole_runs = {"updates_another_operand"};
  const SampleSummary& sample = *judged.sampled.executed.sample;
  const bool is_open = kernel.refuted.empty() || kernel.refuted.contains("writes") ||
                       !sample.not_compared.empty() || of_whole_runs.contains(GetParam());
  if (!is_open) {
    EXPECT_FALSE(refuted.empty()) << Report(judged.sampled);
  }
}

TEST_P(WrongKernels, HaveRightNeighborsThatAreProved) {
  const Judged judged = Judge(ReadKernel(GetParam(), /*right=*/true));
  EXPECT_EQ(Names(judged.proofs, Verdict::kProved).size(), judged.merged.claims.size());
  EXPECT_EQ(judged.merged.verdict, Verdict::kProved) << Report(judged.merged);
  EXPECT_NE(judged.sampled.verdict, Verdict::kRefuted) << Report(judged.sampled);
}

// A step computes an update from what an earlier one may have changed. What is right there is not
// proved by steps, so that there is no neighbor.
TEST(OpenKernels, UpdatesOfWhatIsUpdated) {
  const Judged judged = Judge(ReadKernel("../open/updates_of_what_is_updated", /*right=*/false));
  EXPECT_FALSE(Names(judged.proofs, Verdict::kProved).contains("values"));
}

// Where indices may repeat, another thread may have changed what an update is computed from.
TEST(OpenKernels, UpdatesThatReadTheirElementInPlace) {
  const Judged judged = Judge(ReadKernel("../open/update_read_in_place", /*right=*/false));
  EXPECT_FALSE(Names(judged.proofs, Verdict::kProved).contains("races"));
  EXPECT_FALSE(Names(judged.proofs, Verdict::kProved).contains("values"));
}

// A sum of bytes leaves the range of the s4 that they hold.
TEST(OpenKernels, AtomicSumsOfNarrowIntegers) {
  const Judged judged = Judge(ReadKernel("../open/atomic_sum_of_narrow_integers", /*right=*/false));
  EXPECT_FALSE(Names(judged.proofs, Verdict::kProved).contains("values"));
}

// LangRef does not make a bit of a mask that is undef undefined behavior.
TEST(OpenKernels, MasksThatAreUndef) {
  const Judged judged = Judge(ReadKernel("../open/mask_that_is_undef", /*right=*/false));
  EXPECT_FALSE(Names(judged.proofs, Verdict::kProved).contains("values"));
  EXPECT_NE(judged.executed.verdict, Verdict::kRefuted) << Report(judged.executed);
}

INSTANTIATE_TEST_SUITE_P(All, WrongKernels, testing::ValuesIn(NamesIn(kKernels, ".ll")),
                         [](const auto& info) { return info.param; });

// The weakenings are the patches that this test finds. That each is found is seen by `./dev
// mutations`, which builds the prover with one after the other.
TEST(Weakenings, LetEachWrongKernelThrough) {
  const std::string found = "\nfound by: test_wrong_kernels --gtest_filter=*AreNotProved/";
  std::set<std::string> let_through;
  size_t weakenings = 0;
  for (const std::string& patch : NamesIn(kMutations, ".patch")) {
    const std::string text = ReadFile(fs::path(kMutations) / (patch + ".patch"));
    const size_t at = text.find(found);
    if (at == std::string::npos) continue;
    ++weakenings;
    const size_t name = at + found.size();
    let_through.insert(text.substr(name, text.find('\n', name) - name));
  }
  EXPECT_GE(weakenings, kLeastWeakenings);
  for (const std::string& kernel : NamesIn(kKernels, ".ll"))
    EXPECT_TRUE(let_through.contains(kernel)) << "no weakening lets " << kernel << " through";
}

}  // namespace
}  // namespace affirm::driver
