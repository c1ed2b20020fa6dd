// LLVM IR for floats of each type.
//
// A value of f64 is a double, one of any other floating type the float that equals it. Rounding,
// and the way from bits to the value and back, are spelled out with integers and with additions
// that round to the place wanted:
//
//   FloatEmitter emit(builder);
//   emit.Round(PrimitiveType::kF8E4M3FN, builder.CreateFAdd(x, y));  // a float
//   emit.Encode(PrimitiveType::kF8E4M3FN, value);                    // an i8
//
// They are EncodeFloat and DecodeFloat of core/hlo/float_format.h, which tests hold them against.
// NaNs have no payload here: code that takes the bits of one asks IsNan first.
#ifndef AFFIRM_VERIFY_LEMMA_EMIT_FLOATS_H_
#define AFFIRM_VERIFY_LEMMA_EMIT_FLOATS_H_

#include "core/hlo/shape.h"
#include "llvm/IR/IRBuilder.h"

namespace affirm::lemma {

class FloatEmitter {
 public:
  explicit FloatEmitter(llvm::IRBuilder<>& builder) : b_(builder) {}

  // Whether values of the type can be computed: not those of f8e8m0fnu.
  static bool Has(hlo::PrimitiveType type);
  // double of f64, else float.
  llvm::Type* TypeOf(hlo::PrimitiveType type) const;

  // The value of the type that is nearest to a float or a double, ties to even.
  llvm::Value* Round(hlo::PrimitiveType type, llvm::Value* x);
  // The bits of a value, as an integer of the type's width; of NaN the default one.
  llvm::Value* Encode(hlo::PrimitiveType type, llvm::Value* value);
  llvm::Value* Decode(hlo::PrimitiveType type, llvm::Value* bits);
  // An i1. Bits of NaNs are those that are written, in types that have one NaN.
  llvm::Value* IsNan(llvm::Value* value);
  static bool HasManyNans(hlo::PrimitiveType type);
  // XLA's reduce-precision of a value that is no NaN.
  llvm::Value* ReducePrecision(hlo::PrimitiveType type, llvm::Value* value, int exponent_bits,
                               int mantissa_bits);

 private:
  llvm::Value* Constant(llvm::Value* like, double number);
  llvm::Value* Bits(llvm::Value* value);
  llvm::Value* FromBits(llvm::Value* bits);

  llvm::IRBuilder<>& b_;
};

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_EMIT_FLOATS_H_
