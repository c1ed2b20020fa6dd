#include "verify/prover/hlo_accesses.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::prover {
namespace {

using Sizes = llvm::ArrayRef<int64_t>;
using Index = llvm::function_ref<SymbolicExpr(int64_t)>;
constexpr Interval kIsZero{0, 0};
constexpr int64_t kNoLimit = kInt64Max;

Interval AtMost(int64_t end) { return {kInt64Min, end}; }
Interval AtLeast(int64_t end) { return {end, kInt64Max}; }

// The number of dimensions before j that are not in l.
int64_t Kept(Sizes l, int64_t j) {
  int64_t kept = 0;
  for (int64_t i = 0; i < j; ++i) kept += !llvm::is_contained(l, i);
  return kept;
}
int64_t Place(int64_t x, Sizes l) { return llvm::find(l, x) - l.begin(); }
// The numbers below n that are in l, or those that are not, in order.
std::vector<int64_t> Among(Sizes l, int64_t n, bool in_l) {
  std::vector<int64_t> some;
  for (int64_t i = 0; i < n; ++i) {
    if (llvm::is_contained(l, i) == in_l) some.push_back(i);
  }
  return some;
}

// The maps of one operand of one op.
class Reader {
 public:
  Reader(const hlo::Instruction& op, const hlo::Shape& out, size_t k, Context& context)
      : op_(op), out_(out), a_(op.attributes), k_(k), context_(context) {}

  std::optional<std::vector<Access>> Read();

 private:
  SymbolicExpr D(int64_t i) const { return context_.Dim(i); }
  SymbolicExpr S(int64_t i) const { return context_.Range(i); }
  SymbolicExpr R(int64_t i) const { return context_.Variable(VarKind::kRuntime, i); }
  SymbolicExpr C(int64_t v) const { return context_.Constant(v); }
  const std::vector<int64_t>& SizesOf(size_t k) const { return op_.operands[k]->shape.dims; }
  const std::vector<int64_t>& Operand() const { return SizesOf(k_); }
  const std::vector<int64_t>& Out() const { return out_.dims; }
  int64_t Rank() const { return static_cast<int64_t>(Out().size()); }
  size_t Arrays() const { return op_.operands.size() / 2; }

  int Bits() const { return hlo::BitWidth(out_.type); }
  int BitsOfOperand() const { return hlo::BitWidth(op_.operands[0]->shape.type); }
  static bool IsRowMajor(const hlo::Shape& shape) {
    const std::vector<int64_t> order = shape.MinorToMajor();
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] != static_cast<int64_t>(order.size() - 1 - i)) return false;
    }
    return true;
  }

  std::vector<SymbolicExpr> Each(Sizes sizes, Index f) const {
    std::vector<SymbolicExpr> index;
    index.reserve(sizes.size());
    for (size_t j = 0; j < sizes.size(); ++j) index.push_back(f(static_cast<int64_t>(j)));
    return index;
  }
  Access Reading(std::vector<Producer> ps, Sizes ranges, std::vector<Constraint> facts,
                 std::vector<SymbolicExpr> results) const;
  std::vector<Access> One(Sizes ranges, std::vector<Constraint> facts, Index f) const {
    return {Reading({}, ranges, std::move(facts), Each(Operand(), f))};
  }
  std::vector<Access> Same() const {
    return One({}, {}, [&](int64_t j) { return D(j); });
  }
  std::vector<Access> All() const {
    return One(Operand(), {}, [&](int64_t j) { return S(j); });
  }
  std::vector<int64_t> SizesAt(Sizes dims) const {
    std::vector<int64_t> sizes;
    for (int64_t d : dims) sizes.push_back(Operand()[d]);
    return sizes;
  }
  static std::vector<int64_t> Taps(const std::vector<hlo::WindowDimension>& window) {
    std::vector<int64_t> taps;
    taps.reserve(window.size());
    for (const hlo::WindowDimension& w : window) taps.push_back(w.size);
    return taps;
  }
  static SymbolicExpr Tap(const hlo::WindowDimension& w, SymbolicExpr out, SymbolicExpr tap) {
    return out * w.stride + tap * w.window_dilation - w.padding_low;
  }

  std::vector<Access> Reshape() const;
  std::vector<Access> Pad() const;
  std::vector<Access> ReduceWindow() const;
  std::vector<Access> Dot() const;
  std::optional<std::vector<Access>> Convolution() const;
  std::vector<Producer> Starts(size_t first, Sizes sizes, Sizes slice) const;
  std::vector<Constraint> Clamped(const std::vector<Producer>& ps) const;
  std::vector<Access> DynamicSlice() const;
  std::vector<Access> DynamicUpdateSlice() const;
  std::vector<SymbolicExpr> Vector(Sizes indices, Index batch, SymbolicExpr component) const;
  SymbolicExpr IndexedAt(Index batch, Index window, Sizes without_window, Sizes indexed,
                         Sizes batching, Sizes indices_batching, int64_t j) const;
  std::vector<Access> Gather() const;
  std::vector<Access> Scatter() const;
  std::vector<Access> SelectAndScatter() const;

  const hlo::Instruction& op_;
  const hlo::Shape& out_;
  const hlo::Attributes& a_;
  size_t k_;
  Context& context_;
};

