// Counters are found by what a trip adds to them, the number of trips by solving the comparisons of
// the condition for the first trip in which one fails.
#include "core/analysis/loops/trip_count.h"

#include <algorithm>

#include "core/analysis/loops/scalar_values.h"
#include "core/hlo/leaves.h"
#include "core/symbolic/checked.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace affirm::analysis {
namespace {

constexpr int64_t kMaxTrips = int64_t{1} << 30;

// How many steps the counter makes without leaving its type: it is exact in trips 0 to that.
int64_t StepsWithoutWrap(const Counter& counter) {
  if (counter.step == 0) return kMaxTrips;
  const Interval values = ValuesOf(counter.type);
  const int128 room = counter.step > 0 ? int128{values.upper} - counter.first
                                       : int128{counter.first} - values.lower;
  const int128 step = counter.step > 0 ? int128{counter.step} : -int128{counter.step};
  return static_cast<int64_t>(std::min<int128>(room / step, kMaxTrips));
}

// The first t >= 0 at which `a + b * t < 0` does not hold; nullopt where there is none.
std::optional<int64_t> FirstNotNegative(int128 a, int128 b) {
  if (a >= 0) return 0;
  if (b <= 0) return std::nullopt;
  return static_cast<int64_t>((-a + b - 1) / b);
}

// The first t >= 0 at which `a + b * t <direction> 0` does not hold.
std::optional<int64_t> FirstFailure(llvm::StringRef direction, int128 a, int128 b) {
  if (direction == "LT") return FirstNotNegative(a, b);
  if (direction == "LE") return FirstNotNegative(a - 1, b);
  if (direction == "GT") return FirstNotNegative(-a, -b);
  if (direction == "GE") return FirstNotNegative(-a - 1, -b);
  if (direction == "EQ") {
    if (a != 0) return 0;
    return b != 0 ? std::optional<int64_t>(1) : std::nullopt;
  }
  if (direction != "NE") return std::nullopt;
  if (a == 0) return 0;
  if (b == 0 || -a % b != 0 || -a / b < 0) return std::nullopt;
  return static_cast<int64_t>(-a / b);
}

// The residue nearest to 0: to add 2^32 - 1 to a u32 is to take 1 away.
int64_t SignedResidue(int64_t step, hlo::PrimitiveType type) {
  const int unused = 64 - hlo::BitWidth(type);
  return static_cast<int64_t>(static_cast<uint64_t>(step) << unused) >> unused;
}

// The first trip in which the condition fails, if it is a comparison, or several all of which have
// to hold. `last` is the last trip in which nothing wraps.
std::optional<int64_t> Solve(InstructionLeaf at, int64_t last, ScalarValues& values,
                             Context& context) {
  const InstructionLeaf root = values.Origin(at);
  if (!root || root.op->operands.size() != 2) return std::nullopt;
  const InstructionLeaf left{root.op->operands[0], 0}, right{root.op->operands[1], 0};
  if (root.op->opcode == hlo::Opcode::kAnd) {
    const std::optional<int64_t> a = Solve(left, last, values, context);
    const std::optional<int64_t> b = a ? Solve(right, last, values, context) : std::nullopt;
    return b ? std::optional(std::min(*a, *b)) : std::nullopt;
  }
  if (root.op->opcode != hlo::Opcode::kCompare) return std::nullopt;
  const SymbolicExpr lhs = values.ValueOf(left), rhs = values.ValueOf(right);
  if (!lhs || !rhs) return std::nullopt;
  const SymbolicExpr difference = lhs - rhs;
  const std::optional<int64_t> at_0 = difference.Evaluate({0}).value;
  const std::optional<int64_t> at_1 = difference.Evaluate({1}).value;
  if (!at_0 || !at_1) return std::nullopt;
  const std::optional<int64_t> slope = CheckedSub(*at_1, *at_0);
  if (!slope || difference != context.Dim(0) * *slope + *at_0) return std::nullopt;
  std::optional<int64_t> trips =
      FirstFailure(root.op->attributes.comparison_direction, *at_0, *slope);
  return trips && *trips <= last ? trips : std::nullopt;
}

std::optional<int64_t> SolveCondition(const CallSites& sites, const ScalarValues::Carried& carried,
                                      int64_t last, Context& context) {
  ScalarValues values(sites, carried, {0, last}, context);
  return Solve({sites.top().root, 0}, last, values, context);
}

}  // namespace

std::vector<Counter> CountersOf(const hlo::Instruction& loop, Context& context) {
  const LoopParts parts = PartsOf(loop);
  if (!parts || !loop.parent) return {};
  // The initial values of the loop may be arguments of calls around it.
  const hlo::Module* module = loop.parent->module;
  const CallSites before(module && module->entry ? *module->entry : *loop.parent);
  const CallSites inside(*parts.body);
  ScalarValues starts(before, {}, {0, 0}, context), trip(inside, {}, {0, 0}, context);
  std::vector<Counter> counters;
  for (const hlo::LeafRef& leaf : hlo::Leaves(loop.shape)) {
    if (!leaf.shape->IsScalar() || !hlo::IsInt(leaf.shape->type)) continue;
    const SymbolicExpr first = starts.ValueOf({loop.operands[0], leaf.index});
    if (!first || !first.IsConstant()) continue;
    const SymbolicExpr next = trip.ModularValueOf({parts.body->root, leaf.index});
    if (!next) continue;
    const SymbolicExpr step = next - context.Dim(leaf.index);
    if (!step.IsConstant()) continue;
    counters.push_back({leaf.index, first.value(), SignedResidue(step.value(), leaf.shape->type),
                        leaf.shape->type});
  }
  return counters;
}

std::optional<int64_t> TripsByCondition(const hlo::Instruction& loop,
                                        llvm::ArrayRef<Counter> counters, Context& context) {
  const LoopParts parts = PartsOf(loop);
  if (!parts) return std::nullopt;
  const CallSites sites(*parts.condition);
  // One counter at a time, so that another one that wraps early does not stand in its way; then all
  // of them.
  for (size_t k = 0; k <= counters.size(); ++k) {
    ScalarValues::Carried carried;
    int64_t last = kMaxTrips;
    for (size_t i = 0; i < counters.size(); ++i) {
      const Counter& counter = counters[i];
      if (k < counters.size() && i != k && counter.step != 0) continue;
      carried[counter.leaf] = context.Dim(0) * counter.step + counter.first;
      last = std::min(last, StepsWithoutWrap(counter));
    }
    // A value computed from a counter may wrap before the counter does.
    for (; last > 0; last /= 2) {
      if (auto trips = SolveCondition(sites, carried, last, context)) return trips;
    }
    if (auto trips = SolveCondition(sites, carried, 0, context)) return trips;
  }
  return std::nullopt;
}

}  // namespace affirm::analysis
