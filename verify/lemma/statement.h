// Closed statements about value terms: "for all bits of x0, x1, ..., left = right".
//
//   kernel: bitcast(s32(and(bitcast(load0[i]), 0x7fffffff)))     HLO: abs(load0[i])
//
//   std::optional<Statement> statement = MakeStatement(kernel, hlo, Generality::kOfElements, {});
//   statement->Text();
//   // x0 f32
//   // 0 leaf x0
//   // 1 bitcast s32 0
//   // ...
//   // 6 = 7
//
// A statement has no free index, no fact and no type of LLVM: it says the same wherever it is met,
// so that its proof is a lemma. This is the one place where operations of terms are told apart.
#ifndef AFFIRM_VERIFY_LEMMA_STATEMENT_H_
#define AFFIRM_VERIFY_LEMMA_STATEMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/terms/term.h"

namespace affirm::lemma {

using terms::Int128;

// The operations that compiled code has. Integers, conditions and values as in terms::Kind; then
// the operations of terms on values, by the table of statement.cc.
enum class Op : uint8_t {
  kLeaf,      // the bits of a variable
  kLiteral,   // the bits `number`
  kConstant,  // the condition `number`, 0 or 1
  kSum,
  kQuotient,
  kMax,
  kProduct,
  kPick,     // of integers
  kInteger,  // of a value
  kAtLeastZero,
  kIsZero,
  kNotCondition,
  kAll,
  kHolds,
  kOfInteger,
  kOfCondition,
  kSelect,  // of values
  kAbs,
  kAdd,
  kAnd,
  kBitcast,
  kCeil,
  kCompareEqual,
  kCompareEqualTotal,
  kCompareLess,
  kCompareLessTotal,
  kCompareLessOrEqual,
  kCompareLessOrEqualTotal,
  kConvert,
  kConvertInRange,
  kCopySign,
  kCountLeadingZeros,
  kDivide,
  kFloor,
  kIsFinite,
  kMaximum,
  kMaximumNumber,
  kMinimum,
  kMinimumNumber,
  kMultiply,
  kNegate,
  kNot,
  kOr,
  kPopulationCount,
  kReducePrecision,
  kRemainder,
  kRoundAwayFromZero,
  kRoundToEven,
  kShiftLeft,
  kShiftRightArithmetic,
  kShiftRightLogical,
  kSign,
  kSqrt,
  kSubtract,
  kTruncate,
  kXor,
};
// "add", "sum"
llvm::StringRef Name(Op op);

struct Node {
  Op op;
  hlo::PrimitiveType type = hlo::PrimitiveType::kInvalid;  // of a value
  // Integers of the operands and of the result have no sign, as of kDivideUnsigned.
  bool is_unsigned = false;
  // As of terms::Node. Of a leaf: which one. Of kReducePrecision: 256 * exponent bits + mantissa
  // bits.
  Int128 number = 0;
  std::vector<Int128> coefficients = {};  // of a sum
  std::vector<uint32_t> args = {};        // earlier nodes
};

// A variable of a statement: bits [first, first + width) of a point.
struct Leaf {
  hlo::PrimitiveType type;
  int first, width;
};

struct Statement {
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
  uint32_t left = 0, right = 0;  // nodes, values of one type
  int bits = 0;                  // of all leaves
  // The terms that the leaves stand for, the first of each. No part of the statement.
  std::vector<terms::Term> leaf_terms;

  // The canonical text: equal for equal statements.
  std::string Text() const;
};

inline constexpr int kMostBits = 32;
inline constexpr size_t kMostNodes = 1000;

// The values that become variables. The first is the stronger statement, and can be false where the
// second is true.
enum class Generality : uint8_t {
  kOfCommonValues,  // the largest values that both terms are made of, and elements
  kOfElements,      // elements, and common values that no compiled operation computes
};

// The statement that two values of one type are the same; loads of which `same_element` holds are
// one variable. nullopt where there is none: with more than kMostBits of variables, with anything
// else that is open (an index, a value of which nothing is known), with an operation that compiled
// code does not have, or where both are one variable.
std::optional<Statement> MakeStatement(
    terms::Term left, terms::Term right, Generality generality,
    llvm::function_ref<bool(terms::Term load, terms::Term other)> same_element);

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_STATEMENT_H_
