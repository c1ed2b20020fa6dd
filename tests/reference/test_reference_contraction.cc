// dot and convolution, compared with definitions that are written in another way, and ragged-dot.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

Literal SmallInts(const std::vector<int64_t>& dims, uint64_t seed) {
  Literal literal(Shape::Array(P::kS32, dims));
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < literal.NumElements(); ++i) literal.SetInt(i, int64_t(random() % 19) - 9);
  return literal;
}

// [b, m, k] times [k, b, n], summed directly.
RC_GTEST_PROP(Dot, BatchAndContractionAnywhere, (uint64_t seed)) {
  const int64_t b = *rc::gen::inRange(0, 4), m = *rc::gen::inRange(0, 4),
                k = *rc::gen::inRange(0, 4), n = *rc::gen::inRange(0, 4);
  const Literal x = SmallInts({b, m, k}, seed), y = SmallInts({k, b, n}, seed + 1);
  const Literal got =
      RunHlo("ENTRY e { x = " + Text(P::kS32, {b, m, k}) + " parameter(0) y = " +
                 Text(P::kS32, {k, b, n}) + " parameter(1) ROOT r = " + Text(P::kS32, {b, m, n}) +
                 " dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
                 "rhs_contracting_dims={0} }",
             {x, y});
  Literal want(Shape::Array(P::kS32, {b, m, n}));
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const int64_t kk = i % k, mm = i / k % m, bb = i / k / m;
    for (int64_t nn = 0; nn < n; ++nn) {
      const int64_t to = want.Linear({bb, mm, nn});
      want.SetInt(to, want.GetInt(to) + x.GetInt(i) * y.GetInt(y.Linear({kk, bb, nn})));
    }
  }
  RC_ASSERT(got == want);
}

TEST(Dot, SeveralContractedDimensionsAndNone) {
  const std::string both =
      "ENTRY e { x = s32[2,3] parameter(0) y = s32[3,2] parameter(1) "
      "ROOT r = s32[] dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0} }";
  EXPECT_EQ(RunHlo(both, {Numbered({2, 3}), S32({3, 2}, {1, 10, 2, 20, 3, 30})}).GetInt(0),
            0 * 1 + 1 * 2 + 2 * 3 + 3 * 10 + 4 * 20 + 5 * 30);
  const std::string outer =
      "ENTRY e { x = s32[2] parameter(0) y = s32[2] parameter(1) "
      "ROOT r = s32[2,2] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={} }";
  EXPECT_EQ(IntValues(RunHlo(outer, {S32({2}, {2, 3}), S32({2}, {5, 7})})),
            (std::vector<int64_t>{10, 14, 15, 21}));
}

Literal DotOf(P type, P result, const std::vector<double>& x, const std::vector<double>& y) {
  const int64_t n = std::ssize(x);
  return RunHlo("ENTRY e { x = " + Text(type, {n}) + " parameter(0) y = " + Text(type, {n}) +
                    " parameter(1) ROOT r = " + Name(result).str() +
                    "[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
                {Floats(type, {n}, x), Floats(type, {n}, y)});
}

TEST(Dot, NarrowFloatsAccumulateInF32) {
  // In bf16 the running sum would stay at 256.
  EXPECT_EQ(DotOf(P::kBF16, P::kBF16, {256, 1, 1, 1, 1}, {1, 1, 1, 1, 1}).GetFloat(0), 260);
  EXPECT_EQ(DotOf(P::kF32, P::kF32, {16777216, 1, 1}, {1, 1, 1}).GetFloat(0), 16777216);
  EXPECT_EQ(DotOf(P::kF64, P::kF64, {16777216, 1, 1}, {1, 1, 1}).GetFloat(0), 16777218);
}

TEST(Dot, IntegersWrapToTheResult) {
  const std::string text =
      "ENTRY e { x = s8[3] parameter(0) y = s8[3] parameter(1) "
      "narrow = s8[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} "
      "wide = s32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0} "
      "ROOT t = (s8[], s32[]) tuple(narrow, wide) }";
  const Literal r =
      RunHlo(text, {Ints(P::kS8, {3}, {100, 100, -128}), Ints(P::kS8, {3}, {100, 100, -128})});
  EXPECT_EQ(r.tuple()[1].GetInt(0), 36384);
  EXPECT_EQ(r.tuple()[0].GetInt(0), static_cast<int8_t>(36384));
}

