// Random terms, formulas and questions for properties of the deciders.
#ifndef AFFIRM_TESTS_DECIDE_RANDOM_TERMS_H_
#define AFFIRM_TESTS_DECIDE_RANDOM_TERMS_H_

#include <rapidcheck.h>

#include <vector>

#include "core/symbolic/context.h"
#include "verify/decide/formula.h"

namespace affirm {

struct TermStyle {
  bool products = false;       // of variables
  bool form_divisors = false;  // divisors that are not constants
  bool any_divisors = false;   // divisors that may be 0, moduli that may be 0 or negative
  bool last_divides = false;   // the last variable, which is positive, and products with it
  int64_t max_constant = 12;
};

inline int64_t Pick(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }

inline SymbolicExpr NotConstantZero(SymbolicExpr e) { return e.IsConstant(0) ? e + 1 : e; }

// A term over `variables`; unless the style says otherwise divisors are never zero and moduli
// positive (over variables of any value).
inline SymbolicExpr RandomTerm(Context& context, llvm::ArrayRef<SymbolicExpr> variables, int depth,
                               const TermStyle& style) {
  auto sub = [&] { return RandomTerm(context, variables, depth - 1, style); };
  auto constant = [&] { return Pick(-style.max_constant, style.max_constant); };
  auto positive = [&] { return Pick(1, style.max_constant); };
  if (depth == 0 || Pick(0, 5) == 0) {
    if (variables.empty() || Pick(0, 4) == 0) return context.Constant(constant());
    return variables[Pick(0, static_cast<int64_t>(variables.size()) - 1)];
  }
  switch (Pick(0, 8)) {
    case 0:
    case 1:
      return sub() + sub();
    case 2:
      return sub() * constant();
    case 3:
    case 4: {
      SymbolicExpr divisor = context.Constant(Pick(0, 4) == 0 ? -positive() : positive());
      if (style.form_divisors && Pick(0, 2) == 0) divisor = sub().Mod(4) + 1;
      if (style.last_divides && Pick(0, 1)) divisor = variables.back() * positive();
      if (style.last_divides && Pick(0, 3) == 0) divisor = divisor * variables.back();
      if (style.any_divisors) divisor = NotConstantZero(sub());
      return sub().FloorDiv(divisor);
    }
    case 5:
      if (style.any_divisors) return sub().CeilDiv(NotConstantZero(sub()));
      if (style.last_divides && Pick(0, 1)) return sub().CeilDiv(variables.back());
      return sub().CeilDiv(Pick(0, 4) == 0 ? -positive() : positive());
    case 6: {
      SymbolicExpr modulus = context.Constant(positive());
      if (style.form_divisors && Pick(0, 2) == 0) modulus = sub().Mod(5) + 1;
      if (style.last_divides && Pick(0, 1)) modulus = variables.back() * positive();
      if (style.any_divisors) modulus = sub();
      if (modulus.IsConstant() && modulus.value() < 1) modulus = context.Constant(positive());
      return sub().Mod(modulus);
    }
    case 7:
      return Pick(0, 1) ? sub().Min(sub()) : sub().Max(sub());
    default:
      return style.products ? sub() * sub() : sub() - sub();
  }
}

inline Formula RandomFormula(Context& context, llvm::ArrayRef<SymbolicExpr> variables, int depth,
                             const TermStyle& style) {
  auto term = [&] { return RandomTerm(context, variables, 3, style); };
  if (depth == 0 || Pick(0, 2) == 0) {
    return Pick(0, 1) ? Formula::Eq(term(), term()) : Formula::Le(term(), term());
  }
  auto sub = [&] { return RandomFormula(context, variables, depth - 1, style); };
  switch (Pick(0, 2)) {
    case 0:
      return Formula::And({sub(), sub()});
    case 1:
      return Formula::Or({sub(), sub()});
    default:
      return Formula::Not(sub());
  }
}

// A few variables with small bounds, of either sign and now and then empty.
inline std::vector<Interval> RandomBounds(int64_t count) {
  std::vector<Interval> bounds;
  for (int64_t i = 0; i < count; ++i) {
    int64_t lower = Pick(-6, 6);
    bounds.push_back({lower, lower + (Pick(0, 20) == 0 ? -1 : Pick(0, 7))});
  }
  return bounds;
}

inline std::vector<SymbolicExpr> Variables(Context& context, int64_t count) {
  std::vector<SymbolicExpr> variables;
  for (int64_t i = 0; i < count; ++i) variables.push_back(context.Dim(i));
  return variables;
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_DECIDE_RANDOM_TERMS_H_
