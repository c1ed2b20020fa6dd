// A runtime variable must be the value that the op takes as an index: from the same producer, at
// the same index, clamped in the same way. A map with another source is not proved.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/text.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm {
namespace {

struct Case {
  const char* name;
  const char* text;
};

const Case kCases[] = {
    {"DynamicSlice",
     "ENTRY e { p = f32[9,9] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) "
     "ROOT r = f32[3,3] dynamic-slice(p, i, j), dynamic_slice_sizes={3,3} }"},
    {"DynamicUpdateSlice",
     "ENTRY e { p = f32[9,9] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) "
     "u = f32[3,3] parameter(3) ROOT r = f32[9,9] dynamic-update-slice(p, u, i, j) }"},
    {"Gather",
     "ENTRY e { p = f32[9,9] parameter(0) i = s32[5,2] parameter(1) j = s32[5,2] parameter(2) "
     "ROOT r = f32[5,3,3] gather(p, i), offset_dims={1,2}, collapsed_slice_dims={}, "
     "start_index_map={0,1}, index_vector_dim=1, slice_sizes={3,3} }"},
};

class RuntimeClaims : public testing::TestWithParam<Case> {};

using Change = std::function<void(RuntimeSource&)>;

TEST_P(RuntimeClaims, HoldOfTheValueThatIsTakenAlone) {
  auto module = hlo::ParseModule(std::string("HloModule m\n") + GetParam().text, "text");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  const hlo::Instruction& op = *(*module)->entry->root;
  const int64_t other = (*module)->entry->Find("j")->id;
  Context context;
  const std::pair<const char*, Change> changes[] = {
      {"another producer",
       [&](RuntimeSource& s) {
         s.producer = s.producer == other ? (*module)->entry->Find("p")->id : other;
       }},
      {"another clamp", [](RuntimeSource& s) { s.clamp.upper += 1; }},
      {"a narrower clamp", [](RuntimeSource& s) { s.clamp.upper -= 1; }},
      {"another place",
       [](RuntimeSource& s) {
         if (!s.map || s.map->results().empty()) {
           s.producer = -7;
           return;
         }
         std::vector<SymbolicExpr> results = s.map->results().vec();
         results.back() = results.back() + 1;
         auto moved = std::make_shared<IndexingMap>(*s.map);
         moved->SetResults(results);
         s.map = moved;
       }},
      {"no place",
       [](RuntimeSource& s) {
         if (!s.map || s.map->results().empty()) s.producer = -7;
         s.map = nullptr;
       }},
  };
  for (size_t k = 0; k < 2; ++k) {
    auto relation = AccessRelationOf(op, 0, static_cast<int64_t>(k), context);
    ASSERT_TRUE(relation.has_value());
    const std::vector<LabeledMap> maps = OutputToInput(op, 0, context, {.exact = true}).maps[k];
    EXPECT_EQ(ProveMaps(*relation, maps, Direction::kOutputToInput).verdict, Verdict::kProved);
    for (size_t m = 0; m < maps.size(); ++m) {
      for (size_t r = 0; r < maps[m].map.runtime().size(); ++r) {
        for (const auto& [what, change] : changes) {
          std::vector<LabeledMap> changed = maps;
          RuntimeSource source = *maps[m].map.runtime()[r].source;
          change(source);
          changed[m].map.SetSource(static_cast<int64_t>(r), source);
          EXPECT_NE(ProveMaps(*relation, changed, Direction::kOutputToInput).verdict,
                    Verdict::kProved)
              << what << " of operand " << k << "\n"
              << changed[m].map.ToString();
        }
        // With narrower bounds, some values of the producer have no results.
        std::vector<LabeledMap> narrower = maps;
        narrower[m].map.SetBounds(VarKind::kRuntime, static_cast<int64_t>(r), {1, 6});
        EXPECT_NE(ProveMaps(*relation, narrower, Direction::kOutputToInput).verdict,
                  Verdict::kProved);
        // Two runtime variables are swapped.
        if (r == 0) continue;
        std::vector<LabeledMap> swapped = maps;
        swapped[m].map.SetSource(0, *maps[m].map.runtime()[r].source);
        swapped[m].map.SetSource(static_cast<int64_t>(r), *maps[m].map.runtime()[0].source);
        EXPECT_NE(ProveMaps(*relation, swapped, Direction::kOutputToInput).verdict,
                  Verdict::kProved);
      }
    }
  }
}

// For maps from the operand to the result, the producer index depends on the results of the map.
TEST_P(RuntimeClaims, HoldFromTheOperandToo) {
  auto module = hlo::ParseModule(std::string("HloModule m\n") + GetParam().text, "text");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  const hlo::Instruction& op = *(*module)->entry->root;
  Context context;
  auto relation = AccessRelationOf(op, 0, 0, context);
  ASSERT_TRUE(relation.has_value());
  std::vector<LabeledMap> maps = InputToOutput(op, 0, context, {.exact = true}).maps[0];
  EXPECT_EQ(ProveMaps(*relation, maps, Direction::kInputToOutput).verdict, Verdict::kProved);
  for (LabeledMap& m : maps) {
    ASSERT_EQ(m.map.runtime().size(), 2u);
    const RuntimeSource first = *m.map.runtime()[0].source, second = *m.map.runtime()[1].source;
    m.map.SetSource(0, second);
    m.map.SetSource(1, first);
  }
  EXPECT_NE(ProveMaps(*relation, maps, Direction::kInputToOutput).verdict, Verdict::kProved);
}

INSTANTIATE_TEST_SUITE_P(Ops, RuntimeClaims, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace affirm
