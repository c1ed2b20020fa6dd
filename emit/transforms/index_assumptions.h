// Assumptions about integers at one point of a kernel, and queries under them. In the branch of
// `if x < 8`, for instance, x is known to be at most 7, and Proves(2 * x, {0, 14}) holds when x is
// not negative.
#ifndef AFFIRM_EMIT_TRANSFORMS_INDEX_ASSUMPTIONS_H_
#define AFFIRM_EMIT_TRANSFORMS_INDEX_ASSUMPTIONS_H_

#include <string>
#include <vector>

#include "core/indexing/range.h"
#include "core/symbolic/context.h"
#include "verify/decide/decider.h"

namespace affirm::emit {

// Variables within bounds, definitions, and the conditions of enclosing branches. Terms are over
// Dim(k), where k numbers the variables.
class IndexAssumptions {
 public:
  Context& context() { return context_; }

  // A new variable that may be anything within the bounds. The name is for counterexamples.
  SymbolicExpr Fresh(Interval bounds, std::string name);
  // Holds wherever its variables have values.
  void Define(Formula assumption);
  // Holds until the matching Leave.
  void Enter(Formula assumption);
  void Leave();

  // Contains every value of the term here, by interval arithmetic.
  Interval RangeOf(SymbolicExpr e);
  // Does the claim hold here? By the deciders, under the assumptions that share variables with it.
  SolverResult Prove(const Formula& claim);
  // e lies within the bounds: by ranges, else by the deciders.
  bool Proves(SymbolicExpr e, Interval bounds);

  // "th_x = 3, bl_x = 0": the variables that a term has, at a counterexample.
  std::string PointText(SymbolicExpr e, llvm::ArrayRef<int64_t> point) const;

 private:
  struct Assumption {
    Formula formula = Formula::True();
    std::vector<int64_t> variables = {};  // in increasing order
    std::vector<Constraint> intervals = {};
  };
  Assumption MakeAssumption(Formula formula);

  Context context_;
  std::vector<Variable> variables_;
  std::vector<Assumption> assumptions_;  // definitions and what was entered
  std::vector<size_t> entered_;
  std::vector<Constraint> intervals_;
  RangeAnalysis ranges_;
  bool stale_ = true;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_INDEX_ASSUMPTIONS_H_
