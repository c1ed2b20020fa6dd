// Where a node reads its operands: the indexing maps of core/analysis, composed with the node's own
// index.
#include "core/analysis/indexing.h"
#include "core/simplify/simplify.h"
#include "emit/plan/partition.h"
#include "emit/plan/same_bits.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;

class OperandPlanner {
 public:
  OperandPlanner(const FlatGraph& graph, int64_t node, Context& context, Subgraph& subgraph,
                 NodePlan& plan)
      : node_(graph.nodes[node]),
        instruction_(*node_.instruction),
        context_(context),
        subgraph_(subgraph),
        plan_(plan) {
    plan_.operands.resize(node_.operands.size());
  }

  llvm::Error Run();

 private:
  // Every operand at the same index; scalars among arrays are broadcast.
  llvm::Error Elementwise();
  // One map per operand, read in the node's own scope.
  llvm::Error Transformation();
  // Operands [0, count) inside one loop nest over their range variables.
  llvm::Error Loop(size_t count);
  // Each of the operands [0, count) in a scope of its own, under the conditions of its map.
  llvm::Error Branches(size_t count);
  llvm::Error DynamicUpdateSlice();
  // Element by element, or one element of the wider type against a row of the narrower one.
  llvm::Error BitcastConvert();

  void ReadScalar(size_t operand);
  void ReadScalars(size_t first) {
    for (size_t k = first; k < plan_.operands.size(); ++k) ReadScalar(k);
  }
  llvm::Expected<IndexingMap> Map(size_t operand);
  // Sets operand `k`'s access from its map, in `scope`, with the map's ranges replaced by
  // plan_.loops. `total`: the map has a value at every element of the result, so that there is
  // nothing to test.
  llvm::Error Access(size_t k, const IndexingMap& map, int64_t scope, bool total = false);
  llvm::Error AddRuntimeVariables(const IndexingMap& map, llvm::SmallVectorImpl<int64_t>& dims);

  int64_t AddDim(Interval bounds) {
    subgraph_.dims.push_back(bounds);
    return static_cast<int64_t>(subgraph_.dims.size()) - 1;
  }
  int64_t AddScope() {
    const Scope& outer = subgraph_.scopes[plan_.scope];
    Scope scope{outer.depth + 1, outer.conditions, {}};
    subgraph_.scopes.push_back(std::move(scope));
    return static_cast<int64_t>(subgraph_.scopes.size()) - 1;
  }
  SymbolicExpr Substitute(SymbolicExpr e, llvm::ArrayRef<int64_t> runtime_dims);
  // Adds `expr in bounds` to the access unless the scope's domain implies it.
  void AddCondition(OperandAccess& access, SymbolicExpr expr, Interval bounds);
  void SimplifyIndex(OperandAccess& access);

  const FlatNode& node_;
  const Instruction& instruction_;
  Context& context_;
  Subgraph& subgraph_;
  NodePlan& plan_;
};

llvm::Error OperandPlanner::Run() {
  if (hlo::IsElementwise(instruction_.opcode) || instruction_.opcode == Opcode::kMap) {
    return Elementwise();
  }
  switch (instruction_.opcode) {
    case Opcode::kBitcastConvert:
      return BitcastConvert();
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return Transformation();
    case Opcode::kReduce:
    case Opcode::kReduceWindow: {
      size_t inputs = plan_.operands.size() / 2;
      ReadScalars(inputs);
      return Loop(inputs);
    }
    case Opcode::kDot:
    case Opcode::kConvolution:
      if (plan_.operands.size() != 2) return Unsupported(instruction_, "it has sparse operands");
      return Loop(2);
    case Opcode::kConcatenate:
      return Branches(plan_.operands.size());
    case Opcode::kPad:
      ReadScalar(1);
      return Branches(1);
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return Branches(1);
    case Opcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice();
    default:
      return Unsupported(instruction_, "no emission exists for this op");
  }
}

llvm::Error OperandPlanner::Elementwise() {
  for (size_t k = 0; k < plan_.operands.size(); ++k) {
    if (instruction_.operands[k]->shape.IsScalar()) {
      ReadScalar(k);
      continue;
    }
    if (instruction_.operands[k]->shape.dims != instruction_.shape.dims) {
      return Unsupported(instruction_, "an operand's sizes are not those of the result");
    }
    plan_.operands[k].read = true;
    plan_.operands[k].scope = plan_.scope;
    plan_.operands[k].index = plan_.index;
  }
  return llvm::Error::success();
}

