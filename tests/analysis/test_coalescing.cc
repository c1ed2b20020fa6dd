// Coalescing agrees with counting the sectors of each access one by one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/analysis/uses/coalescing.h"
#include "fuzz/properties/map_analyses.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::In;
using Evidence = Coalescing::Evidence;

IndexingMap Map(const std::string& text, Context& context) {
  auto map = ParseIndexingMap(text, context);
  EXPECT_TRUE(bool(map)) << text;
  return map ? *map : (llvm::consumeError(map.takeError()), IndexingMap::Undefined());
}

// A position from sums of terms `c * v`, `v floordiv c` and `v mod c`, under a mask.
IndexingMap RandomAddresses(Context& context, int64_t threads) {
  SymbolicExpr variables[] = {context.Dim(0), context.Dim(1), context.Range(0)};
  SymbolicExpr position = context.Constant(In(-3, 3));
  for (int64_t n = In(1, 4); n > 0; --n) {
    SymbolicExpr v = variables[In(0, 2)];
    int64_t c = In(1, 9);
    SymbolicExpr terms[] = {v * c, v * -c, v.FloorDiv(c), v.Mod(c + 1), v.Mod(c + 1) * 8};
    position = position + terms[In(0, 4)];
  }
  std::vector<Constraint> mask;
  if (In(0, 1)) mask.push_back({context.Dim(1) * threads + context.Dim(0), {0, In(0, 60)}});
  return IndexingMap::FromShapes(context, {position}, {threads, In(1, 4)}, {In(1, 3)}, mask);
}

RC_GTEST_PROP(Coalescing, AgreesWithCounting, ()) {
  Context context;
  MemoryModel model{In(1, 3) * 4, In(1, 2) * 16};
  int64_t threads = In(1, 30), bytes = *rc::gen::element<int64_t>(1, 2, 4, 8, 16);
  IndexingMap map = RandomAddresses(context, threads);
  RC_LOG() << map.ToString() << " of " << bytes << " bytes\n";
  Coalescing have = CoalescingOf(map, bytes * 8, model),
             want = fuzz::CountSectors(map, bytes, model);
  RC_ASSERT(have.evidence == Evidence::kVisited);
  RC_ASSERT(have.accesses == want.accesses);
  RC_ASSERT(have.sectors == want.sectors);
  RC_ASSERT(have.ideal_sectors == want.ideal_sectors);
  RC_ASSERT(have.max_sectors == want.max_sectors);
  RC_ASSERT(have.max_ideal_sectors == want.max_ideal_sectors);
  RC_ASSERT(have.is_contiguous == want.is_contiguous);
}

// The bounds from the form of a map hold of the sectors that visiting counts: the map gets a
// runtime variable, so that it is not visited, and is visited for each of its values.
RC_GTEST_PROP(Coalescing, StructureBoundsEveryAccess, ()) {
  Context context;
  MemoryModel model{8, 32};
  int64_t threads = 8 * In(1, 3), bytes = *rc::gen::element<int64_t>(1, 2, 4, 8);
  IndexingMap map = RandomAddresses(context, threads);
  SymbolicMap moved(2, 1, 1, {map.results()[0] + context.Runtime(0) * In(1, 8)});
  IndexingMap with_value(context, moved, map.dims(), map.ranges(), {{{0, 5}, "", std::nullopt}},
                         map.constraints());
  Coalescing bound = CoalescingOf(with_value, bytes * 8, model);
  RC_LOG() << with_value.ToString() << "\n" << Name(bound.evidence) << " " << bound.reason << "\n";
  RC_TAG(std::string(Name(bound.evidence)));
  RC_ASSERT(bound.evidence != Evidence::kVisited);
  if (bound.evidence != Evidence::kStructure) return;
  for (int64_t value = 0; value <= 5; ++value) {
    SymbolicExpr at = with_value.results()[0].Substitute([&](VarKind kind, int64_t) {
      return kind == VarKind::kRuntime ? context.Constant(value) : SymbolicExpr();
    });
    IndexingMap fixed = map;
    fixed.SetResults({at});
    Coalescing visited = CoalescingOf(fixed, bytes * 8, model);
    RC_ASSERT(visited.max_sectors <= bound.max_sectors);
    RC_ASSERT(visited.max_ideal_sectors <= bound.max_ideal_sectors);
    bool masked = !fixed.constraints().empty();
    if (!masked && bound.is_contiguous) RC_ASSERT(visited.is_contiguous);
  }
}

