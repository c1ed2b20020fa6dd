// The partition of a computation into functions, with the index at which each reads its operands.
//
// A value with one use is emitted where it is used. A value with several uses is emitted with its
// users only when all of them read it at the same index of the same scope; otherwise it becomes a
// function of its own that every use calls. Each value is thus emitted exactly once, and code size
// is linear in the number of instructions. In
//
//   log = f32[8,8] log(x)
//   t = f32[8,8] transpose(log), dimensions={1,0}
//   ROOT sum = f32[8,8] add(log, t)
//
// the root reads the log at (d0, d1) and at (d1, d0), so there are two functions, with the call
// graph
//
//   sum(d0, d1) -> log(d0, d1), log(d1, d0)
//
// All indices of a function are expressions over its *index values*: dims 0 .. rank-1 are the index
// of the function's result; further dims are loop variables, and run-time starts of slices.
#ifndef AFFIRM_EMIT_PLAN_PARTITION_H_
#define AFFIRM_EMIT_PLAN_PARTITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "emit/plan/flat_graph.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

using Index = llvm::SmallVector<SymbolicExpr, 4>;

// How a node reads one operand.
struct OperandAccess {
  Index index;
  // Conditions for the element to exist (padding, concatenation, windows, updates).
  llvm::SmallVector<Constraint, 2> conditions;
  bool read = false;   // false: the operand's elements are not read through this access
  int64_t scope = -1;  // the subgraph's scope in which the element is needed
};

// An index value that runs over `bounds` in a loop.
struct LoopVariable {
  int64_t dim = -1;
  Interval bounds;
};

// An index value that is an element of an operand, clamped to `bounds`.
struct RuntimeVariable {
  int64_t dim = -1;
  Interval bounds;
  int64_t operand = -1;
  Index index;
};

struct NodePlan {
  int64_t subgraph = -1;  // -1: none (unreachable, or rematerialized at each use)
  int64_t scope = -1;
  Index index;                               // index of the emitted element
  llvm::SmallVector<LoopVariable, 2> loops;  // outermost first
  llvm::SmallVector<RuntimeVariable, 2> runtime;
  llvm::SmallVector<OperandAccess, 3> operands;
};

// A region of code: the body of the function, or that of a loop or branch of one node.
struct Scope {
  int64_t depth = 0;
  std::vector<Constraint> conditions;  // hold inside
  std::vector<int64_t> nodes;          // operands before users
};

struct Subgraph {
  std::string name;
  std::vector<int64_t> shape;   // the index space of the function
  std::vector<ValueRef> roots;  // the results of the function
  std::vector<Index> indices;   // their indices; empty: all at the function's index
  std::vector<Interval> dims;   // bounds of the index values
  std::vector<Scope> scopes;    // 0 is the body
  // Nodes whose element is passed to the function, as arguments after its index.
  std::vector<int64_t> injected;
};

// A function that an emitter requests. Its results are the values `roots` at one index of `shape`.
struct RootGroup {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<ValueRef> roots;  // if empty, there is no function
  bool takes_injected = false;
  // The index of each root, over the function's index; empty: all of them at that index.
  std::vector<Index> indices = {};
  // Further nodes whose elements are passed, after the injected ones: values that the emitter has
  // from another group, parameters included, and that are not recomputed.
  std::vector<int64_t> given = {};
};

struct PartitionRequest {
  std::vector<RootGroup> groups;
  // Nodes (with one result each) that the emitter computes itself. Only groups with
  // `takes_injected` may reach them, each at one index.
  std::vector<int64_t> injected;
};

struct Partition {
  std::vector<Subgraph> subgraphs;  // one per group of the request, then the others
  std::vector<NodePlan> nodes;      // by node of the graph
};

// Parameters, constants, iotas and static dimension sizes are rematerialized at each use and never
// become functions.
bool IsRematerializable(const FlatNode& node);

// The partition of a graph; an error names the first reachable instruction that has no emission.
llvm::Expected<Partition> MakePartition(const FlatGraph& graph, Context& context,
                                        const PartitionRequest& request);

// The domain of a scope: the index values within their bounds, and the scope's conditions. It has
// no results.
IndexingMap ScopeDomain(Context& context, const Subgraph& subgraph, int64_t scope);

// Fills plan.{loops, runtime, operands} of a node whose index and scope are set, creating scopes
// and index values of the subgraph on the way. The maps are those of core/analysis.
llvm::Error PlanOperands(const FlatGraph& graph, int64_t node, Context& context, Subgraph& subgraph,
                         NodePlan& plan);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_PARTITION_H_
