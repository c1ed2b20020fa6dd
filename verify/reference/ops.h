// One function for each op (or family of ops that mean the same): from operand values to the
// result.
#ifndef AFFIRM_VERIFY_REFERENCE_OPS_H_
#define AFFIRM_VERIFY_REFERENCE_OPS_H_

#include <initializer_list>

#include "core/hlo/leaves.h"
#include "llvm/ADT/Twine.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {

// An instruction and the values of its operands, whose shapes are those of the instruction's
// operands.
struct Call {
  const Instruction& instruction;
  llvm::ArrayRef<const Literal*> operands;
  const ReadObserver* observer = nullptr;
  const InterpretOptions* options = nullptr;

  // In which order a reduction takes its terms; null: a left fold.
  const FoldOrder* order() const {
    if (options == nullptr || options->orders == nullptr) return nullptr;
    const auto found = options->orders->find(&instruction);
    return found == options->orders->end() ? nullptr : &found->second;
  }
  const Attributes& attributes() const { return instruction.attributes; }
  const Literal& operand(size_t k) const { return *operands[k]; }
  // Tells the observer.
  void Read(int64_t result_leaf, int64_t result_linear, int64_t operand, int64_t leaf,
            int64_t linear) const {
    if (observer != nullptr)
      (*observer)(instruction, result_leaf, result_linear, operand, leaf, linear);
  }
};

using Result = llvm::Expected<Literal>;

// "line:column: error: add NAME what"
llvm::Error Fail(const Instruction& instruction, const llvm::Twine& what);

// Interpret() on arguments that stand elsewhere.
Result InterpretWith(const Computation& computation, llvm::ArrayRef<const Literal*> arguments,
                     const InterpretOptions* options = nullptr);

// Changes arguments so that scatters with unique_indices read indices whose windows do not meet,
// where their indices are an argument as it is.
void KeepPromises(const Computation& computation, std::vector<Literal>& arguments);

// Zeros of a shape; an error when it is too large to interpret.
Result NewLiteral(const Instruction& instruction, const Shape& shape);
inline Result NewLiteral(const Call& call) {
  return NewLiteral(call.instruction, call.instruction.shape);
}

// An error when the product of the factors is more steps than an interpreter should take, or a
// factor is negative.
llvm::Error CheckWork(const Instruction& instruction,
                      std::initializer_list<llvm::ArrayRef<int64_t>> factors);

// An error unless the numbers are distinct and within [0, rank).
llvm::Error CheckDimensions(const Instruction& instruction, llvm::ArrayRef<int64_t> dimensions,
                            int64_t rank);

// The computation that `instruction` calls under an attribute key, e.g. "to_apply"; when there is
// only one computation, the key does not matter. An error when there is none.
llvm::Expected<const Computation*> Callee(const Instruction& instruction, llvm::StringRef key);

// The value of one array leaf as it is, or of several as a tuple, after the shape of the
// instruction.
Literal Assemble(const Shape& shape, std::vector<Literal> leaves);

// elementwise.cc
Result EvaluateElementwise(const Call& call);
// data_movement.cc
Result EvaluateBroadcast(const Call& call);
Result EvaluateConcatenate(const Call& call);
Result EvaluateConstant(const Call& call);
Result EvaluateCopy(
    const Call& call);  // copy, reshape: the row-major order of the elements is kept
Result EvaluateIota(const Call& call);
Result EvaluatePad(const Call& call);
Result EvaluateReverse(const Call& call);
Result EvaluateSelect(const Call& call);
Result EvaluateSlice(const Call& call);
Result EvaluateTranspose(const Call& call);
// bits.cc
Result EvaluateBitcast(const Call& call);  // the same bits in the order of the layouts
Result EvaluateBitcastConvert(const Call& call);
// dynamic_slice.cc
Result EvaluateDynamicSlice(const Call& call);
Result EvaluateDynamicUpdateSlice(const Call& call);
// gather_scatter.cc
Result EvaluateGather(const Call& call);
Result EvaluateScatter(const Call& call);
// reduction.cc
Result EvaluateMap(const Call& call);
Result EvaluateReduce(const Call& call);
Result EvaluateScan(const Call& call);
// window.cc
Result EvaluateReduceWindow(const Call& call);
Result EvaluateSelectAndScatter(const Call& call);
// contraction.cc
Result EvaluateDot(const Call& call);
Result EvaluateConvolution(const Call& call);
// sort.cc
Result EvaluateSort(const Call& call);
// control.cc
Result EvaluateCall(const Call& call);  // call, fusion
Result EvaluateConditional(const Call& call);
Result EvaluateForward(const Call& call);  // the value of the first operand (or of all, as a tuple)
Result EvaluateGetDimensionSize(const Call& call);
Result EvaluateGetTupleElement(const Call& call);
Result EvaluateTuple(const Call& call);
Result EvaluateWhile(const Call& call);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_OPS_H_
