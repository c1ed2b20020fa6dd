// LLVM IR for the operations of terms on values, each with the meaning of the interpreter
// (verify/reference/elementwise.h).
//
// Values are those of FloatEmitter, and integers of the width of their type (i1 of pred). A value
// may be open at a point: nothing is known of it there. It is open where it depends on the bits of
// a NaN that was computed, or on a conversion beyond an integer's range, which is poison in LLVM.
#ifndef AFFIRM_VERIFY_LEMMA_EMIT_OPERATIONS_H_
#define AFFIRM_VERIFY_LEMMA_EMIT_OPERATIONS_H_

#include "llvm/IR/IRBuilder.h"
#include "verify/lemma/emit_floats.h"
#include "verify/lemma/statement.h"

namespace affirm::lemma {

struct Emitted {
  llvm::Value* value = nullptr;  // null: the operation has no IR for these types
  llvm::Value* open = nullptr;   // an i1; null: never
};

// An operand: its type, its value, and the range of its integer.
struct Operand {
  hlo::PrimitiveType type;
  llvm::Value* value;
  terms::Range range;
};

class OperationEmitter {
 public:
  // The bits of `choices` say what "maximum-number" and "minimum-number" give where either may be:
  // one of two zeros of different signs; and of a NaN and a number, the number or a NaN.
  OperationEmitter(llvm::IRBuilder<>& builder, llvm::Value* choices)
      : b_(builder), floats_(builder), choices_(choices) {}

  // The result of an operation on values: an op from kAbs on, but for kBitcast of a leaf, whose
  // bits are known. `open` is of this operation alone.
  Emitted Emit(const Node& node, llvm::ArrayRef<Operand> operands);
  // The number of bits that the operations so far need.
  int num_choices() const { return num_choices_; }
  FloatEmitter& floats() { return floats_; }

 private:
  Emitted OnFloats(const Node& node, llvm::ArrayRef<Operand> operands);
  llvm::Value* FloatResult(const Node& node, llvm::ArrayRef<llvm::Value*> x);
  Emitted Compare(const Node& node, llvm::Value* a, llvm::Value* b);
  llvm::Value* Extreme(Op op, llvm::Value* a, llvm::Value* b);
  Emitted FromFloat(const Node& node, llvm::Value* x);
  llvm::Value* FromInteger(const Node& node, const Operand& x);
  Emitted Bitcast(const Node& node, const Operand& x);
  llvm::Value* OnIntegers(const Node& node, llvm::ArrayRef<llvm::Value*> x);
  llvm::Value* Divide(const Node& node, llvm::Value* a, llvm::Value* b);
  llvm::Value* Shift(const Node& node, llvm::Value* a, llvm::Value* amount);
  llvm::Value* Negative(llvm::Value* x);
  llvm::Value* Absolute(llvm::Value* x) {
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  }

  llvm::IRBuilder<>& b_;
  FloatEmitter floats_;
  llvm::Value* choices_;
  int num_choices_ = 0;
};

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_EMIT_OPERATIONS_H_
