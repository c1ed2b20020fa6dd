// Proofs for all shapes: the formulas of every form of each op are proved, and they give the maps
// of the code.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "verify/hlo/symbolic/op.h"

namespace affirm {
namespace {

class Symbolic : public testing::TestWithParam<llvm::StringLiteral> {
 protected:
  // Ranks whose proofs take little time.
  static constexpr int64_t kRanks = 3;
};

TEST_P(Symbolic, EveryFormIsProved) {
  for (int64_t rank = 1; rank <= kRanks; ++rank) {
    Context context;
    std::vector<SymbolicOp> forms = SymbolicOps(GetParam(), rank, context);
    EXPECT_FALSE(forms.empty());
    for (const SymbolicOp& op : forms) {
      SymbolicAnswer answer = ProveSymbolic(op, context);
      EXPECT_EQ(answer.verdict, Verdict::kProved) << op.text << ": " << answer.reason;
    }
  }
}

// At the sizes that are tried, the formulas give the map of core/analysis and the access relation.
TEST_P(Symbolic, TheFormulaIsTheCodes) {
  int64_t tested = 0, same_text = 0;
  for (int64_t rank = 1; rank <= kRanks; ++rank) {
    Context context;
    for (const SymbolicOp& op : SymbolicOps(GetParam(), rank, context)) {
      for (const std::vector<int64_t>& values : InstanceParameters(op, rank < 3 ? 40 : 8)) {
        auto test = TestInstance(op, values, context);
        if (!test) continue;
        ++tested;
        same_text += test->same_text;
        EXPECT_TRUE(test->same) << op.text << " at " << testing::PrintToString(values) << ": "
                                << test->problem;
      }
    }
  }
  std::printf("%ld instances, %ld print the same map\n", static_cast<long>(tested),
              static_cast<long>(same_text));
  EXPECT_GT(tested, 20);
}

// A formula that is off by one anywhere is not proved, and differs from the code.
TEST_P(Symbolic, AWrongFormulaFalls) {
  Context context;
  std::vector<SymbolicOp> forms = SymbolicOps(GetParam(), 2, context);
  for (SymbolicOp op : {forms.front(), forms[forms.size() / 2]}) {
    for (SymbolicRead& read : op.operands) {
      for (SymbolicExpr& e : read.results) {
        SymbolicExpr right = e;
        e = e + 1;
        EXPECT_NE(ProveSymbolic(op, context).verdict, Verdict::kProved) << op.text;
        bool noticed = false;
        for (const std::vector<int64_t>& values : InstanceParameters(op, 20)) {
          auto test = TestInstance(op, values, context);
          noticed |= test && !test->same;
        }
        EXPECT_TRUE(noticed) << op.text;
        e = right;
      }
      // A size that is too small: an element of the result lies outside.
      for (SymbolicExpr& size : read.input_sizes) {
        SymbolicExpr right = size;
        size = size - 1;
        EXPECT_NE(ProveSymbolic(op, context).verdict, Verdict::kProved) << op.text;
        size = right;
      }
      // A formula that gives less than is read: one element fewer, or only the first index.
      for (SymbolicExpr& size : read.range_sizes) {
        SymbolicExpr right = size;
        size = size - 1;
        EXPECT_NE(ProveSymbolic(op, context).verdict, Verdict::kProved) << op.text;
        size = right;
      }
      if (!read.results.empty()) {
        read.domain.push_back({read.results[0], context.Constant(0), /*equal=*/true});
        EXPECT_NE(ProveSymbolic(op, context).verdict, Verdict::kProved) << op.text;
        read.domain.pop_back();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Symbolic, testing::ValuesIn(SymbolicOpNames()),
                         [](const auto& info) { return info.param.str(); });

TEST(SymbolicOps, RefusesWhatItDoesNotKnow) {
  Context context;
  EXPECT_TRUE(SymbolicOps("sort", 2, context).empty());
  EXPECT_TRUE(SymbolicOps("pad", 0, context).empty());
  EXPECT_TRUE(SymbolicOps("pad", kMaxSymbolicRank + 1, context).empty());
}

}  // namespace
}  // namespace affirm