llvm::Error OperandPlanner::Transformation() {
  const hlo::PrimitiveType from = instruction_.operands[0]->shape.type,
                           to = instruction_.shape.type;
  if (instruction_.opcode == Opcode::kBitcast ? !HaveSameBits(from, to) : from != to) {
    return Unsupported(instruction_, "it changes the element type");
  }
  llvm::Expected<IndexingMap> map = Map(0);
  if (!map) return map.takeError();
  if (!map->ranges().empty() || !map->runtime().empty()) {
    return Unsupported(instruction_, "its indexing map isn't a function of the output index");
  }
  return Access(0, *map, plan_.scope, /*total=*/true);
}

llvm::Error OperandPlanner::BitcastConvert() {
  const hlo::Shape& from = instruction_.operands[0]->shape;
  int from_bits = hlo::BitWidth(from.type), bits = hlo::BitWidth(instruction_.shape.type);
  if (from_bits == bits) return Elementwise();
  if (from_bits < bits) {
    if (from.rank() != instruction_.shape.rank() + 1 || from.dims.back() != bits / from_bits) {
      return Unsupported(instruction_, "a row of its operand isn't one element");
    }
    return Loop(1);
  }
  if (from.rank() + 1 != instruction_.shape.rank()) {
    return Unsupported(instruction_, "an element of its operand isn't one row");
  }
  llvm::Expected<IndexingMap> map = Map(0);
  if (!map) return map.takeError();
  return Access(0, *map, plan_.scope, /*total=*/true);
}

llvm::Error OperandPlanner::Loop(size_t count) {
  int64_t scope = AddScope();
  for (size_t k = 0; k < count; ++k) {
    llvm::Expected<IndexingMap> map = Map(k);
    if (!map) return map.takeError();
    if (map->IsKnownEmpty()) {  // an empty dimension, or nothing but padding: no iteration
      for (size_t i = 0; i < count; ++i) plan_.operands[i].read = false;
      return llvm::Error::success();
    }
    if (k == 0) {
      for (const Variable& range : map->ranges()) {
        plan_.loops.push_back({AddDim(range.bounds), range.bounds});
      }
    }
    bool same = map->ranges().size() == plan_.loops.size();
    for (size_t i = 0; same && i < plan_.loops.size(); ++i) {
      same = map->ranges()[i].bounds == plan_.loops[i].bounds;
    }
    if (!same) return Unsupported(instruction_, "its operands' maps run over different ranges");
    if (llvm::Error error = Access(k, *map, scope)) return error;
  }
  return llvm::Error::success();
}

llvm::Error OperandPlanner::Branches(size_t count) {
  for (size_t k = 0; k < count; ++k) {
    llvm::Expected<IndexingMap> map = Map(k);
    if (!map) return map.takeError();
    if (!map->ranges().empty() && !map->IsKnownEmpty()) {
      return Unsupported(instruction_, "its indexing map isn't a function of the output index");
    }
    if (llvm::Error error = Access(k, *map, AddScope())) return error;
  }
  return llvm::Error::success();
}

llvm::Error OperandPlanner::DynamicUpdateSlice() {
  // The operand's map is the identity; the update supplies the elements inside its window,
  // which the constraints of its exact map say.
  plan_.operands[0].read = true;
  plan_.operands[0].scope = AddScope();
  plan_.operands[0].index = plan_.index;
  llvm::Expected<IndexingMap> map = Map(1);
  if (!map) return map.takeError();
  return Access(1, *map, AddScope());
}

void OperandPlanner::ReadScalar(size_t operand) {
  plan_.operands[operand].read = true;
  plan_.operands[operand].scope = plan_.scope;
}

llvm::Expected<IndexingMap> OperandPlanner::Map(size_t operand) {
  // A kernel must read exactly what the op reads: a wider map would give wrong values, not slow
  // ones.
  InstructionIndexing indexing = OutputToInput(instruction_, 0, context_, {.exact = true});
  if (operand >= indexing.maps.size()) {
    return Unsupported(instruction_, "it has no indexing for operand " + llvm::Twine(operand));
  }
  const std::vector<LabeledMap>& maps = indexing.maps[operand];
  if (maps.empty()) return IndexingMap::KnownEmpty(context_);  // no element of it is read
  if (maps.size() > 1 || maps.front().exactness != Exactness::kExact ||
      maps.front().map.IsUndefined()) {
    return Unsupported(instruction_,
                       "operand " + llvm::Twine(operand) + " has no single exact indexing map");
  }
  return maps.front().map;
}

