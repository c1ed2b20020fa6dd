// Ops that move elements, checked by their inverses, by compositions, and by a few values.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

std::vector<int64_t> RandomDims(int max_rank = 4) {
  const int rank = *rc::gen::inRange(0, max_rank + 1);
  return *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange<int64_t>(0, 5));
}

std::vector<int64_t> RandomPermutation(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

std::string Dims(const std::vector<int64_t>& dims) { return ", dimensions={" + Join(dims) + "}"; }

RC_GTEST_PROP(Transpose, IsUndoneByTheInverse, ()) {
  const std::vector<int64_t> dims = RandomDims(), order = RandomPermutation(dims.size());
  std::vector<int64_t> permuted(dims.size()), inverse(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    permuted[d] = dims[order[d]];
    inverse[order[d]] = d;
  }
  const Literal x = Numbered(dims);
  const Literal there = One("transpose", x, permuted, Dims(order));
  RC_ASSERT(One("transpose", there, dims, Dims(inverse)) == x);
}

TEST(Transpose, Example) {
  EXPECT_EQ(IntValues(One("transpose", Numbered({2, 3}), {3, 2}, Dims({1, 0}))),
            (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  // Dimension d of the result is dimension order[d] of the operand.
  const Literal r = One("transpose", Numbered({2, 3, 4}), {4, 2, 3}, Dims({2, 0, 1}));
  EXPECT_EQ(r.GetInt(r.Linear({3, 1, 2})), Numbered({2, 3, 4}).Linear({1, 2, 3}));
}

TEST(Transpose, OfLongRows) {
  const Literal r = One("transpose", Numbered({48, 20}), {20, 48}, Dims({1, 0}));
  for (int64_t i = 0; i < 20; ++i) {
    for (int64_t j = 0; j < 48; ++j) EXPECT_EQ(r.GetInt(i * 48 + j), j * 20 + i);
  }
}

RC_GTEST_PROP(Reshape, KeepsTheRowMajorOrder, ()) {
  const std::vector<int64_t> dims = RandomDims();
  const Literal x = Numbered(dims);
  const Literal flat = One("reshape", x, {x.NumElements()}, "");
  RC_ASSERT(IntValues(flat) == IntValues(x));
  RC_ASSERT(One("reshape", flat, dims, "") == x);
}

RC_GTEST_PROP(Reverse, TwiceIsNothing, ()) {
  const std::vector<int64_t> dims = RandomDims();
  std::vector<int64_t> reversed;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (*rc::gen::arbitrary<bool>()) reversed.push_back(d);
  }
  const Literal x = Numbered(dims);
  RC_ASSERT(One("reverse", One("reverse", x, dims, Dims(reversed)), dims, Dims(reversed)) == x);
  std::vector<int64_t> all(dims.size()), values = IntValues(x);
  std::iota(all.begin(), all.end(), 0);
  std::reverse(values.begin(), values.end());
  RC_ASSERT(IntValues(One("reverse", x, dims, Dims(all))) == values);
}

RC_GTEST_PROP(Broadcast, EverySliceIsTheOperand, ()) {
  const std::vector<int64_t> dims = RandomDims(3);
  std::vector<int64_t> wide = dims, kept(dims.size());
  std::iota(kept.begin(), kept.end(), 1);
  wide.insert(wide.begin(), 3);
  const Literal x = Numbered(dims);
  const Literal r = One("broadcast", x, wide, Dims(kept));
  std::vector<int64_t> want;
  for (int copy = 0; copy < 3; ++copy) {
    for (int64_t v : IntValues(x)) want.push_back(v);
  }
  RC_ASSERT(IntValues(r) == want);
}

TEST(Iota, CountsAlongItsDimension) {
  EXPECT_EQ(IntValues(RunHlo("ENTRY e { ROOT r = s32[2,3] iota(), iota_dimension=1 }", {})),
            (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(FloatValues(RunHlo("ENTRY e { ROOT r = f32[2,3] iota(), iota_dimension=0 }", {})),
            (std::vector<double>{0, 0, 0, 1, 1, 1}));
}

// A bitcast to another layout of the transposed shape is that transpose.
TEST(Bitcast, ReadsThroughLayouts) {
  const Literal x = Numbered({2, 3});
  const Literal transposed =
      RunHlo("ENTRY e { x = s32[2,3]{1,0} parameter(0) ROOT r = s32[3,2]{0,1} bitcast(x) }", {x});
  EXPECT_EQ(transposed, One("transpose", x, {3, 2}, Dims({1, 0})));
  const Literal same =
      RunHlo("ENTRY e { x = s32[2,3]{0,1} parameter(0) ROOT r = s32[6]{0} bitcast(x) }", {x});
  EXPECT_EQ(IntValues(same), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
}

RC_GTEST_PROP(Bitcast, IsUndone, ()) {
  const std::vector<int64_t> dims = RandomDims(3);
  const Literal x = Numbered(dims);
  const std::string layout = "{" + Join(RandomPermutation(dims.size())) + "}";
  const std::string from = Text(P::kS32, dims) + layout;
  const std::string flat = Text(P::kS32, {x.NumElements()});
  RC_ASSERT(RunHlo("ENTRY e { x = " + from + " parameter(0) b = " + flat +
                       " bitcast(x) ROOT r = " + from + " bitcast(b) }",
                   {x}) == x);
}

// NaN payloads and signs are data to an op that moves elements.
TEST(Movement, KeepsEveryBit) {
  Literal x(Shape::Array(P::kF16, {2}));
  x.Set<uint16_t>(0, 0x7C01);  // a signaling NaN
  x.Set<uint16_t>(1, 0xFE55);
  const Literal r = RunHlo(
      "ENTRY e { x = f16[2] parameter(0) c = f16[2] copy(x) p = pred[] constant(true) "
      "pb = pred[2] broadcast(p), dimensions={} s = f16[2] select(pb, c, x) "
      "ROOT r = f16[2] reverse(s), dimensions={0} }",
      {x});
  EXPECT_EQ(r.Get<uint16_t>(0), 0xFE55);
  EXPECT_EQ(r.Get<uint16_t>(1), 0x7C01);
}

// Each element is the one that is reported as read, and no other of the array is.
TEST(Movement, IsOfTheElementsThatAreRead) {
  const std::string x = "x = s32[32,6,48] parameter(0) ";
  for (const std::string& op :
       {x + "ROOT r = s32[48,32,6] transpose(x), dimensions={2,0,1}",
        x + "ROOT r = s32[6,48,32] transpose(x), dimensions={1,2,0}",
        x + "ROOT r = s32[32,6,48] reverse(x), dimensions={0,2}",
        x + "ROOT r = s32[48,7,6,32] broadcast(x), dimensions={3,2,0}",
        x + "ROOT r = s32[7,2,1] slice(x), slice={[3:24:3],[1:6:4],[47:48:9]}",
        x + "z = s32[] parameter(1) ROOT r = s32[71,4,50] pad(x, z), padding=5_3_1x-1_-1x0_2",
        x + "z = s32[] parameter(1) ROOT r = s32[40,0,52] pad(x, z), padding=4_4x-6_0x2_2",
        x + "y = s32[32,1,48] parameter(1) "
            "ROOT r = s32[32,13,48] concatenate(x, y, x), dimensions={1}",
        x + "i = s32[] parameter(1) j = s32[] parameter(2) k = s32[] parameter(3) "
            "ROOT r = s32[4,6,40] dynamic-slice(x, i, j, k), dynamic_slice_sizes={4,6,40}",
        x + "u = s32[4,6,40] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) "
            "k = s32[] parameter(4) ROOT r = s32[32,6,48] dynamic-update-slice(x, u, i, j, k)",
        x + "i = s32[5,2] parameter(1) ROOT r = s32[3,5,48] gather(x, i), offset_dims={0,2}, "
            "collapsed_slice_dims={1}, start_index_map={0,1}, index_vector_dim=1, "
            "slice_sizes={3,1,48}"}) {
    const std::unique_ptr<Module> module = Parse("ENTRY e { " + op + " }");
    ASSERT_NE(module, nullptr);
    std::vector<Literal> arguments;
    for (const Instruction* parameter : module->entry->parameters) {
      arguments.push_back(Numbered(parameter->shape.dims));
      arguments.back().SetInt(0, -1);  // 0 is an element that was not written
    }
    std::vector<const Literal*> operands;
    for (const Instruction* operand : module->entry->root->operands)
      operands.push_back(&arguments[operand->parameter_number]);
    std::vector<std::optional<int64_t>> values(module->entry->root->shape.NumElements());
    const ReadObserver observer = [&](const Instruction&, int64_t, int64_t to, int64_t operand,
                                      int64_t, int64_t from) {
      if (operands[operand]->shape().rank() < 3 && op.find("pad(") == std::string::npos) return;
      EXPECT_FALSE(values[to]) << op;
      values[to] = operands[operand]->GetInt(from);
    };
    auto result = InterpretInstruction(*module->entry->root, operands, &observer);
    ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(result->GetInt(i), values[i]) << op;
    const Literal unobserved = llvm::cantFail(InterpretInstruction(*module->entry->root, operands));
    EXPECT_EQ(unobserved, *result) << op;
  }
}

// The result has the given sizes, which may be smaller than the bounds of its shape.
TEST(DynamicReshape, HasItsSizes) {
  const std::string text =
      "ENTRY e { a = s32[6] parameter(0) n = s32[] parameter(1) m = s32[] parameter(2) "
      "ROOT r = s32[<=3,<=4] dynamic-reshape(a, n, m) }";
  EXPECT_EQ(IntValues(RunHlo(text, {Numbered({6}), S32({}, {2}), S32({}, {3})})),
            (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_NE(RunError(text, {Numbered({6}), S32({}, {1}), S32({}, {6})}).find("beyond"),
            std::string::npos);
  EXPECT_NE(RunError(text, {Numbered({6}), S32({}, {2}), S32({}, {2})}).find("do not fit"),
            std::string::npos);
}

std::string BitcastText(P from, const std::vector<int64_t>& from_dims, P to,
                        const std::vector<int64_t>& to_dims) {
  return "ENTRY e { x = " + Text(from, from_dims) + " parameter(0) ROOT r = " + Text(to, to_dims) +
         " bitcast-convert(x) }";
}

TEST(BitcastConvert, SameWidth) {
  const Literal r = RunHlo(BitcastText(P::kF32, {2}, P::kU32, {2}), {F32({2}, {1.0, -0.0})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{0x3F800000, 0x80000000LL}));
}

TEST(BitcastConvert, NarrowerAddsAMinorDimensionLowBitsFirst) {
  const Literal r = RunHlo(BitcastText(P::kU32, {2}, P::kU8, {2, 4}),
                           {Ints(P::kU32, {2}, {0x04030201, 0x08070605})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  const Literal nibbles =
      RunHlo(BitcastText(P::kU8, {1}, P::kS4, {1, 2}), {Ints(P::kU8, {1}, {0xE3})});
  EXPECT_EQ(IntValues(nibbles), (std::vector<int64_t>{3, -2}));
}

RC_GTEST_PROP(BitcastConvert, RoundTrip, (const std::array<uint64_t, 3>& values)) {
  Literal x(Shape::Array(P::kU64, {3}));
  for (int i = 0; i < 3; ++i) x.Set<uint64_t>(i, values[i]);
  for (auto [type, count] :
       {std::pair{P::kF64, 1}, {P::kS32, 2}, {P::kF16, 4}, {P::kU8, 8}, {P::kS4, 16}}) {
    const std::vector<int64_t> dims =
        count == 1 ? std::vector<int64_t>{3} : std::vector<int64_t>{3, count};
    const Literal there = RunHlo(BitcastText(P::kU64, {3}, type, dims), {x});
    RC_ASSERT(RunHlo(BitcastText(type, dims, P::kU64, {3}), {there}) == x);
  }
}

}  // namespace
}  // namespace affirm::hlo
