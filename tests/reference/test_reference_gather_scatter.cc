// gather and scatter: indices out of range are clamped by one and skipped by the other.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "llvm/Support/FormatVariadic.h"
#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

int64_t Clamp(int64_t v, int64_t high) { return std::max<int64_t>(0, std::min(v, high)); }

// The simplified gather as a loop of clamped slices.
RC_GTEST_PROP(Gather, IsALoopOfSlices, (const std::array<int8_t, 6>& starts)) {
  const Literal x = Numbered({4, 5, 3});
  std::vector<int64_t> indices(starts.begin(), starts.end());
  const Literal r = RunHlo(
      "ENTRY e { x = s32[4,5,3] parameter(0) i = s32[3,2] parameter(1) "
      "ROOT r = s32[3,2,2,3] gather(x, i), offset_dims={1,2,3}, collapsed_slice_dims={}, "
      "start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,2,3} }",
      {x, S32({3, 2}, indices)});
  for (int64_t n = 0; n < 3; ++n) {
    for (int64_t a = 0; a < 2; ++a) {
      for (int64_t b = 0; b < 2; ++b) {
        for (int64_t c = 0; c < 3; ++c) {
          const int64_t from =
              x.Linear({Clamp(indices[2 * n], 2) + a, Clamp(indices[2 * n + 1], 3) + b, c});
          RC_ASSERT(r.GetInt(r.Linear({n, a, b, c})) == from);
        }
      }
    }
  }
}

TEST(Gather, CollapsedPermutedAndImplicitVectors) {
  // Rows of a matrix, the vector dimension implicit.
  const Literal rows = RunHlo(
      "ENTRY e { x = s32[4,2] parameter(0) i = s32[3] parameter(1) "
      "ROOT r = s32[3,2] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,2} }",
      {Numbered({4, 2}), S32({3}, {2, -5, 9})});
  EXPECT_EQ(IntValues(rows), (std::vector<int64_t>{4, 5, 0, 1, 6, 7}));
  // Single elements; dimension 0 of the indices holds the index vectors (column, row).
  const Literal points = RunHlo(
      "ENTRY e { x = s32[3,4] parameter(0) i = s32[2,3] parameter(1) "
      "ROOT r = s32[3] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, "
      "start_index_map={1,0}, "
      "index_vector_dim=0, slice_sizes={1,1} }",
      {Numbered({3, 4}), S32({2, 3}, {0, 3, 1, 2, 0, 1})});
  EXPECT_EQ(IntValues(points), (std::vector<int64_t>{8, 3, 5}));
}

TEST(Gather, BatchingDimensionsWalkTogether) {
  // For each b: x[b, i[b, n], :].
  const Literal r = RunHlo(
      "ENTRY e { x = s32[2,3,2] parameter(0) i = s32[2,2] parameter(1) "
      "ROOT r = s32[2,2,2] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, "
      "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
      "index_vector_dim=2, slice_sizes={1,1,2} }",
      {Numbered({2, 3, 2}), S32({2, 2}, {0, 2, 1, 1})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{0, 1, 4, 5, 8, 9, 8, 9}));
}

const std::string kMix =
    "mix { a = s32[] parameter(0) b = s32[] parameter(1) ten = s32[] constant(10) "
    "t = s32[] multiply(a, ten) ROOT r = s32[] add(t, b) }\n";

TEST(Scatter, AppliesUpdatesInOrderAndSkipsThoseOutside) {
  const Literal r = RunHlo(
      kMix +
          "ENTRY e { x = s32[4] parameter(0) i = s32[5,1] parameter(1) u = s32[5] parameter(2) "
          "ROOT r = s32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
          "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=mix }",
      {S32({4}, {1, 2, 3, 4}), S32({5, 1}, {1, -1, 1, 4, 3}), S32({5}, {5, 6, 7, 8, 9})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{1, 257, 3, 49}));
}

