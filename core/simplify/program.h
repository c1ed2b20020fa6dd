// Programs compiled from the left sides of rules: what is matched in which order, decided once per
// rule.
//
// A program is a list of steps over registers. A register holds an expression or a constant; the
// names of the rule own the first ones, so that a step which puts something into such a register
// binds the name. Which names are bound at a step is known beforehand, so bindings need no undoing:
// a step that has a choice tries the rest of the program for each alternative.
//
// A sum is matched up to the order of its terms. Its operands are taken in this order:
//   pick      `K * (quotient, residue, minimum or maximum)` takes one such term; its coefficient
//             must be K, where K may leave one constant name to be solved for
//   subtract  `K * x` with x known takes K * x out of the sum, if that brings every coefficient
//             closer to zero
//   split     `g * x` with x free: x takes the multiples of g. A free g takes common factors of the
//             leading coefficients with the enclosing divisor, largest first, for which the rest
//             fits into [0, g - 1]. The constant goes where the rest then lies in [0, g - 1] if
//             there is such a place, else to the rest. In a rule of which FindNearestSplit has the
//             names (nearest_multiples.h), x takes the nearest multiple of g out of each
//             coefficient where that leaves a rest in [0, g - 1]
//   constant  a constant name alone takes the constant summand
//   rest      a free name alone takes what is left, which may be 0
#ifndef AFFIRM_CORE_SIMPLIFY_PROGRAM_H_
#define AFFIRM_CORE_SIMPLIFY_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "core/simplify/postfix.h"
#include "core/simplify/rule.h"
#include "core/symbolic/expr.h"

namespace affirm {

inline constexpr int kMaxRegisters = 48;
inline constexpr int kMaxSums = 6;   // that the left side of a rule looks into
inline constexpr int kMaxParts = 8;  // of a minimum or maximum in a left side
inline constexpr int kMaxConditions = 100;

// One instruction of a program.
struct Step {
  enum class Op : uint8_t {
    kQuotient,      // `at` is of `kind`: divisor and numerator go to to[0] and to[1]
    kMinMax,        // choice: `at` is of `kind`; to[0].. take one operand each, the last the rest
    kSame,          // `at` and to[0] are the same expression
    kConstant,      // `at` is a constant, which goes to `value`
    kSolve,         // the product of the factors is `value`; solved for `free` if there is one
    kCheck,         // the condition on constants holds
    kSum,           // `at` is looked into as `sum`
    kPick,          // choice: a term of `kind` goes to to[0], its coefficient to `value`
    kSubtract,      // the product of the factors times to[0] leaves `sum`; `left` remains
    kFactor,        // choice: a common factor goes to `value`
    kProduct,       // the product of the factors goes to `value`
    kSplit,         // the multiples of `value` go to to[0]
    kSplitNearest,  // the same with the nearest multiples where the rest then fits
    kTakeConstant,  // the constant summand goes to `value`
    kRest,          // what is left of the sum goes to to[0]
    kNothingLeft,   // nothing is left of the sum
    kMatched,
  };
  Op op = Op::kMatched;
  ExprKind kind = ExprKind::kAdd;
  // Registers; -1 for none.
  int8_t at = -1, value = -1;
  int8_t free = -1;     // kSolve
  int8_t divisor = -1;  // kFactor: around the sum
  uint8_t parts = 0;    // kMinMax: how many of `to`
  int8_t to[kMaxParts] = {};
  uint8_t sum = 0;
  uint8_t left = 0;            // kSubtract
  bool last = false;           // kFactor, kSplit: no operand of the sum follows
  bool factors_known = false;  // kPick: the coefficient must be the product of the factors
  bool known = false;          // kPick: the term must be `term`
  uint8_t condition = 0;       // kCheck
  Postfix factors;             // the product of the factors, the free one aside
  Postfix term;                // kPick
};

// Matches one expression, and the ends of its bounds when it is a premise.
struct Program {
  std::vector<Step> steps;
  // Where the expression and the ends go beforehand; -1 for an end that is absent.
  int8_t root = -1, lower = -1, upper = -1;

  // False when the program can't match the fact, as the first step and the ends show.
  bool Fits(const Constraint& fact) const {
    bool atom = steps[0].op == Step::Op::kQuotient || steps[0].op == Step::Op::kMinMax;
    return (lower >= 0) == fact.bounds.HasLower() && (upper >= 0) == fact.bounds.HasUpper() &&
           (!atom || fact.expr.kind() == steps[0].kind);
  }
};

// `expr in [lower, upper]` as a condition or a conclusion; an empty end is infinite.
struct CompiledBounds {
  Postfix expr, lower, upper;
};

struct CompiledCondition {
  const Condition* source = nullptr;
  bool scheduled = false;  // a program checks it
  bool binds = false;      // kLet: the name has no value before
  Postfix lhs, rhs;        // of kLet only rhs
  CompiledBounds bounds;   // kWithin
};

// lower(expr) or upper(expr) in a condition.
struct CompiledRangeEnd {
  Postfix expr;
  bool lower = true;
};

struct CompiledRule {
  const Rule* rule = nullptr;
  // For an expression rule, the program of its left side; for a constraint rule, one for each
  // premise. They share the registers and run last first.
  std::vector<Program> programs;
  Postfix rhs;
  std::vector<CompiledBounds> conclusions;
  std::vector<CompiledCondition> conditions;
  std::vector<CompiledRangeEnd> range_ends;  // in conditions that are no `let`
  bool uses_ranges = false;                  // a condition looks at ranges or at simplified forms
  // Two premises over constants and one and the same expression: what they match has the same
  // variables.
  bool same_variables = false;
  std::string problem;  // not empty: the engine can't match this rule, and why
};

// The kind of a quotient, residue, minimum or maximum; nullopt for any other kind of term.
std::optional<ExprKind> AtomKind(TermKind kind);

// `rule` must outlive the result.
CompiledRule Compile(const Rule& rule);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_PROGRAM_H_
