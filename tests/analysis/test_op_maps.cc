// Examples of single ops: labels, runtime variables, folding of known indices, replicas, tuples.
#include <gtest/gtest.h>

#include "tests/analysis/hlo_text.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;

// The only map of a list.
const LabeledMap& Only(const InstructionIndexing& indexing, size_t list) {
  static const LabeledMap none;
  EXPECT_LT(list, indexing.maps.size());
  if (list >= indexing.maps.size()) return none;
  EXPECT_EQ(indexing.maps[list].size(), 1u);
  return indexing.maps[list].size() == 1 ? indexing.maps[list][0] : none;
}

void ExpectMap(const LabeledMap& have, const char* want, Exactness exactness, Context& context) {
  auto map = ParseIndexingMap(want, context);
  ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
  EXPECT_EQ(testing::WithoutSources(have.map), *map) << "have " << have.map.ToString();
  EXPECT_EQ(have.exactness, exactness);
}

// The elements that the map reads at one point.
std::set<std::vector<int64_t>> ReadsAt(const IndexingMap& map, std::vector<int64_t> dims,
                                       std::vector<int64_t> runtime = {}) {
  std::set<std::vector<int64_t>> out;
  for (const testing::Related& r : testing::Relation(map)) {
    if (r.dims == dims && r.runtime == runtime) out.insert(r.results);
  }
  return out;
}

TEST(Select, AScalarPredicateIsReadWhole) {
  Parsed p = Parse(R"(p = pred[] parameter(0)
      a = f32[4] parameter(1)
      b = f32[4] parameter(2)
      ROOT r = f32[4] select(p, a, b))");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  ExpectMap(Only(OutputToInput(*p.root, 0, context), 0), "(d0) -> (), domain: d0 in [0, 3]",
            Exactness::kExact, context);
  ExpectMap(Only(InputToOutput(*p.root, 0, context), 0), "()[s0] -> (s0), domain: s0 in [0, 3]",
            Exactness::kExact, context);
}

TEST(DynamicSlice, RuntimeVariablesAreTiedToTheirProducers) {
  Parsed p = Parse(R"(src = f32[8,6] parameter(0)
      i = s32[] parameter(1)
      j = s32[] parameter(2)
      ROOT ds = f32[2,6] dynamic-slice(src, i, j), dynamic_slice_sizes={2,6})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  const IndexingMap map = Only(OutputToInput(*p.root, 0, context), 0).map;
  ASSERT_EQ(map.runtime().size(), 2u);
  for (size_t k = 0; k < 2; ++k) {
    ASSERT_TRUE(map.runtime()[k].source);
    EXPECT_EQ(map.runtime()[k].source->producer, p.root->operands[k + 1]->id);
    EXPECT_EQ(map.runtime()[k].source->producer_name, p.root->operands[k + 1]->name);
    ASSERT_TRUE(map.runtime()[k].source->map);
    EXPECT_EQ(map.runtime()[k].source->map->ToString(),
              "(d0, d1) -> (), domain: d0 in [0, 1], d1 in [0, 5]");
  }
}

TEST(DynamicSlice, KnownStartsAreFoldedAndClamped) {
  Parsed p = Parse(R"(src = f32[8,6,4] parameter(0)
      i = s32[] constant(3)
      j = s32[] constant(100)
      k = s32[] constant(-7)
      ROOT ds = f32[2,2,2] dynamic-slice(src, i, j, k), dynamic_slice_sizes={2,2,2})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  const char* folded =
      "(d0, d1, d2) -> (d0 + 3, d1 + 4, d2), domain: d0 in [0, 1], d1 in [0, 1], d2 in [0, 1]";
  ExpectMap(Only(OutputToInput(*p.root, 0, context), 0), folded, Exactness::kExact, context);
  IndexingOptions as_is;
  as_is.fold_runtime = false;
  EXPECT_EQ(Only(OutputToInput(*p.root, 0, context, as_is), 0).map.runtime().size(), 3u);
}

