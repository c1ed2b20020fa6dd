// The two directions of an op are each other's inverse as relations, for every op, on random small
// shapes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/analysis/inverse.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::Related;

class Inverses : public ::testing::TestWithParam<hlo::Opcode> {};

std::set<Related> Union(const std::vector<LabeledMap>& maps, const hlo::Shape& target) {
  std::set<Related> out;
  for (const LabeledMap& m : maps) out.merge(testing::Relation(m.map, &target.dims));
  return out;
}

TEST_P(Inverses, InputToOutputIsTheInverseOfOutputToInput) {
  EXPECT_TRUE(rc::check([&] {
    const auto module = testing::RandomInstance(GetParam());
    const hlo::Instruction& root = *module->entry->root;
    Context context;
    // Only exact maps: over-approximate ones need not agree.
    IndexingOptions options;
    options.exact = true;
    InstructionIndexing to_input = OutputToInput(root, 0, context, options);
    for (size_t k = 0; k < root.operands.size(); ++k) {
      InstructionIndexing to_output =
          InputToOutput(root, static_cast<int64_t>(k), context, options);
      RC_ASSERT(to_output.maps.size() == 1u);
      for (const LabeledMap& m : to_input.maps[k]) RC_LOG() << m.map.ToString() << "\n";
      for (const LabeledMap& m : to_output.maps[0]) RC_LOG() << m.map.ToString() << "\n";
      auto reads = Union(to_input.maps[k], root.operands[k]->shape);
      auto read_by = Union(to_output.maps[0], root.shape);
      RC_ASSERT(reads == testing::Transposed(read_by));
    }
  }));
}

// The results of an exact map lie inside the operand; those of the default map include them.
TEST_P(Inverses, MapsStayInsideAndDefaultsCover) {
  EXPECT_TRUE(rc::check([&] {
    const auto module = testing::RandomInstance(GetParam());
    const hlo::Instruction& root = *module->entry->root;
    Context context;
    IndexingOptions exact;
    exact.exact = true;
    InstructionIndexing narrow = OutputToInput(root, 0, context, exact);
    InstructionIndexing wide = OutputToInput(root, 0, context);
    for (size_t k = 0; k < root.operands.size(); ++k) {
      const std::vector<int64_t>& dims = root.operands[k]->shape.dims;
      for (const LabeledMap& m : narrow.maps[k]) {
        RC_ASSERT(m.exactness != Exactness::kUnknown);
        RC_ASSERT(testing::Relation(m.map).size() == testing::Relation(m.map, &dims).size());
      }
      if (wide.maps[k].size() != 1 || narrow.maps[k].size() != 1) continue;
      if (wide.maps[k][0].map.runtime().size() != narrow.maps[k][0].map.runtime().size()) continue;
      auto covers = testing::Relation(wide.maps[k][0].map);
      for (const Related& r : testing::Relation(narrow.maps[k][0].map))
        RC_ASSERT(covers.contains(r));
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(Ops, Inverses, ::testing::ValuesIn(testing::kOpsWithExactMaps),
                         [](const auto& info) { return testing::TestName(info.param); });

// Any map of small linear and quotient terms, solvable or not.
RC_GTEST_PROP(Inverse, OfAnyMap, ()) {
  Context context;
  auto term = [&]() -> SymbolicExpr {
    SymbolicExpr v = *rc::gen::element(context.Dim(0), context.Dim(1), context.Range(0));
    int64_t c = *rc::gen::inRange<int64_t>(-3, 4);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        return v.FloorDiv(std::max<int64_t>(c, 2));
      case 1:
        return v.Mod(std::max<int64_t>(c, 2));
      default:
        return v * c;
    }
  };
  std::vector<SymbolicExpr> results;
  for (int i = 0; i < 2; ++i)
    results.push_back(term() + term() + *rc::gen::inRange<int64_t>(-2, 5));
  IndexingMap map = IndexingMap::FromShapes(context, results, {4, 3}, {3},
                                            {{context.Dim(0) + context.Range(0), {0, 4}}});
  std::vector<int64_t> shape = {6, 5}, dims = {4, 3};
  IndexingMap inverse = Inverse(map, shape);
  RC_LOG() << map.ToString() << "\n" << inverse.ToString() << "\n";
  RC_ASSERT(testing::Relation(map, &shape) == testing::Transposed(testing::Relation(inverse)));
}

}  // namespace
}  // namespace affirm
