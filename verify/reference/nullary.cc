// constant and iota, whose values come from the instruction alone.
#include "verify/reference/index.h"
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
  Result result = NewLiteral(call);
  if (!result) return result;
  for (IndexIterator at(shape.dims); !at.Done(); at.Next()) {
    const Scalar position{.i = at[dimensions[0]]};
    Store(*result, at.linear(), Convert(position, PrimitiveType::kS64, shape.type));
  }
  return result;
}

}  // namespace affirm::hlo
