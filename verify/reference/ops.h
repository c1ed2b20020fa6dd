// The evaluation of each op, from the values of its operands to the value of its result, by op
// family; and what these functions share. Internal to verify/reference: use interpreter.h.
#ifndef AFFIRM_VERIFY_REFERENCE_OPS_H_
#define AFFIRM_VERIFY_REFERENCE_OPS_H_

#include <initializer_list>

#include "core/hlo/leaves.h"
#include "llvm/ADT/Twine.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {

// One evaluation of an instruction: the instruction, the values of its operands, and who is told of
// the elements that are read. The values fit the shapes of the instruction's operands.
struct Call {
  const Instruction& instruction;
  llvm::ArrayRef<const Literal*> operands;
  const ReadObserver* observer = nullptr;
  const InterpretOptions* options = nullptr;

  // The evaluation order of a reduction; null: a left fold.
  const FoldOrder* order() const {
    if (options == nullptr || options->orders == nullptr) return nullptr;
    const auto found = options->orders->find(&instruction);
    return found == options->orders->end() ? nullptr : &found->second;
  }
  const Attributes& attributes() const { return instruction.attributes; }
  const Literal& operand(size_t k) const { return *operands[k]; }
  // Tells the observer, if there is one, that the element of the result was computed from the one
  // of the operand.
  void Read(int64_t result_leaf, int64_t result_linear, int64_t operand, int64_t leaf,
            int64_t linear) const {
    if (observer != nullptr)
      (*observer)(instruction, result_leaf, result_linear, operand, leaf, linear);
  }
};

using Result = llvm::Expected<Literal>;

// The error "LINE:COLUMN: error: OPCODE NAME what".
llvm::Error Fail(const Instruction& instruction, const llvm::Twine& what);

// Interpret() on arguments that are not in one array.
Result InterpretWith(const Computation& computation, llvm::ArrayRef<const Literal*> arguments,
                     const InterpretOptions* options = nullptr);

// Changes arguments so that the windows of scatters with unique_indices do not overlap, where the
// indices of the scatter are an argument, copied or reshaped at most.
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

// The value of an instruction of shape `shape` whose array leaves are `leaves`: the only leaf
// itself, or a tuple of them.
Literal Assemble(const Shape& shape, std::vector<Literal> leaves);

// elementwise.cc
Result EvaluateElementwise(const Call& call);
Result EvaluateMap(const Call& call);
Result EvaluateSelect(const Call& call);
// nullary.cc
Result EvaluateConstant(const Call& call);
Result EvaluateIota(const Call& call);
// random.cc
Result EvaluateRngBitGenerator(const Call& call);
// movement.cc
Result EvaluateBroadcast(const Call& call);
Result EvaluateCopy(const Call& call);  // and reshape: both keep the row-major order of elements
Result EvaluateDynamicReshape(const Call& call);
Result EvaluateReverse(const Call& call);
Result EvaluateTranspose(const Call& call);
// movement_bitcast.cc
Result EvaluateBitcast(const Call& call);  // the same bits in the order of the layouts
Result EvaluateBitcastConvert(const Call& call);
// slicing.cc
Result EvaluateConcatenate(const Call& call);
Result EvaluateGetDimensionSize(const Call& call);
Result EvaluatePad(const Call& call);
Result EvaluateSetDimensionSize(const Call& call);
Result EvaluateSlice(const Call& call);
// slicing_dynamic.cc
Result EvaluateDynamicSlice(const Call& call);
Result EvaluateDynamicUpdateSlice(const Call& call);
// reduction.cc
Result EvaluateReduce(const Call& call);
Result EvaluateScan(const Call& call);
// sorting.cc, sorting_topk.cc
Result EvaluateSort(const Call& call);
Result EvaluateTopK(const Call& call);
// window.cc
Result EvaluateReduceWindow(const Call& call);
Result EvaluateSelectAndScatter(const Call& call);
// contraction.cc, contraction_ragged.cc, contraction_scaled.cc
Result EvaluateConvolution(const Call& call);
Result EvaluateDot(const Call& call);
Result EvaluateRaggedDot(const Call& call);
Result EvaluateScaledDot(const Call& call);
// normalization.cc
Result EvaluateBatchNormGrad(const Call& call);
Result EvaluateBatchNormInference(const Call& call);
Result EvaluateBatchNormTraining(const Call& call);
// gather_scatter.cc
Result EvaluateGather(const Call& call);
Result EvaluateScatter(const Call& call);
// linalg.cc, linalg_fft.cc
Result EvaluateCholesky(const Call& call);
Result EvaluateFft(const Call& call);
Result EvaluateTriangularSolve(const Call& call);
// control.cc
Result EvaluateCall(const Call& call);  // call, fusion
Result EvaluateConditional(const Call& call);
Result EvaluateForward(const Call& call);  // the value of the first operand (or of all, as a tuple)
Result EvaluateGetTupleElement(const Call& call);
Result EvaluateTuple(const Call& call);
Result EvaluateWhile(const Call& call);
// control_async.cc
Result EvaluateAsyncStart(const Call& call);
Result EvaluateCopyDone(const Call& call);
Result EvaluateCopyStart(const Call& call);
Result EvaluateSecondHalf(const Call& call);  // the results of a start's (operands, results, ...)
// The value of a start op whose operation gave `made`: the tuple (operands, made, contexts).
// Reports the operands as read, each element for itself.
Result StartValue(const Call& call, Literal made);
// devices.cc: collectives, partition-id and replica-id where there is only one device
Result EvaluateOnOneDevice(const Call& call);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_OPS_H_
