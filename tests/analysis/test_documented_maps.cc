// Every indexing map that XLA's indexing analysis documentation prints, in both directions.
#include <gtest/gtest.h>

#include "tests/analysis/hlo_text.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;

struct Want {
  Direction direction;
  int64_t id;       // output, or operand
  int64_t list;     // operand, or output
  const char* map;  // as the documentation prints it
};

struct DocumentedCase {
  const char* name;
  const char* hlo;
  std::vector<Want> want;
};

constexpr Direction kOut = Direction::kOutputToInput;
constexpr Direction kIn = Direction::kInputToOutput;

class DocumentedMaps : public ::testing::TestWithParam<DocumentedCase> {};

// The computed map is the documented one, and prints as documented.
TEST_P(DocumentedMaps, AreReproduced) {
  Parsed p = Parse(GetParam().hlo);
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  for (const Want& w : GetParam().want) {
    auto want = ParseIndexingMap(w.map, context);
    ASSERT_TRUE(bool(want)) << llvm::toString(want.takeError());
    InstructionIndexing got = w.direction == kOut ? OutputToInput(*p.root, w.id, context)
                                                  : InputToOutput(*p.root, w.id, context);
    ASSERT_LT(w.list, static_cast<int64_t>(got.maps.size()));
    ASSERT_EQ(got.maps[w.list].size(), 1u) << want->ToString();
    IndexingMap have = testing::WithoutSources(got.maps[w.list][0].map);
    EXPECT_EQ(have, *want) << "have " << have.ToString() << "\nwant " << want->ToString();
    EXPECT_EQ(have.ToString(), w.map);
  }
}

