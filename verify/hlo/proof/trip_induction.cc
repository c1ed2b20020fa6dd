#include "verify/hlo/proof/trip_induction.h"

#include <map>
#include <set>
#include <utility>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

// first + step * t in trip t.
struct Even {
  int128 first = 0, step = 0;
  int128 At(int128 trip) const { return first + step * trip; }
  friend bool operator==(const Even&, const Even&) = default;
};
using MaybeEven = std::optional<Even>;
using EvenLeaves = std::vector<MaybeEven>;

constexpr int kMostNestedCalls = 64;

bool IsOneInteger(const hlo::Shape& shape) {
  return shape.IsArray() && (hlo::IsInt(shape.type) || shape.type == PrimitiveType::kPred) &&
         shape.NumElements() == 1;
}

// Runs a computation for trips 0 to `last` at once. What might leave its type in one of them is not
// known, so that nothing wraps.
class EvenExecution {
 public:
  using Observer = std::function<void(const hlo::Instruction&, const EvenLeaves&)>;
  EvenExecution(int64_t last, Observer seen) : last_(last), seen_(std::move(seen)) {}

  EvenLeaves Run(const hlo::Computation& computation, llvm::ArrayRef<EvenLeaves> arguments) {
    if (depth_ >= kMostNestedCalls) return EvenLeaves(hlo::NumLeaves(computation.root->shape));
    ++depth_;
    llvm::DenseMap<const hlo::Instruction*, EvenLeaves> known;
    for (const auto& op : computation.instructions) {
      EvenLeaves leaves = Execute(*op, known, arguments);
      leaves.resize(hlo::NumLeaves(op->shape));
      if (seen_) seen_(*op, leaves);
      known[op.get()] = std::move(leaves);
    }
    --depth_;
    return known[computation.root];
  }

 private:
  EvenLeaves Execute(const hlo::Instruction& op,
                     llvm::DenseMap<const hlo::Instruction*, EvenLeaves>& known,
                     llvm::ArrayRef<EvenLeaves> arguments) {
    switch (op.opcode) {
      case Opcode::kParameter: {
        const bool given = op.parameter_number >= 0 && op.parameter_number < std::ssize(arguments);
        return given ? arguments[op.parameter_number] : EvenLeaves();
      }
      case Opcode::kCall:
      case Opcode::kFusion: {
        if (op.called.size() != 1) return {};
        std::vector<EvenLeaves> operands;
        operands.reserve(op.operands.size());
        for (const hlo::Instruction* operand : op.operands) operands.push_back(known[operand]);
        return Run(*op.called[0], operands);
      }
      case Opcode::kTuple: {
        EvenLeaves all;
        for (const hlo::Instruction* operand : op.operands) llvm::append_range(all, known[operand]);
        return all;
      }
      case Opcode::kGetTupleElement: {
        const int64_t first =
            hlo::FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
        if (first < 0) return {};
        const auto begin = known[op.operands[0]].begin() + first;
        return EvenLeaves(begin, begin + hlo::NumLeaves(op.shape));
      }
      default:
        break;
    }
    if (!IsOneInteger(op.shape) || !op.called.empty()) return {};
    if (op.opcode == Opcode::kConstant) {
      if (!op.literal || op.literal->shape().dims != op.shape.dims) return {};
      return {InType({op.literal->GetInt(0), 0}, op.shape.type)};
    }
    std::vector<Even> x;
    for (const hlo::Instruction* operand : op.operands) {
      const bool is_integer = IsOneInteger(operand->shape);
      if (!is_integer || !known[operand][0]) return {};
      x.push_back(*known[operand][0]);
    }
    const MaybeEven value = Apply(op, x);
    return {value ? InType(*value, op.shape.type) : std::nullopt};
  }

