// Rules as data: the syntax tree of the rule language (docs/rules.md).
//
//   rule floordiv.split: (c * x + y) floordiv c  =>  x + y floordiv c
//     when c > 0
//     why  a multiple of the divisor leaves the quotient whole
//
//   rule constraint.offset: x + k in [l, h]  =>  x in [l - k, h - k]
//     when k != 0
//     why  a constant moves to the bounds
//
// Names that start with u to z stand for any expression, all others for integer constants. A rule
// is a theorem: for all integer constants and all integer values of the expressions that satisfy
// the conditions, both sides are equal (expressions), or hold together (constraints). How the
// engine finds the bindings is no part of the theorem.
#ifndef AFFIRM_CORE_SIMPLIFY_RULE_H_
#define AFFIRM_CORE_SIMPLIFY_RULE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm {

enum class TermKind : uint8_t {
  kNumber,        // an integer literal
  kMetavariable,  // a name: metavariable of the rule
  kAdd,           // ops, n-ary
  kMul,           // ops, n-ary
  kFloorDiv,      // ops[0], ops[1]; `/` is the same
  kCeilDiv,
  kMod,
  kMin,  // ops, n-ary
  kMax,
  // Only of constants:
  kGcd,  // gcd(a, b) >= 0
  kLcm,  // lcm(a, b) >= 0
  kAbs,
  // Ends of the known range of an expression, as constants of conditions: of any bounds of it the
  // theorem is to hold. In a `let` the theorem leaves the name free.
  kLower,
  kUpper,
};

struct Term {
  TermKind kind = TermKind::kNumber;
  int64_t number = 0;
  int metavariable = -1;
  std::vector<Term> ops;

  static Term Number(int64_t v) {
    Term t;
    t.number = v;
    return t;
  }
  static Term Node(TermKind kind, std::vector<Term> ops) {
    Term t;
    t.kind = kind;
    t.ops = std::move(ops);
    return t;
  }
  friend bool operator==(const Term&, const Term&) = default;
};

struct Metavariable {
  std::string name;
  bool is_expr = false;  // else a constant
  friend bool operator==(const Metavariable&, const Metavariable&) = default;
};

enum class ConditionKind : uint8_t {
  kCompare,  // lhs op rhs, constants
  kDivides,  // lhs divides rhs, constants, lhs != 0
  kWithin,   // range(lhs) within [lower, upper]: lower <= lhs <= upper at every point
  kIs,       // lhs is rhs: the same expression once both are simplified
  kLet,  // let metavariable = rhs: a definition, or with lower()/upper() a way to find the constant
};

enum class CompareOp : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

struct Condition {
  ConditionKind kind = ConditionKind::kCompare;
  CompareOp op = CompareOp::kEq;
  Term lhs, rhs;
  Term lower, upper;  // kWithin
  bool lower_infinite = false, upper_infinite = false;
  // kLet: lhs is the metavariable. True when rhs has no lower() or upper(), so that lhs = rhs is a
  // hypothesis.
  bool defines = false;
  friend bool operator==(const Condition&, const Condition&) = default;
};

// `expr in [lower, upper]`. Among a rule's premises the ends are constant names or terms to be
// equal to.
struct BoundPattern {
  Term expr;
  Term lower, upper;
  bool lower_infinite = false, upper_infinite = false;
  friend bool operator==(const BoundPattern&, const BoundPattern&) = default;
};

struct Rule {
  std::string name;
  std::string why;
  std::string where;  // file:line
  std::vector<Metavariable> metavariables;

  bool is_constraint_rule = false;
  // Expression rules.
  Term lhs, rhs;
  // Constraint rules: the premises hold together exactly when the conclusions do. No conclusions:
  // the premises are always true. `concludes_false` (the rule ends in `=> false`): they are never
  // all true.
  std::vector<BoundPattern> premises, conclusions;
  bool concludes_false = false;

  std::vector<Condition> when;

  int FindMetavariable(llvm::StringRef name) const;  // -1 when absent
};

// Reads a rule file. Errors are "where:line:column: error: ...".
llvm::Expected<std::vector<Rule>> ParseRules(llvm::StringRef text, llvm::StringRef where);

// The rule in the syntax that ParseRules reads; terms alone.
std::string ToString(const Rule& rule);
std::string ToString(const Term& term, const Rule& rule);
std::string ToString(const Condition& condition, const Rule& rule);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_RULE_H_
