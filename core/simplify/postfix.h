// The terms of a rule in postfix form, as the matcher evaluates them: a stack of constants and one
// of expressions. c * x + 1 is: push x, push c, scale, push 1, lift, build a sum of 2.
#ifndef AFFIRM_CORE_SIMPLIFY_POSTFIX_H_
#define AFFIRM_CORE_SIMPLIFY_POSTFIX_H_

#include <cstdint>

#include "core/simplify/rule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

struct PostfixStep {
  enum class Op : uint8_t {
    // Constants; those with two operands fold the second one into the top of the stack.
    kPush,
    kAbs,
    kAdd,
    kSubtract,  // adds -1 times the second one
    kMul,
    kFloorDiv,
    kCeilDiv,
    kMod,
    kMin,
    kMax,
    kGcd,
    kLcm,
    kLower,  // the lower end of the range of an expression
    kUpper,
    // Expressions.
    kExpr,   // pushes that of `metavariable`
    kLift,   // a constant becomes an expression
    kScale,  // a constant times an expression
    kBuild,  // `count` become one by `kind`
  };
  Op op = Op::kPush;
  bool from_stack = false;  // the second constant is on top of the stack, the first one below
  TermKind kind = TermKind::kNumber;
  uint8_t count = 0;
  int8_t metavariable =
      -1;  // of the second constant, or of the one that is pushed; -1: it is `number`
  int64_t number = 0;
  // Only pushes a constant that has a name, or one that is written out.
  bool PushesName() const { return op == Op::kPush && metavariable >= 0; }
  bool PushesNumber() const { return op == Op::kPush && metavariable < 0; }
};
using Postfix = llvm::SmallVector<PostfixStep, 2>;

// Whether the name of an expression occurs in the term.
bool HasExpr(const Rule& rule, const Term& term);

inline constexpr int kMaxPostfixStack = 16;

// A term that has been matched, and the register that holds the expression.
struct MatchedTerm {
  const Term* term;
  int at;
};

// The term as an expression or as a constant; parts that have been matched are not built again. The
// result is empty when it needs more than kMaxPostfixStack entries of a stack.
enum class TermValue : uint8_t { kExpr, kConstant };
Postfix ToPostfix(const Rule& rule, const Term& term, TermValue value,
                  llvm::ArrayRef<MatchedTerm> matched);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_POSTFIX_H_