TEST(DynamicUpdateSlice, ExactMapsSplitTheResult) {
  Parsed p = Parse(R"(src = f32[5,4] parameter(0)
      upd = f32[2,3] parameter(1)
      i = s32[] parameter(2)
      j = s32[] parameter(3)
      ROOT dus = f32[5,4] dynamic-update-slice(src, upd, i, j))");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  IndexingOptions exact;
  exact.exact = true;
  InstructionIndexing wide = OutputToInput(*p.root, 0, context);
  EXPECT_EQ(Only(wide, 0).exactness, Exactness::kOverApproximate);
  EXPECT_EQ(Only(wide, 1).exactness, Exactness::kOverApproximate);
  InstructionIndexing narrow = OutputToInput(*p.root, 0, context, exact);
  const IndexingMap& source = Only(narrow, 0).map;
  const IndexingMap& update = Only(narrow, 1).map;
  for (int64_t i = 0; i <= 3; ++i) {
    for (int64_t j = 0; j <= 1; ++j) {
      for (int64_t a = 0; a < 5; ++a) {
        for (int64_t b = 0; b < 4; ++b) {
          bool inside = a >= i && a < i + 2 && b >= j && b < j + 3;
          EXPECT_EQ(source.InDomain({a, b}, {}, {i, j}), !inside);
          EXPECT_EQ(update.InDomain({a, b}, {}, {i, j}), inside);
        }
      }
    }
  }
}

TEST(Gather, IndicesFromAnIotaAreFolded) {
  Parsed p = Parse(R"(src = f32[8,3] parameter(0)
      flat = s32[6] iota(), iota_dimension=0
      indices = s32[3,2] reshape(flat)
      ROOT g = f32[3,2,3] gather(src, indices), offset_dims={2}, collapsed_slice_dims={0},
        start_index_map={0}, index_vector_dim=2, slice_sizes={1,3})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  const IndexingMap map = Only(OutputToInput(*p.root, 0, context), 0).map;
  EXPECT_TRUE(map.runtime().empty()) << map.ToString();
  for (int64_t a = 0; a < 3; ++a) {
    for (int64_t b = 0; b < 2; ++b) {
      std::set<std::vector<int64_t>> want = {{2 * a + b, 1}};
      EXPECT_EQ(ReadsAt(map, {a, b, 1}), want);
    }
  }
}

TEST(Gather, StartsComeFromTheirRowOfTheIndices) {
  Parsed p = Parse(R"(src = f32[8,9] parameter(0)
      indices = s32[2,5] parameter(1)
      ROOT g = f32[5,3] gather(src, indices), offset_dims={1}, collapsed_slice_dims={0},
        start_index_map={1,0}, index_vector_dim=0, slice_sizes={1,3})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  InstructionIndexing got = OutputToInput(*p.root, 0, context);
  ExpectMap(Only(got, 0),
            "(d0, d1){rt0, rt1} -> (rt0, d1 + rt1), domain: d0 in [0, 4], d1 in [0, 2], "
            "rt0 in [0, 7], rt1 in [0, 6]",
            Exactness::kExact, context);
  ExpectMap(Only(got, 1),
            "(d0, d1)[s0] -> (s0, d0), domain: d0 in [0, 4], d1 in [0, 2], s0 in [0, 1]",
            Exactness::kExact, context);
  const IndexingMap& map = Only(got, 0).map;
  // Numbered by the dims of the operand: the first is the second component of the start.
  EXPECT_EQ(map.runtime()[0].source->map->ToString(),
            "(d0, d1) -> (1, d0), domain: d0 in [0, 4], d1 in [0, 2]");
  // From the operand: any of the gathered rows, with the start of that row.
  const InstructionIndexing back = InputToOutput(*p.root, 0, context);
  EXPECT_EQ(Only(back, 0).map.runtime()[0].source->map->results()[1], context.Range(0));
}

