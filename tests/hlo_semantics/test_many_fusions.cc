// Every fusion of the corpus, and random ones over arrays of production sizes: their maps are
// proved to be what the ops inside read. AFFIRM_RANDOM_FUSIONS sets how many random ones there are
// (25).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tests/hlo_semantics/random_fusions.h"
#include "verify/hlo/proof/fusion.h"

namespace affirm {
namespace {

struct Proofs {
  std::vector<double> ms;  // of processor time, for all maps of a fusion

  void Print(const char* what) {
    if (ms.empty()) return;
    std::sort(ms.begin(), ms.end());
    std::printf("%s: %zu fusions; ms: median %.1f, p90 %.1f, max %.1f\n", what, ms.size(),
                ms[ms.size() / 2], ms[ms.size() * 9 / 10], ms.back());
  }
};

// Proves all maps of a fusion.
void Prove(const hlo::Instruction& fusion, const std::string& where, Proofs& proofs) {
  Context context;
  std::clock_t start = std::clock();
  for (size_t id = 0; id < LeafShapes(fusion.shape).size(); ++id) {
    InstructionIndexing indexing = OutputToInput(fusion, id, context);
    std::vector<MapProofResult> answers = ProveFusion(fusion, id, indexing.maps, context);
    ASSERT_EQ(answers.size(), fusion.operands.size()) << where;
    for (size_t k = 0; k < answers.size(); ++k) {
      EXPECT_EQ(answers[k].verdict, Verdict::kProved)
          << where << " operand " << k << ": " << answers[k].reason << "\n"
          << (indexing.maps[k].empty() ? "no map" : indexing.maps[k][0].map.ToString());
    }
  }
  proofs.ms.push_back(1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}

TEST(ManyFusions, OfTheCorpus) {
  Proofs proofs;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/hlo")) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    ASSERT_TRUE(static_cast<bool>(buffer)) << file;
    auto modules = hlo::ParseModules((*buffer)->getBuffer(), file);
    ASSERT_TRUE(static_cast<bool>(modules)) << llvm::toString(modules.takeError());
    for (const auto& module : *modules) {
      for (const auto& computation : module->computations) {
        for (const auto& op : computation->instructions) {
          if (op->opcode == hlo::Opcode::kFusion) Prove(*op, file + " " + op->name, proofs);
        }
      }
    }
  }
  proofs.Print("corpus");
  EXPECT_GE(proofs.ms.size(), 5u);
}

TEST(ManyFusions, Random) {
  const char* wanted = std::getenv("AFFIRM_RANDOM_FUSIONS");
  int64_t count = wanted ? std::max(1, std::atoi(wanted)) : 25;
  Proofs proofs;
  for (int64_t seed = 1; seed <= count; ++seed) {
    std::string text = RandomFusion(static_cast<uint64_t>(seed)).Text();
    auto module = hlo::ParseModule(text, "seed " + std::to_string(seed));
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError()) << "\n" << text;
    Prove(*(*module)->entry->root, "seed " + std::to_string(seed) + "\n" + text, proofs);
  }
  proofs.Print("random");
}

}  // namespace
}  // namespace affirm
