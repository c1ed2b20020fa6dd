// Integer operations of HLO on single elements: exact, then reduced to the type, as XLA's operation
// semantics say.
#include "verify/hlo/proof/scalar_execution.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using MaybeInt = std::optional<int128>;

bool IsOneInteger(const hlo::Shape& shape) {
  return shape.IsArray() && (hlo::IsInt(shape.type) || shape.type == PrimitiveType::kPred) &&
         shape.NumElements() == 1;
}

// The number that the low bits of v are in the type.
int128 Reduced(int128 v, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return v & 1;
  const int128 size = int128{1} << hlo::BitWidth(type);
  const int128 low = ((v % size) + size) % size;
  return hlo::IsSignedInt(type) && low >= size / 2 ? low - size : low;
}

MaybeInt Compare(const std::string& direction, int128 a, int128 b) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return a < b;
  if (direction == "LE") return a <= b;
  if (direction == "GT") return a > b;
  if (direction == "GE") return a >= b;
  return std::nullopt;
}

// An elementwise operation on known integers; none for what is not listed.
MaybeInt Apply(const hlo::Instruction& op, llvm::ArrayRef<int128> x) {
  const PrimitiveType type = op.shape.type;
  const bool one = x.size() == 1, two = x.size() == 2, three = x.size() == 3;
  switch (op.opcode) {
    case Opcode::kAdd:
      return two ? MaybeInt(type == PrimitiveType::kPred ? x[0] | x[1] : x[0] + x[1])
                 : std::nullopt;
    case Opcode::kSubtract:
      return two && type != PrimitiveType::kPred ? MaybeInt(x[0] - x[1]) : std::nullopt;
    case Opcode::kMultiply:
      // Modulo 2^64 at most, so that products of reduced numbers fit 128 bits.
      return two ? MaybeInt(Reduced(x[0], PrimitiveType::kS64) * Reduced(x[1], PrimitiveType::kS64))
                 : std::nullopt;
    case Opcode::kNegate:
      return one ? MaybeInt(-x[0]) : std::nullopt;
    case Opcode::kMaximum:
      return two ? MaybeInt(std::max(x[0], x[1])) : std::nullopt;
    case Opcode::kMinimum:
      return two ? MaybeInt(std::min(x[0], x[1])) : std::nullopt;
    case Opcode::kAnd:
      return two ? MaybeInt(x[0] & x[1]) : std::nullopt;
    case Opcode::kOr:
      return two ? MaybeInt(x[0] | x[1]) : std::nullopt;
    case Opcode::kXor:
      return two ? MaybeInt(x[0] ^ x[1]) : std::nullopt;
    case Opcode::kNot:
      return one ? MaybeInt(type == PrimitiveType::kPred ? 1 - x[0] : -x[0] - 1) : std::nullopt;
    case Opcode::kDivide:
    case Opcode::kRemainder:
      if (!two || x[1] == 0) return std::nullopt;
      return op.opcode == Opcode::kDivide ? x[0] / x[1] : x[0] % x[1];
    case Opcode::kCompare:
      return two ? Compare(op.attributes.comparison_direction, x[0], x[1]) : std::nullopt;
    case Opcode::kClamp:
      return three ? MaybeInt(std::min(std::max(x[0], x[1]), x[2])) : std::nullopt;
    case Opcode::kConvert:
      if (!one) return std::nullopt;
      return type == PrimitiveType::kPred ? int128{x[0] != 0} : x[0];
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kTranspose:
      return one && op.operands[0]->shape.type == type ? MaybeInt(x[0]) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Keeps the facts that both alternatives have.
void Join(ScalarLeaves& into, const ScalarLeaves& other) {
  for (size_t i = 0; i < into.size(); ++i) {
    if (i >= other.size() || into[i] != other[i]) into[i].reset();
  }
}

// Whether the op applies its computation to scalars, which reads nothing at an index.
bool AppliesToScalars(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllReduce:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReduceScatter:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSort:
      return true;
    default:
      return false;
  }
}

ScalarLeaves Unknown(const hlo::Shape& shape) { return ScalarLeaves(hlo::NumLeaves(shape)); }

// The leaf of the parameter that leaf `leaf` of `op` is.
bool IsLeafOfParameter(const hlo::Instruction& op, int64_t leaf, int64_t wanted) {
  if (op.opcode == Opcode::kParameter) return op.parameter_number == 0 && leaf == wanted;
  if (op.opcode == Opcode::kGetTupleElement && op.operands.size() == 1) {
    const int64_t first = hlo::FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
    return first >= 0 && IsLeafOfParameter(*op.operands[0], first + leaf, wanted);
  }
  if (op.opcode != Opcode::kTuple) return false;
  for (const hlo::Instruction* operand : op.operands) {
    const int64_t leaves = hlo::NumLeaves(operand->shape);
    if (leaf < leaves) return IsLeafOfParameter(*operand, leaf, wanted);
    leaf -= leaves;
  }
  return false;
}

}  // namespace