TEST(Fusion, RuntimeVariablesSurviveComposition) {
  Parsed p = Parse(R"(HloModule m
    f {
      src = f32[150,64] parameter(0)
      a = s32[] parameter(1)
      b = s32[] parameter(2)
      c = s32[] parameter(3)
      d = s32[] parameter(4)
      ds1 = f32[50,32] dynamic-slice(src, a, b), dynamic_slice_sizes={50,32}
      ROOT ds2 = f32[25,16] dynamic-slice(ds1, c, d), dynamic_slice_sizes={25,16}
    }
    ENTRY e {
      src = f32[150,64] parameter(0)
      a = s32[] parameter(1)
      b = s32[] parameter(2)
      c = s32[] parameter(3)
      d = s32[] parameter(4)
      ROOT r = f32[25,16] fusion(src, a, b, c, d), kind=kLoop, calls=f
    })");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  const IndexingMap map = Only(OutputToInput(*p.root, 0, context), 0).map;
  ASSERT_EQ(map.runtime().size(), 4u);
  // The inner slice's variables come first; each tied to the parameter of the fusion.
  const hlo::Computation& f = *p.root->called[0];
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(map.runtime()[i].source->producer, f.parameters[i + 1]->id);
  }
  std::set<std::vector<int64_t>> want = {{3 + 10 + 1, 5 + 7 + 2}};
  IndexingMap at = map;
  at.SetBounds(VarKind::kDim, 0, Interval::Point(3));
  at.SetBounds(VarKind::kDim, 1, Interval::Point(5));
  auto results = at.Evaluate({3, 5}, {}, {10, 7, 1, 2});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ(*results, *want.begin());
}

TEST(Convolution, BatchGroupsAreExactOnRequest) {
  Parsed p = Parse(R"(p0 = f32[6,4,1] parameter(0)
      p1 = f32[2,1,6] parameter(1)
      ROOT conv = f32[2,3,6] convolution(p0, p1), window={size=2}, dim_labels=b0f_0io->b0f,
        batch_group_count=3)");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  EXPECT_EQ(Only(OutputToInput(*p.root, 0, context), 0).exactness, Exactness::kOverApproximate);
  IndexingOptions exact;
  exact.exact = true;
  InstructionIndexing narrow = OutputToInput(*p.root, 0, context, exact);
  EXPECT_EQ(Only(narrow, 0).exactness, Exactness::kExact);
  // Output feature 5 belongs to group 2: batches 4 and 5.
  std::set<std::vector<int64_t>> want = {{5, 1, 0}, {5, 2, 0}};
  EXPECT_EQ(ReadsAt(Only(narrow, 0).map, {1, 1, 5}), want);
}

