// sort, which is stable whether or not the instruction asks for that.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "verify/reference/fold.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {
namespace {

// Sorts by merging runs of doubling length. `less` may fail, or be no strict order; the result is
// then some permutation.
template <typename Less>
llvm::Error MergeSort(std::vector<int64_t>& items, Less less) {
  const size_t count = items.size();
  std::vector<int64_t> merged(count);
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      const size_t middle = std::min(begin + run, count), end = std::min(begin + 2 * run, count);
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        bool take_right = left == middle;
        if (left < middle && right < end) {
          llvm::Expected<bool> smaller = less(items[right], items[left]);
          if (!smaller) return smaller.takeError();
          take_right = *smaller;
        }
        merged[out] = take_right ? items[right++] : items[left++];
      }
    }
    items.swap(merged);
  }
  return llvm::Error::success();
}

// Elements of all operands along the sorted dimension, for one position of the others.
class Row {
 public:
  Row(const OpInvocation& call, const IndexIterator& at, int64_t dim)
      : call_(call), index_(at.index()), dim_(dim) {
    index_.insert(index_.begin() + dim, 0);
  }
  int64_t Linear(int64_t position) {
    index_[dim_] = position;
    return call_.operand(0).Linear(index_);
  }

 private:
  const OpInvocation& call_;
  Index index_;
  int64_t dim_;
};

void ReportReads(const OpInvocation& call, Row& row, int64_t size) {
  if (call.observer == nullptr) return;
  const int64_t arity = std::ssize(call.operands);
  for (int64_t to = 0; to < size; ++to) {
    for (int64_t from = 0; from < size; ++from) {
      for (int64_t leaf = 0; leaf < arity; ++leaf) {
        for (int64_t k = 0; k < arity; ++k) call.Read(leaf, row.Linear(to), k, 0, row.Linear(from));
      }
    }
  }
}

llvm::Error SortRow(const OpInvocation& call, Row row, int64_t size, ScalarFunction& comparator,
                    std::vector<Literal>& results) {
  ReportReads(call, row, size);
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::vector<Scalar> pairs(2 * call.operands.size());
  const auto less = [&](int64_t a, int64_t b) -> llvm::Expected<bool> {
    for (size_t k = 0; k < call.operands.size(); ++k) {
      pairs[2 * k] = Load(call.operand(k), row.Linear(a));
      pairs[2 * k + 1] = Load(call.operand(k), row.Linear(b));
    }
    Scalar result;
    if (auto error = comparator.Apply(pairs, result)) return error;
    return result.i != 0;
  };
  if (auto error = MergeSort(order, less)) return error;
  for (size_t k = 0; k < results.size(); ++k) {
    const size_t width = ByteWidth(results[k].shape().type);
    for (int64_t to = 0; to < size; ++to) {
      std::memcpy(results[k].data() + row.Linear(to) * width,
                  call.operand(k).data() + row.Linear(order[to]) * width, width);
    }
  }
  return llvm::Error::success();
}

}  // namespace

// The comparator takes (a0, b0, a1, b1, ...): the elements of every operand at two positions.
Result EvaluateSort(const OpInvocation& call) {
  const auto& dimensions = call.attributes().dimensions;
  if (dimensions.size() != 1) {
    return Fail(call.instruction, "needs one dimension");
  }
  const Shape& shape = call.operand(0).shape();
  if (auto error = CheckDimensions(call.instruction, dimensions, shape.rank())) return error;
  std::vector<PrimitiveType> types;
  std::vector<Literal> results;
  for (const Literal* operand : call.operands) {
    if (operand->shape().dims != shape.dims)
      return Fail(call.instruction, "has operands of different sizes");
    types.insert(types.end(), 2, operand->shape().type);
    results.push_back(*operand);
  }
  auto callee = Callee(call.instruction, "to_apply");
  if (!callee) return callee.takeError();
  auto comparator = ScalarFunction::Create(call.instruction, **callee, types, PrimitiveType::kPred);
  if (!comparator) return comparator.takeError();
  const Index others = Without(shape.rank(), {dimensions});
  const int64_t size = shape.dims[dimensions[0]];
  for (IndexIterator at(Select(shape.dims, others)); !at.Done(); at.Next()) {
    if (auto error = SortRow(call, Row(call, at, dimensions[0]), size, *comparator, results))
      return error;
  }
  return Assemble(call.instruction.shape, std::move(results));
}

}  // namespace affirm::hlo
