// dynamic-slice and dynamic-update-slice, whose start indices are clamped so that the whole slice
// lies inside.
#include <algorithm>

#include "verify/reference/move_elements.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// The clamped start of a slice of `sizes` in `shape`. The start indices are the operands from
// `first` on: scalars, or (the old form) one vector.
llvm::Expected<Index> Starts(const OpInvocation& call, size_t first, const Shape& shape,
                             llvm::ArrayRef<int64_t> sizes) {
  const size_t rank = shape.dims.size();
  const size_t given = call.operands.size() - first;
  const bool one_vector = given == 1 && call.operand(first).shape().rank() == 1;
  const bool scalars =
      given == rank && llvm::all_of(call.operands.drop_front(first), [](auto* index) {
        return index->shape().IsScalar() && IsInt(index->shape().type);
      });
  const bool vector = one_vector && IsInt(call.operand(first).shape().type) &&
                      call.operand(first).NumElements() == std::ssize(shape.dims);
  if ((!scalars && !vector) || sizes.size() != rank) {
    return Fail(call.instruction, "needs a start index for each dimension");
  }
  Index starts(rank);
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] < 0 || sizes[d] > shape.dims[d])
      return Fail(call.instruction, "has a slice that does not fit");
    const int64_t start =
        scalars ? LoadIndex(call.operand(first + d), 0) : LoadIndex(call.operand(first), d);
    starts[d] = std::clamp<int64_t>(start, 0, shape.dims[d] - sizes[d]);
  }
  return starts;
}

// Every result element depends on every start index.
void ReadStarts(const OpInvocation& call, size_t first, int64_t result_linear) {
  for (size_t k = first; k < call.operands.size(); ++k) {
    for (int64_t i = 0; i < call.operand(k).NumElements(); ++i)
      call.Read(0, result_linear, k, 0, i);
  }
}

}  // namespace

Result EvaluateDynamicSlice(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  auto starts = Starts(call, 1, operand.shape(), call.instruction.shape.dims);
  if (!starts) return starts.takeError();
  return MoveElements(call, [&](const IndexIterator& at) {
    ReadStarts(call, 1, at.linear());
    Index index = *starts;
    for (size_t d = 0; d < index.size(); ++d) index[d] += at[d];
    return OperandElement{0, operand.Linear(index)};
  });
}

Result EvaluateDynamicUpdateSlice(const OpInvocation& call) {
  const Literal& update = call.operand(1);
  auto starts = Starts(call, 2, call.operand(0).shape(), update.shape().dims);
  if (!starts) return starts.takeError();
  if (call.instruction.shape.dims != call.operand(0).shape().dims) {
    return Fail(call.instruction, "changes the shape of its operand");
  }
  return MoveElements(call, [&](const IndexIterator& at) {
    ReadStarts(call, 2, at.linear());
    Index index = at.index();
    for (size_t d = 0; d < index.size(); ++d) {
      index[d] -= (*starts)[d];
      if (index[d] < 0 || index[d] >= update.shape().dims[d]) return OperandElement{0, at.linear()};
    }
    return OperandElement{1, update.Linear(index)};
  });
}

}  // namespace affirm::hlo
