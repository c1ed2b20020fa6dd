// Scalar values in MLIR: types, constants, and the elementwise ops with XLA's semantics.
//
// A value of an HLO type has one MLIR type: pred is i1, integers are signless iN (4-bit ones too),
// floats their MLIR namesakes, complex numbers complex<f32> and complex<f64>. In a buffer an
// element takes ByteWidth bytes: pred, narrower integers, and floats of at most 8 bits are stored
// as i8, complex numbers as i64 and i128 with the real part in the low half. Floats of at most 16
// bits are widened to f32 for each op and rounded back after it.
#ifndef AFFIRM_EMIT_ELEMENTS_SCALAR_H_
#define AFFIRM_EMIT_ELEMENTS_SCALAR_H_

#include <cstdint>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

namespace affirm::emit {

using Builder = mlir::ImplicitLocOpBuilder;

// The MLIR type of a value; null for types without emission (one-bit integers, tokens).
mlir::Type ValueType(mlir::MLIRContext* context, hlo::PrimitiveType type);
// The type of an element in a buffer; null where ValueType is.
mlir::Type StorageType(mlir::MLIRContext* context, hlo::PrimitiveType type);
mlir::Value ToStorage(Builder& b, mlir::Value value, hlo::PrimitiveType type);
mlir::Value FromStorage(Builder& b, mlir::Value stored, hlo::PrimitiveType type);

// The bits of a value as an integer of its width, and back.
mlir::Value ToBits(Builder& b, mlir::Value value);
mlir::Value FromBits(Builder& b, mlir::Value bits, mlir::Type type);
// The bitcast of an element: the same bits as a value of the type, which has the same width.
mlir::Value Reinterpreted(Builder& b, mlir::Value value, hlo::PrimitiveType type);

// Complex numbers and their parts.
bool IsComplex(mlir::Type type);
mlir::Value Real(Builder& b, mlir::Value z);
mlir::Value Imag(Builder& b, mlir::Value z);
mlir::Value MakeComplex(Builder& b, mlir::Value real, mlir::Value imag);

// Constants of an MLIR type. The integer one wraps to the width.
mlir::Value IntConstant(Builder& b, mlir::Type type, int64_t value);
mlir::Value FloatConstant(Builder& b, mlir::Type type, double value);
mlir::Value IndexConstant(Builder& b, int64_t value);

// The angle of (x, y), also at the origin, where MLIR takes that of constants for a NaN.
mlir::Value Atan2(Builder& b, mlir::Value y, mlir::Value x);
mlir::Value ZeroConstant(Builder& b, hlo::PrimitiveType type);
// Element `linear` of a literal as a value.
mlir::Value LiteralConstant(Builder& b, const hlo::Literal& literal, int64_t linear);

// XLA's convert: float to int saturates and sends NaN to 0; anything to pred asks "is it nonzero".
// From complex types to complex ones only.
mlir::Value Convert(Builder& b, mlir::Value value, hlo::PrimitiveType from, hlo::PrimitiveType to);
// A number of type index as a value of `to`.
mlir::Value ConvertIndex(Builder& b, mlir::Value index, hlo::PrimitiveType to);

// Floats of at most 16 bits become f32; everything else stays.
mlir::Value Widen(Builder& b, mlir::Value value);
// An f32 rounded to `type` (to nearest, ties to even; what is too large as EncodeFloat of
// core/hlo/float_format.h has it) when that is another type.
mlir::Value Narrow(Builder& b, mlir::Value value, mlir::Type type);

// One op on operands of one type, which is also the result's.
llvm::Expected<mlir::Value> EmitInt(Builder& b, const hlo::Instruction& op, hlo::PrimitiveType type,
                                    llvm::ArrayRef<mlir::Value> v);
llvm::Expected<mlir::Value> EmitFloat(Builder& b, const hlo::Instruction& op,
                                      llvm::ArrayRef<mlir::Value> v);
// Operands are complex; the result's type is the op's.
llvm::Expected<mlir::Value> EmitComplex(Builder& b, const hlo::Instruction& op,
                                        llvm::ArrayRef<mlir::Value> v);
// x + y and x * y of a type.
mlir::Value Add(Builder& b, mlir::Value x, mlir::Value y);
mlir::Value Multiply(Builder& b, mlir::Value x, mlir::Value y);
mlir::Value Maximum(Builder& b, hlo::PrimitiveType type, mlir::Value x, mlir::Value y);
mlir::Value Minimum(Builder& b, hlo::PrimitiveType type, mlir::Value x, mlir::Value y);

// One result element of an elementwise instruction from elements of its operands.
llvm::Expected<mlir::Value> EmitElementwise(Builder& b, const hlo::Instruction& op,
                                            llvm::ArrayRef<mlir::Value> operands);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ELEMENTS_SCALAR_H_
