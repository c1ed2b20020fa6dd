// Matching of a rule's patterns against expressions, and its conditions.
//
// A sum is matched up to the order of its terms. Its operands are tried in this order: a quotient,
// residue, minimum or maximum picks a term (its coefficient binds or must equal the constants in
// front); `k * x` with x bound takes k * x out of the sum; `g * x` with x free splits the sum into
// the multiples of g and the rest; a bare constant takes the constant summand; a bare free name
// takes what is left, which may be 0.
//
// A free g takes the common factors of the leading coefficients with the enclosing divisor, largest
// first. When a sum is split, the constant goes where the rest then lies in [0, g - 1] if that's
// possible, else it stays with the rest.
#ifndef AFFIRM_CORE_SIMPLIFY_MATCH_H_
#define AFFIRM_CORE_SIMPLIFY_MATCH_H_

#include <optional>

#include "core/indexing/range.h"
#include "core/simplify/rule.h"
#include "core/simplify/trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

class Matcher {
 public:
  using Bindings = llvm::SmallVector<Binding, 8>;
  using Continuation = llvm::function_ref<bool()>;
  // Brings an expression to its simplified form, for `is`.
  using Normalizer = llvm::function_ref<SymbolicExpr(SymbolicExpr)>;

  Matcher(Context& context, const Rule& rule, RangeAnalysis& ranges, Normalizer normalize)
      : context_(context), rule_(rule), ranges_(ranges), normalize_(normalize) {
    bindings_.resize(rule.slots.size());
  }

  // The replacement when the rule applies at `e`; null otherwise.
  SymbolicExpr Apply(SymbolicExpr e);

  // Matches a premise against a fact and calls `next` with the bindings; true when `next` agreed.
  bool MatchFact(const BoundPattern& pattern, const Constraint& fact, Continuation next);
  bool ConditionsHold();
  // A conclusion under the bindings; nullopt when a constant leaves int64.
  std::optional<Constraint> BuildFact(const BoundPattern& pattern);

  const Bindings& bindings() const { return bindings_; }

 private:
  struct Linear {
    llvm::SmallVector<std::pair<SymbolicExpr, int64_t>, 8> terms;  // atom, coefficient
    int64_t constant = 0;
  };
  struct Operand {
    llvm::SmallVector<const Term*, 3> factors;  // constant factors in front
    const Term* core = nullptr;                 // the factor with expressions; null: a constant
  };
  using Operands = llvm::SmallVector<Operand, 4>;

  bool Match(const Term& pattern, SymbolicExpr e, Continuation next);
  bool MatchBinary(const Term& pattern, SymbolicExpr e, Continuation next);
  bool MatchLattice(const Term& pattern, llvm::ArrayRef<SymbolicExpr> ops, size_t at, ExprKind kind,
                    Continuation next);
  bool MatchConstant(const Term& pattern, int64_t value, Continuation next);
  bool MatchProduct(llvm::ArrayRef<const Term*> factors, int64_t value, Continuation next);
  bool MatchSum(Operands operands, const Linear& sum, Continuation next);
  bool PickTerm(const Operand& operand, const Operands& rest, const Linear& sum, Continuation next);
  bool Subtract(const Operand& operand, const Operands& rest, const Linear& sum, Continuation next);
  bool Split(const Operand& operand, const Operands& rest, const Linear& sum, Continuation next);
  bool SplitBy(int64_t g, const Operand& operand, const Operands& rest, const Linear& sum,
               Continuation next);
  llvm::SmallVector<int64_t, 8> SplitCandidates(const Linear& sum, bool has_rest) const;

  bool Holds(const Condition& condition);
  bool Let(const Condition& condition);
  // lower <= range(e) <= upper
  bool Within(const Condition& condition);

  static Operand Decompose(const Term& pattern);
  static bool HasExprSlot(const Term& pattern, const Rule& rule);
  static Linear ToLinear(SymbolicExpr e);
  SymbolicExpr FromLinear(const Linear& sum);

  std::optional<int64_t> Constant(const Term& term);
  SymbolicExpr Build(const Term& term);
  bool BindExpr(int slot, SymbolicExpr e, Continuation next);
  bool BindConstant(int slot, int64_t v, Continuation next);

  Context& context_;
  const Rule& rule_;
  RangeAnalysis& ranges_;
  Normalizer normalize_;
  Bindings bindings_;
  int64_t divisor_ = 0;  // of the quotient or residue being matched; 0: none
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_MATCH_H_
