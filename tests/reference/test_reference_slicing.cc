// slice, pad, concatenate, dynamic-slice and dynamic-update-slice, checked by each other and by a
// few values.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

Literal Pad(const Literal& x, const std::vector<PaddingDimension>& padding) {
  std::vector<int64_t> dims;
  std::string text;
  for (size_t d = 0; d < padding.size(); ++d) {
    const PaddingDimension& p = padding[d];
    const int64_t size = x.shape().dims[d];
    const int64_t spread = size == 0 ? 0 : size + (size - 1) * p.interior;
    dims.push_back(spread + p.low + p.high);
    text += (d > 0 ? "x" : "") + std::to_string(p.low) + "_" + std::to_string(p.high) + "_" +
            std::to_string(p.interior);
  }
  return RunHlo("ENTRY e { x = " + Text(P::kS32, x.shape().dims) +
                    " parameter(0) v = s32[] constant(-7) ROOT r = " + Text(P::kS32, dims) +
                    " pad(x, v), padding=" + text + " }",
                {x});
}

// A strided slice is the inverse of pad with interior padding.
RC_GTEST_PROP(Pad, SliceTakesItBack, ()) {
  std::vector<int64_t> dims =
      *rc::gen::container<std::vector<int64_t>>(2, rc::gen::inRange<int64_t>(1, 5));
  std::vector<PaddingDimension> padding(2);
  std::string slice;
  for (size_t d = 0; d < 2; ++d) {
    padding[d] = {*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 4), *rc::gen::inRange(0, 3)};
    const int64_t stride = padding[d].interior + 1;
    slice += (d > 0 ? ", [" : "[") + std::to_string(padding[d].low) + ":" +
             std::to_string(padding[d].low + (dims[d] - 1) * stride + 1) + ":" +
             std::to_string(stride) + "]";
  }
  const Literal x = Numbered(dims);
  const Literal padded = Pad(x, padding);
  RC_ASSERT(One("slice", padded, dims, ", slice={" + slice + "}") == x);
  const std::vector<int64_t> values = IntValues(padded);
  RC_ASSERT(std::count(values.begin(), values.end(), -7) == padded.NumElements() - x.NumElements());
}

TEST(Pad, NegativeEdgesAndInterior) {
  EXPECT_EQ(IntValues(Pad(Numbered({5}), {{-1, -2, 0}})), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(IntValues(Pad(Numbered({3}), {{-1, 1, 2}})),
            (std::vector<int64_t>{-7, -7, 1, -7, -7, 2, -7}));
  EXPECT_EQ(IntValues(Pad(Numbered({0}), {{2, 1, 5}})), (std::vector<int64_t>{-7, -7, -7}));
}

TEST(Slice, Example) {
  EXPECT_EQ(IntValues(One("slice", Numbered({3, 5}), {2, 2}, ", slice={[1:3:1], [0:4:3]}")),
            (std::vector<int64_t>{5, 8, 10, 13}));
}

RC_GTEST_PROP(Concatenate, SlicesAreTheOperands, ()) {
  const int64_t a = *rc::gen::inRange(0, 4), b = *rc::gen::inRange(0, 4),
                c = *rc::gen::inRange(0, 4);
  const auto shape = [](int64_t n) { return Text(P::kS32, {2, n, 3}); };
  const std::string all = std::to_string(a + b + c);
  const Literal y = [&] {
    Literal l = Numbered({2, b, 3});
    for (int64_t i = 0; i < l.NumElements(); ++i) l.SetInt(i, 100 + i);
    return l;
  }();
  const auto middle = [&](int64_t from, int64_t to) {
    return RunHlo("ENTRY e { x = " + shape(a) + " parameter(0) y = " + shape(b) +
                      " parameter(1) z = " + shape(c) + " parameter(2) t = " + shape(a + b + c) +
                      " concatenate(x, y, z), dimensions={1} ROOT r = " + shape(to - from) +
                      " slice(t), slice={[0:2], [" + std::to_string(from) + ":" +
                      std::to_string(to) + "], [0:3]} }",
                  {Numbered({2, a, 3}), y, Numbered({2, c, 3})});
  };
  RC_ASSERT(middle(0, a) == Numbered({2, a, 3}));
  RC_ASSERT(middle(a, a + b) == y);
  RC_ASSERT(middle(a + b, a + b + c) == Numbered({2, c, 3}));
}

int64_t Clamp(int64_t v, int64_t high) { return std::max<int64_t>(0, std::min(v, high)); }

RC_GTEST_PROP(DynamicSlice, ClampsItsStart, (int32_t i, int8_t j)) {
  const Literal x = Numbered({5, 7});
  const Literal r = RunHlo(
      "ENTRY e { x = s32[5,7] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) "
      "ROOT r = s32[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3} }",
      {x, S32({}, {i}), S32({}, {j})});
  for (int64_t a = 0; a < 2; ++a) {
    for (int64_t b = 0; b < 3; ++b) {
      RC_ASSERT(r.GetInt(r.Linear({a, b})) ==
                x.GetInt(x.Linear({Clamp(i, 3) + a, Clamp(j, 4) + b})));
    }
  }
}

TEST(DynamicSlice, HugeUnsignedIndicesAreBeyondTheEnd) {
  const Literal r = RunHlo(
      "ENTRY e { x = s32[5] parameter(0) i = u64[] parameter(1) "
      "ROOT r = s32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} }",
      {Numbered({5}), Ints(P::kU64, {}, {-1})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{3, 4}));
}

// A slice at the start of an update reads what the update wrote; the rest is unchanged.
RC_GTEST_PROP(DynamicUpdateSlice, IsReadBackBySlice, (int8_t i, int8_t j)) {
  const Literal x = Numbered({4, 5});
  const Literal r = RunHlo(
      "ENTRY e { x = s32[4,5] parameter(0) u = s32[2,2] parameter(1) i = s32[] parameter(2) "
      "j = s32[] parameter(3) y = s32[4,5] dynamic-update-slice(x, u, i, j) "
      "s = s32[2,2] dynamic-slice(y, i, j), dynamic_slice_sizes={2,2} "
      "ROOT t = (s32[4,5], s32[2,2]) tuple(y, s) }",
      {x, S32({2, 2}, {-1, -2, -3, -4}), S32({}, {i}), S32({}, {j})});
  RC_ASSERT(IntValues(r.tuple()[1]) == (std::vector<int64_t>{-1, -2, -3, -4}));
  int changed = 0;
  for (int64_t k = 0; k < x.NumElements(); ++k) changed += r.tuple()[0].GetInt(k) != k;
  RC_ASSERT(changed == 4);
}

}  // namespace
}  // namespace affirm::hlo
