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
#include "fuzz/generators/hlo_generator.h"
#include "llvm/Support/MemoryBuffer.h"
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

// One fusion of up to twenty ops over arrays of production sizes, of which about four lead to the
// root. Now and then the root is no fusion.
std::unique_ptr<hlo::Module> RandomFusion(uint64_t seed) {
  using enum hlo::Opcode;
  fuzz::HloLimits limits;
  limits.ops = {kTranspose, kReshape, kSlice,        kBroadcast,   kReduce,
                kPad,       kReverse, kDynamicSlice, kConcatenate, kAdd};
  limits.types = {hlo::PrimitiveType::kF32, hlo::PrimitiveType::kS32};
  limits.min_ops = 3;
  limits.max_ops = 20;
  limits.max_rank = 6;
  limits.max_size = 4096;
  limits.max_elements = int64_t{1} << 40;
  limits.max_work = kInt64Max;
  limits.max_stride = 3;
  limits.zero_sizes = false;
  limits.tuples = false;
  limits.min_fusions = limits.max_fusions = 1;
  const std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 1024);
  fuzz::Choices choices(bytes);
  return fuzz::GenerateModule(choices, limits);
}

TEST(ManyFusions, Random) {
  const char* wanted = std::getenv("AFFIRM_RANDOM_FUSIONS");
  int64_t count = wanted ? std::max(1, std::atoi(wanted)) : 25;
  Proofs proofs;
  for (int64_t seed = 1; std::ssize(proofs.ms) < count; ++seed) {
    ASSERT_LT(seed, 10 * count + 100) << "hardly any module has a fusion";
    const auto module = RandomFusion(static_cast<uint64_t>(seed));
    const hlo::Instruction& root = *module->entry->root;
    if (root.opcode != hlo::Opcode::kFusion) continue;
    Prove(root, "seed " + std::to_string(seed) + "\n" + hlo::ToString(*module), proofs);
  }
  proofs.Print("random");
}

}  // namespace
}  // namespace affirm