// A random convolution with two spatial dimensions: every attribute takes part.
struct Problem {
  int64_t batch, feature_groups, batch_groups, inputs_per_group, outputs;
  int64_t size[2], kernel[2], stride[2], low[2], high[2], base[2], spread[2];
  bool reversed[2];
  int64_t places[2];
};

Problem RandomProblem() {
  const auto in = [](int64_t low, int64_t high) {
    return *rc::gen::inRange<int64_t>(low, high + 1);
  };
  Problem p;
  p.feature_groups = in(1, 2);
  p.batch_groups = p.feature_groups > 1 ? 1 : in(1, 2);
  p.batch = p.batch_groups * in(1, 2);
  p.inputs_per_group = in(1, 2);
  p.outputs = p.feature_groups * p.batch_groups * in(1, 2);
  for (int k = 0; k < 2; ++k) {
    p.size[k] = in(1, 4);
    p.kernel[k] = in(1, 3);
    p.stride[k] = in(1, 2);
    p.low[k] = in(0, 2);
    p.high[k] = in(0, 2);
    p.base[k] = in(1, 2);
    p.spread[k] = in(1, 2);
    p.reversed[k] = *rc::gen::arbitrary<bool>();
    const int64_t padded = (p.size[k] - 1) * p.base[k] + 1 + p.low[k] + p.high[k];
    const int64_t extent = (p.kernel[k] - 1) * p.spread[k] + 1;
    p.places[k] = padded < extent ? 0 : (padded - extent) / p.stride[k] + 1;
  }
  return p;
}

std::string Pair(const int64_t (&v)[2]) {
  return std::to_string(v[0]) + "x" + std::to_string(v[1]);
}

// input b01f, kernel 01io, output f01b.
Literal Convolve(const Problem& p, const Literal& input, const Literal& kernel) {
  std::string text =
      "ENTRY e { x = " + Text(P::kS32, input.shape().dims) +
      " parameter(0) w = " + Text(P::kS32, kernel.shape().dims) + " parameter(1) ROOT r = " +
      Text(P::kS32, {p.outputs, p.places[0], p.places[1], p.batch / p.batch_groups}) +
      " convolution(x, w), window={size=" + Pair(p.kernel) + " stride=" + Pair(p.stride) +
      " pad=" + std::to_string(p.low[0]) + "_" + std::to_string(p.high[0]) + "x" +
      std::to_string(p.low[1]) + "_" + std::to_string(p.high[1]) + " lhs_dilate=" + Pair(p.base) +
      " rhs_dilate=" + Pair(p.spread) + " rhs_reversal=" + std::to_string(int(p.reversed[0])) +
      "x" + std::to_string(int(p.reversed[1])) +
      "}, dim_labels=b01f_01io->f01b, feature_group_count=" + std::to_string(p.feature_groups) +
      ", batch_group_count=" + std::to_string(p.batch_groups) + " }";
  return RunHlo(text, {input, kernel});
}

// The convolution the other way round: each input element is added to the outputs that it
// contributes to.
Literal SendInputs(const Problem& p, const Literal& input, const Literal& kernel) {
  const int64_t out_batch = p.batch / p.batch_groups;
  Literal want(Shape::Array(P::kS32, {p.outputs, p.places[0], p.places[1], out_batch}));
  const int64_t features = p.inputs_per_group * p.feature_groups;
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t y = 0; y < p.size[0]; ++y) {
      for (int64_t x = 0; x < p.size[1]; ++x) {
        for (int64_t f = 0; f < features; ++f) {
          for (int64_t o = 0; o < p.outputs; ++o) {
            // Groups own consecutive runs of features, of batches and of outputs.
            if (o * p.feature_groups / p.outputs != f / p.inputs_per_group) continue;
            if (o * p.batch_groups / p.outputs != b / out_batch) continue;
            for (int64_t ky = 0; ky < p.kernel[0]; ++ky) {
              for (int64_t kx = 0; kx < p.kernel[1]; ++kx) {
                const int64_t row = y * p.base[0] + p.low[0] - ky * p.spread[0];
                const int64_t column = x * p.base[1] + p.low[1] - kx * p.spread[1];
                if (row < 0 || column < 0 || row % p.stride[0] != 0 || column % p.stride[1] != 0)
                  continue;
                if (row / p.stride[0] >= p.places[0] || column / p.stride[1] >= p.places[1])
                  continue;
                const int64_t wy = p.reversed[0] ? p.kernel[0] - 1 - ky : ky;
                const int64_t wx = p.reversed[1] ? p.kernel[1] - 1 - kx : kx;
                const int64_t to =
                    want.Linear({o, row / p.stride[0], column / p.stride[1], b % out_batch});
                want.SetInt(to, want.GetInt(to) + input.GetInt(input.Linear({b, y, x, f})) *
                                                      kernel.GetInt(kernel.Linear(
                                                          {wy, wx, f % p.inputs_per_group, o})));
              }
            }
          }
        }
      }
    }
  }
  return want;
}