TEST(Scatter, AppliesUpdatesInAnotherOrder) {
  const std::unique_ptr<Module> module =
      Parse(kMix +
            "ENTRY e { x = s32[2] parameter(0) i = s32[6,1] parameter(1) u = s32[6] parameter(2) "
            "ROOT r = s32[2] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
            "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=mix }");
  const std::vector<Literal> arguments = {S32({2}, {0, 0}), S32({6, 1}, {1, 1, 1, 1, 1, 1}),
                                          S32({6}, {1, 2, 3, 4, 5, 6})};
  for (auto [slots, want] : {std::pair{int64_t{1}, 654321}, {4, 436251}}) {
    const EvaluationOrders orders = {{module->entry->root, {.slots = slots}}};
    const Literal got = llvm::cantFail(Interpret(*module->entry, arguments, &orders));
    EXPECT_EQ(IntValues(got), (std::vector<int64_t>{0, want})) << slots;
  }
}

// A window that is partly outside is skipped as a whole, as XLA's compilers do.
TEST(Scatter, WindowsThatAreNotInsideAreSkippedWhole) {
  const Literal r = RunHlo(
      kMix +
          "ENTRY e { x = s32[3,2] parameter(0) i = s32[1] parameter(1) u = s32[2,2] parameter(2) "
          "ROOT r = s32[3,2] scatter(x, i, u), update_window_dims={0,1}, inserted_window_dims={}, "
          "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=mix }",
      {S32({3, 2}, {0, 0, 0, 0, 0, 0}), S32({1}, {2}), S32({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{0, 0, 0, 0, 0, 0}));
}

// Scattering what was gathered at distinct indices restores it.
RC_GTEST_PROP(Scatter, UndoesGather, (uint64_t seed)) {
  std::vector<int64_t> order = {0, 1, 2, 3, 4};
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  const Literal x = Numbered({5, 3}), zeros(Shape::Array(P::kS32, {5, 3}));
  const Literal r = RunHlo(
      "take { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }\n"
      "ENTRY e { x = s32[5,3] parameter(0) z = s32[5,3] parameter(1) i = s32[5] parameter(2) "
      "g = s32[3,5] gather(x, i), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,3} "
      "ROOT r = s32[5,3] scatter(z, i, g), update_window_dims={0}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=take }",
      {x, zeros, S32({5}, order)});
  RC_ASSERT(r == x);
}

// Arguments for unique_indices are unique: no element is updated twice.
RC_GTEST_PROP(Scatter, ArgumentsForUniqueIndicesDoNotMeet, (uint64_t seed)) {
  const int64_t rows = *rc::gen::inRange<int64_t>(0, 9), high = *rc::gen::inRange<int64_t>(1, 9);
  const int64_t wide = *rc::gen::inRange<int64_t>(1, 9),
                window = *rc::gen::inRange<int64_t>(1, wide + 1);
  auto text = llvm::formatv(
      "add {{ a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }\n"
      "f {{ x = s32[{1},{2}] parameter(0) i = s8[{0},2] parameter(1) u = s32[{0},{3}] parameter(2) "
      "ROOT r = s32[{1},{2}] scatter(x, i, u), update_window_dims={{1}, inserted_window_dims={{0}, "
      "scatter_dims_to_operand_dims={{1,0}, index_vector_dim=1, unique_indices=true, to_apply=add "
      "}\n"
      "ENTRY e {{ x = s32[{1},{2}] parameter(0) i = s8[{4}] parameter(1) u = s32[{0},{3}] "
      "parameter(2) "
      "j = s8[{0},2] reshape(i) ROOT r = s32[{1},{2}] fusion(x, j, u), kind=kInput, calls=f }",
      rows, high, wide, window, 2 * rows);
  auto module = ParseModule(text.str(), "t");
  if (!module) RC_FAIL(llvm::toString(module.takeError()));
  std::vector<Literal> arguments = MakeArguments(*(*module)->entry, seed);
  arguments[0] = Literal(arguments[0].shape());
  for (int64_t i = 0; i < arguments[2].NumElements(); ++i) arguments[2].SetInt(i, 1);
  auto counts = Interpret(*(*module)->entry, arguments);
  if (!counts) RC_FAIL(llvm::toString(counts.takeError()));
  int64_t updated = 0;
  for (int64_t i = 0; i < counts->NumElements(); ++i) {
    RC_ASSERT(counts->GetInt(i) <= 1);
    updated += counts->GetInt(i);
  }
  // Whole windows, at most as many as there is room for: some lie outside.
  RC_ASSERT(updated % window == 0 && updated <= std::min(rows, high * (wide / window)) * window);
  RC_CLASSIFY(updated > 0, "some are inside");
  RC_CLASSIFY(updated < rows * window, "some are outside");
}

// Which of two updates comes last is open, unless it makes no difference.
TEST(Scatter, OrdersThatCountAreOpen) {
  auto is_open = [](const std::string& combiner, std::vector<int64_t> indices, bool held) {
    const std::unique_ptr<Module> module = Parse(
        "f { a = s32[] parameter(0) b = s32[] parameter(1) " + combiner +
        " }\nENTRY e { x = s32[4] parameter(0) i = s32[2,1] parameter(1) u = s32[2] parameter(2) "
        "ROOT r = s32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }");
    InterpretOptions options;
    options.promises.order_is_open = held;
    auto value =
        Interpret(*module->entry,
                  {Numbered({4}), S32({2, 1}, std::move(indices)), S32({2}, {7, 8})}, options);
    if (value) return false;
    EXPECT_TRUE(value.errorIsA<OpenResult>());
    llvm::consumeError(value.takeError());
    return true;
  };
  const std::string last = "ROOT c = s32[] add(b, b)";
  for (const std::string& combiner :
       {last, std::string("ROOT c = s32[] subtract(a, b)"), std::string("ROOT c = s32[] copy(b)"),
        std::string("n = s32[] negate(b) ROOT c = s32[] add(a, n)")}) {
    EXPECT_TRUE(is_open(combiner, {2, 2}, true)) << combiner;
    EXPECT_FALSE(is_open(combiner, {2, 1}, true)) << combiner;
    EXPECT_FALSE(is_open(combiner, {5, 5}, true)) << combiner;  // both are skipped
    EXPECT_FALSE(is_open(combiner, {2, 2}, false)) << combiner;
  }
  for (const char* combiner : {"add(a, b)", "maximum(b, a)", "multiply(a, b)", "xor(b, a)"})
    EXPECT_FALSE(is_open("ROOT c = s32[] " + std::string(combiner), {2, 2}, true)) << combiner;
}

TEST(Scatter, VariadicWithBatchingDimensions) {
  const Literal r = RunHlo(
      "two { a = s32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = f32[] "
      "parameter(3) "
      "x = s32[] add(a, c) y = f32[] maximum(b, d) ROOT t = (s32[], f32[]) tuple(x, y) }\n"
      "ENTRY e { p = s32[2,3] parameter(0) q = f32[2,3] parameter(1) i = s32[2,1] parameter(2) "
      "u = s32[2] parameter(3) v = f32[2] parameter(4) "
      "ROOT r = (s32[2,3], f32[2,3]) scatter(p, q, i, u, v), update_window_dims={}, "
      "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "
      "scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=two }",
      {Numbered({2, 3}), F32({2, 3}, {0, 0, 0, 0, 0, 0}), S32({2, 1}, {2, 0}), S32({2}, {100, 200}),
       F32({2}, {-1, 7})});
  EXPECT_EQ(IntValues(r.tuple()[0]), (std::vector<int64_t>{0, 1, 102, 203, 4, 5}));
  EXPECT_EQ(FloatValues(r.tuple()[1]), (std::vector<double>{0, 0, 0, 7, 0, 0}));
}

}  // namespace
}  // namespace affirm::hlo