TEST(Scan, ComposesWithTheMapsThatFollowTheCarry) {
  Parsed p = Parse(R"(HloModule m
    s {
      p0 = f32[] parameter(0)
      p1 = f32[] parameter(1)
      a = f32[] add(p0, p1)
      ROOT t = (f32[], f32[]) tuple(a, a)
    }
    ENTRY e {
      p0 = f32[5] parameter(0)
      p1 = f32[] parameter(1)
      scan = (f32[5], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=s
      ROOT r = f32[5] get-tuple-element(scan), index=0
    })");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  // The scan by itself has the map that XLA prints, labeled unknown.
  const hlo::Instruction& scan = *p.root->operands[0];
  EXPECT_EQ(Only(OutputToInput(scan, 0, context), 0).exactness, Exactness::kUnknown);
  GroupedIndexing grouped = ComputationIndexing(*p.root, 0, context);
  const LabeledMap map = grouped.lookup(p.module->entry->parameters[0])[0];
  EXPECT_EQ(map.exactness, Exactness::kOverApproximate);
  std::set<std::vector<int64_t>> want = {{0}, {1}, {2}};
  EXPECT_EQ(ReadsAt(map.map, {2}), want) << map.map.ToString();
}

TEST(AllGather, NamesTheReplica) {
  Parsed p = Parse(R"(p0 = f32[8,6] parameter(0)
      ROOT g = f32[32,6] all-gather(p0), replica_groups={{0,1,2,3}}, dimensions={0})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  const LabeledMap map = Only(OutputToInput(*p.root, 0, context), 0);
  ExpectMap(map, "(d0, d1) -> (d0 mod 8, d1), domain: d0 in [0, 31], d1 in [0, 5]",
            Exactness::kExact, context);
  ASSERT_TRUE(map.replica_id);
  EXPECT_EQ(map.replica_id->ToString(),
            "(d0, d1) -> (d0 floordiv 8), domain: d0 in [0, 31], d1 in [0, 5]");
}

TEST(AllGather, KeepsTheReplicaThroughComposition) {
  Parsed p = Parse(R"(p0 = f32[6,8] parameter(0)
      t = f32[8,6] transpose(p0), dimensions={1,0}
      g = f32[32,6] all-gather(t), replica_groups={{0,1,2,3}}, dimensions={0}
      ROOT r = f32[16,6] slice(g), slice={[16:32], [0:6]})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  GroupedIndexing grouped = ComputationIndexing(*p.root, 0, context);
  std::vector<LabeledMap> maps = grouped.lookup(p.module->entry->parameters[0]);
  ASSERT_EQ(maps.size(), 1u);
  ASSERT_TRUE(maps[0].replica_id);
  for (int64_t d = 0; d < 16; ++d) {
    std::set<std::vector<int64_t>> element = {{2, (16 + d) % 8}}, replica = {{(16 + d) / 8}};
    EXPECT_EQ(ReadsAt(maps[0].map, {d, 2}), element);
    EXPECT_EQ(ReadsAt(*maps[0].replica_id, {d, 2}), replica);
  }
}

TEST(Tuples, LeavesAreFollowed) {
  Parsed p = Parse(R"(p0 = (f32[2], (f32[3], f32[4])) parameter(0)
      inner = (f32[3], f32[4]) get-tuple-element(p0), index=1
      last = f32[4] get-tuple-element(inner), index=1
      first = f32[2] get-tuple-element(p0), index=0
      ROOT r = (f32[4], f32[2]) tuple(last, first))");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  const hlo::Instruction* param = p.module->entry->parameters[0];
  for (auto [output, leaf, size] : {std::tuple(0, 2, 4), std::tuple(1, 0, 2)}) {
    GroupedIndexing grouped = ComputationIndexing(*p.root, output, context);
    std::vector<LabeledMap> maps = grouped.lookup(param);
    ASSERT_EQ(maps.size(), 1u);
    EXPECT_EQ(maps[0].leaf, leaf);
    EXPECT_EQ(maps[0].map, IndexingMap::Identity(context, {size}));
  }
}

// Each where the predicate selects it, in whatever order the branches are written.
TEST(Conditional, ABranchIsReadWhereItIsSelected) {
  for (const char* branches :
       {"true_computation=t, false_computation=f", "false_computation=f, true_computation=t"}) {
    Parsed p = Parse(R"(HloModule m
    t { a = f32[2,3] parameter(0)
      ROOT r = f32[3,2] transpose(a), dimensions={1,0} }
    f { a = f32[3,2] parameter(0)
      ROOT r = f32[3,2] negate(a) }
    ENTRY e {
      p = pred[] parameter(0)
      a = f32[2,3] parameter(1)
      b = f32[3,2] parameter(2)
      ROOT c = f32[3,2] conditional(p, a, b), )" +
                     std::string(branches) + "\n}");
    ASSERT_TRUE(p.root) << p.error;
    Context context;
    InstructionIndexing got = OutputToInput(*p.root, 0, context);
    const std::string rest = ", domain: d0 in [0, 2], d1 in [0, 1]";
    EXPECT_EQ(Only(got, 0).map.ToString(), "(d0, d1) -> ()" + rest);
    EXPECT_EQ(Only(got, 1).map.ToString(), "(d0, d1){rt0} -> (d1, d0)" + rest + ", rt0 in [1, 1]");
    EXPECT_EQ(Only(got, 2).map.ToString(), "(d0, d1){rt0} -> (d0, d1)" + rest + ", rt0 in [0, 0]");
    for (int64_t k : {0, 1, 2}) EXPECT_EQ(Only(got, k).exactness, Exactness::kExact);
  }
}

// An index outside of the list selects the last branch.
TEST(Conditional, AnIndexSelectsTheLastBranchFromBothSides) {
  Parsed p = Parse(R"(HloModule m
    t { a = f32[4] parameter(0)
      ROOT r = f32[4] negate(a) }
    ENTRY e {
      i = s32[] parameter(0)
      a = f32[4] parameter(1)
      b = f32[4] parameter(2)
      c = f32[4] parameter(3)
      ROOT r = f32[4] conditional(i, a, b, c), branch_computations={t, t, t}
    })");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  InstructionIndexing got = OutputToInput(*p.root, 0, context);
  EXPECT_EQ(Only(got, 2).map.ToString(), "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [1, 1]");
  const IndexingMap& last = Only(got, 3).map;
  ASSERT_EQ(last.runtime().size(), 1u);
  EXPECT_EQ(last.runtime()[0].source->clamp, (Interval{-1, 2}));
  for (int64_t value : {-1, 0, 1, 2}) {
    EXPECT_EQ(last.InDomain({0}, {}, {value}), value == -1 || value == 2) << value;
  }
}

TEST(Conditional, AKnownIndexPicksItsBranch) {
  for (auto [index, read] : {std::pair(-1, 2), std::pair(0, 1), std::pair(1, 2), std::pair(7, 2)}) {
    Parsed p = Parse(R"(HloModule m
      t { a = f32[4] parameter(0)
        ROOT r = f32[4] negate(a) }
      f { a = f32[4] parameter(0)
        ROOT r = f32[4] reverse(a), dimensions={0} }
      ENTRY e {
        i = s32[] constant()" +
                     std::to_string(index) + R"()
        a = f32[4] parameter(0)
        b = f32[4] parameter(1)
        ROOT c = f32[4] conditional(i, a, b), branch_computations={t, f}
      })");
    ASSERT_TRUE(p.root) << p.error;
    Context context;
    InstructionIndexing got = OutputToInput(*p.root, 0, context);
    EXPECT_EQ(Only(got, read).exactness, Exactness::kExact);
    EXPECT_TRUE(got.maps[3 - read].empty());
  }
}

// In a computation that is called twice, an index has two values.
TEST(Call, RuntimeValuesDifferFromCallToCall) {
  auto text = [](const std::string& second) {
    return R"(HloModule m
    row {
      x = f32[8,4] parameter(0)
      i = s32[] parameter(1)
      zero = s32[] constant(0)
      ROOT r = f32[1,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,4}
    }
    ENTRY e {
      x = f32[8,4] parameter(0)
      i = s32[] parameter(1)
      j = s32[] parameter(2)
      )" + second +
           R"(
      ROOT a = f32[1,4] call(x, i), to_apply=row
    })";
  };
  Context context;
  Parsed once = Parse(text(""));
  const LabeledMap exact = Only(OutputToInput(*once.root, 0, context), 0);
  EXPECT_EQ(exact.exactness, Exactness::kExact);
  EXPECT_EQ(exact.map.runtime().size(), 1u);
  Parsed twice = Parse(text("b = f32[1,4] call(x, j), to_apply=row"));
  const LabeledMap any = Only(OutputToInput(*twice.root, 0, context), 0);
  EXPECT_EQ(any.exactness, Exactness::kOverApproximate);
  EXPECT_EQ(any.map.ToString(),
            "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 0], d1 in [0, 3], s0 in [0, 7]");
}

