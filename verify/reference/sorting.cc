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
llvm::Error MergeSort(std::vector<int64_t>& items, Less& less) {
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

// Whether items that were sorted are groups of equal ones, each group less than the next: each pair
// is compared, both ways, and each item with itself.
template <typename Less>
llvm::Expected<bool> AllPairsAreInOrder(llvm::ArrayRef<int64_t> sorted, Less& less) {
  size_t begin = 0;  // of the group
  for (size_t i = 0; i < sorted.size(); ++i) {
    auto is_next = less(sorted[begin], sorted[i]);
    if (!is_next) return is_next;
    if (*is_next) begin = i;
    for (size_t k = 0; k <= i; ++k) {
      auto forth = less(sorted[k], sorted[i]);
      if (!forth) return forth;
      auto back = less(sorted[i], sorted[k]);
      if (!back) return back;
      if (*back || *forth != (k < begin)) return false;
    }
  }
  return true;
}

// The same: of an order that is none, as < among NaNs, this is not so. Of many items, unless by
// chance: each is compared with the first ones of its group and of those beside it, and with the
// item before it.
template <typename Less>
llvm::Expected<bool> IsStrictWeakOrder(llvm::ArrayRef<int64_t> sorted, Less& less) {
  constexpr size_t kFew = 64;
  if (sorted.size() <= kFew) return AllPairsAreInOrder(sorted, less);
  auto is_before = [&](int64_t a, int64_t b) -> llvm::Expected<bool> {
    auto forth = less(a, b);
    if (!forth || !*forth) return forth;
    auto back = less(b, a);
    if (!back) return back;
    return !*back;
  };
  size_t begin = 0;       // of the group
  int64_t previous = -1;  // the first of the group before
  for (size_t i = 0; i < sorted.size(); ++i) {
    const int64_t item = sorted[i], first = sorted[begin];
    auto next = less(first, item);
    if (!next) return next;
    auto back = less(item, first);
    if (!back || *back) return back ? llvm::Expected<bool>(false) : std::move(back);
    if (*next) {
      for (size_t k = begin; k < i; ++k) {
        auto before = is_before(sorted[k], item);
        if (!before || !*before) return before;
      }
      begin = i;
      previous = first;
      continue;
    }
    if (i > begin) {
      auto apart = less(sorted[i - 1], item);
      if (!apart || *apart) return apart ? llvm::Expected<bool>(false) : std::move(apart);
    }
    if (previous >= 0) {
      auto before = is_before(previous, item);
      if (!before || !*before) return before;
    }
  }
  return true;
}

// Elements of all operands along the sorted dimension, for one position of the others.
class Row {
 public:
  Row(const OpInvocation& call, const IndexIterator& at, int64_t dim)
      : size_(call.operand(0).shape().dims[dim]) {
    Index index = at.index();
    index.insert(index.begin() + dim, 0);
    first_ = call.operand(0).Linear(index);
    if (size_ < 2) return;
    index[dim] = 1;
    step_ = call.operand(0).Linear(index) - first_;
  }
  int64_t size() const { return size_; }
  int64_t Linear(int64_t position) const { return first_ + position * step_; }

 private:
  int64_t size_, first_ = 0, step_ = 0;
};

void ReportReads(const OpInvocation& call, const Row& row) {
  if (call.observer == nullptr) return;
  const int64_t arity = std::ssize(call.operands);
  for (int64_t to = 0; to < row.size(); ++to) {
    for (int64_t from = 0; from < row.size(); ++from) {
      for (int64_t leaf = 0; leaf < arity; ++leaf) {
        for (int64_t k = 0; k < arity; ++k) call.Read(leaf, row.Linear(to), k, 0, row.Linear(from));
      }
    }
  }
}

// The comparator on two positions of a row.
class RowOrder {
 public:
  RowOrder(const OpInvocation& call, const Row& row, ScalarFunction& comparator)
      : comparator_(comparator), elements_(call.operands.size()), pair_(2 * elements_.size()) {
    for (size_t k = 0; k < elements_.size(); ++k) {
      elements_[k].reserve(static_cast<size_t>(row.size()));
      for (int64_t p = 0; p < row.size(); ++p) {
        elements_[k].push_back(Load(call.operand(k), row.Linear(p)));
      }
    }
  }

  llvm::Expected<bool> operator()(int64_t a, int64_t b) {
    for (size_t k = 0; k < elements_.size(); ++k) {
      pair_[2 * k] = elements_[k][a];
      pair_[2 * k + 1] = elements_[k][b];
    }
    Scalar result;
    if (auto error = comparator_.Apply(pair_, result)) return error;
    return result.i != 0;
  }

 private:
  ScalarFunction& comparator_;
  std::vector<std::vector<Scalar>> elements_;  // of each operand
  std::vector<Scalar> pair_;
};

// To the bit.
bool IsSameElement(const Literal& operand, int64_t a, int64_t b) {
  const size_t width = ByteWidth(operand.shape().type);
  return std::memcmp(operand.data() + a * width, operand.data() + b * width, width) == 0;
}
bool IsSameElement(const OpInvocation& call, int64_t a, int64_t b) {
  return llvm::all_of(call.operands,
                      [&](const Literal* operand) { return IsSameElement(*operand, a, b); });
}

// For a row in order: the positions in a group of equal elements are open in each operand whose
// elements there are not the same bits.
llvm::Error NoteTies(const OpInvocation& call, const Row& row, llvm::ArrayRef<int64_t> order,
                     RowOrder& less) {
  for (size_t begin = 0, end = 1; begin < order.size(); begin = end++) {
    for (; end < order.size(); ++end) {
      auto apart = less(order[end - 1], order[end]);
      if (!apart) return apart.takeError();
      if (*apart) break;
    }
    for (size_t k = 0; k < call.operands.size(); ++k) {
      const bool same = llvm::all_of(order.slice(begin, end - begin), [&](int64_t item) {
        return IsSameElement(*call.operands[k], row.Linear(order[begin]), row.Linear(item));
      });
      for (size_t to = begin; !same && to < end; ++to)
        call.NoteOpen(k, row.Linear(to), OpInvocation::Openness::kChoice,
                      "is not stable, and different elements compare equal");
    }
  }
  return llvm::Error::success();
}

llvm::Error SortRow(const OpInvocation& call, const Row& row, ScalarFunction& comparator,
                    std::vector<Literal>& results) {
  ReportReads(call, row);
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  RowOrder less(call, row, comparator);
  if (auto error = MergeSort(order, less)) return error;
  // In a row of one element nothing is compared.
  auto is_order = row.size() < 2 ? llvm::Expected<bool>(true) : IsStrictWeakOrder(order, less);
  if (!is_order) return is_order.takeError();
  if (!*is_order) {
    constexpr llvm::StringLiteral kWhy =
        "compares with what is no strict weak order of these elements, as < of NaNs is none: HLO "
        "leaves the result open";
    if (!call.notes_open()) return FailOpen(call.instruction, kWhy);
    for (size_t k = 0; k < results.size(); ++k) {
      for (int64_t to = 0; to < row.size(); ++to)
        call.NoteOpen(k, row.Linear(to), OpInvocation::Openness::kUndefined, kWhy);
    }
  } else if (call.notes_open() && !call.attributes().is_stable) {
    if (auto error = NoteTies(call, row, order, less)) return error;
  }
  const bool holds_ties = call.options != nullptr && call.options->promises.no_ties;
  for (int64_t i = 1; holds_ties && !call.attributes().is_stable && i < row.size(); ++i) {
    if (IsSameElement(call, row.Linear(order[i - 1]), row.Linear(order[i]))) continue;
    auto apart = less(order[i - 1], order[i]);
    if (!apart) return apart.takeError();
    if (!*apart)
      return FailOpen(call.instruction, "is not stable, and different elements compare equal");
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const size_t width = ByteWidth(results[k].shape().type);
    for (int64_t to = 0; to < row.size(); ++to) {
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
  for (IndexIterator at(Select(shape.dims, others)); !at.Done(); at.Next()) {
    if (auto error = SortRow(call, Row(call, at, dimensions[0]), *comparator, results))
      return error;
  }
  return Assemble(call.instruction.shape, std::move(results));
}

}  // namespace affirm::hlo