Access Reader::Reading(std::vector<Producer> ps, Sizes ranges, std::vector<Constraint> facts,
                       std::vector<SymbolicExpr> results) const {
  Access access;
  View& map = access.map;
  map.runtime = ps.size();
  map.dims = Out().size();
  for (int64_t i = 0; i < Rank(); ++i) map.facts.push_back({D(i), {0, Out()[i] - 1}});
  for (size_t i = 0; i < ranges.size(); ++i) {
    map.ranges.push_back({0, ranges[i] - 1});
    map.facts.push_back({S(static_cast<int64_t>(i)), map.ranges.back()});
  }
  map.facts.insert(map.facts.end(), facts.begin(), facts.end());
  map.results = std::move(results);
  access.producers = std::move(ps);
  return access;
}

std::vector<Access> Reader::Reshape() const {
  SymbolicExpr position = C(0);
  for (int64_t i = 0; i < Rank(); ++i) position = position * Out()[i] + D(i);
  return One({}, {}, [&](int64_t j) {
    int64_t behind = 1;
    for (size_t i = static_cast<size_t>(j) + 1; i < Operand().size(); ++i) behind *= Operand()[i];
    if (Operand()[j] == 1) return C(0);
    behind = std::max<int64_t>(behind, 1);
    return position.FloorDiv(C(behind)).Mod(C(std::max<int64_t>(Operand()[j], 1)));
  });
}

std::vector<Access> Reader::Pad() const {
  auto from = [&](int64_t j) { return D(j) - a_.padding[j].low; };
  auto step = [&](int64_t j) { return a_.padding[j].interior + 1; };
  if (k_ == 0) {
    std::vector<Constraint> facts;
    facts.reserve(Out().size());
    for (int64_t j = 0; j < Rank(); ++j) facts.push_back({from(j).Mod(C(step(j))), kIsZero});
    return One({}, std::move(facts), [&](int64_t j) { return from(j).FloorDiv(C(step(j))); });
  }
  std::vector<Access> outside;
  for (int64_t j = 0; j < Rank(); ++j) {
    const Constraint facts[] = {{from(j), AtMost(-1)},
                                {from(j), AtLeast((SizesOf(0)[j] - 1) * step(j) + 1)},
                                {from(j).Mod(C(step(j))), AtLeast(1)}};
    for (const Constraint& fact : facts) outside.push_back(Reading({}, {}, {fact}, {}));
  }
  return outside;
}

std::vector<Access> Reader::ReduceWindow() const {
  if (k_ >= Arrays()) return Same();
  auto tap = [&](int64_t j) { return Tap(a_.window[j], D(j), S(j)); };
  std::vector<Constraint> facts;
  facts.reserve(Out().size());
  for (int64_t j = 0; j < Rank(); ++j) {
    facts.push_back({tap(j).Mod(C(a_.window[j].base_dilation)), kIsZero});
  }
  return One(Taps(a_.window), std::move(facts),
             [&](int64_t j) { return tap(j).FloorDiv(C(a_.window[j].base_dilation)); });
}

std::vector<Access> Reader::Dot() const {
  const auto& batch = k_ == 0 ? a_.lhs_batch : a_.rhs_batch;
  const auto& contracting = k_ == 0 ? a_.lhs_contracting : a_.rhs_contracting;
  const int64_t first =
      static_cast<int64_t>(k_ == 0 ? batch.size() : SizesOf(0).size() - a_.lhs_contracting.size());
  std::vector<int64_t> bound = batch;
  bound.insert(bound.end(), contracting.begin(), contracting.end());
  return One(SizesAt(contracting), {}, [&](int64_t j) {
    if (llvm::is_contained(batch, j)) return D(Place(j, batch));
    if (llvm::is_contained(contracting, j)) return S(Place(j, contracting));
    return D(first + Kept(bound, j));
  });
}