LoopComputations ComputationsOf(const hlo::Instruction& loop) {
  LoopComputations found;
  if (loop.opcode != Opcode::kWhile || loop.operands.size() != 1) return {};
  for (size_t i = 0; i < std::min(loop.called.size(), loop.called_as.size()); ++i) {
    if (loop.called_as[i] == "body") found.body = loop.called[i];
    if (loop.called_as[i] == "condition") found.condition = loop.called[i];
  }
  const int64_t leaves = hlo::NumLeaves(loop.shape);
  for (const hlo::Computation* c : {found.body, found.condition}) {
    if (!c || !c->root || c->parameters.size() != 1 || !c->parameters[0]) return {};
    if (hlo::NumLeaves(c->parameters[0]->shape) != leaves) return {};
  }
  const bool fits = hlo::NumLeaves(found.body->root->shape) == leaves &&
                    hlo::NumLeaves(loop.operands[0]->shape) == leaves;
  return fits ? found : LoopComputations{};
}

bool HandsThrough(const hlo::Computation& body, int64_t leaf) {
  return IsLeafOfParameter(*body.root, leaf, leaf);
}

const ScalarExecution::Plan& ScalarExecution::PlanOf(const hlo::Computation& computation) {
  std::unique_ptr<Plan>& plan = plans_[&computation];
  if (plan) return *plan;
  plan = std::make_unique<Plan>();
  for (const auto& op : computation.instructions) {
    const std::vector<const hlo::Shape*> leaves = hlo::LeafShapes(op->shape);
    const bool has_integers =
        llvm::any_of(leaves, [](const hlo::Shape* leaf) { return IsOneInteger(*leaf); });
    // Ops that call computations are run for the effects inside.
    if (!has_integers && op->called.empty() && op->opcode != Opcode::kParameter) continue;
    plan->steps.push_back(op.get());
    plan->first[op.get()] = plan->leaves;
    plan->leaves += leaves.size();
  }
  return *plan;
}

ScalarLeaves ScalarExecution::Run(const hlo::Computation& computation,
                                  llvm::ArrayRef<ScalarLeaves> arguments) {
  if (depth_ >= kMaxDepth) {
    has_skipped_ = true;
    return Unknown(computation.root->shape);
  }
  ++depth_;
  const Plan& plan = PlanOf(computation);
  ScalarLeaves frame(plan.leaves);
  auto value_of = [&](const hlo::Instruction& op) {
    const auto at = plan.first.find(&op);
    const size_t leaves = static_cast<size_t>(hlo::NumLeaves(op.shape));
    if (at == plan.first.end()) return ScalarLeaves(leaves);
    return ScalarLeaves(frame.begin() + at->second, frame.begin() + at->second + leaves);
  };
  for (const hlo::Instruction* op : plan.steps) {
    if (++steps_ > kMaxSteps) break;
    ScalarLeaves result;
    if (op->opcode == Opcode::kParameter) {
      const bool given = op->parameter_number >= 0 && op->parameter_number < std::ssize(arguments);
      if (given) result = arguments[op->parameter_number];
    } else {
      std::vector<ScalarLeaves> operands;
      operands.reserve(op->operands.size());
      for (const hlo::Instruction* operand : op->operands) operands.push_back(value_of(*operand));
      result = Execute(*op, operands);
    }
    result.resize(hlo::NumLeaves(op->shape));
    std::copy(result.begin(), result.end(), frame.begin() + plan.first.lookup(op));
    if (seen_) seen_(*op, result);
  }
  --depth_;
  return is_exhausted() ? Unknown(computation.root->shape) : value_of(*computation.root);
}

