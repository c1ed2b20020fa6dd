// Formulas over integers: the one language in which questions reach a decider.
//
//   Formula::Implies(Formula::Eq(x.Mod(8), zero), Formula::Eq(x.Mod(4), zero))
//   Formula::Exists({1}, Formula::Eq(context.Dim(0), context.Dim(1) * 2))  // Dim(0) is even
//
// Terms are SymbolicExprs in which Dim(k) is the formula's variable k; other kinds of variables do
// not occur. A division by zero, or a mod by a number that isn't positive, has no value. A claim is
// proved only if it holds whatever value such a term is given, and refuted only at a point where
// every term that matters has one.
#ifndef AFFIRM_VERIFY_DECIDE_FORMULA_H_
#define AFFIRM_VERIFY_DECIDE_FORMULA_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/symbolic/expr.h"
#include "core/symbolic/interval.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm {

class Formula {
 public:
  enum class Kind : uint8_t { kTrue, kFalse, kEq, kLe, kAnd, kOr, kNot, kExists };

  static Formula True();
  static Formula False();
  static Formula Eq(SymbolicExpr a, SymbolicExpr b);
  static Formula Le(SymbolicExpr a, SymbolicExpr b);
  // lower <= e <= upper; infinite ends are left out.
  static Formula In(SymbolicExpr e, Interval bounds);
  static Formula And(std::vector<Formula> parts);
  static Formula Or(std::vector<Formula> parts);
  static Formula Not(Formula f);
  static Formula Implies(Formula a, Formula b);
  // Binds the variables with these indices.
  static Formula Exists(std::vector<int64_t> variables, Formula body);

  Kind kind() const { return node_->kind; }
  SymbolicExpr lhs() const { return node_->lhs; }
  SymbolicExpr rhs() const { return node_->rhs; }
  llvm::ArrayRef<Formula> parts() const { return node_->parts; }
  llvm::ArrayRef<int64_t> bound() const { return node_->bound; }
  bool HasQuantifier() const;
  std::string ToString() const;

 private:
  struct Node {
    Kind kind = Kind::kTrue;
    SymbolicExpr lhs = {}, rhs = {};
    std::vector<Formula> parts = {};
    std::vector<int64_t> bound = {};
  };
  static Formula Make(Node node);
  std::shared_ptr<const Node> node_;
};

// f with variables replaced in its terms as SymbolicExpr::Substitute does. What is substituted must
// not mention variables that f binds.
Formula Substitute(const Formula& f, SymbolicExpr::Substitution fn);

// "For all values of `variables` within their bounds: claim". Variables bound by a quantifier
// inside have their bounds here too.
struct SolverQuery {
  Context* context = nullptr;
  std::vector<Interval> variables;
  std::vector<std::string> names;  // for counterexamples and SMT-LIB; may be empty
  Formula claim = Formula::True();
};

// The fault of a query (an ill-formed term, a variable without bounds, a variable bound twice), or
// nullopt. A wrong query is answered kUnknown with this text.
std::optional<std::string> FindProblem(const SolverQuery& query);

// The name of a variable in texts: the given one, else d<k>.
std::string VariableName(const SolverQuery& query, int64_t variable);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_FORMULA_H_
