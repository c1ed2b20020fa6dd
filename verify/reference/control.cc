// Tuples, calls, loops and conditionals.
#include "verify/reference/control.h"

#include "core/hlo/trip_claim.h"
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

void ReadLeaves(const OpInvocation& call, const Shape& shape, int64_t first_result, int64_t operand,
                int64_t first_leaf) {
  if (call.observer == nullptr) return;
  const std::vector<const Shape*> leaves = LeafShapes(shape);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (!leaves[leaf]->IsArray()) continue;
    for (int64_t i = 0; i < leaves[leaf]->NumElements(); ++i) {
      call.Read(first_result + leaf, i, operand, first_leaf + leaf, i);
    }
  }
}

std::vector<Literal> ReadOperands(const OpInvocation& call) {
  std::vector<Literal> operands;
  int64_t first_result = 0;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    ReadLeaves(call, call.operand(k).shape(), first_result, k, 0);
    first_result += NumLeaves(call.operand(k).shape());
    operands.push_back(call.operand(k));
  }
  return operands;
}

Result EvaluateTuple(const OpInvocation& call) { return Literal::MakeTuple(ReadOperands(call)); }

Result EvaluateGetTupleElement(const OpInvocation& call) {
  const std::vector<Literal>& elements = call.operand(0).tuple();
  const int64_t index = call.attributes().tuple_index;
  if (index < 0 || index >= std::ssize(elements)) {
    return Fail(call.instruction,
                "asks for element " + llvm::Twine(index) + " of " + llvm::Twine(elements.size()));
  }
  const int64_t first_leaf = FirstLeafOfElement(call.operand(0).shape(), index);
  ReadLeaves(call, elements[index].shape(), 0, 0, first_leaf);
  return elements[index];
}

Result EvaluateForward(const OpInvocation& call) {
  if (call.operands.empty()) return Literal(call.instruction.shape);  // a token
  if (call.operands.size() > 1 && call.instruction.opcode == Opcode::kOptimizationBarrier) {
    return EvaluateTuple(call);
  }
  ReadLeaves(call, call.operand(0).shape(), 0, 0, 0);
  return call.operand(0);
}

namespace {

// The result of the computation that an op called last; its sources are reported to the observer.
Result Finish(const OpInvocation& call, llvm::Expected<Traced> traced) {
  if (!traced) return traced.takeError();
  ReportSources(call, *traced);
  return std::move(traced->value);
}

}  // namespace

Result EvaluateCall(const OpInvocation& call) {
  if (call.instruction.opcode == Opcode::kFusion && call.options != nullptr &&
      call.options->run_fusion) {
    if (auto value = call.options->run_fusion(call.instruction, call.operands)) {
      return std::move(*value);
    }
  }
  auto callee = Callee(call.instruction, "");
  if (!callee) return callee.takeError();
  if (call.observer == nullptr) return InterpretWith(**callee, call.operands, call.options);
  std::vector<Traced> operands;
  operands.reserve(call.operands.size());
  std::vector<const Traced*> arguments;
  arguments.reserve(call.operands.size());
  for (size_t k = 0; k < call.operands.size(); ++k) operands.push_back(TracedOperand(call, k));
  for (const Traced& operand : operands) arguments.push_back(&operand);
  return Finish(call, InterpretTraced(**callee, arguments, true, call.options));
}

llvm::Expected<bool> LoopRunsAgain(const Instruction& loop, const Computation& condition,
                                   const Literal& state, const InterpretOptions* options) {
  Result again = InterpretWith(condition, &state, options);
  if (!again) return again.takeError();
  if (again->shape().type != PrimitiveType::kPred || !again->shape().IsScalar()) {
    return Fail(loop, "has a condition that is no pred[]");
  }
  return again->GetInt(0) != 0;
}

llvm::Error CheckClaimedTrips(const Instruction& loop, int64_t trips,
                              const InterpretOptions* options) {
  if (options == nullptr || !options->promises.claimed_trips) return llvm::Error::success();
  const std::optional<int64_t> claimed = ClaimedTrips(loop);
  if (!claimed || *claimed == trips) return llvm::Error::success();
  return FailOpen(loop, "claims a known_trip_count of " + llvm::Twine(*claimed) +
                            ", and its condition ends it after " + llvm::Twine(trips));
}

