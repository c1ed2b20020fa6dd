// reduce-window and select-and-scatter. Padding contributes nothing: only elements of the operand
// are combined.
#include "verify/reference/window.h"

#include "verify/reference/fold.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {
namespace {

Index WindowSizes(llvm::ArrayRef<WindowDimension> window) {
  Index sizes;
  for (const WindowDimension& w : window) sizes.push_back(w.size);
  return sizes;
}

llvm::Error CheckWindow(const OpInvocation& call, int64_t rank, llvm::ArrayRef<int64_t> counts) {
  const auto& window = call.attributes().window;
  if (std::ssize(window) != rank || std::ssize(counts) != rank || !llvm::all_of(window, IsValid)) {
    return Fail(call.instruction, "needs a window dimension for each of the operand's");
  }
  return CheckWork(call.instruction, {counts, WindowSizes(window)});
}

// The operand element below `offset` of the window at `at`.
std::optional<int64_t> ElementBelow(const OpInvocation& call, const IndexIterator& at,
                                    const IndexIterator& offset) {
  const std::vector<int64_t>& sizes = call.operand(0).shape().dims;
  Index index(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto coordinate =
        IndexUnderWindow(call.attributes().window[d], at[d], offset[d], sizes[d]);
    if (!coordinate) return std::nullopt;
    index[d] = *coordinate;
  }
  return Linearize(index, sizes);
}

// The element of the window that the select computation keeps, walking in row-major order: a
// candidate replaces the kept one when select(kept, candidate) is false. nullopt for a window
// without elements.
llvm::Expected<std::optional<int64_t>> SelectElement(const OpInvocation& call,
                                                     const IndexIterator& at,
                                                     ScalarFunction& select) {
  std::optional<int64_t> kept;
  for (IndexIterator offset(WindowSizes(call.attributes().window)); !offset.Done(); offset.Next()) {
    const auto candidate = ElementBelow(call, at, offset);
    if (!candidate) continue;
    if (!kept) kept = candidate;
    const Scalar pair[] = {Load(call.operand(0), *kept), Load(call.operand(0), *candidate)};
    Scalar keep;
    if (auto error = select.Apply(pair, keep)) return error;
    if (keep.i == 0) kept = candidate;
  }
  return kept;
}

// The function must be transitive, so that the selected element does not depend on the order in
// which the elements of a window are visited (XLA operation semantics, "SelectAndScatter"): it is
// kept beside each one behind it, and replaces each one before it. Where it is not, as with a NaN
// under GE, each element of the window may be selected.
llvm::Error NoteOpenSelection(const OpInvocation& call, const IndexIterator& at,
                              ScalarFunction& select, int64_t selected) {
  bool is_any = false;
  std::vector<int64_t> elements;
  for (IndexIterator offset(WindowSizes(call.attributes().window)); !offset.Done(); offset.Next()) {
    const auto element = ElementBelow(call, at, offset);
    if (!element) continue;
    elements.push_back(*element);
    if (*element == selected) continue;
    const bool is_before = *element < selected;
    const Scalar first = Load(call.operand(0), is_before ? *element : selected),
                 second = Load(call.operand(0), is_before ? selected : *element);
    const Scalar pair[] = {first, second};
    Scalar keep;
    if (auto error = select.Apply(pair, keep)) return error;
    is_any |= (keep.i != 0) == is_before;
  }
  if (!is_any) return llvm::Error::success();
  for (int64_t element : elements) {
    call.NoteOpen(0, element, OpInvocation::Openness::kChoice,
                  "leaves open which element of a window is selected");
  }
  return llvm::Error::success();
}

}  // namespace

