// Shape rules, one file for each family of operations. Internal to the verifier.
//
// A rule returns the shape that XLA's operation semantics give an instruction, or the first
// violation (a message without a place). Arity, and that operands are there at all, has been
// checked before.
#ifndef AFFIRM_CORE_HLO_SHAPE_INFERENCE_H_
#define AFFIRM_CORE_HLO_SHAPE_INFERENCE_H_

#include <utility>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

using ShapeRule = llvm::Expected<Shape> (*)(const Instruction&);

struct OpcodeRule {
  Opcode opcode;
  ShapeRule rule;
};

llvm::ArrayRef<OpcodeRule> ElementwiseRules();
llvm::ArrayRef<OpcodeRule> ShapeOpRules();
llvm::ArrayRef<OpcodeRule> GatherScatterRules();
llvm::ArrayRef<OpcodeRule> ContractionRules();
llvm::ArrayRef<OpcodeRule> ControlRules();

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
// Sizes that a subset of the dimensions leaves: those not in `dropped`.
std::vector<int64_t> SizesWithout(const Shape& shape, llvm::ArrayRef<int64_t> dropped);
// Distinct dimensions of a shape of that rank.
llvm::Error CheckDimensions(llvm::ArrayRef<int64_t> dims, int64_t rank, const llvm::Twine& what);
// to_apply of reduce, reduce-window and scatter over n arrays: 2n scalars to n scalars.
llvm::Error CheckCombiner(const Instruction& instruction, size_t n);
// An array operand.
llvm::Error CheckArray(const Instruction& instruction, int64_t operand);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_SHAPE_INFERENCE_H_
