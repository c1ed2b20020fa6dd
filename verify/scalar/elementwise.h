// The elementwise ops as functions from single elements to a single element, and from spans to
// spans.
#ifndef AFFIRM_VERIFY_SCALAR_ELEMENTWISE_H_
#define AFFIRM_VERIFY_SCALAR_ELEMENTWISE_H_

#include <cstdint>
#include <functional>

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// The result element from one element of each operand.
using ScalarOp = std::function<Scalar(const Scalar* operands)>;

// The function of an elementwise instruction, for the types of its operands and result. An error
// for other opcodes and for types without the op.
llvm::Expected<ScalarOp> ResolveElementwise(const Instruction& instruction);

// `count` elements of the result from as many of each operand, as they lie in literals: bit for bit
// what Load(), the ScalarOp and Store() give. The
// result overlaps no operand.
using SpanOp = std::function<void(const uint8_t* const* operands, uint8_t* result, int64_t count)>;

// The same function on spans. Fails where ResolveElementwise() does.
llvm::Expected<SpanOp> ResolveSpan(const Instruction& instruction);

// Whether the op on operands of its type is a loop that takes one element after the other: then the
// result may also be an operand from its second element on, which is how a fold is computed.
bool IsLoop(Opcode opcode, PrimitiveType type);

// Load() and Store() of `count` elements of a type: a NaN may lose its payload.
SpanOp CopyOfSpan(PrimitiveType type);

// From a predicate and two operands of the type, the elements of which it chooses bit for bit.
SpanOp SelectOfBits(PrimitiveType type);

// Whether the op on floats of the type is, by definition, that on f32 of the operands, rounded to
// the type: of those whose operands and result are of one type.
bool IsRoundedFromF32(Opcode opcode, PrimitiveType type);

// Whether it is a function of floats that no standard rounds: two libraries may differ in it by
// some ulp (XLA operation semantics, "result_accuracy"; CUDA C++ Programming Guide, "Mathematical
// Functions"; OpenCL C 3.0, 7.4).
bool IsApproximated(Opcode opcode);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_ELEMENTWISE_H_
