// Every kernel of the corpus writes each element of its results once, proved from the map of its
// threads; a map with an overlap or a gap is refuted at an element.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "emit/kernel.h"
#include "tests/tools/run_affirm.h"
#include "verify/maps/maps.h"

namespace affirm {
namespace {

struct WrittenMap {
  std::string where;
  IndexingMap map;
  std::vector<int64_t> shape;
};

// The thread maps of every fusion with a kernel, in every module.
std::vector<WrittenMap> ThreadMaps(Context& context, int* kernels) {
  std::vector<WrittenMap> all;
  for (const std::string& file : testing::FilesIn("corpus/hlo", ".hlo")) {
    auto modules = hlo::ParseModules(testing::ReadFile(file), file);
    if (!modules) {
      ADD_FAILURE() << llvm::toString(modules.takeError());
      continue;
    }
    for (const auto& module : *modules) {
      const driver::Program program(*module);
      for (const driver::FusedComputation& whole : program.fused_computations()) {
        for (const driver::FusedComputation& fused : program.partitions(whole).kernels) {
          auto kernel = driver::EmitKernel(fused, context);
          if (!kernel) {  // no emission for an op: the check says so
            llvm::consumeError(kernel.takeError());
            continue;
          }
          ++*kernels;
          for (const emit::ThreadMap& map : kernel->thread_maps()) {
            std::string where =
                file + " " + fused.name + " by the " + kernel->emitter() + " emitter, " + map.what;
            all.push_back({where, map.map, map.shape});
          }
        }
      }
    }
  }
  return all;
}

TEST(ThreadMaps, WriteEachElementOnce) {
  Context context;
  int kernels = 0;
  std::vector<WrittenMap> maps = ThreadMaps(context, &kernels);
  std::vector<double> ms;
  for (const WrittenMap& t : maps) {
    MapProofResult answer = ProveBijection(t.map, t.shape);
    EXPECT_EQ(answer.verdict, Verdict::kProved)
        << t.where << ": " << t.map.ToString() << " " << answer.reason;
    ms.push_back(answer.ms);
  }
  EXPECT_GE(kernels, 15);
  std::sort(ms.begin(), ms.end());
  std::printf("%d kernels, %zu maps; ms: median %.2f, max %.2f\n", kernels, maps.size(),
              ms[ms.size() / 2], ms.back());
}

TEST(ThreadMaps, OverlapsAndGapsAreRefutedWithTheElement) {
  Context context;
  int kernels = 0, faults = 0;
  for (const WrittenMap& t : ThreadMaps(context, &kernels)) {
    if (t.map.state() != IndexingMap::State::kNormal) continue;
    for (size_t i = 0; i < t.shape.size(); ++i) {
      if (t.shape[i] < 2) continue;
      int64_t last = t.shape[i] - 1;
      // The last index is written to the one before it.
      IndexingMap overlap = t.map;
      std::vector<SymbolicExpr> results = overlap.results().vec();
      results[i] = results[i].Min(context.Constant(last - 1));
      overlap.SetResults(results);
      MapProofResult answer = ProveBijection(overlap, t.shape);
      EXPECT_EQ(answer.verdict, Verdict::kRefuted) << t.where << " " << answer.reason;
      if (answer.counterexample) {
        ASSERT_EQ(answer.counterexample->lhs.size(), 1u) << t.where;
        EXPECT_EQ(answer.counterexample->lhs[0][i], last - 1) << answer.counterexample->note;
        EXPECT_NE(answer.counterexample->note.find(" and at "), std::string::npos);
      }
      // Nothing writes the last index.
      IndexingMap gap = t.map;
      gap.AddConstraint(t.map.results()[i], {0, last - 1});
      answer = ProveBijection(gap, t.shape);
      EXPECT_EQ(answer.verdict, Verdict::kRefuted) << t.where << " " << answer.reason;
      if (answer.counterexample) {
        ASSERT_EQ(answer.counterexample->rhs.size(), 1u) << t.where;
        EXPECT_EQ(answer.counterexample->rhs[0][i], last) << answer.counterexample->note;
        EXPECT_NE(answer.counterexample->note.find("never appears"), std::string::npos);
      }
      faults += 2;
    }
  }
  EXPECT_GE(faults, 40);
}

}  // namespace
}  // namespace affirm