std::optional<std::vector<Access>> Reader::Convolution() const {
  if (!a_.dim_labels) return std::nullopt;
  const hlo::ConvDimensionNumbers& d = *a_.dim_labels;
  const auto& input = SizesOf(0);
  const int64_t features = Out()[d.output_feature];
  const int64_t fg = a_.feature_group_count, bg = a_.batch_group_count;
  if (features < fg || features < bg || input[d.input_feature] < fg) return std::nullopt;
  const int64_t group = input[d.input_feature] / fg;
  const auto n = static_cast<int64_t>(a_.window.size());
  auto tap = [&](int64_t i) { return Tap(a_.window[i], D(d.output_spatial[i]), S(i + 1)); };
  auto base = [&](int64_t i) { return C(a_.window[i].base_dilation); };
  std::vector<int64_t> ranges = Taps(a_.window);
  ranges.insert(ranges.begin(), k_ == 0 ? group : Operand()[d.kernel_input_feature]);
  std::vector<Constraint> facts;
  for (int64_t i = 0; i < n; ++i) {
    facts.push_back({tap(i).Mod(base(i)), kIsZero});
    if (k_ == 1) facts.push_back({tap(i).FloorDiv(base(i)), {0, input[d.input_spatial[i]] - 1}});
  }
  const SymbolicExpr feature = D(d.output_feature);
  return One(ranges, std::move(facts), [&](int64_t j) {
    if (k_ == 0) {
      if (j == d.input_batch)
        return D(d.output_batch) + feature.FloorDiv(C(features / bg)) * (input[d.input_batch] / bg);
      if (j == d.input_feature) return feature.FloorDiv(C(features / fg)) * group + S(0);
      const int64_t i = Place(j, d.input_spatial);
      return tap(i).FloorDiv(base(i));
    }
    if (j == d.kernel_input_feature) return S(0);
    if (j == d.kernel_output_feature) return feature;
    const int64_t i = Place(j, d.kernel_spatial);
    return a_.window[i].reversal ? C(a_.window[i].size - 1) - S(i + 1) : S(i + 1);
  });
}

std::vector<Producer> Reader::Starts(size_t first, Sizes sizes, Sizes slice) const {
  const bool is_vector =
      op_.operands.size() == first + 1 && op_.operands[first]->shape.dims.size() == 1;
  std::vector<Producer> ps;
  for (size_t j = 0; j < sizes.size(); ++j) {
    Producer p{op_.operands[is_vector ? first : first + j], {}, sizes[j] - slice[j]};
    if (is_vector) p.index.push_back(C(static_cast<int64_t>(j)));
    ps.push_back(std::move(p));
  }
  return ps;
}

std::vector<Constraint> Reader::Clamped(const std::vector<Producer>& ps) const {
  std::vector<Constraint> facts;
  facts.reserve(ps.size());
  for (size_t i = 0; i < ps.size(); ++i)
    facts.push_back({R(static_cast<int64_t>(i)), {0, ps[i].limit.value_or(kNoLimit)}});
  return facts;
}

std::vector<Access> Reader::DynamicSlice() const {
  if (k_ > 0) return All();
  std::vector<Producer> ps = Starts(1, Operand(), Out());
  std::vector<Constraint> facts = Clamped(ps);
  return {Reading(std::move(ps), {}, std::move(facts),
                  Each(Operand(), [&](int64_t j) { return R(j) + D(j); }))};
}

std::vector<Access> Reader::DynamicUpdateSlice() const {
  if (k_ > 1) return All();
  const auto& update = SizesOf(1);
  const std::vector<Producer> ps = Starts(2, Out(), update);
  auto offset = [&](int64_t j) { return D(j) - R(j); };
  if (k_ == 1) return {Reading(ps, {}, Clamped(ps), Each(update, offset))};
  std::vector<Access> outside;
  for (int64_t j = 0; j < Rank(); ++j) {
    for (Interval bounds : {AtMost(-1), AtLeast(update[j])}) {
      std::vector<Constraint> facts = Clamped(ps);
      facts.insert(facts.begin(), {offset(j), bounds});
      outside.push_back(
          Reading(ps, {}, std::move(facts), Each(Out(), [&](int64_t i) { return D(i); })));
    }
  }
  return outside;
}

