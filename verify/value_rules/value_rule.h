// Rules about values of HLO's element types, as data: the syntax tree of value rules.
//
//   rule compare.swap_negated: -x < -y  =>  y < x
//     with  x, y : T for T in {f16, bf16, f32, f64}
//     class exact
//     why   a negation turns the order around, and keeps NaNs
//
//   rule divide.exact: x / c  =>  x * (1 / c)
//     with  x, c : T for T in {f16, bf16}
//     when  abs(c) == 2 || abs(c) == 4
//     class exact
//     why   the reciprocal of a power of two is exact
//
// A rule is a statement about every value of its variables that satisfies `when`, for each choice
// of types. Terms are HLO's elementwise opcodes, written as functions with `_` for `-`
// (shift_left(x, n), is_finite(x)), and + - * / %, unary -, comparisons, && || !, min and max; T(3)
// is a constant of a type, and a number alone has the type of what stands beside it. convert(x, U)
// names its type, and reduce_precision(x, 5, 10) the bits of the exponent and of the mantissa.
// There is no bitcast_convert: it would show the bits of a NaN.
//
// Several rules that differ in an operation alone are written as one:
//
//   rule sign.of_both: -f(x)  =>  f(-x)
//     with  x : T for T in {f32}, f in {sign, round_nearest_even}
//     ...
//
// is read as the rules sign.of_both.sign and sign.of_both.round_nearest_even.
#ifndef AFFIRM_VERIFY_VALUE_RULES_VALUE_RULE_H_
#define AFFIRM_VERIFY_VALUE_RULES_VALUE_RULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/opcode.h"
#include "core/hlo/shape.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::value_rules {

struct Expression {
  enum class Kind : uint8_t { kVariable, kNumber, kOp };
  Kind kind = Kind::kNumber;
  std::string text = {};                       // the name of a variable; a number as it is written
  hlo::Opcode opcode = hlo::Opcode::kUnknown;  // of kOp
  // The direction of a compare, "LT". Not empty for `&&` and `||`, which are and() and or() of
  // predicates.
  std::string direction = {};
  // The type that is named: of a constant T(3), a convert. Empty for others.
  std::string type = {};
  std::vector<Expression> args = {};
  // For a reduce-precision.
  int64_t exponent_bits = 0, mantissa_bits = 0;
};

struct TypeVariable {
  std::string name;
  std::vector<hlo::PrimitiveType> types;
};

struct Variable {
  std::string name;
  std::string type;  // of a type variable, or "f32"
};

// The kind of claim that a rule makes, and what supports it.
enum class RuleClass : uint8_t {
  kExact,     // both sides are equal to the bit, all NaNs being one: proved
  kDefined,   // HLO's specification or a library says so: `why` names the place
  kLicensed,  // a compiler may do it, where a user allows it
};
llvm::StringRef Name(RuleClass of);

struct ValueRule {
  std::string name;
  // The name as it is written, without that of a chosen operation.
  std::string family;
  std::string why;
  std::string where;  // file:line
  RuleClass of_class = RuleClass::kExact;
  std::vector<TypeVariable> types;
  std::vector<Variable> variables;
  Expression lhs, rhs;
  std::optional<Expression> when;  // a predicate
};

// Whether a text has value rules, which have a `with` clause.
bool HasValueRules(llvm::StringRef text);
// Reads a file of value rules. Errors are "where:line:column: error: ...".
llvm::Expected<std::vector<ValueRule>> ParseValueRules(llvm::StringRef text, llvm::StringRef where);

// In the syntax that ParseValueRules reads.
std::string ToString(const ValueRule& rule);
std::string ToString(const Expression& expression);

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_VALUE_RULE_H_
