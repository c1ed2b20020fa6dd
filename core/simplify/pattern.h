// Patterns compiled from the left sides of rules: what is matched in which order, decided once per
// rule.
//
// A sum is matched up to the order of its terms. Its operands are taken in this order:
//   pick      `K * (quotient, residue, minimum or maximum)` takes one such term; its coefficient
//   must be K, where K may leave
//             one constant name to be solved for
//   subtract  `K * x` with x known takes K * x out of the sum, if that brings every coefficient
//   closer to zero split     `g * x` with x free: x takes the multiples of g. A free g takes common
//   factors of the leading
//             coefficients with the enclosing divisor, largest first, for which the rest fits into
//             [0, g - 1]. The constant goes where the rest then lies in [0, g - 1] if there is such
//             a place, else to the rest
//   constant  a constant name alone takes the constant summand
//   rest      a free name alone takes what is left, which may be 0
#ifndef AFFIRM_CORE_SIMPLIFY_PATTERN_H_
#define AFFIRM_CORE_SIMPLIFY_PATTERN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/simplify/rule.h"
#include "core/symbolic/expr.h"

namespace affirm {

inline constexpr int kMaxSlots = 24;

struct SumOperand;

struct Pattern {
  enum class Op : uint8_t {
    kBind,      // a free expression name
    kSame,      // an expression name that is already bound
    kConstant,  // a constant equal to `term`, or binding it when it's a free name
    kQuotient,  // floordiv, ceildiv or mod: parts = {divisor, numerator}
    kLattice,   // min or max: each part but the last takes one operand, the last takes the rest
    kSum,       // operands
  };
  Op op = Op::kBind;
  ExprKind kind = ExprKind::kAdd;
  int slot = -1;
  const Term* term = nullptr;  // of the rule, which outlives the pattern
  std::vector<Pattern> parts;
  std::vector<SumOperand> operands;
  // kConstant: conditions on constants that are decided once this is matched, so that a rule fails
  // early.
  std::vector<const Condition*> checks;
};

struct SumOperand {
  enum class Op : uint8_t { kPick, kSubtract, kSplit, kConstant, kRest };
  Op op = Op::kRest;
  std::vector<const Term*> factors;  // the constant factors in front
  int free_factor = -1;              // the one slot among them that is not bound before
  int slot = -1;                     // kSubtract, kSplit, kRest
  Pattern core;                      // kPick
  bool core_known = false;           // kPick: every name of the core is bound before
  bool factors_known = false;        // kPick: every name of the factors is bound before
};

struct CompiledRule {
  const Rule* rule = nullptr;
  Pattern lhs;
  std::vector<Pattern> premises;  // compiled in matching order: the last premise first
  // The conditions that no pattern's checks have decided, in the order of the rule.
  std::vector<const Condition*> conditions;
  bool uses_ranges = false;   // a condition looks at ranges or at simplified forms
  uint16_t picked_kinds = 0;  // bit per ExprKind that a sum must have among its terms
  std::string problem;        // not empty: the engine can't match this rule, and why
};

// `rule` must outlive the result.
CompiledRule Compile(const Rule& rule);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_PATTERN_H_
