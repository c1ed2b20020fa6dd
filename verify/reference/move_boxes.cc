// Copies of boxes of elements, of their bits and of where they are from alike.
#include "verify/reference/move_boxes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace affirm::hlo {
namespace {

struct Box {
  Index sizes;
  BoxSide from, to;
};

// Whether all positions of the box lie in an array of `count` elements.
bool LiesWithin(const BoxSide& side, llvm::ArrayRef<int64_t> sizes, int64_t count) {
  int64_t lowest = side.first, highest = side.first;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t reach = (sizes[d] - 1) * side.strides[d];
    (reach < 0 ? lowest : highest) += reach;
  }
  return lowest >= 0 && highest < count;
}

// The same elements in fewer dimensions: without those of size 1, and with one in place of two that
// follow each other in both arrays as the rows of one do.
Box Joined(llvm::ArrayRef<int64_t> sizes, const BoxSide& from, const BoxSide& to) {
  Box box{{}, {from.first, {}}, {to.first, {}}};
  Index &reads = box.from.strides, &writes = box.to.strides;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    const bool joins = !box.sizes.empty() && reads.back() == from.strides[d] * sizes[d] &&
                       writes.back() == to.strides[d] * sizes[d];
    if (joins) {
      box.sizes.back() *= sizes[d];
      reads.back() = from.strides[d];
      writes.back() = to.strides[d];
    } else {
      box.sizes.push_back(sizes[d]);
      reads.push_back(from.strides[d]);
      writes.push_back(to.strides[d]);
    }
  }
  return box;
}

// Calls copy(from, from_stride, to, to_stride, count) for each row of the box.
template <typename Copy>
void ForEachRow(const Box& box, Copy copy) {
  if (box.sizes.empty()) return copy(box.from.first, 0, box.to.first, 0, 1);
  const size_t last = box.sizes.size() - 1;
  for (IndexIterator at(llvm::ArrayRef(box.sizes).drop_back()); !at.Done(); at.Next()) {
    int64_t from = box.from.first, to = box.to.first;
    for (size_t d = 0; d < last; ++d) {
      from += at[d] * box.from.strides[d];
      to += at[d] * box.to.strides[d];
    }
    copy(from, box.from.strides[last], to, box.to.strides[last], box.sizes[last]);
  }
}

// A box whose neighbours in a row are further apart in the source than those in a column is taken
// in strips of columns: what is read of one cache line is used while it is there.
void InStrips(Box& box) {
  constexpr int64_t kStrip = 16;
  if (box.sizes.size() < 2) return;
  const size_t row = box.sizes.size() - 1, column = row - 1;
  Index &from = box.from.strides, &to = box.to.strides;
  const int64_t apart = std::max<int64_t>(1, std::abs(from[column]));
  if (std::abs(from[row]) <= apart || box.sizes[row] % kStrip != 0) return;
  const auto insert = [&](Index& list, int64_t value) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(column), value);
  };
  insert(box.sizes, std::exchange(box.sizes[row], kStrip) / kStrip);
  insert(from, from[row] * kStrip);
  insert(to, to[row] * kStrip);
}

template <size_t width>
void CopyElements(const Box& box, const uint8_t* source, uint8_t* target) {
  ForEachRow(
      box, [&](int64_t from, int64_t from_stride, int64_t to, int64_t to_stride, int64_t count) {
        const uint8_t* in = source + from * width;
        uint8_t* out = target + to * width;
        if (from_stride == 1 && to_stride == 1) {
          std::memcpy(out, in, count * width);
          return;
        }
        for (int64_t i = 0; i < count; ++i, in += from_stride * width, out += to_stride * width)
          std::memcpy(out, in, width);
      });
}

}  // namespace

BoxSide BoxSide::Whole(llvm::ArrayRef<int64_t> sizes) {
  BoxSide side{0, Index(sizes.size())};
  uint64_t stride = 1;  // wraps where the array is too large to exist
  for (size_t d = sizes.size(); d-- > 0; stride *= static_cast<uint64_t>(sizes[d]))
    side.strides[d] = static_cast<int64_t>(stride);
  return side;
}

BoxMover::BoxMover(const OpInvocation& call) : call_(call), result_(NewLiteral(call)) {
  if (!result_) return;
  fits_ = result_->shape().IsArray();
  if (fits_ && call.observer != nullptr) sources_.resize(result_->NumElements());
}

void BoxMover::Move(int64_t operand, llvm::ArrayRef<int64_t> sizes, const BoxSide& from,
                    const BoxSide& to) {
  if (!result_ || !fits_ || llvm::is_contained(sizes, 0)) return;
  const Literal& source = call_.operand(operand);
  fits_ = source.shape().type == result_->shape().type && source.NumElements() > 0 &&
          LiesWithin(from, sizes, source.NumElements()) &&
          LiesWithin(to, sizes, result_->NumElements());
  if (!fits_) return;
  Box box = Joined(sizes, from, to);
  InStrips(box);
  switch (ByteWidth(source.shape().type)) {
    case 1:
      CopyElements<1>(box, source.data(), result_->data());
      break;
    case 2:
      CopyElements<2>(box, source.data(), result_->data());
      break;
    case 4:
      CopyElements<4>(box, source.data(), result_->data());
      break;
    case 8:
      CopyElements<8>(box, source.data(), result_->data());
      break;
    default:
      CopyElements<16>(box, source.data(), result_->data());
      break;
  }
  if (sources_.empty()) return;
  ForEachRow(box,
             [&](int64_t from, int64_t from_stride, int64_t to, int64_t to_stride, int64_t count) {
               for (int64_t i = 0; i < count; ++i)
                 sources_[to + i * to_stride] = {operand, from + i * from_stride};
             });
}

Result BoxMover::Finish() {
  if (!result_) return result_.takeError();
  if (!fits_) return Fail(call_.instruction, "does not fit its operands");
  for (auto [linear, source] : llvm::enumerate(sources_))
    call_.Read(0, static_cast<int64_t>(linear), source.operand, 0, source.linear);
  return std::move(result_);
}

}  // namespace affirm::hlo
