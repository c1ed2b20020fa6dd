// Generated arguments make faults show: they have sums that round, numbers at which formulas break,
// and indices at and outside of the bounds to which ops clamp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/hlo/float_format.h"
#include "tests/reference/run.h"
#include "verify/reference/arguments.h"
#include "verify/reference/index_uses.h"

namespace affirm::hlo {
namespace {

using Bounds = IndexUse::Bounds;

std::vector<Bounds> BoundsOf(const std::string& text, size_t parameter, size_t leaf = 0) {
  const std::unique_ptr<Module> module = Parse(text);
  return FindIndexUses(*module->entry)[parameter][leaf].bounds;
}

TEST(IndexUses, StartsOfSlices) {
  const std::string slice = R"(ENTRY e { p = f32[10,20] parameter(0)
    i = s32[] parameter(1)
    j = s32[] parameter(2)
    ROOT s = f32[3,20] dynamic-slice(p, i, j), dynamic_slice_sizes={3,20} })";
  EXPECT_EQ(BoundsOf(slice, 1), (std::vector<Bounds>{{0, 7}}));
  EXPECT_EQ(BoundsOf(slice, 2), (std::vector<Bounds>{{0, 0}}));
  EXPECT_TRUE(BoundsOf(slice, 0).empty());
  EXPECT_EQ(BoundsOf(R"(ENTRY e { p = f32[10] parameter(0)
    u = f32[4] parameter(1)
    i = s32[] parameter(2)
    ROOT s = f32[10] dynamic-update-slice(p, u, i) })",
                     2),
            (std::vector<Bounds>{{0, 6}}));
}

// Every parameter that an index is computed from, through fusions, tuples, loops and arithmetic, is
// a source of the index.
TEST(IndexUses, AreFollowedToArguments) {
  const std::string text = R"(
f { p = f32[10] parameter(0)
  i = s32[2] parameter(1)
  k = s32[1] slice(i), slice={[1:2]}
  n = s32[] reshape(k)
  three = s32[] constant(3)
  m = s32[] add(n, three)
  ROOT s = f32[4] dynamic-slice(p, m), dynamic_slice_sizes={4} }
body { t = (s32[], f32[10], s32[2]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[10] get-tuple-element(t), index=1
  at = s32[2] get-tuple-element(t), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  s = f32[4] fusion(x, at), kind=kLoop, calls=f
  z = f32[] constant(0)
  y = f32[10] pad(s, z), padding=0_6
  ROOT r = (s32[], f32[10], s32[2]) tuple(j, y, at) }
condition { t = (s32[], f32[10], s32[2]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { i = s32[] parameter(0)
  q = (f32[10], s32[2]) parameter(1)
  x = f32[10] get-tuple-element(q), index=0
  at = s32[2] get-tuple-element(q), index=1
  t = (s32[], f32[10], s32[2]) tuple(i, x, at)
  ROOT w = (s32[], f32[10], s32[2]) while(t), condition=condition, body=body })";
  EXPECT_EQ(BoundsOf(text, 1, 1), (std::vector<Bounds>{{0, 6}}));
  const std::unique_ptr<Module> module = Parse(text);
  const auto uses = FindIndexUses(*module->entry);
  EXPECT_TRUE(uses[0][0].in_loop_state);
  EXPECT_FALSE(uses[1][1].in_loop_state);
}

TEST(IndexUses, GathersAndScattersAndBranches) {
  EXPECT_EQ(BoundsOf(R"(ENTRY e { p = f32[10,20] parameter(0)
    i = s32[5,2] parameter(1)
    ROOT g = f32[5,4] gather(p, i), offset_dims={1}, collapsed_slice_dims={0},
      start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,4} })",
                     1),
            (std::vector<Bounds>{{0, 9}, {0, 16}}));
  EXPECT_EQ(BoundsOf(R"(
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { p = f32[10,20] parameter(0)
    i = s32[5,1] parameter(1)
    u = f32[5,3,20] parameter(2)
    ROOT g = f32[10,20] scatter(p, i, u), update_window_dims={1,2}, inserted_window_dims={},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f })",
                     1),
            (std::vector<Bounds>{{0, 7}}));
  EXPECT_EQ(BoundsOf(R"(
a { p = f32[] parameter(0) ROOT r = f32[] negate(p) }
b { p = f32[] parameter(0) ROOT r = f32[] abs(p) }
ENTRY e { i = s32[] parameter(0)
  p = f32[] parameter(1)
  ROOT c = f32[] conditional(i, p, p), branch_computations={a, b} })",
                     0),
            (std::vector<Bounds>{{0, 1}}));
}