RC_GTEST_PROP(Convolution, IsTheSumOfWhatEachInputSends, (uint64_t seed)) {
  const Problem p = RandomProblem();
  RC_PRE(p.places[0] > 0 && p.places[1] > 0);
  const Literal input =
      SmallInts({p.batch, p.size[0], p.size[1], p.inputs_per_group * p.feature_groups}, seed);
  const Literal kernel =
      SmallInts({p.kernel[0], p.kernel[1], p.inputs_per_group, p.outputs}, seed + 1);
  RC_ASSERT(Convolve(p, input, kernel) == SendInputs(p, input, kernel));
}

TEST(Convolution, MovingDifference) {
  const Literal r = RunHlo(
      "ENTRY e { x = f32[1,4,1] parameter(0) w = f32[2,1,1] parameter(1) "
      "ROOT r = f32[1,3,1] convolution(x, w), window={size=2}, dim_labels=b0f_0io->b0f }",
      {F32({1, 4, 1}, {1, 4, 9, 16}), F32({2, 1, 1}, {-1, 1})});
  EXPECT_EQ(FloatValues(r), (std::vector<double>{3, 5, 7}));
}

TEST(Convolution, WithoutSpatialDimensionsIsAMatrixProduct) {
  const Literal x = Numbered({2, 3}), w = Numbered({3, 4});
  const std::string head =
      "ENTRY e { x = s32[2,3] parameter(0) w = s32[3,4] parameter(1) ROOT r = s32[2,4] ";
  EXPECT_EQ(
      RunHlo(head + "convolution(x, w), dim_labels=bf_io->bf }", {x, w}),
      RunHlo(head + "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} }", {x, w}));
}

TEST(RaggedDot, PicksTheMatrixOfTheGroup) {
  // Rows 0 and 1 are multiplied by the first matrix, row 2 by the second; row 3 is in no group.
  const Literal result = RunHlo(
      "ENTRY e { a = f32[4,1] parameter(0) b = f32[2,1,2] parameter(1) s = s32[2] parameter(2) "
      "ROOT r = f32[4,2] ragged-dot(a, b, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
      "lhs_ragged_dims={0}, rhs_group_dims={0} }",
      {F32({4, 1}, {1, 2, 3, 4}), F32({2, 1, 2}, {1, 10, 100, 1000}), S32({2}, {2, 1})});
  EXPECT_EQ(FloatValues(result), (std::vector<double>{1, 10, 2, 20, 300, 3000, 0, 0}));
}

TEST(RaggedDot, SumsEachGroup) {
  const Literal result = RunHlo(
      "ENTRY e { a = f32[1,4] parameter(0) b = f32[4,1] parameter(1) s = s32[3] parameter(2) "
      "ROOT r = f32[3,1,1] ragged-dot(a, b, s), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}, lhs_ragged_dims={1} }",
      {F32({1, 4}, {1, 2, 3, 4}), F32({4, 1}, {1, 10, 100, 1000}), S32({3}, {1, 0, 2})});
  EXPECT_EQ(FloatValues(result), (std::vector<double>{1, 0, 320}));
}

}  // namespace
}  // namespace affirm::hlo
