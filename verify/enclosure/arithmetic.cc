#include "verify/enclosure/arithmetic.h"

#include "verify/scalar/scalar.h"

namespace affirm::enclosure {

Interval Arithmetic::Constant(double value) const {
  // A narrow type may be kept in a wider one.
  return Hull(Interval::Of(value), Interval::Of(hlo::RoundTo(type_, value)));
}

Interval Arithmetic::Sum(llvm::ArrayRef<Interval> summands) const {
  AnyOrderSum sum(type_);
  for (const Interval& summand : summands) sum.Add(summand);
  return sum.Result();
}

Interval Arithmetic::Apply(hlo::Opcode opcode, llvm::ArrayRef<Interval> operands) const {
  return ElementwiseReal(opcode, type_, operands, freedom_).value_or(Interval::Whole());
}

}  // namespace affirm::enclosure