// Over many seeds, the indices lie, by kind, at the upper bound and beyond, at the lower bound and
// below, or within and around the bounds.
TEST(Arguments, IndicesComeFromInsideAndFromOutside) {
  const std::unique_ptr<Module> module = Parse(R"(ENTRY e { p = f32[10] parameter(0)
    i = s32[] parameter(1)
    ROOT s = f32[3] dynamic-slice(p, i), dynamic_slice_sizes={3} })");
  std::set<int64_t> rounding, special, wide;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto index = [&](ArgumentKind kind) {
      return MakeArguments(*module->entry, seed, kind)[1].GetInt(0);
    };
    rounding.insert(index(ArgumentKind::kRounding));
    special.insert(index(ArgumentKind::kSpecial));
    wide.insert(index(ArgumentKind::kWide));
  }
  for (int64_t i : {7, 8, INT32_MAX}) EXPECT_TRUE(rounding.contains(i)) << i;
  for (int64_t i : {0, -1, INT32_MIN}) EXPECT_TRUE(special.contains(i)) << i;
  for (int64_t i = 0; i <= 8; ++i) EXPECT_TRUE(wide.contains(i)) << i;
  EXPECT_LT(*wide.begin(), 0);
}

// Windows of unique indices do not overlap, and some of them lie outside: that updates are skipped
// there is seen with unique indices as well.
TEST(Arguments, UniqueIndicesComeFromOutsideToo) {
  const std::unique_ptr<Module> module = Parse(R"(
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { p = f32[10] parameter(0)
    i = s32[4,1] parameter(1)
    u = f32[4,2] parameter(2)
    ROOT g = f32[10] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=f })");
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (ArgumentKind kind : kArgumentKinds) {
      const Literal indices = std::move(MakeArguments(*module->entry, seed, kind)[1]);
      std::vector<int64_t> inside;
      for (int64_t k = 0; k < 4; ++k) {
        seen.insert(indices.GetInt(k));
        if (indices.GetInt(k) >= 0 && indices.GetInt(k) <= 8) inside.push_back(indices.GetInt(k));
      }
      std::sort(inside.begin(), inside.end());
      for (size_t k = 1; k < inside.size(); ++k) EXPECT_GE(inside[k] - inside[k - 1], 2);
    }
  }
  for (int64_t i : {-1, 0, 1, 8, 9}) EXPECT_TRUE(seen.contains(i)) << i;
}

// For each seed, the kinds together have an index outside of each bound, so that a wrong or missing
// clamp shows.
TEST(Arguments, EveryEndIsTriedOften) {
  const std::unique_ptr<Module> module = Parse(R"(ENTRY e { p = f32[100] parameter(0)
    i = s32[] parameter(1)
    ROOT s = f32[30] dynamic-slice(p, i), dynamic_slice_sizes={30} })");
  int high = 0, low = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    high += MakeArguments(*module->entry, seed, ArgumentKind::kRounding)[1].GetInt(0) >= 70;
    low += MakeArguments(*module->entry, seed, ArgumentKind::kSpecial)[1].GetInt(0) < 0;
  }
  EXPECT_GE(high, 70);
  EXPECT_GE(low, 50);
}

TEST(Arguments, FloatsRoundOverflowAndBreak) {
  const std::unique_ptr<Module> module = Parse("ENTRY e { ROOT p = f32[4096] parameter(0) }");
  auto all = [&](ArgumentKind kind) { return MakeArguments(*module->entry, 1, kind)[0]; };
  const Literal rounding = all(ArgumentKind::kRounding);
  float forwards = 0, backwards = 0;
  for (int64_t i = 0; i < 4096; ++i) {
    forwards += rounding.Get<float>(i);
    backwards += rounding.Get<float>(4095 - i);
    EXPECT_TRUE(std::isfinite(rounding.Get<float>(i)));
  }
  EXPECT_NE(forwards, backwards);
  const Literal special = all(ArgumentKind::kSpecial);
  int nans = 0, infinities = 0, denormals = 0, negative_zeros = 0;
  for (int64_t i = 0; i < 4096; ++i) {
    const float x = special.Get<float>(i);
    nans += std::isnan(x);
    infinities += std::isinf(x);
    denormals += std::fpclassify(x) == FP_SUBNORMAL;
    negative_zeros += x == 0 && std::signbit(x);
  }
  for (int count : {nans, infinities, denormals, negative_zeros}) EXPECT_GT(count, 50);
}