std::vector<SymbolicExpr> Reader::Vector(Sizes indices, Index batch, SymbolicExpr component) const {
  const int64_t at = a_.index_vector_dim;
  return Each(indices, [&](int64_t j) { return j == at ? component : batch(Kept({at}, j)); });
}

SymbolicExpr Reader::IndexedAt(Index batch, Index window, Sizes without_window, Sizes indexed,
                               Sizes batching, Sizes indices_batching, int64_t j) const {
  SymbolicExpr start = llvm::is_contained(indexed, j) ? R(Place(j, indexed)) : C(0);
  SymbolicExpr paired =
      llvm::is_contained(batching, j)
          ? batch(Kept({a_.index_vector_dim}, indices_batching[Place(j, batching)]))
          : C(0);
  std::vector<int64_t> without(without_window.begin(), without_window.end());
  without.insert(without.end(), batching.begin(), batching.end());
  SymbolicExpr offset = llvm::is_contained(without, j) ? C(0) : window(Kept(without, j));
  return start + paired + offset;
}

std::vector<Access> Reader::Gather() const {
  const auto& indices = SizesOf(1);
  const std::vector<int64_t> others = Among(a_.offset_dims, Rank(), false);
  const std::vector<int64_t> windows = Among(a_.offset_dims, Rank(), true);
  auto batch = [&](int64_t n) { return D(others[n]); };
  const int64_t at = a_.index_vector_dim;
  const bool has_vector = at < static_cast<int64_t>(indices.size());
  if (k_ == 1) {
    std::vector<int64_t> ranges;
    if (has_vector) ranges.push_back(indices[at]);
    return {Reading({}, ranges, {}, Vector(indices, batch, has_vector ? S(0) : C(0)))};
  }
  std::vector<Producer> ps;
  for (size_t c = 0; c < a_.start_index_map.size(); ++c) {
    const int64_t j = a_.start_index_map[c];
    ps.push_back({op_.operands[1], Vector(indices, batch, C(static_cast<int64_t>(c))),
                  Operand()[j] - a_.slice_sizes[j]});
  }
  std::vector<Constraint> facts = Clamped(ps);
  return {Reading(std::move(ps), {}, std::move(facts), Each(Operand(), [&](int64_t j) {
                    return IndexedAt(
                        batch, [&](int64_t n) { return D(windows[n]); }, a_.collapsed_slice_dims,
                        a_.start_index_map, a_.operand_batching_dims,
                        a_.start_indices_batching_dims, j);
                  }))};
}

std::vector<Access> Reader::Scatter() const {
  const size_t arrays = Arrays();
  if (k_ < arrays) return Same();
  if (k_ == arrays) return All();
  const auto& indices = SizesOf(arrays);
  const auto rank = static_cast<int64_t>(Operand().size());
  const std::vector<int64_t> others = Among(a_.update_window_dims, rank, false);
  const std::vector<int64_t> windows = Among(a_.update_window_dims, rank, true);
  const auto& indexed = a_.scatter_dims_to_operand_dims;
  auto batch = [&](int64_t n) { return S(others[n]); };
  std::vector<Producer> ps;
  ps.reserve(indexed.size());
  for (size_t c = 0; c < indexed.size(); ++c) {
    ps.push_back({op_.operands[arrays], Vector(indices, batch, C(static_cast<int64_t>(c))), {}});
  }
  std::vector<int64_t> without = a_.inserted_window_dims;
  without.insert(without.end(), a_.input_batching_dims.begin(), a_.input_batching_dims.end());
  std::vector<Constraint> facts;
  for (int64_t j = 0; j < Rank(); ++j) {
    const int64_t width = llvm::is_contained(without, j) ? 1 : Operand()[windows[Kept(without, j)]];
    facts.push_back(
        {D(j) - IndexedAt(
                    batch, [&](int64_t n) { return S(windows[n]); }, a_.inserted_window_dims,
                    indexed, a_.input_batching_dims, a_.scatter_indices_batching_dims, j),
         kIsZero});
    if (llvm::is_contained(indexed, j))
      facts.push_back({R(Place(j, indexed)), {0, Out()[j] - width}});
  }
  return {Reading(std::move(ps), Operand(), std::move(facts),
                  Each(Operand(), [&](int64_t j) { return S(j); }))};
}