TEST(While, WhatTheBodyHandsThroughIsKnown) {
  Parsed p = Parse(R"(HloModule m
    body {
      s = (s32[], f32[4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      x = f32[4] get-tuple-element(s), index=1
      one = s32[] constant(1)
      next = s32[] add(i, one)
      ROOT r = (s32[], f32[4]) tuple(next, x)
    }
    cond {
      s = (s32[], f32[4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(10)
      ROOT r = pred[] compare(i, n), direction=LT
    }
    ENTRY e {
      s = (s32[], f32[4]) parameter(0)
      ROOT w = (s32[], f32[4]) while(s), condition=cond, body=body
    })");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  // How often the counter is counted up depends on itself alone.
  const LabeledMap i = Only(OutputToInput(*p.root, 0, context), 0);
  EXPECT_EQ(i.exactness, Exactness::kExact);
  EXPECT_EQ(i.leaf, 0);
  const LabeledMap x = Only(OutputToInput(*p.root, 1, context), 0);
  EXPECT_EQ(x.exactness, Exactness::kExact);
  EXPECT_EQ(x.leaf, 1);
}

TEST(EmptyArrays, ReadNothing) {
  Parsed p = Parse(R"(p0 = f32[0,4] parameter(0)
      ROOT r = f32[4,0] transpose(p0), dimensions={1,0})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  EXPECT_TRUE(OutputToInput(*p.root, 0, context).maps[0].empty());
  EXPECT_TRUE(InputToOutput(*p.root, 0, context).maps[0].empty());
}

}  // namespace
}  // namespace affirm
