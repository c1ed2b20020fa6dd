// The operations on values, and what some of them are made with.
//
//   Operation add = Op::kAdd, tf32 = Operation::ReducePrecision(8, 10);
//   ToString(tf32);                             // "reduce-precision-8-10"
//   OpOf(hlo::Opcode::kDivide, PrimitiveType::kU8);  // Op::kDivideUnsigned
//
// The table is op.def.
#ifndef AFFIRM_VERIFY_TERMS_OP_H_
#define AFFIRM_VERIFY_TERMS_OP_H_

#include <cstdint>
#include <string>

#include "core/hlo/opcode.h"
#include "core/hlo/shape.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::terms {

enum class Op : uint8_t {
  kNone,  // no operation
#define AFFIRM_OP(id, text, opcode, sign, commutes, on_floats) id,
#include "verify/terms/op.def"
#undef AFFIRM_OP
};

// "maximum-unsigned"; "" of kNone.
llvm::StringRef Name(Op op);
// The HLO opcode; kUnknown of an operation that no opcode alone is.
hlo::Opcode OpcodeOf(Op op);
// Whether integers among its operands, or its result, are read as unsigned.
bool IsUnsigned(Op op);
// Whether its two operands may change places. A Pool sorts theirs.
bool IsCommutative(Op op);

// The operation of an elementwise opcode, other than compare, on operands of an HLO type: kDivide
// or kDivideUnsigned. kNone where there is none.
Op OpOf(hlo::Opcode opcode, hlo::PrimitiveType type);
// Whether the opcode on floats or complex numbers is this operation on them.
bool IsOnFloats(Op op);
// The operation that folds predicates, integers or other values of the HLO type: OpOf, with kOr for
// the sum and the maximum of predicates and kAnd for their product and minimum.
Op FoldOpOf(hlo::Opcode opcode, hlo::PrimitiveType type);

// How floats are compared; the other directions are written with these.
struct Comparison {
  llvm::StringLiteral direction = "";  // "EQ", "LT", "LE"; "" of what is no comparison
  bool total_order = false;
};
Comparison ComparisonOf(Op op);
inline bool IsComparison(Op op) { return !ComparisonOf(op).direction.empty(); }
// Of floats, in the partial order of IEEE 754, where a NaN is equal to nothing.
inline bool IsPartialComparison(Op op) { return IsComparison(op) && !ComparisonOf(op).total_order; }
inline bool IsTotalComparison(Op op) { return ComparisonOf(op).total_order; }

// Whether a NaN that it gives of floats is one that it computes: HLO leaves its sign and payload
// open. Others may give the NaN of an operand.
bool ComputesNans(Op op);

// Whether IEEE 754 says what it gives of floats: exact, or rounded once.
bool IsRoundedOnce(Op op);

// Whether it is a function of floats that no standard rounds, of HLO (hlo::IsApproximated), of a
// library or of a device.
bool IsApproximated(Op op);

// To another type, of another value where that has no equal one.
inline bool IsConversion(Op op) {
  return op == Op::kConvert || op == Op::kConvertUnsigned || op == Op::kConvertInRange ||
         op == Op::kConvertInRangeUnsigned;
}
inline bool IsConversionInRange(Op op) {
  return op == Op::kConvertInRange || op == Op::kConvertInRangeUnsigned;
}
// The greater or the less of two values: always one of them.
inline bool IsExtremum(Op op) {
  return op == Op::kMaximum || op == Op::kMinimum || op == Op::kMaximumUnsigned ||
         op == Op::kMinimumUnsigned || op == Op::kMaximumNumber || op == Op::kMinimumNumber;
}

// An operation with what it is made with. Texts are kept by who makes it; a Pool keeps those of its
// terms.
class Operation {
 public:
  constexpr Operation() = default;
  // Of an operation that is made with nothing.
  constexpr Operation(Op op) : op_(op) {}

  // A value as a licence of LLVM IR allows it (kInSomeOrder, kOpenZeroSign, kApproximate), by the
  // number of the instruction: two instructions may make two values of one.
  static Operation Licensed(Op op, int32_t instruction);
  // A float with fewer bits.
  static Operation ReducePrecision(int exponent_bits, int mantissa_bits);
  // Takes a position (an s64) to the element there of the constant array with this digest
  // (operations.h, ConstantDigest).
  static Operation ElementOfConstant(llvm::StringRef digest);
  // A fold by a computation, in an order of the fold's choice, or in that of an HLO opcode.
  static Operation FoldByComputation(llvm::StringRef computation,
                                     hlo::Opcode order = hlo::Opcode::kUnknown);
  // The same fold, of which it is known that its computation does not see the sign and the payload
  // of a NaN.
  Operation TakingNansForOne() const;
  // One of the results of such a fold on initial values, by the number of its leaf.
  static Operation ResultOf(const Operation& fold, int64_t leaf);

  constexpr Op op() const { return op_; }
  // Of kReducePrecision.
  int exponent_bits() const { return static_cast<int>(first_); }
  int mantissa_bits() const { return static_cast<int>(second_); }
  // Of kElementOfConstant.
  llvm::StringRef digest() const { return text_; }
  // Of kFoldByComputation and kResultOfComputation: the name of the computation, and the opcode in
  // whose order it folds; kUnknown: in any.
  llvm::StringRef computation() const { return text_; }
  hlo::Opcode order() const { return static_cast<hlo::Opcode>(first_ & ~kNansAreOne); }
  bool takes_nans_for_one() const { return (first_ & kNansAreOne) != 0; }
  // Whether it is such a fold, or a result of one, in one order: two of these are the same only on
  // the same elements in the same order.
  bool IsInOrder() const {
    const bool folds = op_ == Op::kFoldByComputation || op_ == Op::kResultOfComputation;
    return folds && order() != hlo::Opcode::kUnknown;
  }
  // Of kResultOfComputation.
  int64_t leaf() const { return second_; }

  // What it is made with, but for a text.
  uint64_t payload() const {
    return static_cast<uint64_t>(static_cast<uint16_t>(first_)) << 32 |
           static_cast<uint32_t>(second_);
  }
  // The same with another copy of its text.
  Operation WithText(llvm::StringRef text) const;
  llvm::StringRef text() const { return text_; }

  friend bool operator==(const Operation&, const Operation&) = default;
  friend llvm::hash_code hash_value(const Operation& operation) {
    return llvm::hash_combine(operation.op_, operation.first_, operation.second_, operation.text_);
  }

 private:
  static constexpr int16_t kNansAreOne = 1 << 12;  // beyond all opcodes

  Op op_ = Op::kNone;
  int16_t first_ = 0;
  int32_t second_ = 0;
  llvm::StringRef text_ = {};
};

// Whether it sees the sign and the payload of an operand that is a NaN, of which it makes another
// value: of a NaN reduce-precision without a mantissa makes an infinity. Other operations on floats
// take all NaNs for one.
inline bool SeesNanBits(const Operation& operation) {
  const Op op = operation.op();
  return op == Op::kBitcast || op == Op::kCopysign || IsTotalComparison(op) ||
         (op == Op::kReducePrecision && operation.mantissa_bits() == 0);
}

// "add", "reduce-precision-5-10", "computation argmax leaf 1".
std::string ToString(const Operation& operation);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_OP_H_
