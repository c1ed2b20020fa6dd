// Normal forms of expressions and of rule terms under bindings, for the replay of traces: two that
// have the same normal form are equal at every point. The term `x floordiv a + 2` with x bound to
// d0 + 1 and a to 4 has the normal form of the expression (1 + d0) floordiv 4 + 2.
//
// This is kept apart from the simplifier on purpose: it shares no code with the matcher of rules or
// with the constructors of expressions, so that a mistake there shows here.
#ifndef AFFIRM_VERIFY_RULES_POLYNOMIAL_NORMAL_FORMS_H_
#define AFFIRM_VERIFY_RULES_POLYNOMIAL_NORMAL_FORMS_H_

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/simplify/rule.h"
#include "core/simplify/trace.h"
#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/rules/polynomial.h"

namespace affirm::rules {

// Polynomials over atoms: variables, and quotients, residues, minima and maxima of polynomials, and
// sums and products that would make too large a polynomial.
class PolynomialNormalForms {
 public:
  struct Atom {
    ExprKind kind = ExprKind::kVariable;
    VarKind var_kind = VarKind::kDim;
    int64_t index = 0;
    std::vector<Poly> operands;
    friend bool operator<(const Atom& a, const Atom& b) {
      return std::tie(a.kind, a.var_kind, a.index, a.operands) <
             std::tie(b.kind, b.var_kind, b.index, b.operands);
    }
  };

  // Nullopt when the expression is null or nested too deeply, or, for a term, a metavariable is not
  // bound or a constant has no value.
  std::optional<Poly> Of(SymbolicExpr e);
  std::optional<Poly> Of(const Term& term, llvm::ArrayRef<Binding> bindings);
  const Atom& atom(int i) const { return atoms_[i]; }

 private:
  Poly Intern(Atom atom);
  std::optional<Poly> Apply(ExprKind kind, std::vector<Poly> operands);
  Poly Sum(std::vector<Poly> operands);
  Poly Product(std::vector<Poly> operands);
  Poly MinMax(ExprKind kind, llvm::ArrayRef<Poly> operands);

  std::vector<Atom> atoms_;
  std::map<Atom, int> index_;
  llvm::DenseMap<SymbolicExpr, std::optional<Poly>> known_;
};

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_POLYNOMIAL_NORMAL_FORMS_H_
