// The table of operations: each is one thing, and has each property once.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "verify/terms/operations.h"

namespace affirm::terms {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

// No operation is named by a text.
static_assert(!std::is_constructible_v<Operation, const char*>);
static_assert(!std::is_constructible_v<Operation, std::string>);
static_assert(!std::is_constructible_v<Operation, llvm::StringRef>);

constexpr Op kOps[] = {
#define AFFIRM_OP(id, text, opcode, sign, commutes, on_floats) Op::id,
#include "verify/terms/op.def"
#undef AFFIRM_OP
};

TEST(Op, EachHasATextOfItsOwn) {
  std::set<std::string> texts;
  for (const Op op : kOps) EXPECT_TRUE(texts.insert(Name(op).str()).second) << Name(op).str();
  EXPECT_EQ(texts.count(""), 0U);
  EXPECT_EQ(Name(Op::kNone), "");
}

// An opcode on a type is an operation of that opcode, and of the type's sign if there are two.
TEST(Op, OfAnOpcodeIsTheOneOfItsSign) {
  for (const Op op : kOps) {
    const Opcode opcode = OpcodeOf(op);
    if (opcode == Opcode::kUnknown || IsComparison(op)) continue;
    EXPECT_EQ(OpcodeOf(OpOf(opcode, PrimitiveType::kS32)), opcode) << Name(op).str();
    EXPECT_EQ(OpOf(opcode, IsUnsigned(op) ? PrimitiveType::kU8 : PrimitiveType::kS8), op);
    EXPECT_FALSE(IsUnsigned(OpOf(opcode, PrimitiveType::kF32))) << Name(op).str();
  }
  EXPECT_EQ(OpOf(Opcode::kDivide, PrimitiveType::kU8), Op::kDivideUnsigned);
  EXPECT_EQ(OpOf(Opcode::kAdd, PrimitiveType::kU8), Op::kAdd);
  EXPECT_EQ(OpOf(Opcode::kCompare, PrimitiveType::kF32), Op::kNone);
  EXPECT_EQ(OpOf(Opcode::kDot, PrimitiveType::kF32), Op::kNone);
  EXPECT_EQ(OpOf(Opcode::kUnknown, PrimitiveType::kF32), Op::kNone);
}

TEST(Op, OfFoldsOfPredicatesAreThoseOfBits) {
  EXPECT_EQ(FoldOpOf(Opcode::kAdd, PrimitiveType::kPred), Op::kOr);
  EXPECT_EQ(FoldOpOf(Opcode::kMaximum, PrimitiveType::kPred), Op::kOr);
  EXPECT_EQ(FoldOpOf(Opcode::kMultiply, PrimitiveType::kPred), Op::kAnd);
  EXPECT_EQ(FoldOpOf(Opcode::kMinimum, PrimitiveType::kPred), Op::kAnd);
  EXPECT_EQ(FoldOpOf(Opcode::kXor, PrimitiveType::kPred), Op::kXor);
  EXPECT_EQ(FoldOpOf(Opcode::kMinimum, PrimitiveType::kU4), Op::kMinimumUnsigned);
}

// Operands change places in a Pool where, and only where, the table says so.
TEST(Op, CommutativeOnesAreSorted) {
  for (const Op op : kOps) {
    Pool pool;
    const bool compares = IsComparison(op);
    const PrimitiveType type = compares ? PrimitiveType::kPred : PrimitiveType::kF32;
    Term a = pool.Load(0, pool.Number(0), PrimitiveType::kF32),
         b = pool.Load(1, pool.Number(0), PrimitiveType::kF32);
    EXPECT_EQ(pool.Apply(op, type, {a, b}) == pool.Apply(op, type, {b, a}), IsCommutative(op))
        << Name(op).str();
  }
}

TEST(Operation, WhatItIsMadeWithCounts) {
  const Operation fold = Operation::FoldByComputation("argmax"),
                  other = Operation::FoldByComputation("argmin"),
                  in_order = Operation::FoldByComputation("argmax", Opcode::kReduce);
  EXPECT_NE(fold, other);
  EXPECT_NE(fold, in_order);
  EXPECT_FALSE(fold.IsInOrder());
  EXPECT_TRUE(in_order.IsInOrder());
  // Whether NaNs are one to the computation is a part of the operation, and of its results.
  const Operation looked_at = in_order.TakingNansForOne();
  EXPECT_FALSE(in_order.takes_nans_for_one());
  EXPECT_TRUE(looked_at.takes_nans_for_one());
  EXPECT_TRUE(Operation::ResultOf(looked_at, 1).takes_nans_for_one());
  EXPECT_EQ(looked_at.order(), Opcode::kReduce);
  EXPECT_EQ(Operation::ResultOf(looked_at, 1).leaf(), 1);
  EXPECT_FALSE(looked_at == in_order);
  EXPECT_TRUE(Operation::ResultOf(in_order, 0).IsInOrder());
  EXPECT_NE(Operation::ResultOf(fold, 0), fold);
  EXPECT_NE(Operation::ResultOf(fold, 0), Operation::ResultOf(fold, 1));
  EXPECT_EQ(Operation::ResultOf(fold, 1).leaf(), 1);
  EXPECT_NE(Operation::ReducePrecision(5, 10), Operation::ReducePrecision(8, 10));
  EXPECT_NE(Operation::ReducePrecision(5, 10), Operation::ReducePrecision(5, 7));
  EXPECT_FALSE(Operation::ReducePrecision(5, 10).IsInOrder());
  EXPECT_NE(Operation::ElementOfConstant("a"), Operation::ElementOfConstant("b"));

  EXPECT_EQ(ToString(Operation::ReducePrecision(5, 10)), "reduce-precision-5-10");
  EXPECT_EQ(ToString(Operation::ResultOf(in_order, 2)),
            "computation argmax in the order of reduce leaf 2");
  EXPECT_EQ(ToString(Operation(Op::kCompareLtTotal)), "compare-LT-total");
}

// A pool keeps the texts of its terms, and terms with other payloads are other terms.
TEST(Operation, TermsKeepIt) {
  Pool pool;
  Term x = pool.Load(0, pool.Number(0), PrimitiveType::kF32);
  std::string name = "sum";
  Term fold = pool.Fold(Operation::FoldByComputation(name), pool.True(), x, {});
  name = "max";
  EXPECT_EQ(fold->operation.computation(), "sum");
  EXPECT_NE(pool.Fold(Operation::FoldByComputation(name), pool.True(), x, {}), fold);
  EXPECT_EQ(pool.Fold(Operation::FoldByComputation("sum"), pool.True(), x, {}), fold);
  auto reduced = [&](int mantissa) {
    return pool.Apply(Operation::ReducePrecision(8, mantissa), PrimitiveType::kF32, {x});
  };
  EXPECT_NE(reduced(7), reduced(10));
  EXPECT_EQ(reduced(7), reduced(7));
}

}  // namespace
}  // namespace affirm::terms
