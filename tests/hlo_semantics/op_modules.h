// Small modules, one or two for each op that has an access relation.
#ifndef AFFIRM_TESTS_HLO_SEMANTICS_OP_MODULES_H_
#define AFFIRM_TESTS_HLO_SEMANTICS_OP_MODULES_H_

#include <string>

#include "core/hlo/text.h"

namespace affirm {

struct OpModule {
  const char* name;
  const char* body;  // of the entry computation
};

inline constexpr const char* kSum = R"(
sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
)";

inline constexpr OpModule kOpModules[] = {
    {"Elementwise", R"(
  p0 = f32[2,3] parameter(0)
  p1 = f32[2,3] parameter(1)
  a = f32[2,3] add(p0, p1)
  e = f32[2,3] exponential(a)
  ROOT c = s32[2,3] convert(e))"},
    {"SelectScalar", R"(
  p0 = pred[] parameter(0)
  p1 = f32[2,3] parameter(1)
  p2 = f32[2,3] parameter(2)
  lo = f32[] parameter(3)
  s = f32[2,3] select(p0, p1, p2)
  ROOT c = f32[2,3] clamp(lo, s, lo))"},
    {"Broadcast", R"(
  p0 = f32[3] parameter(0)
  b = f32[2,3,4] broadcast(p0), dimensions={1}
  c = f32[] parameter(1)
  ROOT s = f32[2,2] broadcast(c), dimensions={})"},
    {"IotaConstant", R"(
  i = s32[2,3] iota(), iota_dimension=1
  c = s32[] constant(4)
  b = s32[2,3] broadcast(c), dimensions={}
  ROOT a = s32[2,3] add(i, b))"},
    {"TransposeReverse", R"(
  p0 = f32[2,3,4] parameter(0)
  t = f32[4,2,3] transpose(p0), dimensions={2,0,1}
  ROOT r = f32[4,2,3] reverse(t), dimensions={0,2})"},
    {"Slice", R"(
  p0 = f32[7,10] parameter(0)
  ROOT s = f32[3,3] slice(p0), slice={[1:6:2], [3:10:3]})"},
    {"Pad", R"(
  p0 = f32[3,4] parameter(0)
  p1 = f32[] parameter(1)
  ROOT p = f32[8,3] pad(p0, p1), padding=1_2_1x-1_0_0)"},
    {"Concatenate", R"(
  p0 = f32[2,2] parameter(0)
  p1 = f32[2,3] parameter(1)
  ROOT c = f32[2,7] concatenate(p0, p1, p0), dimensions={1})"},
    {"Reshape", R"(
  p0 = f32[4,6] parameter(0)
  a = f32[3,8] reshape(p0)
  b = f32[2,2,6] reshape(a)
  ROOT c = f32[24] reshape(b))"},
    {"ReshapeOnes", R"(
  p0 = f32[1,4,1,6] parameter(0)
  a = f32[4,6,1] reshape(p0)
  s = f32[1] parameter(1)
  b = f32[] reshape(s)
  ROOT c = (f32[4,6,1], f32[]) tuple(a, b))"},
    {"TiledBitcast", R"(
  p0 = f32[24] parameter(0)
  a = f32[4,6]{1,0:T(2,3)} bitcast(p0)
  b = f32[2,12]{0,1:T(4,2)(2,1)} bitcast(a)
  ROOT c = f32[24]{0:T(6)S(1)} bitcast(b))"},
    {"PaddedBitcast", R"(
  p0 = f32[3,5]{1,0:T(2,2)} parameter(0)
  ROOT a = f32[5,3]{0,1:T(2,2)} bitcast(p0))"},
    {"Bitcast", R"(
  p0 = f32[4,6]{1,0} parameter(0)
  a = f32[6,4]{0,1} bitcast(p0)
  ROOT b = f32[3,8]{0,1} bitcast(a))"},
    {"Reduce", R"(
  p0 = f32[2,3,4] parameter(0)
  z = f32[] parameter(1)
  r = f32[3] reduce(p0, z), dimensions={0,2}, to_apply=sum
  ROOT t = f32[] reduce(r, z), dimensions={0}, to_apply=sum)"},
    {"ReduceWindow", R"(
  p0 = f32[7,6] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[4,7] reduce-window(p0, z), window={size=3x2 stride=2x1 pad=1_1x1_1}, to_apply=sum)"},
    {"ReduceWindowDilated", R"(
  p0 = f32[5] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[4] reduce-window(p0, z), window={size=3 stride=2 pad=1_1 lhs_dilate=2 rhs_dilate=2}, to_apply=sum)"},
    {"Dot", R"(
  p0 = f32[2,3,4] parameter(0)
  p1 = f32[2,4,5] parameter(1)
  ROOT d = f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1})"},
    {"Convolution", R"(
  p0 = f32[2,6,3] parameter(0)
  p1 = f32[3,3,2] parameter(1)
  ROOT c = f32[2,4,2] convolution(p0, p1), window={size=3}, dim_labels=b0f_0io->b0f)"},
    {"ConvolutionPadded", R"(
  p0 = f32[1,5,4] parameter(0)
  p1 = f32[2,2,4] parameter(1)
  ROOT c = f32[1,5,4] convolution(p0, p1), window={size=2 stride=2 pad=1_1 lhs_dilate=2 rhs_dilate=2}, dim_labels=b0f_0io->b0f, feature_group_count=2)"},
    {"DynamicSlice", R"(
  p0 = f32[4,6] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  ROOT d = f32[2,3] dynamic-slice(p0, i, j), dynamic_slice_sizes={2,3})"},
    {"DynamicSliceFolded", R"(
  p0 = f32[4,6] parameter(0)
  i = s32[] constant(3)
  j = s32[] parameter(1)
  ROOT d = f32[2,3] dynamic-slice(p0, i, j), dynamic_slice_sizes={2,3})"},
    {"DynamicSliceFoldedThroughOthers", R"(
  p0 = f32[4,6] parameter(0)
  n = s64[2] constant({7, 259})
  m = s8[2] convert(n)
  i = s8[1] slice(m), slice={[1:2]}
  t = (s8[2], s8[1]) tuple(m, i)
  g = s8[1] get-tuple-element(t), index=1
  j = s8[] reshape(g)
  ROOT d = f32[2,3] dynamic-slice(p0, j, j), dynamic_slice_sizes={2,3})"},
    {"DynamicUpdateSlice", R"(
  p0 = f32[4,6] parameter(0)
  u = f32[2,3] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT d = f32[4,6] dynamic-update-slice(p0, u, i, j))"},
    {"Gather", R"(
  p0 = f32[5,6,3] parameter(0)
  i = s32[4,2] parameter(1)
  ROOT g = f32[4,2,3,3] gather(p0, i), offset_dims={1,2,3}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,3,3})"},
    {"TupleElement", R"(
  p0 = f32[2] parameter(0)
  p1 = s32[3] parameter(1)
  t = (f32[2], s32[3]) tuple(p0, p1)
  b = (f32[2], s32[3]) opt-barrier(t)
  ROOT g = s32[3] get-tuple-element(b), index=1)"},
    {"Sort", R"(
  p0 = f32[3,4] parameter(0)
  ROOT s = f32[3,4] sort(p0), dimensions={1}, to_apply=less)"},
    {"Empty", R"(
  p0 = f32[0,3] parameter(0)
  r = f32[3,0] reshape(p0)
  ROOT t = f32[0,3] transpose(r), dimensions={1,0})"},
};

inline std::string ModuleText(const OpModule& m) {
  std::string less = R"(
less {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = pred[] compare(x, y), direction=LT
}
)";
  std::string called;
  if (std::string(m.body).find("to_apply=sum") != std::string::npos) called = kSum;
  if (std::string(m.body).find("to_apply=less") != std::string::npos) called = less;
  return std::string("HloModule ") + m.name + "\n" + called + "\nENTRY e {" + m.body + "\n}\n";
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_HLO_SEMANTICS_OP_MODULES_H_