TEST(Coalescing, RowsAndColumns) {
  Context context;
  // f32[64, 128] read along rows, and along columns.
  Coalescing rows = CoalescingOf(
      Map("(th_x, bl_x) -> (bl_x * 128 + th_x), domain: th_x in [0, 127], bl_x in [0, 63]",
          context),
      32);
  EXPECT_EQ(rows.accesses, 256);
  EXPECT_EQ(rows.sectors, 1024);
  EXPECT_EQ(rows.ideal_sectors, 1024);
  EXPECT_TRUE(rows.is_contiguous);
  Coalescing columns = CoalescingOf(
      Map("(th_x, bl_x) -> (th_x * 128 + bl_x), domain: th_x in [0, 63], bl_x in [0, 127]",
          context),
      32);
  EXPECT_EQ(columns.accesses, 256);
  EXPECT_EQ(columns.sectors, 256 * 32);
  EXPECT_EQ(columns.ideal_sectors, 1024);
  EXPECT_FALSE(columns.is_contiguous);
}

// Each thread reads its element once for each of the four that it computes.
TEST(Coalescing, EqualReadsOfAThreadAreAccessesOfTheirOwn) {
  Context context;
  const hlo::Shape shape = hlo::Shape::Array(hlo::PrimitiveType::kF32, {32});
  const Coalescing reads = CoalescingOf(
      ToMemory(Map("(th_x, bl_x)[s0] -> ((s0 * 32 + th_x) mod 32), domain: th_x in [0, 31], "
                   "bl_x in [0, 0], s0 in [0, 3]",
                   context),
               shape),
      32);
  EXPECT_EQ(reads.accesses, 4);
  EXPECT_EQ(reads.sectors, 16);
}

TEST(Coalescing, LargeGridsByStructure) {
  Context context;
  Coalescing c = CoalescingOf(Map("(th_x, bl_x) -> (bl_x * 128 + th_x), domain: th_x in [0, 127], "
                                  "bl_x in [0, 1000000]",
                                  context),
                              32);
  EXPECT_EQ(c.evidence, Evidence::kStructure);
  EXPECT_EQ(c.max_sectors, 4);
  EXPECT_TRUE(c.is_contiguous);
  // An offset by one element costs a sector.
  c = CoalescingOf(Map("(th_x, bl_x) -> (bl_x * 128 + th_x + 1), domain: th_x in [0, 127], bl_x in "
                       "[0, 1000000]",
                       context),
                   32);
  EXPECT_EQ(c.max_sectors, 5);
  EXPECT_EQ(c.max_ideal_sectors, 4);
}

// The form of a map counts the lanes that take part, as visiting does.
TEST(Coalescing, GuardsOfLanesCount) {
  Context context;
  for (const char* guard : {"", ", th_x mod 2 in [0, 0]", ", th_x mod 32 in [4, 19]"}) {
    const auto of = [&](const std::string& last) {
      return CoalescingOf(Map("(th_x, bl_x) -> (bl_x * 128 + th_x), domain: th_x in [0, 127], bl_x "
                              "in [0, " +
                                  last + "]" + guard,
                              context),
                          32);
    };
    const Coalescing visited = of("99"), by_form = of("1000000");
    EXPECT_EQ(visited.evidence, Evidence::kVisited) << guard;
    EXPECT_EQ(by_form.evidence, Evidence::kStructure) << guard;
    EXPECT_EQ(by_form.max_sectors, visited.max_sectors) << guard;
    EXPECT_EQ(by_form.max_ideal_sectors, visited.max_ideal_sectors) << guard;
    EXPECT_EQ(by_form.is_contiguous, visited.is_contiguous) << guard;
  }
  EXPECT_EQ(CoalescingOf(Map("(th_x, bl_x) -> (bl_x * 128 + th_x), domain: th_x in [0, 127], bl_x "
                             "in [0, 1000000], (th_x + bl_x) mod 3 in [0, 0]",
                             context),
                         32)
                .evidence,
            Evidence::kUnknown);
}

TEST(Coalescing, UnknownWithItsReason) {
  Context context;
  EXPECT_EQ(CoalescingOf(IndexingMap::Undefined(), 32).evidence, Evidence::kUnknown);
  EXPECT_EQ(CoalescingOf(IndexingMap::KnownEmpty(context), 32).accesses, 0);
  Coalescing rows = CoalescingOf(
      Map("(th_x, th_y) -> (th_x), domain: th_x in [0, 31], th_y in [0, 3]", context), 32);
  EXPECT_EQ(rows.evidence, Evidence::kUnknown);
  Coalescing triangle = CoalescingOf(Map("(th_x, bl_x) -> ((bl_x * th_x) floordiv 3), domain: th_x "
                                         "in [0, 127], bl_x in [0, 1000000]",
                                         context),
                                     32);
  EXPECT_EQ(triangle.evidence, Evidence::kUnknown);
}

}  // namespace
}  // namespace affirm
