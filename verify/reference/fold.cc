// Folds in sequential order, and in the tree order of kernels that share a reduction among threads.
#include "verify/reference/fold.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

bool FitTogether(const OpInvocation& call, size_t arity) {
  const Shape& result = call.instruction.shape;
  if (arity == 0 || call.operands.size() != 2 * arity) return false;
  if (result.IsTuple() ? result.tuple.size() != arity : arity != 1) return false;
  for (size_t k = 0; k < arity; ++k) {
    const Shape& array = call.operand(k).shape();
    const Shape& initial = call.operand(arity + k).shape();
    if (!array.IsArray() || array.dims != call.operand(0).shape().dims || !initial.IsScalar() ||
        array.type != initial.type) {
      return false;
    }
    const Shape& leaf = result.IsTuple() ? result.tuple[k] : result;
    if (leaf.type != array.type || (k > 0 && leaf.dims != result.tuple[0].dims)) return false;
  }
  return true;
}

// Zeros of both signs are one number, and so are all NaNs.
bool IsSameNumber(PrimitiveType type, const Scalar& a, const Scalar& b) {
  auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return ScalarKindOf(type) == ScalarKind::kInt ? a.i == b.i : same(a.re, b.re) && same(a.im, b.im);
}

// Whether the combiner has no float but what it compares, chooses and moves.
bool RoundsNothing(const Computation& combiner) {
  return llvm::all_of(combiner.instructions, [](const auto& op) {
    if (!op->called.empty()) return false;
    if (op->shape.IsTuple() || ScalarKindOf(op->shape.type) == ScalarKind::kInt) return true;
    switch (op->opcode) {
      case Opcode::kAbs:
      case Opcode::kConstant:
      case Opcode::kCopy:
      case Opcode::kMaximum:
      case Opcode::kMinimum:
      case Opcode::kNegate:
      case Opcode::kParameter:
      case Opcode::kSelect:
        return true;
      default:
        return false;
    }
  });
}

// Fewer folds than these take longer side by side than one after the other.
constexpr int64_t kFewestBeside = 8;

template <typename T>
void Gather(const uint8_t* from, llvm::ArrayRef<int64_t> positions, uint8_t* to) {
  for (int64_t position : positions) {
    std::memcpy(to, from + position * sizeof(T), sizeof(T));
    to += sizeof(T);
  }
}

// Copies the elements at the positions.
void GatherElements(int width, const uint8_t* from, llvm::ArrayRef<int64_t> positions,
                    uint8_t* to) {
  switch (width) {
    case 1:
      return Gather<uint8_t>(from, positions, to);
    case 2:
      return Gather<uint16_t>(from, positions, to);
    case 4:
      return Gather<uint32_t>(from, positions, to);
    case 8:
      return Gather<uint64_t>(from, positions, to);
    default:
      return Gather<std::complex<double>>(from, positions, to);
  }
}

}  // namespace

llvm::Expected<Fold> Fold::Create(const OpInvocation& call) {
  const size_t arity = call.operands.size() / 2;
  if (!FitTogether(call, arity)) {
    return Fail(call.instruction, "needs arrays of one size and as many initial values");
  }
  auto callee = Callee(call.instruction, "to_apply");
  if (!callee) return callee.takeError();
  std::vector<PrimitiveType> types = ElementTypes(call.operands.take_front(arity));
  std::vector<PrimitiveType> parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  auto function = ScalarFunction::Create(call.instruction, **callee, parameters, types);
  if (!function) return function.takeError();
  std::vector<Literal> results;
  const Shape& shape = call.instruction.shape;
  for (size_t k = 0; k < arity; ++k) {
    Result leaf = NewLiteral(call.instruction, shape.IsTuple() ? shape.tuple[k] : shape);
    if (!leaf) return leaf.takeError();
    results.push_back(std::move(*leaf));
  }
  Fold fold(call, std::move(*function), std::move(results));
  fold.order_counts_ = call.notes_open() && OrderOfUpdatesCounts(call.instruction);
  fold.is_exact_ = fold.order_counts_ && RoundsNothing(**callee);
  return fold;
}

void Fold::Begin(int64_t result_linear) {
  without_initial_.clear();
  swapped_.clear();
  in_order_.clear();
  before_last_.clear();
  last_.clear();
  exchange_counts_.assign(arity_, false);
  for (size_t k = 0; k < arity_; ++k) {
    running_[k] = Load(call_->operand(arity_ + k), 0);
    for (size_t leaf = 0; leaf < arity_; ++leaf) {
      call_->Read(leaf, result_linear, arity_ + k, 0, 0);
    }
  }
}

void Fold::LoadElements(int64_t result_linear, int64_t linear) {
  for (size_t k = 0; k < arity_; ++k) {
    running_[arity_ + k] = Load(call_->operand(k), linear);
    for (size_t leaf = 0; leaf < arity_; ++leaf) call_->Read(leaf, result_linear, k, 0, linear);
  }
}

