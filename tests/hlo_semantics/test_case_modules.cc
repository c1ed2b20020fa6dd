// Every instruction of the acceptance modules has maps that are not refuted.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm {
namespace {

// How much is proved, by opcode and verdict.
class Tally {
 public:
  void Count(const hlo::Instruction& op, const MapProofResult& a, const char* what,
             const std::string& module) {
    ++counts_[hlo::Name(op.opcode).str()][static_cast<int>(a.verdict)];
    slowest_ = std::max(slowest_, a.ms);
    total_ms_ += a.ms;
    EXPECT_NE(a.verdict, Verdict::kRefuted)
        << module << ": " << op.name << " (" << hlo::Name(op.opcode).str() << ") " << what << ": "
        << (a.counterexample ? a.counterexample->ToString({}) : "");
    if (a.verdict == Verdict::kUnknown) ++reasons_[a.reason.substr(0, 120)];
  }
  void Print() const {
    for (const auto& [name, n] : counts_) {
      std::printf("%-24s proved %d refuted %d unknown %d\n", name.c_str(), n[0], n[1], n[2]);
    }
    for (const auto& [reason, n] : reasons_) std::printf("%6d  %s\n", n, reason.c_str());
    std::printf("slowest %.1f ms, all %.1f s\n", slowest_, total_ms_ / 1000);
  }

 private:
  struct Verdicts {
    int n[3] = {};
    int& operator[](int i) { return n[i]; }
    int operator[](int i) const { return n[i]; }
  };
  std::map<std::string, Verdicts> counts_;
  std::map<std::string, int> reasons_;
  double slowest_ = 0, total_ms_ = 0;
};

void ProveInstruction(const hlo::Instruction& op, Tally& tally, const std::string& module) {
  Context context;
  for (size_t id = 0; id < LeafShapes(op.shape).size(); ++id) {
    InstructionIndexing to_input = OutputToInput(op, id, context);
    if (to_input.maps.size() != op.operands.size()) continue;
    if (op.opcode == hlo::Opcode::kFusion) {
      for (const MapProofResult& a : ProveFusion(op, id, to_input.maps, context)) {
        tally.Count(op, a, "to inputs", module);
      }
      continue;
    }
    for (size_t k = 0; k < op.operands.size(); ++k) {
      InstructionIndexing to_output = InputToOutput(op, k, context);
      for (size_t leaf = 0; leaf < LeafShapes(op.operands[k]->shape).size(); ++leaf) {
        auto relation = AccessRelationOf(op, id, k, context, leaf);
        if (!relation) continue;
        auto of_leaf = [&](std::vector<LabeledMap> maps) {
          std::erase_if(maps,
                        [&](const LabeledMap& m) { return m.leaf != static_cast<int64_t>(leaf); });
          return maps;
        };
        tally.Count(op, ProveMaps(*relation, of_leaf(to_input.maps[k]), Direction::kOutputToInput),
                    "to input", module);
        if (id < to_output.maps.size()) {
          tally.Count(op,
                      ProveMaps(*relation, of_leaf(to_output.maps[id]), Direction::kInputToOutput),
                      "to output", module);
        }
      }
    }
  }
}

void ProveText(llvm::StringRef text, const std::string& name, Tally& tally) {
  auto modules = hlo::ParseModules(text, name);
  if (!modules) return llvm::consumeError(modules.takeError());  // malformed on purpose
  for (const auto& module : *modules) {
    for (const auto& computation : module->computations) {
      for (const auto& op : computation->instructions) ProveInstruction(*op, tally, name);
    }
  }
}

TEST(CaseModules, AnalysisCasesAreNotRefuted) {
  auto buffer = llvm::MemoryBuffer::getFile("../shared/cases/analysis.jsonl");
  if (!buffer) GTEST_SKIP() << "../shared/cases/analysis.jsonl is not there";
  Tally tally;
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    ASSERT_TRUE(static_cast<bool>(value));
    const llvm::json::Object& o = *value->getAsObject();
    ProveText(*o.getString("hlo"), o.getString("name")->str(), tally);
  }
  tally.Print();
}

TEST(CaseModules, WholeModulesAreNotRefuted) {
  std::error_code error;
  Tally tally;
  std::vector<std::string> paths;
  for (llvm::sys::fs::directory_iterator at("../shared/cases/modules", error), end;
       at != end && !error; at.increment(error)) {
    paths.push_back(at->path());
  }
  if (paths.empty()) GTEST_SKIP() << "../shared/cases/modules is not there";
  std::sort(paths.begin(), paths.end());
  constexpr size_t kLargestText = 60'000;  // whole models take too long for a unit test
  for (const std::string& path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer || (*buffer)->getBufferSize() > kLargestText) continue;
    ProveText((*buffer)->getBuffer(), path, tally);
  }
  tally.Print();
}

}  // namespace
}  // namespace affirm
