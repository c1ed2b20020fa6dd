// The reads that are reported to an observer.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

// (result leaf, result element, operand, operand leaf, element)
using Read = std::array<int64_t, 5>;

// The reads of the entry's root on arguments from a seed; operands of the root must be parameters,
// in order.
std::set<Read> ReadsOf(const std::string& text, std::vector<Literal> arguments) {
  const auto module = Parse(text);
  if (module == nullptr) return {};
  std::vector<const Literal*> operands;
  for (const Instruction* operand : module->entry->root->operands) {
    operands.push_back(&arguments[operand->parameter_number]);
  }
  std::set<Read> reads;
  const ReadObserver observer = [&](const Instruction& instruction, int64_t leaf, int64_t element,
                                    int64_t operand, int64_t from_leaf, int64_t from) {
    EXPECT_EQ(&instruction, module->entry->root);
    reads.insert({leaf, element, operand, from_leaf, from});
  };
  auto result = InterpretInstruction(*module->entry->root, operands, &observer);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  // An observer does not change the result.
  EXPECT_EQ(*result, llvm::cantFail(InterpretInstruction(*module->entry->root, operands)));
  return reads;
}

std::set<Read> Of(std::initializer_list<std::array<int64_t, 3>> reads) {
  std::set<Read> all;
  for (const auto& [element, operand, from] : reads) all.insert({0, element, operand, 0, from});
  return all;
}

// Changing an element that was not read leaves the result alone; for ops that copy, changing one
// that was read does not.
RC_GTEST_PROP(Reads, NothingElseMatters, ()) {
  const std::string text = *rc::gen::element<std::string>(
      "ROOT r = s32[3,4] transpose(a), dimensions={1,0}",
      "ROOT r = s32[4,3] reverse(a), dimensions={0}",
      "ROOT r = s32[2,1] slice(a), slice={[0:4:2], [1:2]}",
      "ROOT r = s32[5,3] pad(a, b), padding=-1_2_0x0_0_0",
      "ROOT r = s32[2,2] dynamic-slice(a, b, b), dynamic_slice_sizes={2,2}",
      "ROOT r = s32[12] reshape(a)", "ROOT r = s32[4,3] add(a, a)");
  const std::string whole =
      "ENTRY e { a = s32[4,3] parameter(0) b = s32[] parameter(1) " + text + " }";
  const int64_t changed = *rc::gen::inRange(0, 12);
  std::vector<Literal> before = {Numbered({4, 3}), S32({}, {1})}, after = before;
  after[0].SetInt(changed, 1000);
  const Literal x = RunHlo(whole, before), y = RunHlo(whole, after);
  const std::set<Read> reads = ReadsOf(whole, before);
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const bool read =
        reads.contains({0, i, 0, 0, changed}) || reads.contains({0, i, 1, 0, changed});
    if (text.find("add") == std::string::npos && text.find("slice(a, b") == std::string::npos) {
      RC_ASSERT(reads.contains({0, i, 0, 0, changed}) == (x.GetInt(i) != y.GetInt(i)));
    }
    RC_ASSERT(read || x.GetInt(i) == y.GetInt(i));
  }
}

TEST(Reads, PadReadsEitherOperand) {
  EXPECT_EQ(ReadsOf("ENTRY e { a = s32[2] parameter(0) v = s32[] parameter(1) "
                    "ROOT r = s32[4] pad(a, v), padding=1_0_1 }",
                    {Numbered({2}), S32({}, {9})}),
            Of({{0, 1, 0}, {1, 0, 0}, {2, 1, 0}, {3, 0, 1}}));
}

TEST(Reads, SelectReadsBothBranches) {
  EXPECT_EQ(
      ReadsOf("ENTRY e { p = pred[2] parameter(0) a = s32[2] parameter(1) b = s32[2] parameter(2) "
              "ROOT r = s32[2] select(p, a, b) }",
              {Ints(P::kPred, {2}, {1, 0}), Numbered({2}), Numbered({2})}),
      Of({{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 1}, {1, 1, 1}, {1, 2, 1}}));
}

TEST(Reads, ReduceReadsItsSliceAndTheInitialValue) {
  EXPECT_EQ(ReadsOf("f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n"
                    "ENTRY e { x = s32[2,2] parameter(0) i = s32[] parameter(1) "
                    "ROOT r = s32[2] reduce(x, i), dimensions={0}, to_apply=f }",
                    {Numbered({2, 2}), S32({}, {0})}),
            Of({{0, 0, 0}, {0, 0, 2}, {0, 1, 0}, {1, 0, 1}, {1, 0, 3}, {1, 1, 0}}));
}

TEST(Reads, WindowsSkipThePadding) {
  EXPECT_EQ(ReadsOf("f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n"
                    "ENTRY e { x = s32[2] parameter(0) i = s32[] parameter(1) "
                    "ROOT r = s32[3] reduce-window(x, i), window={size=2 pad=1_1}, to_apply=f }",
                    {Numbered({2}), S32({}, {0})}),
            Of({{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {2, 0, 1}, {2, 1, 0}}));
}

TEST(Reads, DotReadsARowAndAColumn) {
  EXPECT_EQ(
      ReadsOf("ENTRY e { x = s32[1,2] parameter(0) y = s32[2,2] parameter(1) ROOT r = s32[1,2] "
              "dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
              {Numbered({1, 2}), Numbered({2, 2})}),
      Of({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 2}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {1, 1, 3}}));
}

TEST(Reads, UpdateOrOperandAndEveryIndex) {
  EXPECT_EQ(
      ReadsOf("ENTRY e { x = s32[3] parameter(0) u = s32[1] parameter(1) i = s32[] parameter(2) "
              "ROOT r = s32[3] dynamic-update-slice(x, u, i) }",
              {Numbered({3}), S32({1}, {7}), S32({}, {1})}),
      Of({{0, 0, 0}, {0, 2, 0}, {1, 1, 0}, {1, 2, 0}, {2, 0, 2}, {2, 2, 0}}));
}

TEST(Reads, GatherReadsItsIndexVector) {
  EXPECT_EQ(ReadsOf("ENTRY e { x = s32[3,3] parameter(0) i = s32[2,2] parameter(1) "
                    "ROOT r = s32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, "
                    "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1} }",
                    {Numbered({3, 3}), S32({2, 2}, {1, 2, 9, -9})}),
            Of({{0, 0, 5}, {0, 1, 0}, {0, 1, 1}, {1, 0, 6}, {1, 1, 2}, {1, 1, 3}}));
}

TEST(Reads, ScatterReadsWhatLands) {
  EXPECT_EQ(
      ReadsOf("f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n"
              "ENTRY e { x = s32[2] parameter(0) i = s32[3,1] parameter(1) u = s32[3] parameter(2) "
              "ROOT r = s32[2] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
              "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }",
              {Numbered({2}), S32({3, 1}, {1, 5, 1}), Numbered({3})}),
      Of({{0, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 2}, {1, 2, 0}, {1, 2, 2}}));
}

TEST(Reads, TupleLeavesKeepTheirNumbers) {
  const auto reads = ReadsOf(
      "ENTRY e { t = (s32[1], (s32[2], s32[1])) parameter(0) "
      "ROOT r = (s32[2], s32[1]) get-tuple-element(t), index=1 }",
      {Literal::MakeTuple({Numbered({1}), Literal::MakeTuple({Numbered({2}), Numbered({1})})})});
  EXPECT_EQ(reads, (std::set<Read>{{0, 0, 0, 1, 0}, {0, 1, 0, 1, 1}, {1, 0, 0, 2, 0}}));
}

}  // namespace
}  // namespace affirm::hlo
