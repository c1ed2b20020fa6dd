// The terms of a rule in postfix form, as the matcher evaluates them: a stack of constants and one
// of expressions.
#ifndef AFFIRM_CORE_SIMPLIFY_POSTFIX_H_
#define AFFIRM_CORE_SIMPLIFY_POSTFIX_H_

#include <cstdint>

#include "core/simplify/rule.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

struct PostfixStep {
  enum class Op : uint8_t {
    // Constants.
    kNumber,  // pushes `number`
    kName,    // pushes that of `slot`
    kAbs,
    kFold,        // two become one by `kind`
    kFoldNumber,  // the same with `number` as the second
    kFoldName,    // the same with the constant of `slot` as the second
    kLower,       // the lower end of the range of an expression
    kUpper,
    // Expressions.
    kExpr,   // pushes that of `slot`
    kLift,   // a constant becomes an expression
    kScale,  // a constant times an expression
    kBuild,  // `count` become one by `kind`
  };
  Op op = Op::kNumber;
  TermKind kind = TermKind::kNumber;
  uint8_t count = 0;
  int8_t slot = -1;
  int64_t number = 0;
};
using Postfix = llvm::SmallVector<PostfixStep, 2>;

// Whether the name of an expression occurs in the term.
bool HasExpr(const Rule& rule, const Term& term);

inline constexpr int kMaxPostfixStack = 16;

// The term as an expression or as a constant. An empty result: it needs more than kMaxPostfixStack
// entries of a stack.
enum class TermValue : uint8_t { kExpr, kConstant };
Postfix ToPostfix(const Rule& rule, const Term& term, TermValue value);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_POSTFIX_H_