ScalarLeaves ScalarExecution::Execute(const hlo::Instruction& op,
                                      llvm::ArrayRef<ScalarLeaves> operands) {
  switch (op.opcode) {
    case Opcode::kCall:
    case Opcode::kFusion:
      if (op.called.size() == 1 && op.called[0] && op.called[0]->root) {
        return Run(*op.called[0], operands);
      }
      has_skipped_ = true;
      return Unknown(op.shape);
    case Opcode::kAsyncStart:
      // For what is computed inside; the order of the result's leaves does not matter.
      has_skipped_ |= op.called.size() != 1 || !op.called[0] || !op.called[0]->root;
      if (op.called.size() == 1 && op.called[0] && op.called[0]->root) Run(*op.called[0], operands);
      return Unknown(op.shape);
    case Opcode::kConditional:
      return RunConditional(op, operands);
    case Opcode::kWhile:
      if (operands.size() == 1) return RunLoopOnce(op, operands[0]);
      has_skipped_ = true;
      return Unknown(op.shape);
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
    case Opcode::kTuple: {
      ScalarLeaves all;
      for (const ScalarLeaves& operand : operands)
        all.insert(all.end(), operand.begin(), operand.end());
      return all;
    }
    case Opcode::kGetTupleElement: {
      const int64_t first =
          hlo::FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
      if (first < 0) return Unknown(op.shape);
      const auto begin = operands[0].begin() + first;
      return ScalarLeaves(begin, begin + hlo::NumLeaves(op.shape));
    }
    default:
      break;
  }
  has_skipped_ |= !op.called.empty() && !AppliesToScalars(op.opcode);
  if (!IsOneInteger(op.shape) || !op.called.empty()) return Unknown(op.shape);
  if (op.opcode == Opcode::kConstant) {
    if (!op.literal || op.literal->shape().dims != op.shape.dims) return Unknown(op.shape);
    return {Reduced(op.literal->GetInt(0), op.shape.type)};
  }
  auto is_integer = [](const hlo::Instruction* operand) { return IsOneInteger(operand->shape); };
  if (op.operands.empty() || !llvm::all_of(op.operands, is_integer)) return Unknown(op.shape);
  if (op.opcode == Opcode::kSelect && operands.size() == 3) {
    if (!operands[0][0]) return operands[1] == operands[2] ? operands[1] : Unknown(op.shape);
    return operands[*operands[0][0] != 0 ? 1 : 2];
  }
  std::vector<int128> known;
  for (const ScalarLeaves& operand : operands) {
    if (!operand[0]) return Unknown(op.shape);
    known.push_back(*operand[0]);
  }
  const MaybeInt value = Apply(op, known);
  return {value ? MaybeInt(Reduced(*value, op.shape.type)) : std::nullopt};
}

ScalarLeaves ScalarExecution::RunConditional(const hlo::Instruction& op,
                                             llvm::ArrayRef<ScalarLeaves> operands) {
  if (operands.empty() || operands.size() != op.called.size() + 1 || operands[0].size() != 1) {
    has_skipped_ = true;
    return Unknown(op.shape);
  }
  const bool is_predicate = op.operands[0]->shape.type == PrimitiveType::kPred;
  std::optional<size_t> taken;  // the operand of the branch that runs
  if (const MaybeInt& choice = operands[0][0]) {
    const auto last = static_cast<int128>(op.called.size()) - 1;
    if (is_predicate) taken = *choice != 0 ? 1 : 2;
    if (!is_predicate) taken = *choice < 0 || *choice > last ? last + 1 : *choice + 1;
  }
  std::optional<ScalarLeaves> result;
  for (size_t i = 0; i < op.called.size(); ++i) {
    const std::string key = i < op.called_as.size() ? op.called_as[i] : "";
    const size_t operand = key == "true_computation" ? 1 : key == "false_computation" ? 2 : i + 1;
    if (!op.called[i] || !op.called[i]->root) {
      has_skipped_ = true;
      return Unknown(op.shape);
    }
    if (taken && *taken != operand) continue;
    ScalarLeaves branch = Run(*op.called[i], operands[operand]);
    if (result) Join(*result, branch);
    if (!result) result = std::move(branch);
  }
  return result ? *result : Unknown(op.shape);
}

ScalarLeaves ScalarExecution::RunLoopOnce(const hlo::Instruction& op, const ScalarLeaves& start) {
  const LoopComputations loop = ComputationsOf(op);
  has_skipped_ |= !loop.body;
  if (!loop.body) return Unknown(op.shape);
  ScalarLeaves state = start;
  for (size_t leaf = 0; leaf < state.size(); ++leaf) {
    if (!HandsThrough(*loop.body, static_cast<int64_t>(leaf))) state[leaf].reset();
  }
  Run(*loop.body, state);
  return state;
}

}  // namespace affirm
