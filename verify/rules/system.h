// Systems of polynomial facts over the integers, and rules written as such systems. A rule is right
// when each of its systems has no solution: for x floordiv c => y, c > 0 these have a variable q
// with 0 <= x - c * q <= c - 1, and say that q >= y + 1, or that q <= y - 1.
#ifndef AFFIRM_VERIFY_RULES_SYSTEM_H_
#define AFFIRM_VERIFY_RULES_SYSTEM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/simplify/rule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/rules/polynomial.h"

namespace affirm::rules {

// p >= 0, or p == 0.
struct PolyFact {
  Poly p;
  bool equality = false;
  friend bool operator==(const PolyFact&, const PolyFact&) = default;
};
PolyFact AtLeast(const Poly& a, const Poly& b);
PolyFact Equal(const Poly& a, const Poly& b);

// One of several conjunctions holds.
using Alternatives = std::vector<std::vector<PolyFact>>;

// value = numerator floordiv (ceildiv) divisor, where the divisor is not zero. The value is a
// variable of its own until something is found equal to it.
struct QuotientDef {
  Poly value, numerator, divisor;
  bool ceil = false;
};

// g = gcd(a, b) with a = g * a', b = g * b'. Unless g is zero, a' and b' have no common divisor.
struct GcdDef {
  Poly g, a_cofactor, b_cofactor;
};

enum class VarRole : uint8_t { kConstant, kExpression, kQuotient, kCofactor, kChoice, kBezout };

struct System {
  std::vector<VarRole> roles;
  std::vector<std::string> names;
  std::vector<PolyFact> facts;
  std::vector<Alternatives> splits;
  std::vector<QuotientDef> quotients;
  std::vector<GcdDef> gcds;

  int NewVariable(VarRole role, std::string name);
  // Replaces v by `by`, which must be known to equal it, wherever that does not make a polynomial
  // large.
  void UseEquality(int v, const Poly& by);
  // Replaces v by -v: from now on v stands for what was its negative.
  void Negate(int v);

 private:
  void ForEachPoly(llvm::function_ref<void(Poly&)> fn);
};

// Which divisors of a term must be shown to be legal.
enum class CheckedDivisors : uint8_t { kAllDivisors, kExpressionDivisors };

// The terms of one rule in a system. Metavariable i is variable i. A term whose polynomial would be
// too large is a variable of its own, of which nothing is known: the system then says less, and
// never more, than the rule does. The rule must outlive the encoder.
class RuleEncoder {
 public:
  explicit RuleEncoder(const Rule& rule);

  System& system() { return system_; }

  // The polynomial equal to the term, with its quotients and choices defined in the system. What
  // makes the term legal is a hypothesis (an entry of `splits` or `facts`) unless `obligations` is
  // given: there each division (or only those by expressions) adds a system that says that it is
  // illegal, which must have no solution; what comes later may use that it is legal.
  Poly Encode(const Term& term, std::vector<System>* obligations = nullptr,
              CheckedDivisors checked = CheckedDivisors::kAllDivisors);
  // Adds a condition, or a fact of a constraint rule, as a hypothesis. A condition on constants
  // fails where a divisor is zero, and so does one on expressions where a constant divisor is; but
  // what is known of the range of x floordiv y says nothing where y is zero, so that divisors with
  // expressions are obligations.
  void Assume(const Condition& condition, std::vector<System>& obligations);
  void Assume(const BoundPattern& fact, std::vector<System>* obligations = nullptr);
  // Assumes the negation of the fact: the ways in which it may fail, one system each.
  void AssumeNegation(const BoundPattern& fact, std::vector<System>& goals);

 private:
  Poly Divide(TermKind kind, const Poly& a, const Poly& b, std::vector<System>* obligations);
  Poly Choose(const std::vector<Poly>& ops, bool least);
  Poly Gcd(const Poly& a, const Poly& b);
  // A product, or a polynomial that stands for it.
  Poly Times(const Poly& a, const Poly& b);
  Poly OrUnknown(Poly p);
  Poly AbsoluteValue(const Poly& p);
  int GcdIndex(const Poly& a, const Poly& b);

  const Rule& rule_;
  System system_;
  std::vector<std::pair<Poly, Poly>> gcd_of_;  // operands of gcds[i]
};

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_SYSTEM_H_