  // Numbers between those of the first and the last trip are between these.
  MaybeEven InType(Even value, PrimitiveType type) const {
    int128 low = 0, high = 1;
    if (type != PrimitiveType::kPred) {
      const int64_t bits = hlo::BitWidth(type);
      const bool is_signed = hlo::IsSignedInt(type);
      low = is_signed ? -(int128{1} << (bits - 1)) : int128{0};
      high = (int128{1} << (is_signed ? bits - 1 : bits)) - 1;
    }
    for (int128 at : {value.first, value.At(last_)}) {
      if (at < low || at > high) return std::nullopt;
    }
    return value;
  }

  // Whether a < b in all trips, or in none.
  std::optional<bool> Less(const Even& a, const Even& b) const {
    const int128 first = b.first - a.first, last = b.At(last_) - a.At(last_);
    if (first > 0 && last > 0) return true;
    if (first <= 0 && last <= 0) return false;
    return std::nullopt;
  }

  std::optional<bool> Compare(const std::string& direction, const Even& a, const Even& b) const {
    auto no = [](std::optional<bool> x) { return x ? std::optional<bool>(!*x) : std::nullopt; };
    if (direction == "LT") return Less(a, b);
    if (direction == "GT") return Less(b, a);
    if (direction == "GE") return no(Less(a, b));
    if (direction == "LE") return no(Less(b, a));
    std::optional<bool> equal;
    if (a == b) equal = true;
    if (Less(a, b) == true || Less(b, a) == true) equal = false;
    if (direction == "EQ") return equal;
    return direction == "NE" ? no(equal) : std::nullopt;
  }

  MaybeEven Apply(const hlo::Instruction& op, llvm::ArrayRef<Even> x) const {
    const bool one = x.size() == 1, two = x.size() == 2, three = x.size() == 3;
    const bool is_number = op.shape.type != PrimitiveType::kPred;
    switch (op.opcode) {
      case Opcode::kAdd:
        if (!two || !is_number) return std::nullopt;
        return Even{x[0].first + x[1].first, x[0].step + x[1].step};
      case Opcode::kSubtract:
        if (!two || !is_number) return std::nullopt;
        return Even{x[0].first - x[1].first, x[0].step - x[1].step};
      case Opcode::kMultiply: {
        if (!two || !is_number || (x[0].step != 0 && x[1].step != 0)) return std::nullopt;
        const Even &factor = x[0].step == 0 ? x[0] : x[1], &other = x[0].step == 0 ? x[1] : x[0];
        // So that products fit 128 bits.
        const int128 most = int128{1} << 32;
        for (int128 v : {factor.first, other.first, other.step}) {
          if (v > most || v < -most) return std::nullopt;
        }
        return Even{factor.first * other.first, factor.first * other.step};
      }
      case Opcode::kConvert:
        if (!one || !is_number || op.operands[0]->shape.type == PrimitiveType::kPred)
          return std::nullopt;
        return x[0];
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kCopy:
      case Opcode::kReshape:
        if (!one || op.operands[0]->shape.type != op.shape.type) return std::nullopt;
        return x[0];
      case Opcode::kCompare: {
        if (!two) return std::nullopt;
        const auto holds = Compare(op.attributes.comparison_direction, x[0], x[1]);
        return holds ? MaybeEven(Even{*holds ? 1 : 0, 0}) : std::nullopt;
      }
      case Opcode::kSelect:
        if (!three || x[0].step != 0) return std::nullopt;
        return x[0].first != 0 ? x[1] : x[2];
      case Opcode::kMaximum:
      case Opcode::kMinimum: {
        if (!two || !is_number) return std::nullopt;
        const auto less = Less(x[0], x[1]);
        if (!less) return std::nullopt;
        return x[(op.opcode == Opcode::kMaximum) == *less ? 1 : 0];
      }
      default:
        return std::nullopt;
    }
  }

  const int64_t last_;
  Observer seen_;
  int depth_ = 0;
};