// Among the edges are halves between two numbers of fewer bits, and numbers beyond the largest one.
TEST(Arguments, EdgesAreWhereRoundingsChange) {
  const std::unique_ptr<Module> module = Parse(
      "ENTRY e { p = f32[4096] parameter(0) q = f8e5m2[4096] parameter(1) k = s64[4096] "
      "parameter(2) "
      "ROOT t = (f32[4096], f8e5m2[4096], s64[4096]) tuple(p, q, k) }");
  const std::vector<Literal> edges = MakeArguments(*module->entry, 1, ArgumentKind::kEdges);
  int halves = 0, beyond = 0, subnormal = 0;
  std::set<double> codes;
  for (int64_t i = 0; i < 4096; ++i) {
    const double x = edges[0].GetFloat(i), size = std::abs(x);
    EXPECT_TRUE(std::isfinite(x));
    const double up = DecodeFloat(PrimitiveType::kF16, EncodeFloat(PrimitiveType::kF16, size));
    const uint64_t bits = EncodeFloat(PrimitiveType::kBF16, size);
    halves += size == (DecodeFloat(PrimitiveType::kBF16, bits) +
                       DecodeFloat(PrimitiveType::kBF16, bits + 1)) /
                          2 ||
              size == (DecodeFloat(PrimitiveType::kBF16, bits) +
                       DecodeFloat(PrimitiveType::kBF16, bits - 1)) /
                          2;
    beyond += std::isinf(up) && size < 131072;
    subnormal += size != 0 && size < 0x1p-14 && size > 0x1p-26;
    codes.insert(edges[1].GetFloat(i));
  }
  for (int count : {halves, beyond, subnormal}) EXPECT_GT(count, 40);
  EXPECT_EQ(codes.size(), 247u);  // all finite ones; the two zeros are equal
  int doubly = 0;                 // rounded to f64 and then to f32, the integer is another
  for (int64_t i = 0; i < 4096; ++i) {
    const int64_t k = edges[2].GetInt(i);
    doubly += static_cast<float>(k) != static_cast<float>(static_cast<double>(k));
  }
  EXPECT_GT(doubly, 4);
}

// Each of eight seeds gives all elements of the first array another value, indices excepted.
TEST(Arguments, UniformArraysHaveEachSpecialValue) {
  const std::unique_ptr<Module> module = Parse(
      "ENTRY e { p = f32[6] parameter(0) q = s8[3,2] parameter(1) i = s32[] parameter(2) "
      "d = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2} "
      "ROOT t = (f32[2], s8[3,2]) tuple(d, q) }");
  std::set<std::string> floats;
  std::set<int64_t> first, bytes;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    const std::vector<Literal> made = MakeArguments(*module->entry, seed, ArgumentKind::kUniform);
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(made[0].Get<uint32_t>(i), made[0].Get<uint32_t>(0));
      EXPECT_EQ(made[1].GetInt(i), made[1].GetInt(0));
    }
    if (seed < 8) {
      floats.insert(made[0].ElementToString(0));
      first.insert(made[1].GetInt(0));
    }
    bytes.insert(made[1].GetInt(0));
    EXPECT_LE(made[2].GetInt(0), 4);
    EXPECT_GE(made[2].GetInt(0), 0);
  }
  EXPECT_EQ(floats, (std::set<std::string>{"-inf", "inf", "nan", "-0", "0", "-1", "3.4028235e+38",
                                           "-3.4028235e+38"}));
  EXPECT_EQ(first, (std::set<int64_t>{-128, 127, 0, -1, 1}));
  EXPECT_EQ(bytes, first);
}

// All elements are alike but those at one end of one dimension; in some sets that is the last term
// of each row.
TEST(Arguments, EndsAreUnlikeTheRest) {
  const std::unique_ptr<Module> module =
      Parse("ENTRY e { p = bf16[3,5] parameter(0) ROOT n = bf16[3,5] negate(p) }");
  int last_of_rows = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    const Literal p = MakeArguments(*module->entry, seed, ArgumentKind::kEnds)[0];
    std::set<int64_t> rows, columns;
    for (int64_t i = 0; i < 15; ++i) {
      if (p.GetFloat(i) == p.GetFloat(6)) continue;  // neither first nor last of both dimensions
      rows.insert(i / 5);
      columns.insert(i % 5);
    }
    EXPECT_TRUE((rows.size() == 1 && columns.size() == 5) ||
                (rows.size() == 3 && columns.size() == 1));
    last_of_rows += columns == std::set<int64_t>{4} && p.GetFloat(6) == 0;
  }
  EXPECT_GT(last_of_rows, 4);
}

TEST(Arguments, ConstantsAndTheirNeighbors) {
  const std::unique_ptr<Module> module = Parse(
      "f { a = f32[] parameter(0) c = f32[] constant(1234.5) ROOT l = pred[] compare(a, c), "
      "direction=LT }\n"
      "ENTRY e { p = f32[] parameter(0) k = s32[] parameter(1) c = s32[] constant(777777) "
      "d = s32[] add(k, c) l = pred[] call(p), to_apply=f ROOT t = (pred[], s32[]) tuple(l, d) }");
  std::set<double> floats;
  std::set<int64_t> ints;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<Literal> made = MakeArguments(*module->entry, seed, ArgumentKind::kConstants);
    if (made[0].GetFloat(0) > 2) floats.insert(made[0].GetFloat(0));
    if (made[1].GetInt(0) > 20) ints.insert(made[1].GetInt(0));
  }
  EXPECT_EQ(floats, (std::set<double>{1234.5 - 0x1p-13, 1234.5, 1234.5 + 0x1p-13}));
  EXPECT_EQ(ints, (std::set<int64_t>{777776, 777777, 777778}));
}

