#include "verify/equivalence/loop_parts.h"

#include <numeric>

#include "core/hlo/choices.h"
#include "core/hlo/trip_claim.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/flatten.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

bool IsElement(const Instruction& op, size_t k) {
  return op.opcode == Opcode::kGetTupleElement && op.operands[0]->opcode == Opcode::kParameter &&
         op.attributes.tuple_index == static_cast<int64_t>(k);
}

std::optional<int64_t> ConstantOf(const Instruction& op) {
  if (op.opcode != Opcode::kConstant || !op.literal || !op.shape.IsScalar() ||
      !hlo::IsInt(op.shape.type))
    return std::nullopt;
  return op.literal->GetInt(0);
}

// The constant that `next` adds to integer element k; nullopt for INT64_MIN, which has no negation.
std::optional<int64_t> StepOf(const Instruction& next, size_t k) {
  if (!hlo::IsInt(next.shape.type) || !next.shape.IsScalar()) return std::nullopt;
  if (next.opcode != Opcode::kAdd && next.opcode != Opcode::kSubtract) return std::nullopt;
  for (size_t of : {0, 1}) {
    const auto step = ConstantOf(*next.operands[1 - of]);
    if (!step || *step == INT64_MIN || !IsElement(*next.operands[of], k)) continue;
    if (next.opcode == Opcode::kAdd) return step;
    if (of == 0) return -*step;
  }
  return std::nullopt;
}

// Whether the only parameter is used by get-tuple-element alone.
bool TakesStateApart(const Computation& computation) {
  return computation.parameters.size() == 1 &&
         llvm::all_of(computation.parameters[0]->users, [](const Instruction* user) {
           return user->opcode == Opcode::kGetTupleElement;
         });
}

}  // namespace

Counters::Counters(llvm::ArrayRef<Instruction*> next) : steps_(next.size()), leaders_(next.size()) {
  for (auto [k, op] : llvm::enumerate(next)) steps_[k] = affirm::equivalence::StepOf(*op, k);
  // Sorts by step size. The first possible leader of a counter has no leader itself, since that
  // would divide this step too, and come earlier.
  std::vector<size_t> order(next.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::erase_if(order, [&](size_t k) { return !steps_[k] || *steps_[k] == 0; });
  llvm::stable_sort(
      order, [&](size_t x, size_t y) { return std::abs(*steps_[x]) < std::abs(*steps_[y]); });
  for (auto [place, k] : llvm::enumerate(order)) {
    for (size_t leader : llvm::ArrayRef(order).take_front(place)) {
      if (next[leader]->shape.type != next[k]->shape.type || *steps_[k] % *steps_[leader] != 0)
        continue;
      leaders_[k] = {leader, *steps_[k] / *steps_[leader]};
      break;
    }
  }
}

bool IsKept(const Instruction& next, size_t k, const Instruction& init) {
  if (IsElement(next, k)) return true;
  return next.opcode == Opcode::kConstant && init.opcode == Opcode::kConstant && next.literal &&
         init.literal && *next.literal == *init.literal;
}

bool Loop::IsInvariant(size_t k) const { return IsKept(*next()[k], k, *init[k]); }

std::optional<int64_t> Loop::StartOf(size_t k) const {
  return counters.StepOf(k) ? ConstantOf(*init[k]) : std::nullopt;
}

bool Loop::IsSeenBehind(size_t k) const {
  return llvm::any_of(loop->users, [&](const Instruction* user) {
    return user->opcode != Opcode::kGetTupleElement ||
           user->attributes.tuple_index == static_cast<int64_t>(k);
  });
}

std::optional<Loop> TakeApart(const Instruction& loop) {
  if (loop.opcode != Opcode::kWhile || loop.operands[0]->opcode != Opcode::kTuple ||
      !hlo::TripClaim(loop).empty())
    return std::nullopt;
  Loop made;
  made.loop = &loop;
  made.init = loop.operands[0]->operands;
  made.chooses = hlo::MayChooseInside(loop);
  if (!llvm::all_of(loop.shape.tuple, [](const Shape& shape) { return shape.IsArray(); }))
    return std::nullopt;
  for (auto [called, as] : llvm::zip(loop.called, loop.called_as))
    (as == "body" ? made.body : made.condition) = Flattened(*called);
  if (!made.body || !made.condition || made.body->root->opcode != Opcode::kTuple ||
      !TakesStateApart(*made.body) || !TakesStateApart(*made.condition) ||
      made.next().size() != made.size())
    return std::nullopt;
  made.counters = Counters(made.next());
  return made;
}

}  // namespace affirm::equivalence