namespace {

// The dimension along which each window is the one before it and one more element, as of a
// cumulative sum; nullopt where there is none, or windows are larger in others too.
//
//   window={size=1x5 pad=0_0x4_0} of f32[3,5]: 1
std::optional<size_t> CumulativeDimension(llvm::ArrayRef<WindowDimension> window,
                                          llvm::ArrayRef<int64_t> sizes) {
  std::optional<size_t> cumulative;
  for (auto [d, w] : llvm::enumerate(window)) {
    if (w == WindowDimension{}) continue;
    const bool is_one = w.size == sizes[d] && w.padding_low == w.size - 1 && w.padding_high == 0 &&
                        w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1;
    if (!is_one || cumulative) return std::nullopt;
    cumulative = d;
  }
  return cumulative;
}

// The same folds with one step for each element: a result goes on where the one before it is.
llvm::Error FoldCumulatively(Fold& fold, llvm::ArrayRef<int64_t> counts, size_t dimension) {
  int64_t stride = 1;
  for (size_t d = dimension + 1; d < counts.size(); ++d) stride *= counts[d];
  for (IndexIterator out(counts); !out.Done(); out.Next()) {
    const int64_t to = out.linear();
    if (out[dimension] != 0) continue;
    fold.Begin(to);
    for (int64_t k = 0; k < counts[dimension]; ++k) {
      const int64_t at = to + k * stride;
      if (auto error = fold.Take(at, at)) return error;
      if (auto error = fold.End(at)) return error;
    }
  }
  return llvm::Error::success();
}

// Folds all windows side by side, an offset in the window after the other.
void FoldBeside(const OpInvocation& call, llvm::ArrayRef<int64_t> counts, Fold& fold) {
  const auto& window = call.attributes().window;
  const std::vector<int64_t>& sizes = fold.shape().dims;
  // By dimension, for each window and each offset in it: the part of the element's position, or -1.
  // A dimension of long windows has no table.
  constexpr int64_t kLongestTable = 1 << 20;
  std::vector<std::vector<int64_t>> parts(sizes.size());
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  const auto part_of = [&](size_t d, int64_t at, int64_t offset) {
    const auto index = IndexUnderWindow(window[d], at, offset, sizes[d]);
    return index ? *index * strides[d] : -1;
  };
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (counts[d] > kLongestTable / std::max<int64_t>(window[d].size, 1)) continue;
    for (int64_t at = 0; at < counts[d]; ++at) {
      for (int64_t offset = 0; offset < window[d].size; ++offset)
        parts[d].push_back(part_of(d, at, offset));
    }
  }
  fold.BeginAll();
  std::vector<Index> block;  // indices of windows
  std::vector<int64_t> results, positions;
  for (IndexIterator out(counts); !out.Done();) {
    const int64_t first = out.linear();
    block.clear();
    for (; !out.Done() && std::ssize(block) < ScalarProgram::kSpan; out.Next())
      block.push_back(out.index());
    for (IndexIterator offset(WindowSizes(window)); !offset.Done(); offset.Next()) {
      results.clear();
      positions.clear();
      for (size_t i = 0; i < block.size(); ++i) {
        int64_t position = 0;
        for (size_t d = 0; d < sizes.size() && position >= 0; ++d) {
          const int64_t part = parts[d].empty()
                                   ? part_of(d, block[i][d], offset[d])
                                   : parts[d][block[i][d] * window[d].size + offset[d]];
          position = part < 0 ? -1 : position + part;
        }
        if (position < 0) continue;
        results.push_back(first + static_cast<int64_t>(i));
        positions.push_back(position);
      }
      if (!results.empty()) fold.TakeBeside(results, positions);
    }
  }
}

// The elements of the operand under the window at `at`.
std::vector<int64_t> WindowElements(const OpInvocation& call, const IndexIterator& at) {
  std::vector<int64_t> elements;
  for (IndexIterator offset(WindowSizes(call.attributes().window)); !offset.Done(); offset.Next()) {
    if (const auto element = ElementBelow(call, at, offset)) elements.push_back(*element);
  }
  return elements;
}

}  // namespace

