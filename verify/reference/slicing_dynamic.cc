// dynamic-slice and dynamic-update-slice, whose start indices are clamped so that the whole slice
// lies inside.
#include <algorithm>

#include "verify/reference/move_boxes.h"
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
void ReadStarts(const OpInvocation& call, size_t first) {
  if (call.observer == nullptr) return;
  for (int64_t linear = 0; linear < call.instruction.shape.NumElements(); ++linear) {
    for (size_t k = first; k < call.operands.size(); ++k) {
      for (int64_t i = 0; i < call.operand(k).NumElements(); ++i) call.Read(0, linear, k, 0, i);
    }
  }
}

// A box of an array of these sizes that starts there.
BoxSide From(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> sizes) {
  BoxSide side = BoxSide::Whole(sizes);
  side.first = Linearize(starts, sizes);
  return side;
}

}  // namespace

Result EvaluateDynamicSlice(const OpInvocation& call) {
  const std::vector<int64_t>& sizes = call.instruction.shape.dims;
  const Shape& operand = call.operand(0).shape();
  auto starts = Starts(call, 1, operand, sizes);
  if (!starts) return starts.takeError();
  BoxMover mover(call);
  mover.Move(0, sizes, From(*starts, operand.dims), BoxSide::Whole(sizes));
  ReadStarts(call, 1);
  return mover.Finish();
}

Result EvaluateDynamicUpdateSlice(const OpInvocation& call) {
  const std::vector<int64_t>& sizes = call.operand(0).shape().dims;
  const std::vector<int64_t>& update = call.operand(1).shape().dims;
  auto starts = Starts(call, 2, call.operand(0).shape(), update);
  if (!starts) return starts.takeError();
  if (call.instruction.shape.dims != sizes) {
    return Fail(call.instruction, "changes the shape of its operand");
  }
  BoxMover mover(call);
  mover.Move(0, sizes, BoxSide::Whole(sizes), BoxSide::Whole(sizes));
  mover.Move(1, update, BoxSide::Whole(update), From(*starts, sizes));
  ReadStarts(call, 2);
  return mover.Finish();
}

}  // namespace affirm::hlo
