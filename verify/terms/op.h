// The operations on values, with their payloads.
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

// "maximum-unsigned"; "" for kNone.
llvm::StringRef Name(Op op);
// The HLO opcode; kUnknown for an operation without one.
hlo::Opcode OpcodeOf(Op op);
// Whether it interprets integer operands, or an integer result, as unsigned.
bool IsUnsigned(Op op);
// Whether it commutes. A Pool sorts the operands of those that do.
bool IsCommutative(Op op);

// The operation of an elementwise opcode, other than compare, on operands of an HLO type: kDivide
// or kDivideUnsigned. kNone where there is none.
Op OpOf(hlo::Opcode opcode, hlo::PrimitiveType type);
// Whether the opcode on floats or complex numbers is this operation on them.
bool IsOnFloats(Op op);
// The operation of a fold of the HLO type: OpOf, except that predicates fold by kOr for a sum or
// maximum and by kAnd for a product or minimum.
Op FoldOpOf(hlo::Opcode opcode, hlo::PrimitiveType type);

// How floats are compared. NE, GT and GE are expressed by these.
struct Comparison {
  llvm::StringLiteral direction = "";  // "EQ", "LT", "LE"; "" if it is not a comparison
  bool total_order = false;
};
Comparison ComparisonOf(Op op);
inline bool IsComparison(Op op) { return !ComparisonOf(op).direction.empty(); }
// A comparison in the partial order of IEEE 754, where a NaN equals nothing.
inline bool IsPartialComparison(Op op) { return IsComparison(op) && !ComparisonOf(op).total_order; }
inline bool IsTotalComparison(Op op) { return ComparisonOf(op).total_order; }

// Whether a NaN result is a computed one, whose sign and payload HLO leaves open. Other operations
// may return the NaN of an operand.
bool ComputesNans(Op op);

// Whether IEEE 754 determines its result on floats: exact, or correctly rounded.
bool IsRoundedOnce(Op op);

// Whether it is a function of floats whose rounding no standard determines, of HLO
// (hlo::IsApproximated), a library or a device.
bool IsApproximated(Op op);

// Whether it converts between types, and so may change the value.
inline bool IsConversion(Op op) {
  return op == Op::kConvert || op == Op::kConvertUnsigned || op == Op::kConvertInRange ||
         op == Op::kConvertInRangeUnsigned;
}
inline bool IsConversionInRange(Op op) {
  return op == Op::kConvertInRange || op == Op::kConvertInRangeUnsigned;
}
// Whether it is a maximum or minimum, which returns one of its operands.
inline bool IsExtremum(Op op) {
  return op == Op::kMaximum || op == Op::kMinimum || op == Op::kMaximumUnsigned ||
         op == Op::kMinimumUnsigned || op == Op::kMaximumNumber || op == Op::kMinimumNumber;
}

// An operation with its payload. It does not own its text; a Pool owns those of its terms.
class Operation {
 public:
  constexpr Operation() = default;
  // An operation without a payload.
  constexpr Operation(Op op) : op_(op) {}

  // A value that a licence, such as fast-math flags, leaves open (kInSomeOrder, kOpenZeroSign,
  // kApproximate). Two instructions may resolve it differently, so it has the instruction's number.
  static Operation Licensed(Op op, int32_t instruction);
  // A float with fewer bits.
  static Operation ReducePrecision(int exponent_bits, int mantissa_bits);
  // Maps a linear index (an s64) to the element of the constant array with this digest
  // (operations.h, ConstantDigest).
  static Operation ElementOfConstant(llvm::StringRef digest);
  // A fold by a called computation, in any order, or in the order that an HLO opcode defines.
  static Operation FoldByComputation(llvm::StringRef computation,
                                     hlo::Opcode order = hlo::Opcode::kUnknown);
  // The same fold, marked: its computation does not observe the sign and payload of a NaN.
  Operation TakingNansForOne() const;
  // Result number `leaf` of such a fold on initial values.
  static Operation ResultOf(const Operation& fold, int64_t leaf);

  constexpr Op op() const { return op_; }
  // For kReducePrecision.
  int exponent_bits() const { return static_cast<int>(first_); }
  int mantissa_bits() const { return static_cast<int>(second_); }
  // For kElementOfConstant.
  llvm::StringRef digest() const { return text_; }
  // For kFoldByComputation and kResultOfComputation: the name of the computation, and the opcode
  // that defines the order; kUnknown: any order.
  llvm::StringRef computation() const { return text_; }
  hlo::Opcode order() const { return static_cast<hlo::Opcode>(first_ & ~kNansAreOne); }
  bool takes_nans_for_one() const { return (first_ & kNansAreOne) != 0; }
  // Whether it is such a fold, or a result of one, in a fixed order. Two of these are equal only on
  // the same sequence of elements.
  bool IsInOrder() const {
    const bool folds = op_ == Op::kFoldByComputation || op_ == Op::kResultOfComputation;
    return folds && order() != hlo::Opcode::kUnknown;
  }
  // For kResultOfComputation.
  int64_t leaf() const { return second_; }

  // The payload, without the text.
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

// Whether a result that is no NaN may depend on the sign or payload of a NaN operand:
// reduce-precision without mantissa bits turns a NaN into a signed infinity. Other operations on
// floats identify all NaNs.
inline bool SeesNanBits(const Operation& operation) {
  const Op op = operation.op();
  return op == Op::kBitcast || op == Op::kCopysign || IsTotalComparison(op) ||
         (op == Op::kReducePrecision && operation.mantissa_bits() == 0);
}

// "add", "reduce-precision-5-10", "computation argmax leaf 1".
std::string ToString(const Operation& operation);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_OP_H_