// For each window a left fold from the initial values, in row-major order of the window, unless the
// options give the instruction another order.
Result EvaluateReduceWindow(const OpInvocation& call) {
  auto fold = Fold::Create(call);
  if (!fold) return fold.takeError();
  const Shape& shape = call.instruction.shape;
  const std::vector<int64_t>& counts = (shape.IsTuple() ? shape.tuple[0] : shape).dims;
  const auto& window = call.attributes().window;
  // An observer of reads is told of each window.
  const EvaluationOrder* order = call.order();
  if (call.observer == nullptr && order == nullptr && std::ssize(window) == fold->shape().rank()) {
    if (auto dimension = CumulativeDimension(window, fold->shape().dims)) {
      if (auto error = FoldCumulatively(*fold, counts, *dimension)) return error;
      return fold->Finish();
    }
  }
  if (auto error = CheckWindow(call, fold->shape().rank(), counts)) return error;
  if (order == nullptr && fold->TakesSpans()) {
    FoldBeside(call, counts, *fold);
    return fold->Finish();
  }
  for (IndexIterator out(counts); !out.Done(); out.Next()) {
    fold->Begin(out.linear());
    if (order != nullptr) {
      auto error = fold->TakeAll(out.linear(), WindowElements(call, out), *order);
      if (error) return error;
      if (auto noted = fold->End(out.linear())) return noted;
      continue;
    }
    for (IndexIterator offset(WindowSizes(call.attributes().window)); !offset.Done();
         offset.Next()) {
      const auto element = ElementBelow(call, out, offset);
      if (!element) continue;
      if (auto error = fold->Take(out.linear(), *element)) return error;
    }
    if (auto error = fold->End(out.linear())) return error;
  }
  return fold->Finish();
}

namespace {

// Whether a source element lands on an element of its window depends on all elements of the window.
void ReportSelection(const OpInvocation& call, const IndexIterator& at, int64_t selected) {
  if (call.observer == nullptr) return;
  const std::vector<int64_t> elements = WindowElements(call, at);
  for (int64_t to : elements) {
    for (int64_t from : elements) call.Read(0, to, 0, 0, from);
  }
  call.Read(0, selected, 1, 0, at.linear());
}

}  // namespace

// Every source element is combined, by scatter(value so far, source), into the element that is
// selected in its window.
Result EvaluateSelectAndScatter(const OpInvocation& call) {
  auto select_callee = Callee(call.instruction, "select");
  if (!select_callee) return select_callee.takeError();
  auto scatter_callee = Callee(call.instruction, "scatter");
  if (!scatter_callee) return scatter_callee.takeError();
  const Literal& source = call.operand(1);
  const PrimitiveType type = call.instruction.shape.type;
  const PrimitiveType pair[] = {type, type};
  auto select =
      ScalarFunction::Create(call.instruction, **select_callee, pair, PrimitiveType::kPred);
  if (!select) return select.takeError();
  auto scatter = ScalarFunction::Create(call.instruction, **scatter_callee, pair, type);
  if (!scatter) return scatter.takeError();
  const Shape& shape = call.operand(0).shape();
  if (shape.type != type || source.shape().type != type || call.operand(2).shape().type != type ||
      !call.operand(2).shape().IsScalar() || shape.dims != call.instruction.shape.dims) {
    return Fail(call.instruction, "does not fit its operands");
  }
  if (auto error = CheckWindow(call, shape.rank(), source.shape().dims)) return error;
  Result result = NewLiteral(call);
  if (!result) return result;
  for (int64_t i = 0; i < result->NumElements(); ++i) {
    Store(*result, i, Load(call.operand(2), 0));
    call.Read(0, i, 2, 0, 0);
  }
  std::vector<bool> has_update(
      call.notes_open() && OrderOfUpdatesCounts(call.instruction) ? result->NumElements() : 0);
  for (IndexIterator at(source.shape().dims); !at.Done(); at.Next()) {
    auto target = SelectElement(call, at, *select);
    if (!target) return target.takeError();
    if (!*target) continue;
    ReportSelection(call, at, **target);
    if (call.notes_open()) {
      if (auto error = NoteOpenSelection(call, at, *select, **target)) return error;
    }
    if (!has_update.empty()) {
      if (has_update[**target])
        call.NoteOpen(0, **target, OpInvocation::Openness::kChoice,
                      "leaves open which of two updates comes last");
      has_update[**target] = true;
    }
    const Scalar operands[] = {Load(*result, **target), Load(source, at.linear())};
    Scalar value;
    if (auto error = scatter->Apply(operands, value)) return error;
    Store(*result, **target, value);
  }
  return result;
}

}  // namespace affirm::hlo
