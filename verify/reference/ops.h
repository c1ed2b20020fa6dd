// The evaluation of each op, from the values of its operands to the value of its result, by op
// family; and what these functions share. Internal to verify/reference: use interpreter.h.
#ifndef AFFIRM_VERIFY_REFERENCE_OPS_H_
#define AFFIRM_VERIFY_REFERENCE_OPS_H_

#include <initializer_list>

#include "core/hlo/instruction_error.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/Twine.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {

// One evaluation of an instruction: the instruction, the values of its operands, and the observer
// of reads. The values fit the shapes of the instruction's operands.
struct OpInvocation {
  const Instruction& instruction;
  llvm::ArrayRef<const Literal*> operands;
  const ReadObserver* observer = nullptr;
  const InterpretOptions* options = nullptr;

  // The evaluation order of a reduction; null: a left fold.
  const EvaluationOrder* order() const {
    if (options == nullptr || options->orders == nullptr) return nullptr;
    const auto found = options->orders->find(&instruction);
    return found == options->orders->end() ? nullptr : &found->second;
  }
  const Attributes& attributes() const { return instruction.attributes; }
  const Literal& operand(size_t k) const { return *operands[k]; }
  bool notes_open() const { return options != nullptr && options->note_open; }
  // Requires notes_open().
  using Openness = InterpretOptions::Openness;
  void NoteOpen(int64_t leaf, int64_t linear, Openness openness, llvm::StringRef why) const {
    options->note_open(leaf, linear, openness, why);
  }
  // Every element of the result, whose array leaves are `leaves`.
  void NoteAllOpen(llvm::ArrayRef<Literal> leaves, Openness openness, llvm::StringRef why) const;
  // Tells the observer, if there is one, that the element of the result was computed from the one
  // of the operand.
  void Read(int64_t result_leaf, int64_t result_linear, int64_t operand, int64_t leaf,
            int64_t linear) const {
    if (observer != nullptr)
      (*observer)(instruction, result_leaf, result_linear, operand, leaf, linear);
  }
};

using Result = llvm::Expected<Literal>;

// The error of Fail() (core/hlo/instruction_error.h) as an OpenResult.
llvm::Error FailOpen(const Instruction& instruction, const llvm::Twine& what);

// Interpret() on arguments that are not in one array.
Result InterpretWith(const Computation& computation, llvm::ArrayRef<const Literal*> arguments,
                     const InterpretOptions* options = nullptr);

// Whether the result depends on the order of the updates of a scatter or select-and-scatter, or of
// the elements of a reduction. It does not if each array is combined with its own elements by an
// operation that commutes, and is associative except for roundings.
bool OrderOfUpdatesCounts(const Instruction& op);
// Zeros of a shape; an error when it is too large to interpret.
Result NewLiteral(const Instruction& instruction, const Shape& shape);
inline Result NewLiteral(const OpInvocation& call) {
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
Result EvaluateElementwise(const OpInvocation& call);
Result EvaluateMap(const OpInvocation& call);
Result EvaluateSelect(const OpInvocation& call);
// nullary.cc
Result EvaluateConstant(const OpInvocation& call);
Result EvaluateIota(const OpInvocation& call);
// random.cc
Result EvaluateRngBitGenerator(const OpInvocation& call);
// movement.cc
Result EvaluateBroadcast(const OpInvocation& call);
Result EvaluateCopy(
    const OpInvocation& call);  // and reshape: both keep the row-major order of elements
Result EvaluateDynamicReshape(const OpInvocation& call);
Result EvaluateReverse(const OpInvocation& call);
Result EvaluateTranspose(const OpInvocation& call);
// movement_bitcast.cc
Result EvaluateBitcast(const OpInvocation& call);  // the same bits in the order of the layouts
Result EvaluateBitcastConvert(const OpInvocation& call);
// slicing.cc
Result EvaluateConcatenate(const OpInvocation& call);
Result EvaluateGetDimensionSize(const OpInvocation& call);
Result EvaluatePad(const OpInvocation& call);
Result EvaluateSetDimensionSize(const OpInvocation& call);
Result EvaluateSlice(const OpInvocation& call);
// slicing_dynamic.cc
Result EvaluateDynamicSlice(const OpInvocation& call);
Result EvaluateDynamicUpdateSlice(const OpInvocation& call);
// reduction.cc
Result EvaluateReduce(const OpInvocation& call);
Result EvaluateScan(const OpInvocation& call);
// sorting.cc, sorting_topk.cc
Result EvaluateSort(const OpInvocation& call);
Result EvaluateTopK(const OpInvocation& call);
// window.cc
Result EvaluateReduceWindow(const OpInvocation& call);
Result EvaluateSelectAndScatter(const OpInvocation& call);
// contraction.cc, convolution.cc, contraction_ragged.cc, contraction_scaled.cc
Result EvaluateConvolution(const OpInvocation& call);
Result EvaluateDot(const OpInvocation& call);
Result EvaluateRaggedDot(const OpInvocation& call);
Result EvaluateScaledDot(const OpInvocation& call);
// normalization.cc
Result EvaluateBatchNormGrad(const OpInvocation& call);
Result EvaluateBatchNormInference(const OpInvocation& call);
Result EvaluateBatchNormTraining(const OpInvocation& call);
// gather_scatter.cc
Result EvaluateGather(const OpInvocation& call);
Result EvaluateScatter(const OpInvocation& call);
// linalg.cc, linalg_fft.cc
Result EvaluateCholesky(const OpInvocation& call);
Result EvaluateFft(const OpInvocation& call);
Result EvaluateTriangularSolve(const OpInvocation& call);
// control.cc
Result EvaluateCall(const OpInvocation& call);  // call, fusion
Result EvaluateConditional(const OpInvocation& call);
Result EvaluateForward(
    const OpInvocation& call);  // the value of the first operand (or of all, as a tuple)
Result EvaluateGetTupleElement(const OpInvocation& call);
Result EvaluateTuple(const OpInvocation& call);
Result EvaluateWhile(const OpInvocation& call);
// control_async.cc
Result EvaluateAsyncStart(const OpInvocation& call);
Result EvaluateCopyDone(const OpInvocation& call);
Result EvaluateCopyStart(const OpInvocation& call);
Result EvaluateAsyncDone(
    const OpInvocation& call);  // the results of a start's (operands, results, ...)
// The value of a start op whose operation gave `made`: the tuple (operands, made, contexts).
// Reports that each element of the operands is read for the same element of the result.
Result AsyncStartValue(const OpInvocation& call, Literal made);
// devices.cc: collectives, partition-id and replica-id where there is only one device
Result EvaluateOnOneDevice(const OpInvocation& call);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_OPS_H_