// There is no NaN in the arguments where its bits would decide a value.
TEST(Arguments, NoNaNWhereItsBitsAreSeen) {
  const std::unique_ptr<Module> module = Parse(R"(
f { p = f32[512] parameter(0) ROOT b = s32[512] bitcast-convert(p) }
ENTRY e { p = f32[512] parameter(0) ROOT c = s32[512] fusion(p), kind=kLoop, calls=f })");
  for (ArgumentKind kind : kArgumentKinds) {
    const Literal p = MakeArguments(*module->entry, 1, kind)[0];
    for (int64_t i = 0; i < 512; ++i) EXPECT_TRUE(std::isfinite(p.Get<float>(i)));
  }
}

// Edges may be large where what is seen is an argument, or cannot be a NaN; else they are moderate.
TEST(Arguments, EdgesWhereBitsAreSeen) {
  auto has_large = [](const char* values) {
    const std::unique_ptr<Module> module =
        Parse(std::string("ENTRY e { p = f32[512] parameter(0)\n q = f32[512] parameter(1)\n") +
              values + "\n ROOT b = s32[512] bitcast-convert(x) }");
    const Literal p = MakeArguments(*module->entry, 1, ArgumentKind::kEdges)[0];
    bool large = false;
    for (int64_t i = 0; i < 512; ++i) large = large || std::abs(p.Get<float>(i)) > 1e10;
    return large;
  };
  EXPECT_TRUE(has_large("x = f32[512] negate(p)"));
  EXPECT_TRUE(has_large("x = f32[512] add(p, q)"));
  EXPECT_TRUE(has_large("y = f32[512] multiply(p, q)\n x = f32[512] maximum(y, p)"));
  EXPECT_FALSE(has_large("y = f32[512] multiply(p, q)\n x = f32[512] subtract(y, p)"));
  EXPECT_FALSE(has_large("x = f32[512] divide(p, q)"));
  EXPECT_FALSE(has_large("x = f32[512] sine(p)"));
}

TEST(Arguments, LoopsEnd) {
  const std::unique_ptr<Module> module = Parse(R"(
body { i = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT d = s32[] subtract(i, one) }
condition { i = s32[] parameter(0)
  z = s32[] constant(0)
  ROOT c = pred[] compare(i, z), direction=GT }
ENTRY e { i = s32[] parameter(0)
  ROOT w = s32[] while(i), condition=condition, body=body })");
  for (ArgumentKind kind : kArgumentKinds) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      EXPECT_LT(MakeArguments(*module->entry, seed, kind)[0].GetInt(0), 100);
    }
  }
}

// An argmax that starts from 0 and not from the least number is seen by rows of negative numbers.
TEST(Arguments, RowsHaveEachPattern) {
  const std::unique_ptr<Module> module = Parse(
      "ENTRY e { p = f32[3,4] parameter(0)\n"
      "  i = s32[4] parameter(1)\n"
      "  ROOT r = f32[3,4] negate(p) }");
  std::map<std::string, int> of_first_row;
  for (uint64_t seed = 0; seed < 7; ++seed) {
    const Literal array = std::move(MakeArguments(*module->entry, seed, ArgumentKind::kRows)[0]);
    ArgumentElements elements(*module->entry, seed, ArgumentKind::kRows);
    for (int64_t row = 0; row < 3; ++row) {
      std::set<std::string> values;
      bool negative = true, alike = true;
      for (int64_t k = 4 * row; k < 4 * row + 4; ++k) {
        values.insert(array.ElementToString(k));
        negative = negative && array.GetFloat(k) < 0 && std::isfinite(array.GetFloat(k));
        const double one = elements.At(0, 0, k).re;
        alike = alike && (std::isnan(one) == std::isnan(array.GetFloat(k))) &&
                (one < 0) == (array.GetFloat(k) < 0);
      }
      EXPECT_TRUE(negative || values.size() == 1) << seed << " " << row;
      EXPECT_TRUE(alike) << seed << " " << row;
      if (row > 0) continue;
      const bool shared = values.size() == 1;
      ++of_first_row[negative && !shared ? "negative" : *values.begin()];
      EXPECT_TRUE(negative || seed > 0);
    }
  }
  for (const char* pattern : {"negative", "inf", "-inf", "nan", "0", "-0"})
    EXPECT_TRUE(of_first_row.contains(pattern)) << pattern;
}

}  // namespace
}  // namespace affirm::hlo