SymbolicExpr OperandPlanner::Substitute(SymbolicExpr e, llvm::ArrayRef<int64_t> runtime_dims) {
  return e.Substitute([&](VarKind kind, int64_t i) {
    if (kind == VarKind::kDim) return plan_.index[i];
    if (kind == VarKind::kRange) return context_.Dim(plan_.loops[i].dim);
    return context_.Dim(runtime_dims[i]);
  });
}

llvm::Error OperandPlanner::AddRuntimeVariables(const IndexingMap& map,
                                                llvm::SmallVectorImpl<int64_t>& dims) {
  for (const Variable& variable : map.runtime()) {
    RuntimeVariable runtime;
    runtime.bounds = variable.bounds;
    for (size_t k = 1; k < instruction_.operands.size() && variable.source; ++k) {
      if (instruction_.operands[k]->id == variable.source->producer) {
        runtime.operand = static_cast<int64_t>(k);
        break;
      }
    }
    if (runtime.operand < 0) {
      return Unsupported(instruction_, "a runtime variable of its map has no operand behind it");
    }
    if (variable.source->map) {
      for (SymbolicExpr e : variable.source->map->results()) {
        runtime.index.push_back(Substitute(e, {}));
      }
    }
    size_t rank = instruction_.operands[runtime.operand]->shape.dims.size();
    if (runtime.index.size() != rank) {
      return Unsupported(instruction_, "a runtime variable of its map names no element");
    }
    runtime.dim = AddDim(runtime.bounds);
    dims.push_back(runtime.dim);
    plan_.runtime.push_back(std::move(runtime));
  }
  return llvm::Error::success();
}

llvm::Error OperandPlanner::Access(size_t k, const IndexingMap& map, int64_t scope, bool total) {
  OperandAccess& access = plan_.operands[k];
  access.scope = scope;
  access.read = !map.IsKnownEmpty();
  if (!access.read) return llvm::Error::success();
  size_t rank = instruction_.operands[k]->shape.dims.size();
  if (map.dims().size() != plan_.index.size() || map.results().size() != rank) {
    return Unsupported(instruction_,
                       "the map of operand " + llvm::Twine(k) + " has the wrong arity");
  }
  llvm::SmallVector<int64_t> runtime_dims;
  if (llvm::Error error = AddRuntimeVariables(map, runtime_dims)) return error;
  for (SymbolicExpr e : map.results()) access.index.push_back(Substitute(e, runtime_dims));
  for (size_t d = 0; d < map.dims().size() && !total; ++d) {
    AddCondition(access, plan_.index[d], map.dims()[d].bounds);
  }
  for (const Constraint& constraint : map.constraints()) {
    if (total) break;
    AddCondition(access, Substitute(constraint.expr, runtime_dims), constraint.bounds);
  }
  SimplifyIndex(access);
  for (SymbolicExpr e : access.index) {
    if (!e)
      return Unsupported(instruction_, "an index of operand " + llvm::Twine(k) + " is ill-formed");
  }
  return llvm::Error::success();
}

void OperandPlanner::AddCondition(OperandAccess& access, SymbolicExpr expr, Interval bounds) {
  IndexingMap domain = ScopeDomain(context_, subgraph_, access.scope);
  if (!domain.IsKnownEmpty() && domain.RangeOf(expr).Within(bounds)) return;
  access.conditions.push_back({expr, bounds});
  // A scope of this access alone knows its conditions; a scope that is shared (a loop over several
  // operands) tests each operand's conditions where that operand is read, before it runs.
  subgraph_.scopes[access.scope].conditions.push_back({expr, bounds});
}

void OperandPlanner::SimplifyIndex(OperandAccess& access) {
  IndexingMap domain = ScopeDomain(context_, subgraph_, access.scope);
  if (domain.IsKnownEmpty()) return;  // nothing runs there; any index is as good
  IndexingMap simple = Simplify(domain.WithResults(access.index));
  if (simple.results().size() == access.index.size()) {
    access.index.assign(simple.results().begin(), simple.results().end());
  }
}

}  // namespace

llvm::Error PlanOperands(const FlatGraph& graph, int64_t node, Context& context, Subgraph& subgraph,
                         NodePlan& plan) {
  return OperandPlanner(graph, node, context, subgraph, plan).Run();
}

}  // namespace affirm::emit