// A sum of multiples of the trip's number: its values at two trips say what it is in all.
bool IsSumOfMultiples(SymbolicExpr e) {
  bool is = true;
  e.Walk([&](SymbolicExpr node) {
    switch (node.kind()) {
      case ExprKind::kConstant:
      case ExprKind::kVariable:
      case ExprKind::kAdd:
        return;
      case ExprKind::kMul:
        is &= llvm::count_if(node.ops(), [](SymbolicExpr op) { return !op.IsConstant(); }) <= 1;
        return;
      default:
        is = false;
    }
  });
  return is;
}

// Whether the value, clamped, is what is claimed, in trips 0 to `last`.
bool IsAsClaimed(const TripValue& claim, Even value, int64_t last) {
  const int128 ends[] = {value.first, value.At(last)};
  auto at_both = [&](auto holds) { return holds(ends[0]) && holds(ends[1]); };
  if (at_both([&](int128 v) { return v <= claim.clamp.lower; })) {
    value = {claim.clamp.lower, 0};
  } else if (at_both([&](int128 v) { return v >= claim.clamp.upper; })) {
    value = {claim.clamp.upper, 0};
  } else if (!at_both([&](int128 v) { return v >= claim.clamp.lower && v <= claim.clamp.upper; })) {
    return false;
  }
  if (!IsSumOfMultiples(claim.value)) return false;
  for (int64_t trip : {int64_t{0}, int64_t{1}, last}) {
    const std::optional<int64_t> expected = claim.value.Evaluate({trip}).value;
    if (!expected || int128{*expected} != value.At(trip)) return false;
  }
  return true;
}

}  // namespace

bool ProveTripsByInduction(const LoopComputations& loop, const ScalarLeaves& start, int64_t trips,
                           llvm::ArrayRef<TripValue> values) {
  if (trips < 2) return false;
  const int64_t last = trips - 1;
  // The first trip's result from the start suggests the hypothesis, which is then proved.
  const ScalarLeaves next = ScalarExecution().Run(*loop.body, start);
  EvenLeaves state(start.size());
  for (size_t leaf = 0; leaf < state.size(); ++leaf) {
    if (start[leaf] && next[leaf]) state[leaf] = Even{*start[leaf], *next[leaf] - *start[leaf]};
  }
  std::map<int64_t, std::vector<const TripValue*>> claimed;
  for (const TripValue& value : values) claimed[value.producer].push_back(&value);
  std::set<int64_t> seen;
  bool as_claimed = true;
  for (bool holds = false; !holds;) {
    holds = as_claimed = true;
    seen.clear();
    EvenExecution body(last, [&](const hlo::Instruction& op, const EvenLeaves& leaves) {
      const auto claims = claimed.find(op.id);
      if (claims == claimed.end()) return;
      seen.insert(op.id);
      const MaybeEven value = leaves.size() == 1 ? leaves[0] : std::nullopt;
      for (const TripValue* claim : claims->second)
        as_claimed = as_claimed && value && IsAsClaimed(*claim, *value, last);
    });
    const EvenLeaves after = body.Run(*loop.body, {state});
    for (size_t leaf = 0; leaf < state.size(); ++leaf) {
      if (!state[leaf]) continue;
      const Even wanted = {state[leaf]->At(1), state[leaf]->step};
      if (leaf < after.size() && after[leaf] == wanted) continue;
      state[leaf].reset();
      holds = false;
    }
  }
  if (!as_claimed || seen.size() != claimed.size()) return false;
  const EvenLeaves again = EvenExecution(last, {}).Run(*loop.condition, {state});
  if (again.size() != 1 || again[0] != Even{1, 0}) return false;
  ScalarLeaves end(state.size());
  for (size_t leaf = 0; leaf < state.size(); ++leaf) {
    if (state[leaf]) end[leaf] = state[leaf]->At(trips);
  }
  const ScalarLeaves no_more = ScalarExecution().Run(*loop.condition, {end});
  return no_more.size() == 1 && no_more[0] == int128{0};
}

}  // namespace affirm
