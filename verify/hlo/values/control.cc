// Tuples, and calls, branches and loops, which are built as if they stood in the caller: a loop of
// few trips as one trip after the other.
#include "core/hlo/leaves.h"
#include "core/hlo/trip_claim.h"
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

Value Tuple(const Query& q) {
  int64_t leaf = q.leaf;
  for (size_t k = 0; k < q.op.operands.size(); ++k) {
    const int64_t count = hlo::NumLeaves(q.operand(k));
    if (leaf < count) return q.Operand(k, q.index, leaf);
    leaf -= count;
  }
  return NoValueTerm(q.op);
}

Value GetTupleElement(const Query& q) {
  const int64_t first = hlo::FirstLeafOfElement(q.operand(0), q.op.attributes.tuple_index);
  return q.Operand(0, q.index, first + q.leaf);
}

// The value of the first operand; of a barrier of several, of all of them.
Value Forward(const Query& q) {
  if (q.op.opcode == hlo::Opcode::kOptimizationBarrier && q.op.operands.size() > 1) return Tuple(q);
  return q.Operand(0, q.index, q.leaf);
}

Value Call(const Query& q) {
  if (q.op.called.size() != 1) return NoValueTerm(q.op);
  Frame& frame = q.builder.Called(q.frame, q.op);
  return q.builder.At(frame, *q.op.called[0]->root, q.leaf, q.index);
}

// The branch of the selector: of a predicate the first where it is true, else that of its number,
// and the last where there is none of it.
Value Conditional(const Query& q) {
  const auto count = static_cast<int64_t>(q.op.called.size());
  Value selector = q.Operand(0, {});
  if (!selector) return selector;
  auto branch = [&](int64_t number) -> Value {
    Frame& frame = q.builder.Branch(q.frame, q.op, number);
    return q.builder.At(frame, *q.op.called[number]->root, q.leaf, q.index);
  };
  if (q.operand(0).type == hlo::PrimitiveType::kPred) {
    return q.Choose(
        q.pool().Holds(*selector), [&] { return branch(0); }, [&] { return branch(1); });
  }
  const Term number = terms::IntegerIn(q.scope(), *selector, q.operand(0).type);
  std::function<Value(int64_t)> from = [&](int64_t k) -> Value {
    if (k == count - 1) return branch(k);
    return q.Choose(
        q.pool().Equal(number, q.pool().Number(k)), [&] { return branch(k); },
        [&] { return from(k + 1); });
  };
  return from(0);
}

namespace {

// Instructions of a loop that is written out, those of all trips together.
constexpr int64_t kMostInstructions = 128;

int64_t NumInstructions(const hlo::Computation& computation) {
  auto count = std::ssize(computation.instructions);
  for (const auto& op : computation.instructions) {
    for (const hlo::Computation* called : op->called) count += NumInstructions(*called);
    if (count > kMostInstructions) break;
  }
  return count;
}

}  // namespace

// The result of the body in the last trip, before the first trip whose condition is false. In each
// trip it is known whether there is another one. XLA runs a loop as often as its configuration
// claims, so a loop with claims is not written out.
Value While(const Query& q) {
  const hlo::Computation *condition = CalledAs(q.op, "condition"), *body = CalledAs(q.op, "body");
  if (!condition || !body || !hlo::TripClaim(q.op).empty()) return NoValueTerm(q.op);
  const int64_t most_trips = std::min(
      Builder::kMostTrips, kMostInstructions / std::max<int64_t>(1, NumInstructions(*body)));
  for (int64_t trip = 0; trip <= most_trips; ++trip) {
    Frame& frame = q.builder.Trip(q.frame, q.op, *condition, trip);
    Value again = q.builder.At(frame, *condition->root, 0, {});
    if (!again) return again;
    const std::optional<bool> decided = q.scope().Decide(q.pool().Holds(*again));
    if (!decided) return NoValueTerm(q.op);
    if (*decided) continue;
    if (trip == 0) return q.Operand(0, q.index, q.leaf);
    return q.builder.At(q.builder.Trip(q.frame, q.op, *body, trip - 1), *body->root, q.leaf,
                        q.index);
  }
  return NoValueTerm(q.op);
}

}  // namespace affirm::hlo_values