const DocumentedCase kSingleOps[] = {
    {"Elementwise",
     R"(p0 = f32[10, 20] parameter(0)
        p1 = f32[10, 20] parameter(1)
        ROOT output = f32[10, 20] add(p0, p1))",
     {{kOut, 0, 0, "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"},
      {kOut, 0, 1, "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"},
      {kIn, 0, 0, "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"}}},
    {"Broadcast",
     R"(p0 = f32[20] parameter(0)
        ROOT bc0 = f32[10, 20, 30] broadcast(p0), dimensions={1})",
     {{kOut, 0, 0, "(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"},
      {kIn, 0, 0,
       "(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]"}}},
    {"Iota",
     R"(ROOT iota = f32[2,4] iota(), iota_dimension=1)",
     {{kIn, 0, 0, "()[s0, s1] -> (s0, s1), domain: s0 in [0, 1], s1 in [0, 3]"}}},
    {"DynamicSlice",
     R"(src = s32[2, 2, 258] parameter(0)
        of1 = s32[] parameter(1)
        of2 = s32[] parameter(2)
        of3 = s32[] parameter(3)
        ROOT ds = s32[1, 2, 32] dynamic-slice(src, of1, of2, of3), dynamic_slice_sizes={1, 2, 32})",
     {{kOut, 0, 0,
       "(d0, d1, d2){rt0, rt1, rt2} -> (d0 + rt0, d1 + rt1, d2 + rt2), domain: d0 in [0, 0], "
       "d1 in [0, 1], d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]"},
      {kOut, 0, 1, "(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31]"},
      {kOut, 0, 2, "(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31]"},
      {kOut, 0, 3, "(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31]"}}},
    {"DynamicUpdateSlice",
     R"(src = s32[20,30] parameter(0)
        upd = s32[5,10] parameter(1)
        of1 = s32[] parameter(2)
        of2 = s32[] parameter(3)
        ROOT dus = s32[20,30] dynamic-update-slice(
            s32[20,30] src, s32[5,10] upd, s32[] of1, s32[] of2))",
     {{kOut, 0, 0, "(d0, d1) -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29]"},
      {kOut, 0, 1,
       "(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29], "
       "rt0 in [0, 15], rt1 in [0, 20]"},
      {kOut, 0, 2, "(d0, d1) -> (), domain: d0 in [0, 19], d1 in [0, 29]"},
      {kOut, 0, 3, "(d0, d1) -> (), domain: d0 in [0, 19], d1 in [0, 29]"}}},
    {"Gather",
     R"(operand = f32[33,76,70] parameter(0)
        indices = s32[1806,2] parameter(1)
        ROOT gather = f32[1806,7,8,4] gather(operand, indices), offset_dims={1,2,3},
          collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1,
          slice_sizes={7,8,4})",
     {{kOut, 0, 0,
       "(d0, d1, d2, d3){rt0, rt1} -> (d1 + rt0, d2 + rt1, d3), domain: d0 in [0, 1805], "
       "d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], rt0 in [0, 26], rt1 in [0, 68]"},
      {kOut, 0, 1,
       "(d0, d1, d2, d3)[s0] -> (d0, s0), domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], "
       "d3 in [0, 3], s0 in [0, 1]"}}},
    {"Transpose",
     R"(p0 = f32[3, 12288, 6, 128] parameter(0)
        ROOT transpose = f32[3, 6, 128, 12288] transpose(p0), dimensions={0, 2, 3, 1})",
     {{kOut, 0, 0,
       "(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], "
       "d2 in [0, 127], d3 in [0, 12287]"},
      {kIn, 0, 0,
       "(d0, d1, d2, d3) -> (d0, d2, d3, d1), domain: d0 in [0, 2], d1 in [0, 12287], "
       "d2 in [0, 5], d3 in [0, 127]"}}},
    {"Reverse",
     R"(p0 = f32[1, 17, 9, 9] parameter(0)
        ROOT reverse = f32[1, 17, 9, 9] reverse(p0), dimensions={1, 2})",
     {{kOut, 0, 0,
       "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], "
       "d2 in [0, 8], d3 in [0, 8]"},
      {kIn, 0, 0,
       "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], "
       "d2 in [0, 8], d3 in [0, 8]"}}},
    {"VariadicReduce",
     R"(HloModule m
        max {
          tmp_0 = f32[] parameter(0)
          tmp_1 = f32[] parameter(2)
          tmp_2 = s32[] parameter(1)
          tmp_3 = s32[] parameter(3)
          a = f32[] maximum(tmp_0, tmp_1)
          b = s32[] maximum(tmp_2, tmp_3)
          ROOT t = (f32[], s32[]) tuple(a, b)
        }
        ENTRY e {
          p0 = f32[256,10] parameter(0)
          p0_init = f32[] constant(-inf)
          p1 = s32[256,10] parameter(1)
          p1_init = s32[] constant(0)
          ROOT out = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init), dimensions={0},
            to_apply=max
        })",
     {{kOut, 0, 0, "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
      {kOut, 0, 2, "(d0) -> (), domain: d0 in [0, 9]"},
      {kOut, 1, 1, "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
      {kIn, 0, 0, "(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]"},
      {kIn, 2, 0, "()[s0] -> (s0), domain: s0 in [0, 9]"}}},
    {"Slice",
     R"(p0 = f32[10, 20, 50] parameter(0)
        ROOT slice = f32[5, 3, 25] slice(f32[10, 20, 50] p0), slice={[5:10:1], [3:20:7], [0:50:2]})",
     {{kOut, 0, 0,
       "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], "
       "d2 in [0, 24]"},
      {kIn, 0, 0,
       "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2), domain: d0 in [5, 9], "
       "d1 in [3, 17], d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], d2 mod 2 in [0, 0]"}}},
    {"CollapseShape",
     R"(p0 = f32[4,8] parameter(0)
        ROOT reshape = f32[32] reshape(p0))",
     {{kOut, 0, 0, "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"},
      {kIn, 0, 0, "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}}},
    {"ExpandShape",
     R"(p0 = f32[32] parameter(0)
        ROOT reshape = f32[4, 8] reshape(p0))",
     {{kOut, 0, 0, "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"},
      {kIn, 0, 0, "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}}},
    {"LinearizeDelinearize",
     R"(p0 = f32[4,8] parameter(0)
        ROOT reshape = f32[2, 4, 4] reshape(p0))",
     {{kOut, 0, 0,
       "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), domain: d0 in [0, 1], "
       "d1 in [0, 3], d2 in [0, 3]"},
      {kIn, 0, 0,
       "(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + (d0 mod 2) * 2, d1 mod 4), domain: "
       "d0 in [0, 3], d1 in [0, 7]"}}},
    {"ExpandedAndCollapsedSubshapes",
     R"(p0 = f32[4, 8, 12] parameter(0)
        ROOT reshape = f32[32, 3, 4] reshape(p0))",
     {{kOut, 0, 0,
       "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], "
       "d1 in [0, 2], d2 in [0, 3]"},
      {kIn, 0, 0,
       "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4), domain: d0 in [0, 3], "
       "d1 in [0, 7], d2 in [0, 11]"}}},
    {"Concatenate",
     R"(p0 = f32[2, 5, 7] parameter(0)
        p1 = f32[2, 11, 7] parameter(1)
        p2 = f32[2, 17, 7] parameter(2)
        ROOT output = f32[2, 33, 7] concatenate(f32[2, 5, 7] p0, f32[2, 11, 7] p1, f32[2, 17, 7] p2), dimensions={1})",
     {{kOut, 0, 0,
       "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]"},
      {kOut, 0, 1,
       "(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]"},
      {kOut, 0, 2,
       "(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 in [0, 6]"},
      {kIn, 0, 0, "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]"},
      {kIn, 1, 0,
       "(d0, d1, d2) -> (d0, d1 + 5, d2), domain: d0 in [0, 1], d1 in [0, 10], d2 in [0, 6]"},
      {kIn, 2, 0,
       "(d0, d1, d2) -> (d0, d1 + 16, d2), domain: d0 in [0, 1], d1 in [0, 16], d2 in [0, 6]"}}},
    // The documentation prints (d0, s0, d1) for the right operand's input-to-output map, which
    // leaves the result's bounds: d1 is the contracting index there. The last component is d2.
    {"Dot",
     R"(p0 = f32[4, 128, 256] parameter(0)
        p1 = f32[4, 256, 64] parameter(1)
        ROOT output = f32[4, 128, 64] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0},
          lhs_contracting_dims={2}, rhs_contracting_dims={1})",
     {{kOut, 0, 0,
       "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], "
       "s0 in [0, 255]"},
      {kOut, 0, 1,
       "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], "
       "s0 in [0, 255]"},
      {kIn, 0, 0,
       "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 255], "
       "s0 in [0, 63]"},
      {kIn, 1, 0,
       "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], "
       "s0 in [0, 127]"}}},
    {"Pad",
     R"(p0 = f32[4, 4] parameter(0)
        p1 = f32[] parameter(1)
        ROOT pad = f32[12, 16] pad(p0, p1), padding=1_4_1x4_8_0)",
     {{kOut, 0, 0,
       "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], "
       "(d0 - 1) mod 2 in [0, 0]"},
      {kOut, 0, 1, "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 15]"}}},
    {"ReduceWindow",
     R"(HloModule m
        max {
          a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT m = f32[] maximum(a, b)
        }
        ENTRY e {
          c_inf = f32[] constant(-inf)
          p0 = f32[1024, 514] parameter(0)
          ROOT outpu = f32[1024, 3] reduce-window(p0, c_inf), window={size=1x512 pad=0_0x0_0},
            to_apply=max
        })",
     {{kOut, 0, 0,
       "(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], d1 in [0, 2], s0 in [0, 511]"},
      {kOut, 0, 1, "(d0, d1) -> (), domain: d0 in [0, 1023], d1 in [0, 2]"}}},
};
INSTANTIATE_TEST_SUITE_P(SingleOps, DocumentedMaps, ::testing::ValuesIn(kSingleOps),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(DocumentedNullaryOps, IotaReadsNothing) {
  Parsed p = Parse("ROOT iota = f32[2,4] iota(), iota_dimension=1");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  EXPECT_TRUE(OutputToInput(*p.root, 0, context).maps.empty());
}

// The distinct maps of a fusion's operand, as a set.
void ExpectFusionMaps(const char* computation, const char* entry,
                      const std::vector<const char*>& want) {
  Parsed p = Parse(std::string("HloModule m\n") + computation + "ENTRY e {" + entry + "}");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  InstructionIndexing got = OutputToInput(*p.root, 0, context);
  ASSERT_EQ(got.maps[0].size(), want.size());
  for (const char* text : want) {
    auto map = ParseIndexingMap(text, context);
    ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
    bool found = false;
    for (const LabeledMap& m : got.maps[0]) found |= m.map == *map;
    EXPECT_TRUE(found) << text << "\nhave " << got.maps[0][0].map.ToString();
  }
}

TEST(DocumentedFusions, OneInputSeveralMaps) {
  ExpectFusionMaps(R"(f {
      p0 = f32[1000, 1000] parameter(0)
      transpose_p0 = f32[1000, 1000]{0, 1} transpose(p0), dimensions={1, 0}
      ROOT a0 = f32[1000, 1000] add(p0, transpose_p0)
    })",
                   R"(p0 = f32[1000, 1000] parameter(0)
      ROOT fusion = f32[1000, 1000] fusion(p0), kind=kLoop, calls=f)",
                   {"(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
                    "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]"});
}

