// Fusions and compositions: the maps of core/analysis are proved, and changed ones are not.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "tests/maps/random_maps.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/fusion.h"

namespace affirm {
namespace {

struct FusionCase {
  const char* name;
  const char* text;
};

constexpr FusionCase kFusions[] = {
    {"TransposedTwice", R"(HloModule m
f {
  p0 = f32[20,10,50] parameter(0)
  lhs_transpose_1 = f32[10,20,50] transpose(p0), dimensions={1,0,2}
  lhs_e = f32[10,20,50] exponential(lhs_transpose_1)
  lhs_transpose_2 = f32[10,50,20] transpose(lhs_e), dimensions={0,2,1}
  rhs_transpose_1 = f32[50,10,20] transpose(p0), dimensions={2,1,0}
  rhs_log = f32[50,10,20] exponential(rhs_transpose_1)
  rhs_transpose_2 = f32[10,50,20] transpose(rhs_log), dimensions={1,0,2}
  ROOT output = f32[10,50,20] add(lhs_transpose_2, rhs_transpose_2)
}
ENTRY e {
  p0 = f32[20,10,50] parameter(0)
  ROOT r = f32[10,50,20] fusion(p0), kind=kLoop, calls=f
})"},
    {"Softmax", R"(HloModule m
max {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] maximum(x, y)
}
f {
  p0 = f32[2,65,125] parameter(0)
  c = f32[] constant(-inf)
  m = f32[2,65] reduce(p0, c), dimensions={2}, to_apply=max
  b = f32[2,65,125] broadcast(m), dimensions={0,1}
  s = f32[2,65,125] subtract(p0, b)
  e = f32[2,65,125] exponential(s)
  z = f32[] constant(0)
  t = f32[2,65] reduce(e, z), dimensions={2}, to_apply=max
  u = f32[2,65,125] broadcast(t), dimensions={0,1}
  ROOT d = f32[2,65,125] divide(e, u)
}
ENTRY e {
  p0 = f32[2,65,125] parameter(0)
  ROOT r = f32[2,65,125] fusion(p0), kind=kLoop, calls=f
})"},
    {"ReshapeChain", R"(HloModule m
f {
  p0 = f32[48,64,72] parameter(0)
  a = f32[128,1728] reshape(p0)
  b = f32[1728,128] transpose(a), dimensions={1,0}
  c = f32[24,72,128] reshape(b)
  ROOT d = f32[24,128,72] transpose(c), dimensions={0,2,1}
}
ENTRY e {
  p0 = f32[48,64,72] parameter(0)
  ROOT r = f32[24,128,72] fusion(p0), kind=kLoop, calls=f
})"},
    {"PadSliceConcat", R"(HloModule m
f {
  p0 = f32[100,30] parameter(0)
  p1 = f32[] parameter(1)
  a = f32[104,30] pad(p0, p1), padding=1_3x0_0
  b = f32[52,30] slice(a), slice={[0:104:2], [0:30:1]}
  ROOT c = f32[152,30] concatenate(p0, b), dimensions={0}
}
ENTRY e {
  p0 = f32[100,30] parameter(0)
  p1 = f32[] parameter(1)
  ROOT r = f32[152,30] fusion(p0, p1), kind=kLoop, calls=f
})"},
    {"DynamicSliceOfReshape", R"(HloModule m
f {
  p0 = f32[64,32] parameter(0)
  i = s32[] parameter(1)
  z = s32[] constant(0)
  a = f32[32,64] reshape(p0)
  b = f32[4,64] dynamic-slice(a, i, z), dynamic_slice_sizes={4,64}
  ROOT c = f32[256] reshape(b)
}
ENTRY e {
  p0 = f32[64,32] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[256] fusion(p0, i), kind=kLoop, calls=f
})"},
    {"MultiOutput", R"(HloModule m
sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
f {
  p0 = f32[30,40] parameter(0)
  z = f32[] constant(0)
  r = f32[30] reduce(p0, z), dimensions={1}, to_apply=sum
  n = f32[30,40] negate(p0)
  ROOT t = (f32[30], f32[30,40]) tuple(r, n)
}
ENTRY e {
  p0 = f32[30,40] parameter(0)
  ROOT r = (f32[30], f32[30,40]) fusion(p0), kind=kInput, calls=f
})"},
};

class Fusions : public testing::TestWithParam<FusionCase> {
 protected:
  void SetUp() override {
    auto module = hlo::ParseModule(GetParam().text, GetParam().name);
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    module_ = std::move(*module);
    root_ = module_->entry->root;
  }
  std::unique_ptr<hlo::Module> module_;
  const hlo::Instruction* root_ = nullptr;
  Context context_;
};

TEST_P(Fusions, MapsAreProved) {
  for (size_t id = 0; id < LeafShapes(root_->shape).size(); ++id) {
    for (bool exact : {false, true}) {
      InstructionIndexing indexing = OutputToInput(*root_, id, context_, {.exact = exact});
      std::vector<MapProofResult> answers = ProveFusion(*root_, id, indexing.maps, context_);
      ASSERT_EQ(answers.size(), root_->operands.size());
      for (size_t k = 0; k < answers.size(); ++k) {
        EXPECT_EQ(answers[k].verdict, Verdict::kProved)
            << "operand " << k << ": " << answers[k].reason
            << (indexing.maps[k].empty() ? "" : indexing.maps[k][0].map.ToString());
      }
    }
  }
}

TEST_P(Fusions, WrongMapsFall) {
  InstructionIndexing indexing = OutputToInput(*root_, 0, context_);
  for (size_t k = 0; k < indexing.maps.size(); ++k) {
    for (size_t m = 0; m < indexing.maps[k].size(); ++m) {
      std::vector<std::vector<LabeledMap>> missing = indexing.maps;
      missing[k].erase(missing[k].begin() + m);
      MapProofResult without = ProveFusion(*root_, 0, missing, context_)[k];
      // Leaving out a map that is a subset of the union of the others changes nothing.
      if (indexing.maps[k].size() == 1) {
        EXPECT_EQ(without.verdict, Verdict::kRefuted) << without.reason;
      }
      for (size_t i = 0; i < indexing.maps[k][m].map.results().size(); ++i) {
        std::vector<std::vector<LabeledMap>> shifted = indexing.maps;
        std::vector<SymbolicExpr> results = shifted[k][m].map.results().vec();
        results[i] = results[i] + 1;
        shifted[k][m].map.SetResults(results);
        MapProofResult wrong = ProveFusion(*root_, 0, shifted, context_)[k];
        EXPECT_EQ(wrong.verdict, Verdict::kRefuted) << wrong.reason;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Fusions, testing::ValuesIn(kFusions),
                         [](const auto& info) { return std::string(info.param.name); });

RC_GTEST_PROP(Composition, TheLibrarysIsTheDefined, ()) {
  Context context;
  MapShape outer = RandomShape(), inner = RandomShape();
  inner.dims = outer.results;
  IndexingMap first = RandomMap(context, outer), second = RandomMap(context, inner);
  IndexingMap composed = Compose(first, second);
  RC_LOG() << first.ToString() << "\n" << second.ToString() << "\n" << composed.ToString() << "\n";
  MapProofResult right = ProveComposition(first, second, composed);
  RC_ASSERT(right.verdict == Verdict::kProved);
  if (composed.state() != IndexingMap::State::kNormal || composed.results().empty()) return;
  IndexingMap wrong = composed;
  std::vector<SymbolicExpr> results = composed.results().vec();
  results[0] = results[0].Max(context.Constant(0)) + 1;
  wrong.SetResults(results);
  MapProofResult answer = ProveComposition(first, second, wrong);
  bool same = ProveEqual(composed, wrong).verdict == Verdict::kProved;
  RC_ASSERT(answer.verdict == (same ? Verdict::kProved : Verdict::kRefuted));
}

// The inverse holds the same pairs, the other way round, by enumeration.
RC_GTEST_PROP(InverseByDefinition, HasTheSamePairs, ()) {
  Context context;
  const MapShape shape = RandomShape();
  const IndexingMap map = RandomMap(context, shape);
  if (map.state() != IndexingMap::State::kNormal) return;
  // Sometimes results lie outside of the sizes; these pairs must be kept, so that a proof sees
  // them.
  const std::vector<int64_t> sizes(map.results().size(), *rc::gen::inRange<int64_t>(1, 9));
  const IndexingMap inverse = InverseByDefinition(map, sizes);
  using Pair = std::tuple<std::vector<int64_t>, std::vector<int64_t>, std::vector<int64_t>>;
  auto pairs = [](const IndexingMap& m, bool turned) {
    std::set<Pair> all;
    const bool ended = m.ForEachPoint([&](auto dims, auto ranges, auto runtime) {
      std::vector<int64_t> to = llvm::cantFail(m.Evaluate(dims, ranges, runtime));
      if (turned) all.insert({to, dims.vec(), runtime.vec()});
      if (!turned) all.insert({dims.vec(), to, runtime.vec()});
      return true;
    });
    RC_PRE(ended);
    return all;
  };
  RC_LOG() << map.ToString() << "\n" << inverse.ToString() << "\n";
  RC_ASSERT(pairs(inverse, true) == pairs(map, false));
  RC_ASSERT(InverseByDefinition(map, std::vector<int64_t>(sizes.size() + 1, 1)).IsUndefined());
}

}  // namespace
}  // namespace affirm
