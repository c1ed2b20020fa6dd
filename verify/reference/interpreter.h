// The reference interpreter: values of HLO computations, from the operation semantics, written for
// clarity.
#ifndef AFFIRM_VERIFY_REFERENCE_INTERPRETER_H_
#define AFFIRM_VERIFY_REFERENCE_INTERPRETER_H_

#include <functional>
#include <optional>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "verify/reference/fold_order.h"

namespace affirm::hlo {

// Reports a read of element `linear` (row-major) of leaf array `leaf` of operand `operand` for the
// result element `result_linear` of leaf `result_leaf`.
//
// Reads are what the semantics takes: pad reads the operand or the padding value, windows skip
// their padding, dynamic slices and gathers read their indices too, a scattered element reads the
// updates that land on it and their index vectors. Elementwise ops read every operand, select both
// branches. A sorted element reads its whole row of every operand. Through calls, reads are
// followed to the operands: a selector is read, how often a loop runs is not.
using ReadObserver =
    std::function<void(const Instruction& instruction, int64_t result_leaf, int64_t result_linear,
                       int64_t operand, int64_t leaf, int64_t linear)>;

// The result of a computation on arguments that fit its parameters. Integers wrap as in XLA; floats
// are computed in the type's precision (f16, bf16 and narrower: per op in f32, then rounded). An op
// without an implementation is an error that names it; so is a loop beyond 2^18 trips or an array
// beyond 2 GiB. Reductions are left folds from the initial value in row-major order, but for those
// of `orders`; dot and convolution sum in f32 (f64 for f64, modulo the width for integers) and
// round once. A scatter skips a window of updates that does not lie within the operand.
llvm::Expected<Literal> Interpret(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                  const FoldOrders* orders = nullptr);

// What an interpretation does otherwise than by itself.
struct InterpretOptions {
  // Asked for the value of every fusion that is executed, in loops each time; nothing: the
  // interpreter computes it. This is how a module runs with kernels in the places of its fusions,
  // and keeps the interpreter's loops and branches.
  using FusionRunner = std::function<std::optional<llvm::Expected<Literal>>(
      const Instruction& fusion, llvm::ArrayRef<const Literal*> operands)>;

  const FoldOrders* orders = nullptr;
  FusionRunner run_fusion;
};
llvm::Expected<Literal> Interpret(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                  const InterpretOptions& options);

// One instruction on operand values; `observer`, when given, hears of every element read.
llvm::Expected<Literal> InterpretInstruction(const Instruction& instruction,
                                             llvm::ArrayRef<const Literal*> operands,
                                             const ReadObserver* observer = nullptr,
                                             const InterpretOptions* options = nullptr);

// Deterministic arguments for a computation's parameters: small varied values that keep every op
// defined (integers small and of both signs, floats mostly in [-2, 2] with exact zeros and ones
// among them). Scatters that promise unique indices get them.
std::vector<Literal> MakeArguments(const Computation& computation, uint64_t seed);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_INTERPRETER_H_