llvm::Error Fold::Take(int64_t result_linear, int64_t linear) {
  LoadElements(result_linear, linear);
  if (call_->notes_open()) {
    const auto elements = llvm::ArrayRef<Scalar>(running_).drop_front(arity_);
    if (auto error = Combine(without_initial_, elements)) return error;
    if (auto error = TryOrders(elements)) return error;
  }
  return function_.Apply(running_, llvm::MutableArrayRef<Scalar>(running_).take_front(arity_));
}

llvm::Error Fold::Combine(Slot& slot, llvm::ArrayRef<Scalar> with) {
  if (with.empty()) return llvm::Error::success();
  if (slot.empty()) {
    slot = with.vec();
    return llvm::Error::success();
  }
  Slot both = slot;
  both.insert(both.end(), with.begin(), with.end());
  return function_.Apply(both, slot);
}

llvm::Error Fold::TryOrders(llvm::ArrayRef<Scalar> elements) {
  if (!order_counts_) return llvm::Error::success();
  Slot last = elements.vec();
  if (auto error = Combine(last, swapped_)) return error;
  swapped_ = std::move(last);
  return is_exact_ ? TryExchange(elements) : llvm::Error::success();
}

llvm::Error Fold::TryExchange(llvm::ArrayRef<Scalar> elements) {
  Slot next = in_order_;
  if (auto error = Combine(next, elements)) return error;
  if (!before_last_.empty()) {
    Slot pair = last_, paired = before_last_, exchanged = before_last_;
    if (auto error = Combine(pair, elements)) return error;
    if (auto error = Combine(paired, pair)) return error;
    if (auto error = Combine(exchanged, elements)) return error;
    if (auto error = Combine(exchanged, last_)) return error;
    for (size_t k = 0; k < arity_; ++k) {
      if (!IsSame(next, paired, k) || !IsSame(next, exchanged, k)) exchange_counts_[k] = true;
    }
  }
  before_last_ = std::exchange(in_order_, std::move(next));
  last_ = elements.vec();
  return llvm::Error::success();
}

bool Fold::IsSame(const Slot& a, const Slot& b, size_t k) const {
  return IsSameNumber(results_[k].shape().type, a[k], b[k]);
}

