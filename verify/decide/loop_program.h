// Terms compiled to straight-line code, for evaluation at many points. Of d0 * 8 + d1 floordiv 2,
// the product is computed once for each d0, the quotient and the sum for each d1.
//
// Points are visited by nested loops. Each instruction belongs to the innermost loop whose variable
// it needs, and only what depends on a changed variable is computed again. Values are int64; a
// register whose value leaves int64 or does not exist is marked, and the caller falls back to
// EvaluateTerm.
#ifndef AFFIRM_VERIFY_DECIDE_LOOP_PROGRAM_H_
#define AFFIRM_VERIFY_DECIDE_LOOP_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "core/symbolic/expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm {

class LoopProgram {
 public:
  using Register = uint32_t;
  // The loop (0: outermost) that a variable belongs to.
  using LoopOf = llvm::function_ref<int64_t(VarKind, int64_t)>;

  explicit LoopProgram(int64_t num_loops) : num_loops_(num_loops) {}

  // Compiles a term. All terms are added, with one and the same numbering of loops, before
  // Finish().
  Register Add(SymbolicExpr e, LoopOf loop_of);
  void Finish();

  void Set(int64_t loop, int64_t value) { values_[loop] = value; }
  // Computes what depends on the variables of loop `from` and the loops inside it.
  void Run(int64_t from);

  bool Ok(Register s) const { return !bad_[s]; }
  int64_t Get(Register s) const { return values_[s]; }
  int64_t NumInstructions() const { return static_cast<int64_t>(code_.size()); }

 private:
  struct Instruction {
    ExprKind kind;
    int64_t loop;
    Register to, a, b;
  };
  Register NewRegister(int64_t loop);
  Register Constant(int64_t v);
  Register Emit(ExprKind kind, Register a, Register b);
  Register Node(SymbolicExpr e, LoopOf loop_of);

  int64_t num_loops_;
  std::vector<Instruction> code_;
  std::vector<size_t> begin_;  // of each loop's code
  std::vector<int64_t> values_;
  std::vector<uint8_t> bad_;
  std::vector<int64_t> register_loop_;
  llvm::DenseMap<SymbolicExpr, Register> registers_;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_LOOP_PROGRAM_H_