TEST(DocumentedFusions, OneInputDeduplicatedMap) {
  ExpectFusionMaps(R"(f {
      p0 = f32[20, 10, 50] parameter(0)
      lhs_transpose_1 = f32[10, 20, 50] transpose(p0), dimensions={1, 0, 2}
      lhs_e = f32[10, 20, 50] exponential(lhs_transpose_1)
      lhs_transpose_2 = f32[10, 50, 20] transpose(lhs_e), dimensions={0, 2, 1}
      rhs_transpose_1 = f32[50, 10, 20] transpose(p0), dimensions={2, 1, 0}
      rhs_log = f32[50, 10, 20] exponential(rhs_transpose_1)
      rhs_transpose_2 = f32[10, 50, 20] transpose(rhs_log), dimensions={1, 0, 2}
      ROOT output = f32[10, 50, 20] add(lhs_transpose_2, rhs_transpose_2)
    })",
                   R"(p0 = f32[20, 10, 50] parameter(0)
      ROOT fusion = f32[10, 50, 20] fusion(p0), kind=kLoop, calls=f)",
                   {"(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], "
                    "d2 in [0, 19]"});
}

TEST(DocumentedFusions, Softmax) {
  ExpectFusionMaps(
      R"(
    add_computation {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT add = f32[] add(a, b)
    }
    max_computation {
      c = f32[] parameter(0)
      d = f32[] parameter(1)
      ROOT max = f32[] maximum(c, d)
    }
    softmax {
      p0 = f32[2,65,125]{2,1,0} parameter(0)
      minus_inf = f32[] constant(-inf)
      reduce_max = f32[2,65]{1,0} reduce(p0, minus_inf), dimensions={2}, to_apply=max_computation
      broadcast_max = f32[2,65,125]{2,1,0} broadcast(reduce_max), dimensions={0,1}
      diff = f32[2,65,125]{2,1,0} subtract(p0, broadcast_max)
      numerator = f32[2,65,125]{2,1,0} exponential(diff)
      zero = f32[] constant(0)
      reduce_sum = f32[2,65]{1,0} reduce(numerator, zero), dimensions={2}, to_apply=add_computation
      denominator = f32[2,65,125]{2,1,0} broadcast(reduce_sum), dimensions={0,1}
      ROOT softmax = f32[2,65,125]{2,1,0} divide(numerator, denominator)
    })",
      R"(p0 = f32[2,65,125]{2,1,0} parameter(0)
      ROOT fusion = f32[2,65,125]{2,1,0} fusion(p0), kind=kLoop, calls=softmax)",
      {"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], "
       "s0 in [0, 124]",
       "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]"});
}

TEST(DocumentedFusions, ChainedReshapesCancel) {
  ExpectFusionMaps(R"(f {
      p0 = f32[10, 10, 10] parameter(0)
      reshape1 = f32[50, 20] reshape(p0)
      ROOT reshape2 = f32[10, 10, 10] reshape(reshape1)
    })",
                   R"(p0 = f32[10, 10, 10] parameter(0)
      ROOT fusion = f32[10, 10, 10] fusion(p0), kind=kLoop, calls=f)",
                   {"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], "
                    "d2 in [0, 9]"});
}

}  // namespace
}  // namespace affirm
