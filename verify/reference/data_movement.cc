// Ops whose result elements are, bit for bit, elements of an operand.
#include "core/symbolic/checked.h"
#include "verify/reference/index.h"
#include "verify/reference/movement.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar.h"
#include "verify/reference/trace.h"

namespace affirm::hlo {

Result EvaluateConstant(const Call& call) {
  if (!call.instruction.literal) return Fail(call.instruction, "has no value: its text was elided");
  return *call.instruction.literal;
}

Result EvaluateIota(const Call& call) {
  const auto& dimensions = call.attributes().dimensions;
  const Shape& shape = call.instruction.shape;
  if (dimensions.size() != 1) return Fail(call.instruction, "needs one iota dimension");
  if (auto error = CheckDimensions(call.instruction, dimensions, shape.rank())) return error;
  Result result = NewLiteral(call);
  if (!result) return result;
  for (Walk at(shape.dims); !at.Done(); at.Next()) {
    const Scalar position{.i = at[dimensions[0]]};
    Store(*result, at.linear(), Convert(position, PrimitiveType::kS64, shape.type));
  }
  return result;
}

Result EvaluateCopy(const Call& call) {
  if (call.operand(0).shape().IsTuple()) {
    ReadLeaves(call, call.operand(0).shape(), 0, 0, 0);
    return call.operand(0);
  }
  if (call.operand(0).NumElements() != call.instruction.shape.NumElements()) {
    return Fail(call.instruction, "changes the number of elements");
  }
  return MoveElements(call, [](const Walk& at) { return Source{0, at.linear()}; });
}

Result EvaluateBroadcast(const Call& call) {
  const Literal& operand = call.operand(0);
  const auto& dimensions = call.attributes().dimensions;
  if (std::ssize(dimensions) != operand.shape().rank()) {
    return Fail(call.instruction, "needs one dimension for each of the operand's");
  }
  if (auto error = CheckDimensions(call.instruction, dimensions, call.instruction.shape.rank())) {
    return error;
  }
  return MoveElements(call, [&](const Walk& at) {
    return Source{0, operand.Linear(Select(at.index(), dimensions))};
  });
}

Result EvaluateTranspose(const Call& call) {
  const Literal& operand = call.operand(0);
  const auto& permutation = call.attributes().dimensions;
  const int64_t rank = operand.shape().rank();
  if (std::ssize(permutation) != rank || call.instruction.shape.rank() != rank) {
    return Fail(call.instruction, "needs a permutation of the operand's dimensions");
  }
  if (auto error = CheckDimensions(call.instruction, permutation, rank)) return error;
  // Dimension d of the result is dimension permutation[d] of the operand.
  Index index(rank);
  return MoveElements(call, [&](const Walk& at) {
    for (int64_t d = 0; d < rank; ++d) index[permutation[d]] = at[d];
    return Source{0, operand.Linear(index)};
  });
}

Result EvaluateReverse(const Call& call) {
  const Literal& operand = call.operand(0);
  const auto& dimensions = call.attributes().dimensions;
  if (operand.shape().dims != call.instruction.shape.dims) {
    return Fail(call.instruction, "changes the shape of its operand");
  }
  if (auto error = CheckDimensions(call.instruction, dimensions, operand.shape().rank()))
    return error;
  return MoveElements(call, [&](const Walk& at) {
    Index index = at.index();
    for (int64_t d : dimensions) index[d] = operand.shape().dims[d] - 1 - index[d];
    return Source{0, operand.Linear(index)};
  });
}

Result EvaluateSlice(const Call& call) {
  const Literal& operand = call.operand(0);
  const auto& slice = call.attributes().slice;
  const Shape& shape = operand.shape();
  bool fits = std::ssize(slice) == shape.rank() && call.instruction.shape.rank() == shape.rank();
  for (size_t d = 0; fits && d < slice.size(); ++d) {
    const SliceDimension& s = slice[d];
    fits = 0 <= s.start && s.start <= s.limit && s.limit <= shape.dims[d] && s.stride >= 1 &&
           call.instruction.shape.dims[d] == CeilDivUnchecked(s.limit - s.start, s.stride);
  }
  if (!fits) return Fail(call.instruction, "does not fit its operand");
  return MoveElements(call, [&](const Walk& at) {
    Index index = at.index();
    for (size_t d = 0; d < slice.size(); ++d)
      index[d] = slice[d].start + index[d] * slice[d].stride;
    return Source{0, operand.Linear(index)};
  });
}

// An element is the operand's where low padding and interior gaps allow, else the padding value.
Result EvaluatePad(const Call& call) {
  const Literal& operand = call.operand(0);
  const auto& padding = call.attributes().padding;
  const Shape& shape = operand.shape();
  if (std::ssize(padding) != shape.rank() || call.instruction.shape.rank() != shape.rank() ||
      !call.operand(1).shape().IsScalar()) {
    return Fail(call.instruction, "does not fit its operands");
  }
  for (const PaddingDimension& p : padding) {
    if (p.interior < 0) return Fail(call.instruction, "has negative interior padding");
  }
  return MoveElements(call, [&](const Walk& at) {
    Index index(padding.size());
    for (size_t d = 0; d < padding.size(); ++d) {
      const int128 position = int128{at[d]} - padding[d].low;
      const int128 step = int128{padding[d].interior} + 1;
      if (position < 0 || position % step != 0 || position / step >= shape.dims[d]) {
        return Source{1, 0};
      }
      index[d] = static_cast<int64_t>(position / step);
    }
    return Source{0, operand.Linear(index)};
  });
}

Result EvaluateConcatenate(const Call& call) {
  const auto& dimensions = call.attributes().dimensions;
  const int64_t rank = call.instruction.shape.rank();
  if (dimensions.size() != 1) return Fail(call.instruction, "needs one dimension");
  if (auto error = CheckDimensions(call.instruction, dimensions, rank)) return error;
  const int64_t d = dimensions[0];
  for (const Literal* operand : call.operands) {
    if (operand->shape().rank() != rank) return Fail(call.instruction, "joins different ranks");
  }
  return MoveElements(call, [&](const Walk& at) {
    Index index = at.index();
    for (size_t k = 0; k < call.operands.size(); ++k) {
      const int64_t size = call.operand(k).shape().dims[d];
      if (index[d] < size) return Source{static_cast<int64_t>(k), call.operand(k).Linear(index)};
      index[d] -= size;
    }
    return Source{-1, 0};
  });
}

// Elementwise by definition: both branches count as read.
Result EvaluateSelect(const Call& call) {
  const bool scalar = call.operand(0).shape().IsScalar();
  const int64_t count = call.instruction.shape.NumElements();
  for (size_t k = scalar ? 1 : 0; k < 3; ++k) {
    if (call.operand(k).NumElements() != count)
      return Fail(call.instruction, "joins different sizes");
  }
  return MoveElements(call, [&](const Walk& at) {
    const bool on_true = call.operand(0).GetInt(scalar ? 0 : at.linear()) != 0;
    call.Read(0, at.linear(), 0, 0, scalar ? 0 : at.linear());
    call.Read(0, at.linear(), on_true ? 2 : 1, 0, at.linear());
    return Source{on_true ? 1 : 2, at.linear()};
  });
}

}  // namespace affirm::hlo
