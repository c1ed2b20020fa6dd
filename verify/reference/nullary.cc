// constant and iota, whose values come from the instruction alone.
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

Result EvaluateConstant(const OpInvocation& call) {
  if (!call.instruction.literal) return Fail(call.instruction, "has no value: its text was elided");
  return *call.instruction.literal;
}

Result EvaluateIota(const OpInvocation& call) {
  const auto& dimensions = call.attributes().dimensions;
  const Shape& shape = call.instruction.shape;
  if (dimensions.size() != 1) return Fail(call.instruction, "needs one iota dimension");
  if (auto error = CheckDimensions(call.instruction, dimensions, shape.rank())) return error;
  // A row of numbers, repeated as broadcast does it: it has the same attribute.
  const int64_t size = shape.dims[dimensions[0]];
  Result row = NewLiteral(call.instruction, Shape::Array(shape.type, {size}));
  if (!row) return row;
  for (int64_t i = 0; i < size; ++i)
    Store(*row, i, Convert({.i = i}, PrimitiveType::kS64, shape.type));
  return EvaluateBroadcast({call.instruction, {&*row}});
}

}  // namespace affirm::hlo
