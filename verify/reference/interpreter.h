// The reference interpreter: values of HLO computations from XLA's operation semantics, written for
// clarity, not for speed.
//
//   Interpret(entry, {x, init}) with ROOT r = f32[] reduce(x, init), dimensions={0}, to_apply=add
//
// gives ((init + x[0]) + x[1]) + ..., rounded after each addition. InterpretInstruction also
// reports which elements of the operands each element of a result is computed from.
#ifndef AFFIRM_VERIFY_REFERENCE_INTERPRETER_H_
#define AFFIRM_VERIFY_REFERENCE_INTERPRETER_H_

#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/hlo/operand_promises.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "verify/reference/evaluation_order.h"
#include "verify/reference/work.h"

namespace affirm::hlo {

// The error of a computation whose result HLO leaves open on these arguments: a sort by what is no
// strict weak order of them, or a loop that never ends, for its state comes back.
class OpenResult : public llvm::ErrorInfo<OpenResult> {
 public:
  explicit OpenResult(std::string text) : text_(std::move(text)) {}
  void log(llvm::raw_ostream& os) const override { os << text_; }
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::argument_out_of_domain);
  }
  static char ID;

 private:
  std::string text_;
};

// Reports a read of element `linear` (row-major) of leaf array `leaf` of operand `operand` for the
// result element `result_linear` of leaf `result_leaf`.
//
// An element of pad reads the operand or the padding value; windows skip their padding; dynamic
// slices and gathers read their indices too; an element of a scatter reads the operand, the updates
// that land on it and the index vectors of these. Elementwise ops read every operand, so select
// reads both. An element of sort reads its row in every operand. Reads in called computations are
// followed to the operands of the call. The selector of a conditional is read; what decides the
// number of trips of a loop is not.
using ReadObserver =
    std::function<void(const Instruction& instruction, int64_t result_leaf, int64_t result_linear,
                       int64_t operand, int64_t leaf, int64_t linear)>;

// The result of a computation on arguments that fit its parameters. Integers wrap as in XLA; floats
// are computed in the precision of their type (f16, bf16 and narrower: each op in f32, then
// rounded). An op without an implementation, a loop of more than 2^18 trips and an array of more
// than 2 GiB are errors that name the op. Reductions are left folds from the initial value in
// row-major order, except those that `orders` gives another order. dot and convolution sum in f32
// (f64 for f64, modulo the width for integers) and round once. A scatter skips a window of updates
// that does not lie within the operand.
llvm::Expected<Literal> Interpret(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                  const EvaluationOrders* orders = nullptr);

// Changes to how a computation is interpreted.
struct InterpretOptions {
  // Called for every execution of a fusion (on each trip of a loop); where it gives nullopt, the
  // interpreter computes the value. This is how a module runs with kernels in place of its fusions
  // while loops and branches are interpreted.
  using FusionRunner = std::function<std::optional<llvm::Expected<Literal>>(
      const Instruction& fusion, llvm::ArrayRef<const Literal*> operands)>;

  // Asked before another trip of a loop whether the loop is left there, as if its condition failed.
  // A runner of the loop beside the interpreter must leave it after the same number of trips.
  using LoopLeaver = std::function<bool(const Instruction& loop, int64_t trips)>;

  // Hears of each element of an instruction's result for which HLO allows several values, and why.
  // If it is set, a result that is open for every element is evaluated all the same. It is not
  // passed to the computations that the instruction calls. Internal to open_elements.cc.
  enum class Openness : uint8_t {
    kChoice,    // any of some values, as the operation defines them
    kUndefined  // what the operation requires of its operands does not hold
  };
  using OpenObserver =
      std::function<void(int64_t leaf, int64_t linear, Openness openness, llvm::StringRef why)>;

  const EvaluationOrders* orders = nullptr;
  FusionRunner run_fusion;
  LoopLeaver leave_loop;
  OperandPromises promises = {};
  OpenObserver note_open = {};
  // If given, counts the work, in called computations too; beyond its limit the interpretation is
  // an error.
  WorkMeter* meter = nullptr;
};
llvm::Expected<Literal> Interpret(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                  const InterpretOptions& options);

// One instruction on operand values; `observer`, when given, hears of every element read.
llvm::Expected<Literal> InterpretInstruction(const Instruction& instruction,
                                             llvm::ArrayRef<const Literal*> operands,
                                             const ReadObserver* observer = nullptr,
                                             const InterpretOptions* options = nullptr);

// Deterministic arguments for a computation's parameters: small varied values that keep every op
// defined (small integers of both signs; floats mostly in [-2, 2], with exact zeros and ones among
// them). Scatters with unique_indices get unique indices.
std::vector<Literal> MakeArguments(const Computation& computation, uint64_t seed);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_INTERPRETER_H_
