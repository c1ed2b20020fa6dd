// Trips, one after the other, and what stays the same in all of them.
#include "verify/hlo/proof/loop_trips.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/scalar_execution.h"
#include "verify/hlo/proof/trip_induction.h"

namespace affirm {
namespace {

using hlo::Opcode;

// So few are run.
constexpr int64_t kFewTrips = 64;

// The start of the loop, from wherever it is run. Empty if it is never run.
std::optional<ScalarLeaves> StartOf(const hlo::Instruction& loop) {
  const hlo::Module* module = loop.parent ? loop.parent->module : nullptr;
  if (!module || !module->entry || !module->entry->root) return std::nullopt;
  std::optional<ScalarLeaves> start;
  ScalarExecution run([&](const hlo::Instruction& op, llvm::ArrayRef<std::optional<int128>> now) {
    if (&op != loop.operands[0]) return;
    if (!start) start = ScalarLeaves(now.begin(), now.end());
    for (size_t i = 0; i < now.size(); ++i) {
      if ((*start)[i] != now[i]) (*start)[i].reset();
    }
  });
  run.Run(*module->entry, {});
  // If the entry does not reach the loop: its computation alone, on any arguments.
  if (!start) run.Run(*loop.parent, {});
  return run.is_exhausted() ? std::nullopt : start;
}

}  // namespace

std::string RefuteTrips(const hlo::Instruction& loop, int64_t trips,
                        llvm::ArrayRef<TripValue> values, std::set<int64_t>& never) {
  const LoopComputations parts = ComputationsOf(loop);
  std::optional<ScalarLeaves> state = StartOf(loop);
  if (!parts.body || !state) return "what the loop starts from is not known";
  if (trips > kFewTrips && ProveTripsByInduction(parts, *state, trips, values)) return "";
  std::map<int64_t, std::vector<const TripValue*>> claimed;
  for (const TripValue& value : values) claimed[value.producer].push_back(&value);
  int64_t trip = 0;
  std::string problem;
  std::map<int64_t, bool> seen;
  auto watch = [&](const hlo::Instruction& op, llvm::ArrayRef<std::optional<int128>> now) {
    const auto claims = claimed.find(op.id);
    if (claims == claimed.end()) return;
    seen[op.id] = true;
    for (const TripValue* claim : claims->second) {
      const std::optional<int64_t> expected = claim->value.Evaluate({trip}).value;
      std::optional<int128> is = now.size() == 1 ? now[0] : std::nullopt;
      if (is) is = std::clamp<int128>(*is, claim->clamp.lower, claim->clamp.upper);
      if (expected && is == int128{*expected}) continue;
      problem = "the value of " + op.name + " in trip " + std::to_string(trip) +
                " is not known to be " + claim->value.ToString();
    }
  };
  ScalarExecution body(watch), condition;
  for (; trip <= trips; ++trip) {
    const ScalarLeaves again = condition.Run(*parts.condition, *state);
    if (again.size() != 1 || !again[0]) {
      return "whether trip " + std::to_string(trip) + " is made is not known";
    }
    if ((*again[0] != 0) != (trip < trips)) {
      return "the loop does not run " + std::to_string(trips) + " times";
    }
    if (trip == trips) break;
    *state = body.Run(*parts.body, *state);
    if (!problem.empty()) return problem;
  }
  for (const auto& [producer, claims] : claimed) {
    if (trips == 0 || seen.contains(producer)) continue;
    // An instruction that was never computed would have any value.
    if (body.has_skipped()) return "a runtime variable is not seen to be computed";
    never.insert(producer);
  }
  return "";
}

TripInvariants::TripInvariants(const hlo::Computation* body) {
  if (!body) return;
  Leaves carried;
  for (int64_t leaf = 0; leaf < hlo::NumLeaves(body->parameters[0]->shape); ++leaf) {
    carried.push_back(HandsThrough(*body, leaf));
  }
  Visit(*body, carried);
}

TripInvariants::Leaves TripInvariants::Visit(const hlo::Computation& computation,
                                             llvm::ArrayRef<Leaves> arguments) {
  llvm::DenseMap<const hlo::Instruction*, Leaves> known;
  ++depth_;
  for (const auto& op : computation.instructions) {
    const size_t leaves = static_cast<size_t>(hlo::NumLeaves(op->shape));
    bool all = true;
    std::vector<Leaves> operands;
    for (const hlo::Instruction* operand : op->operands) {
      operands.push_back(known[operand]);
      for (bool same : operands.back()) all = all && same;
    }
    Leaves result(leaves, false);
    switch (op->opcode) {
      case Opcode::kParameter:
        if (op->parameter_number >= 0 && op->parameter_number < std::ssize(arguments)) {
          result = arguments[op->parameter_number];
        }
        break;
      case Opcode::kTuple:
        result.clear();
        for (const Leaves& operand : operands) {
          result.insert(result.end(), operand.begin(), operand.end());
        }
        break;
      case Opcode::kGetTupleElement: {
        const int64_t first =
            hlo::FirstLeafOfElement(op->operands[0]->shape, op->attributes.tuple_index);
        for (size_t i = 0; first >= 0 && i < leaves; ++i) result[i] = operands[0][first + i];
        break;
      }
      case Opcode::kCall:
      case Opcode::kFusion:
        if (op->called.size() == 1 && op->called[0] && op->called[0]->root && depth_ < 64) {
          result = Visit(*op->called[0], operands);
        }
        break;
      case Opcode::kWhile: {
        const LoopComputations inner = ComputationsOf(*op);
        if (!inner.body || depth_ >= 64) break;
        for (size_t i = 0; i < leaves; ++i) {
          result[i] = operands[0][i] && HandsThrough(*inner.body, static_cast<int64_t>(i));
        }
        Visit(*inner.body, result);
        break;
      }
      default:
        // Only what is a function of its operands; what calls computations otherwise calls scalars.
        if (hlo::IsElementwise(op->opcode) || op->opcode == Opcode::kConstant ||
            op->opcode == Opcode::kIota || op->opcode == Opcode::kBroadcast ||
            op->opcode == Opcode::kReshape || op->opcode == Opcode::kBitcast ||
            op->opcode == Opcode::kTranspose || op->opcode == Opcode::kReverse ||
            op->opcode == Opcode::kSlice || op->opcode == Opcode::kConcatenate ||
            op->opcode == Opcode::kPad || op->opcode == Opcode::kDynamicSlice ||
            op->opcode == Opcode::kGather || op->opcode == Opcode::kReduce) {
          result.assign(leaves, all);
        }
    }
    result.resize(leaves, false);
    known[op.get()] = result;
    const bool same = llvm::all_of(result, [](bool leaf) { return leaf; });
    // In a computation that is run in several places it is not one value.
    const auto [at, is_new] = same_.try_emplace(op->id, same);
    if (!is_new) at->second = false;
  }
  --depth_;
  return known[computation.root];
}

}  // namespace affirm