std::vector<Access> Reader::SelectAndScatter() const {
  if (k_ == 2) return Same();
  const auto& source = SizesOf(1);
  const int64_t first = k_ == 0 ? Rank() : 0;
  auto under = [&](int64_t j) {
    return D(j) + a_.window[j].padding_low - S(first + j) * a_.window[j].window_dilation;
  };
  auto position = [&](int64_t j) { return under(j).FloorDiv(C(a_.window[j].stride)); };
  std::vector<Constraint> facts;
  for (int64_t j = 0; j < Rank(); ++j) {
    facts.push_back({under(j).Mod(C(a_.window[j].stride)), kIsZero});
    facts.push_back({position(j), {0, source[j] - 1}});
  }
  std::vector<int64_t> taps = Taps(a_.window);
  if (k_ == 1) return One(taps, std::move(facts), position);
  taps.insert(taps.end(), taps.begin(), taps.begin() + Rank());
  return One(taps, std::move(facts),
             [&](int64_t j) { return Tap(a_.window[j], position(j), S(j)); });
}

std::optional<std::vector<Access>> Reader::Read() {
  using hlo::Opcode;
  if (hlo::IsElementwise(op_.opcode) || op_.opcode == Opcode::kMap) return Same();
  switch (op_.opcode) {
    case Opcode::kBroadcast:
      return One({}, {}, [&](int64_t j) { return D(a_.dimensions[j]); });
    case Opcode::kConditional:
      return AccessesOfConditional(op_, out_, k_, context_);
    case Opcode::kSelectAndScatter:
      return SelectAndScatter();
    case Opcode::kTranspose:
      return One({}, {}, [&](int64_t j) { return D(Place(j, a_.dimensions)); });
    case Opcode::kReverse:
      return One({}, {}, [&](int64_t j) {
        return llvm::is_contained(a_.dimensions, j) ? C(Out()[j] - 1) - D(j) : D(j);
      });
    case Opcode::kReshape:
      return Reshape();
    case Opcode::kBitcast:
      if (!IsRowMajor(out_) || !IsRowMajor(op_.operands[0]->shape) || BitsOfOperand() != Bits())
        return std::nullopt;
      return Reshape();
    case Opcode::kBitcastConvert:
      if (Bits() == BitsOfOperand()) return Same();
      // Each element becomes several, or several become one.
      if (Bits() < BitsOfOperand()) return Same();
      return One({Operand().back()}, {}, [&](int64_t j) { return j == Rank() ? S(0) : D(j); });
    case Opcode::kRngBitGenerator:
      return All();
    case Opcode::kTopk:
      return One({Operand().back()}, {}, [&](int64_t j) { return j == Rank() - 1 ? S(0) : D(j); });
    case Opcode::kSlice:
      return One({}, {}, [&](int64_t j) { return D(j) * a_.slice[j].stride + a_.slice[j].start; });
    case Opcode::kPad:
      return Pad();
    case Opcode::kConcatenate: {
      const int64_t along = a_.dimensions[0];
      int64_t before = 0;
      for (size_t i = 0; i < k_; ++i) before += SizesOf(i)[along];
      return One({}, {}, [&](int64_t j) { return j == along ? D(j) - before : D(j); });
    }
    case Opcode::kReduce:
      if (k_ >= Arrays()) return Same();
      return One(SizesAt(a_.dimensions), {}, [&](int64_t j) {
        return llvm::is_contained(a_.dimensions, j) ? S(Place(j, a_.dimensions))
                                                    : D(Kept(a_.dimensions, j));
      });
    case Opcode::kReduceWindow:
      return ReduceWindow();
    case Opcode::kDot:
      return Dot();
    case Opcode::kConvolution:
      return Convolution();
    case Opcode::kSort:
      return One({Operand()[a_.dimensions[0]]}, {},
                 [&](int64_t j) { return j == a_.dimensions[0] ? S(0) : D(j); });
    case Opcode::kDynamicSlice:
      return DynamicSlice();
    case Opcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice();
    case Opcode::kGather:
      return Gather();
    case Opcode::kScatter:
      return Scatter();
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<Access>> AccessesOfOperand(const hlo::Instruction& op,
                                                     const hlo::Shape& out, size_t k,
                                                     Context& context) {
  return Reader(op, out, k, context).Read();
}

}  // namespace affirm::prover