llvm::Error Fold::Halve(llvm::MutableArrayRef<Slot> slots, size_t step) {
  for (size_t distance = slots.size() / 2; distance >= step; distance /= 2) {
    for (size_t i = 0; i < distance; i += step) {
      if (auto error = Combine(slots[i], slots[i + distance])) return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error Fold::TakeAll(int64_t result_linear, llvm::ArrayRef<int64_t> positions,
                          EvaluationOrder order) {
  std::vector<Slot> slots(order.slots);
  for (size_t k = 0; k < positions.size(); ++k) {
    LoadElements(result_linear, positions[k]);
    auto elements = llvm::ArrayRef<Scalar>(running_).drop_front(arity_);
    if (auto error = TryOrders(elements)) return error;
    if (auto error = Combine(slots[order.SlotOf(static_cast<int64_t>(k))], elements)) return error;
  }
  llvm::MutableArrayRef<Slot> all = slots;
  for (size_t first = 0; first < slots.size(); first += order.group) {
    if (auto error = Halve(all.slice(first, order.group), 1)) return error;
  }
  if (auto error = Halve(all, order.group)) return error;
  if (call_->notes_open()) without_initial_ = slots[0];
  Slot whole(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(arity_));
  if (auto error = Combine(whole, slots[0])) return error;
  llvm::copy(whole, running_.begin());
  return llvm::Error::success();
}

llvm::Error Fold::NoteInitialValues(int64_t result_linear) {
  // A fold of no elements is its initial values.
  if (without_initial_.empty()) return llvm::Error::success();
  const Slot result(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(arity_));
  Slot initial;
  for (size_t k = 0; k < arity_; ++k) initial.push_back(Load(call_->operand(arity_ + k), 0));
  auto is_same = [&](const Slot& a, const Slot& b) {
    for (size_t k = 0; k < arity_; ++k) {
      if (!IsSame(a, b, k)) return false;
    }
    return true;
  };
  bool same = is_same(without_initial_, result);
  // An identity combined with itself is itself; 1 beside sums that absorb it is none.
  struct Combination {
    const Slot &a, &b, &wanted;
  };
  for (const auto& [a, b, wanted] :
       {Combination{initial, result, result}, Combination{result, initial, result},
        Combination{initial, initial, initial}}) {
    Slot combined = a;
    if (auto error = Combine(combined, b)) return error;
    same = same && is_same(combined, wanted);
  }
  for (size_t leaf = 0; leaf < arity_ && !same; ++leaf)
    call_->NoteOpen(leaf, result_linear, OpInvocation::Openness::kUndefined,
                    "starts from what is no identity of what it combines by, which HLO requires");
  return llvm::Error::success();
}

void Fold::NoteOrder(int64_t result_linear) {
  if (swapped_.empty()) return;
  for (size_t k = 0; k < arity_; ++k) {
    if (IsSame(swapped_, without_initial_, k) && !exchange_counts_[k]) continue;
    call_->NoteOpen(static_cast<int64_t>(k), result_linear, OpInvocation::Openness::kChoice,
                    "combines elements in an order that counts, which HLO leaves open");
  }
}

llvm::Error Fold::End(int64_t result_linear) {
  for (size_t k = 0; k < arity_; ++k) Store(results_[k], result_linear, running_[k]);
  if (call_->notes_open()) NoteOrder(result_linear);
  return call_->notes_open() ? NoteInitialValues(result_linear) : llvm::Error::success();
}

bool Fold::TakesSpans() const {
  return function_.is_compiled() && call_->observer == nullptr && !call_->notes_open() &&
         (results_[0].NumElements() >= kFewestBeside || function_.program().IsFold());
}

void Fold::TakeSpans(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> offsets) {
  constexpr auto kSpan = static_cast<size_t>(ScalarProgram::kSpan);
  if (std::ssize(starts) < kFewestBeside) {
    for (size_t i = 0; i < starts.size(); ++i) TakeRow(static_cast<int64_t>(i), starts[i], offsets);
    return;
  }
  BeginAll();
  std::vector<int64_t> results(starts.size()), positions(kSpan);
  std::iota(results.begin(), results.end(), 0);
  for (size_t first = 0; first < starts.size(); first += kSpan) {
    const llvm::ArrayRef<int64_t> block = starts.slice(first).take_front(kSpan);
    for (int64_t offset : offsets) {
      for (size_t i = 0; i < block.size(); ++i) positions[i] = block[i] + offset;
      TakeBeside(llvm::ArrayRef(results).slice(first, block.size()),
                 llvm::ArrayRef(positions).take_front(block.size()));
    }
  }
}

void Fold::TakeRow(int64_t result, int64_t start, llvm::ArrayRef<int64_t> offsets) {
  constexpr auto kSpan = static_cast<size_t>(ScalarProgram::kSpan);
  const PrimitiveType type = results_[0].shape().type;
  const int width = ByteWidth(type);
  Store(results_[0], result, Load(call_->operand(1), 0));
  Literal elements(Shape::Array(type, {ScalarProgram::kSpan}));
  for (; !offsets.empty(); offsets = offsets.drop_front(std::min(kSpan, offsets.size()))) {
    const llvm::ArrayRef<int64_t> next = offsets.take_front(kSpan);
    GatherElements(width, call_->operand(0).data() + start * width, next, elements.data());
    function_.program().Fold(results_[0].data() + result * width, elements.data(),
                             std::ssize(next));
  }
}

void Fold::BeginAll() {
  for (size_t k = 0; k < arity_; ++k) {
    const Scalar initial = Load(call_->operand(arity_ + k), 0);
    for (int64_t i = 0; i < results_[k].NumElements(); ++i) Store(results_[k], i, initial);
    const Shape span = Shape::Array(results_[k].shape().type, {ScalarProgram::kSpan});
    elements_.emplace_back(span);
    values_.emplace_back(span);
  }
}

void Fold::TakeBeside(llvm::ArrayRef<int64_t> results, llvm::ArrayRef<int64_t> positions) {
  const bool in_a_row = results.back() - results.front() + 1 == std::ssize(results);
  llvm::SmallVector<uint8_t*> values;
  for (size_t k = 0; k < arity_; ++k) {
    const int width = ByteWidth(elements_[k].shape().type);
    GatherElements(width, call_->operand(k).data(), positions, elements_[k].data());
    values.push_back(in_a_row ? results_[k].data() + results.front() * width : values_[k].data());
    if (!in_a_row) GatherElements(width, results_[k].data(), results, values.back());
  }
  llvm::SmallVector<const uint8_t*> arguments(values.begin(), values.end());
  for (const Literal& span : elements_) arguments.push_back(span.data());
  function_.program().ApplyToSpans(arguments, values, std::ssize(results));
  for (size_t k = 0; k < arity_ && !in_a_row; ++k) {
    const auto width = static_cast<size_t>(ByteWidth(values_[k].shape().type));
    for (size_t i = 0; i < results.size(); ++i)
      std::memcpy(results_[k].data() + results[i] * width, values[k] + i * width, width);
  }
}

Literal Fold::Finish() { return Assemble(call_->instruction.shape, std::move(results_)); }

}  // namespace affirm::hlo
