// Shape rules: one file for each family of operations, verify_<family>.cc. Internal to the
// verifier.
//
// A rule returns the shape that XLA's operation semantics give an instruction, or the first
// violation, a message that names no source location. For
//   t = f32[3,2] transpose(p), dimensions={1,0}
// over a parameter p of shape f32[2,3] it returns f32[3,2]. The verifier has checked before that
// the instruction has as many operands as its opcode takes, each with a shape.
#ifndef AFFIRM_CORE_HLO_SHAPE_INFERENCE_H_
#define AFFIRM_CORE_HLO_SHAPE_INFERENCE_H_

#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

using ShapeRule = llvm::Expected<Shape> (*)(const Instruction&);

struct OpcodeRule {
  Opcode opcode;
  ShapeRule rule;
};

llvm::ArrayRef<OpcodeRule> ContractionRules();
llvm::ArrayRef<OpcodeRule> ControlRules();
llvm::ArrayRef<OpcodeRule> ElementwiseRules();
llvm::ArrayRef<OpcodeRule> GatherScatterRules();
llvm::ArrayRef<OpcodeRule> LinalgRules();
llvm::ArrayRef<OpcodeRule> MovementRules();
llvm::ArrayRef<OpcodeRule> NormalizationRules();
llvm::ArrayRef<OpcodeRule> NullaryRules();
llvm::ArrayRef<OpcodeRule> ReductionRules();
llvm::ArrayRef<OpcodeRule> SlicingRules();
llvm::ArrayRef<OpcodeRule> SortingRules();
llvm::ArrayRef<OpcodeRule> WindowRules();

// The shape of operand `i`.
inline const Shape& Operand(const Instruction& instruction, int64_t i) {
  return instruction.operands[i]->shape;
}

// An error of a rule.
llvm::Error Violation(const llvm::Twine& message);
// The written shape; an error when there is none.
llvm::Expected<Shape> WrittenShape(const Instruction& instruction);
// Equal up to layouts and dynamic flags, where a size without bound equals every size.
bool Compatible(const Shape& a, const Shape& b);
// Compatible, and element types may differ in their float precision.
bool CompatibleUpToPrecision(const Shape& a, const Shape& b);
bool SameTypeUpToPrecision(PrimitiveType a, PrimitiveType b);
bool SameSizes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
// The entries of `a`, then those of `b`.
std::vector<int64_t> Joined(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
// Sizes that a subset of the dimensions leaves: those not in `dropped`.
std::vector<int64_t> SizesWithout(const Shape& shape, llvm::ArrayRef<int64_t> dropped);
// Distinct dimensions of a shape of that rank.
llvm::Error CheckDimensions(llvm::ArrayRef<int64_t> dims, int64_t rank, const llvm::Twine& what);
// One entry of a list for each of `rank` dimensions.
llvm::Error CheckCount(size_t found, int64_t rank, llvm::StringRef what);
// At least that many operands.
llvm::Error CheckAtLeast(const Instruction& instruction, size_t count);
// Operand number `operand` is an array; the first `count` operands are there and are arrays.
llvm::Error CheckArray(const Instruction& instruction, int64_t operand);
llvm::Error CheckArrays(const Instruction& instruction, size_t count);

// The instruction calls that many computations.
llvm::Error CheckCallees(const Instruction& instruction, size_t count);
// The computation has that many parameters.
llvm::Error CheckParameterCount(const Computation& callee, size_t count);
// Parameter `number` of the computation can be bound to an argument of that shape.
llvm::Error CheckBinding(const Computation& callee, int64_t number, const Shape& argument);
// The computation returns pred[].
llvm::Error CheckPredicate(const Computation& callee);
// to_apply of reduce, reduce-window and scatter over n arrays: 2n scalars (n accumulated ones, then
// n new ones) to n scalars.
llvm::Error CheckCombiner(const Instruction& instruction, size_t n);

// reduce and reduce-window: n inputs of one size, n scalar initial values, and a combiner for them.
llvm::Error CheckReduction(const Instruction& instruction);
// Their result: n arrays of those sizes, a tuple for n > 1. An array has the element type of its
// initial value up to precision; where the text says one, that.
llvm::Expected<Shape> ReducedShape(const Instruction& instruction,
                                   const std::vector<int64_t>& sizes);

// How many positions a window takes along a dimension of that size.
llvm::Expected<int64_t> WindowPositions(int64_t size, const WindowDimension& dim);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_SHAPE_INFERENCE_H_
