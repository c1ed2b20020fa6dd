// Maps of the ops that call computations: fusion, call, conditional, while, async-start and -done.
#include "core/analysis/computation.h"
#include "core/analysis/loops/call_sites.h"
#include "core/analysis/loops/carried_maps.h"
#include "core/analysis/loops/trip_maps.h"
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/dynamic_sizes.h"

namespace affirm::analysis {
namespace {

// Loops nested deeper than this, calls between them included, are not followed.
constexpr int kMaxLoopDepth = 16;

// The called computation takes the operands and gives the result.
bool FitsCall(const hlo::Instruction& op, const hlo::Shape& result) {
  if (op.called.size() != 1 || !op.called[0] || !op.called[0]->root) return false;
  const hlo::Computation& callee = *op.called[0];
  return callee.parameters.size() == op.operands.size() &&
         NumLeaves(callee.root->shape) == NumLeaves(result);
}

// The operand of the branch that runs, when the predicate or index is a constant; else 0. An index
// out of range runs the last one.
size_t KnownBranch(const hlo::Instruction& op) {
  const hlo::Instruction& choice = *op.operands[0];
  if (choice.opcode != hlo::Opcode::kConstant || !choice.literal || !choice.shape.IsScalar()) {
    return 0;
  }
  const int64_t v = choice.literal->GetInt(0), branches = std::ssize(op.called);
  if (choice.shape.type == hlo::PrimitiveType::kPred) return v != 0 ? 1 : 2;
  return static_cast<size_t>(v < 0 || v >= branches ? branches : v + 1);
}

// The map of a branch where that is the branch that runs: the selector is a further runtime
// variable, which has one of the values that select it. In the list of n branches these are the
// number of the branch, and for the last one all outside of [0, n - 1], below which they are
// clamped to -1.
IndexingMap WhereSelected(const hlo::Instruction& op, size_t operand, const IndexingMap& map) {
  const hlo::Instruction& selector = *op.operands[0];
  const int64_t branches = std::ssize(op.called), number = static_cast<int64_t>(operand) - 1;
  if (map.state() != IndexingMap::State::kNormal || branches < 2) return map;
  Context& context = *map.context();
  const bool is_predicate = selector.shape.type == hlo::PrimitiveType::kPred;
  const Interval clamp = is_predicate ? Interval{0, 1} : Interval{-1, branches - 1};
  const bool is_last = !is_predicate && number == branches - 1;
  const Interval bounds = is_last ? clamp : Interval::Point(is_predicate ? 1 - number : number);
  std::vector<Variable> runtime = map.runtime();
  std::vector<Constraint> constraints = map.constraints();
  if (is_last) {
    const SymbolicExpr value = context.Runtime(std::ssize(runtime));
    constraints.push_back({value.Mod(branches), Interval::Point(branches - 1)});
  }
  runtime.push_back({bounds, "", RuntimeSource{selector.id, clamp, selector.name, nullptr}});
  return IndexingMap(context, map.results(), map.dims(), map.ranges(), std::move(runtime),
                     constraints);
}

// A runtime variable of a called computation stands for the value of one of its instructions, which
// differs from call to call: it may be any. `row(x, i) - row(x, j)` reads two rows of x.
void TakeAnyRuntimeValue(LabeledMap& labeled) {
  const IndexingMap& map = labeled.map;
  if (map.state() != IndexingMap::State::kNormal || map.runtime().empty()) return;
  Context& context = *map.context();
  const int64_t first = std::ssize(map.ranges());
  std::vector<Variable> ranges = map.ranges();
  for (const Variable& v : map.runtime()) ranges.push_back({v.bounds, "", std::nullopt});
  auto any = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kRuntime ? context.Range(first + i) : SymbolicExpr();
  };
  labeled.map =
      Canonical(OverVariables(map, any, map.dims(), std::move(ranges), {}, map.results()));
  labeled.exactness = Weaker(labeled.exactness, Exactness::kOverApproximate);
}

InstructionIndexing OfEveryCall(const hlo::Computation& callee, InstructionIndexing indexing,
                                Session& session) {
  const bool depends = llvm::any_of(indexing.maps, [](const std::vector<LabeledMap>& maps) {
    return llvm::any_of(maps, [](const LabeledMap& m) {
      return m.map.state() == IndexingMap::State::kNormal && !m.map.runtime().empty();
    });
  });
  if (!depends || !IsCalledTwice(callee, session)) return indexing;
  for (std::vector<LabeledMap>& maps : indexing.maps) {
    for (LabeledMap& m : maps) TakeAnyRuntimeValue(m);
  }
  return indexing;
}

// Leaf `id` of what the called computation gives.
InstructionIndexing CallResult(const hlo::Instruction& op, int64_t id, Session& session) {
  InstructionIndexing out =
      OfEveryCall(*op.called[0], ToParameters(*op.called[0], id, session), session);
  return out.maps.size() == op.operands.size() ? out : UnknownOutputToInput(op, id, session);
}

}  // namespace