// Whether a state is one that a loop had before, and so has again and again: it is compared with
// that of the last trip whose number is a power of two.
class RepeatedState {
 public:
  bool Sees(int64_t trip, const Literal& state) {
    // Most loops end before.
    if (trip < kFirstKept) return false;
    if (kept_ && IsSame(*kept_, state)) return true;
    if ((trip & (trip - 1)) == 0) kept_ = state;
    return false;
  }

 private:
  static constexpr int64_t kFirstKept = 1 << 12;
  static bool IsSame(const Literal& a, const Literal& b) {
    if (!a.shape().IsTuple()) return a.bytes() == b.bytes();
    for (auto [x, y] : llvm::zip(a.tuple(), b.tuple())) {
      if (!IsSame(x, y)) return false;
    }
    return true;
  }
  std::optional<Literal> kept_;
};

// Reads are followed through the state of every trip. That the number of trips depends on the state
// is not reported as a read.
Result EvaluateWhile(const OpInvocation& call) {
  auto condition = Callee(call.instruction, "condition");
  if (!condition) return condition.takeError();
  auto body = Callee(call.instruction, "body");
  if (!body) return body.takeError();
  Traced state = TracedOperand(call, 0);
  RepeatedState repeated;
  for (int64_t trip = 0; trip < kMaxTrips; ++trip) {
    auto again = LoopRunsAgain(call.instruction, **condition, state.value, call.options);
    if (!again) return again.takeError();
    const bool leave = *again && call.options != nullptr && call.options->leave_loop &&
                       call.options->leave_loop(call.instruction, trip);
    if (!*again) {
      if (llvm::Error error = CheckClaimedTrips(call.instruction, trip, call.options)) return error;
    }
    if (!*again || leave) return Finish(call, std::move(state));
    auto next = InterpretTraced(**body, &state, call.observer != nullptr, call.options);
    if (!next) return next.takeError();
    state = std::move(*next);
    if (repeated.Sees(trip + 1, state.value))
      return FailOpen(call.instruction, "never ends: its state comes back");
  }
  return Fail(call.instruction, "ran for more than " + llvm::Twine(kMaxTrips) + " trips");
}

llvm::Expected<Branch> ChooseBranch(const OpInvocation& call) {
  const Literal& selector = call.operand(0);
  const auto count = static_cast<int64_t>(call.instruction.called.size());
  if (!selector.shape().IsScalar() || ScalarKindOf(selector.shape().type) != ScalarKind::kInt ||
      count == 0 || std::ssize(call.operands) != count + 1) {
    return Fail(call.instruction, "needs a selector, and an operand for each branch");
  }
  int64_t branch = selector.GetInt(0);
  if (selector.shape().type != PrimitiveType::kPred) {
    if (branch < 0 || branch >= count) branch = count - 1;
    return Branch{call.instruction.called[branch], branch + 1};
  }
  const llvm::StringRef key = branch != 0 ? "true_computation" : "false_computation";
  const auto& keys = call.instruction.called_as;
  const auto named = llvm::find(keys, key);
  // The operands are in the order true, false, whatever the order of the attributes is.
  const int64_t callee = named != keys.end() ? named - keys.begin() : int64_t{branch == 0};
  if (count != 2 || callee >= count) return Fail(call.instruction, "has too few branches");
  return Branch{call.instruction.called[callee], branch != 0 ? 1 : 2};
}

Result EvaluateConditional(const OpInvocation& call) {
  auto branch = ChooseBranch(call);
  if (!branch) return branch.takeError();
  const Traced argument = TracedOperand(call, branch->operand);
  auto result = InterpretTraced(*branch->callee, &argument, call.observer != nullptr, call.options);
  if (!result) return result.takeError();
  for (auto& leaf : result->sources) {
    for (Traced::Sources& sources : leaf) sources.push_back({0, 0, 0});
  }
  return Finish(call, std::move(result));
}

}  // namespace affirm::hlo
