// Arithmetic of one float type on intervals: each operation has the error that `Elementwise` gives
// the instruction.
#ifndef AFFIRM_VERIFY_ENCLOSURE_ARITHMETIC_H_
#define AFFIRM_VERIFY_ENCLOSURE_ARITHMETIC_H_

#include "core/hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/enclosure/elementwise.h"

namespace affirm::enclosure {

class Arithmetic {
 public:
  Arithmetic(hlo::PrimitiveType type, Freedom freedom) : type_(type), freedom_(freedom) {}

  hlo::PrimitiveType type() const { return type_; }
  Interval Add(const Interval& a, const Interval& b) const {
    return Apply(hlo::Opcode::kAdd, {a, b});
  }
  Interval Subtract(const Interval& a, const Interval& b) const {
    return Apply(hlo::Opcode::kSubtract, {a, b});
  }
  Interval Multiply(const Interval& a, const Interval& b) const {
    return Apply(hlo::Opcode::kMultiply, {a, b});
  }
  Interval Divide(const Interval& a, const Interval& b) const {
    return Apply(hlo::Opcode::kDivide, {a, b});
  }
  Interval Rsqrt(const Interval& a) const { return Apply(hlo::Opcode::kRsqrt, {a}); }
  // A constant, converted to the type.
  Interval Constant(double value) const;
  // In any order.
  Interval Sum(llvm::ArrayRef<Interval> summands) const;

 private:
  Interval Apply(hlo::Opcode opcode, llvm::ArrayRef<Interval> operands) const;

  hlo::PrimitiveType type_;
  Freedom freedom_;
};

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_ARITHMETIC_H_