InstructionIndexing CallOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  if (!FitsCall(op, op.shape)) return UnknownOutputToInput(op, id, session);
  return CallResult(op, id, session);
}

InstructionIndexing CallInputToOutput(const hlo::Instruction& op, int64_t operand,
                                      Session& session) {
  if (!FitsCall(op, op.shape)) return UnknownInputToOutput(op, operand, session);
  InstructionIndexing out =
      OfEveryCall(*op.called[0], FromParameter(*op.called[0], operand, session), session);
  bool ok = static_cast<int64_t>(out.maps.size()) == NumLeaves(op.shape);
  return ok ? out : UnknownInputToOutput(op, operand, session);
}

// Operands: the predicate or branch index, then one argument per branch. Where it is not known
// which branch runs, the maps of each are over those values of the selector that select it.
InstructionIndexing ConditionalOutputToInput(const hlo::Instruction& op, int64_t id,
                                             Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (op.operands.size() != op.called.size() + 1 || op.called.empty()) {
    return UnknownOutputToInput(op, id, session);
  }
  out.maps[0].push_back(Exact(ReadsScalar(session.context, LeafShape(op.shape, id)->dims)));
  const size_t known = KnownBranch(op);
  for (size_t b = 0; b < op.called.size(); ++b) {
    const size_t operand = BranchOperand(op, b);
    if (operand >= out.maps.size()) return UnknownOutputToInput(op, id, session);
    if (known != 0 && known != operand) continue;
    InstructionIndexing branch =
        OfEveryCall(*op.called[b], ToParameters(*op.called[b], id, session), session);
    if (branch.maps.size() != 1) return UnknownOutputToInput(op, id, session);
    for (LabeledMap m : branch.maps[0]) {
      if (known == 0) m.map = WhereSelected(op, operand, m.map);
      if (known == 0 && m.replica_id) m.replica_id = WhereSelected(op, operand, *m.replica_id);
      out.maps[operand].push_back(std::move(m));
    }
  }
  return out;
}

// The invariants of what is carried, after the last trip.
InstructionIndexing WhileOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  const bool is_too_deep = session.nesting->depth >= kMaxLoopDepth;
  if (is_too_deep) ++session.nesting->cut_off;
  if (is_too_deep || hlo::UsesDynamicSizes(op, id)) return UnknownOutputToInput(op, id, session);
  const std::shared_ptr<const CarriedMaps> carried = AnalyzeCarried(op, {id}, session);
  const auto found = carried->maps.find(id);
  if (found == carried->maps.end()) return UnknownOutputToInput(op, id, session);
  InstructionIndexing out = NothingRead(op);
  for (const LabeledMap& m : found->second) {
    LabeledMap after = m;
    after.map = Canonical(AfterAllTrips(*carried, m.map));
    if (!after.map.IsKnownEmpty()) AddDistinct(out.maps[0], std::move(after));
  }
  return out;
}

// async-start gives ((operands), result, contexts).
InstructionIndexing AsyncStartOutputToInput(const hlo::Instruction& op, int64_t id,
                                            Session& session) {
  if (!op.shape.IsTuple() || op.shape.tuple.size() < 2 || !FitsCall(op, op.shape.tuple[1])) {
    return UnknownOutputToInput(op, id, session);
  }
  int64_t operands = NumLeaves(op.shape.tuple[0]);
  if (id < operands) return PassThroughOutputToInput(op, id, session);
  if (id >= operands + NumLeaves(op.shape.tuple[1])) return NothingRead(op);
  return CallResult(op, id - operands, session);
}

// The result within what async-start gives.
InstructionIndexing AsyncDoneOutputToInput(const hlo::Instruction& op, int64_t id,
                                           Session& session) {
  const hlo::Shape& in = op.operands[0]->shape;
  const hlo::Shape& result = *LeafShape(op.shape, id);
  if (!in.IsTuple() || in.tuple.size() < 2) return UnknownOutputToInput(op, id, session);
  int64_t leaf = NumLeaves(in.tuple[0]) + id;
  const hlo::Shape* from = LeafShape(in, leaf);
  if (!from || from->dims != result.dims) return UnknownOutputToInput(op, id, session);
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(Exact(IndexingMap::Identity(session.context, result.dims), leaf));
  return out;
}

}  // namespace affirm::analysis
