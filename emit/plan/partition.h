// The partition of a computation into functions, and where each of them reads what.
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
// the root reads the log at (d0, d1) and at (d1, d0), so that there are two functions, and the call
// graph is
//
//   sum(d0, d1) -> log(d0, d1), log(d1, d0)
//
// All indices of a function are expressions over its *index values*: dims 0 .. rank-1 are the index
// of the function's result, further dims are loop variables and starts of slices that are known at
// run time only.
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
  // What must hold for the element to exist (padding, concatenation, windows, updates).
  llvm::SmallVector<Constraint, 2> conditions;
  bool read = false;   // false: the operand's elements are not read through this access
  int64_t scope = -1;  // the scope of the subgraph in which the element is needed
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
  int64_t subgraph = -1;  // -1: in none (unreachable, or emitted anew at each use)
  int64_t scope = -1;
  Index index;                               // of the element of this node that is emitted
  llvm::SmallVector<LoopVariable, 2> loops;  // outermost first
  llvm::SmallVector<RuntimeVariable, 2> runtime;
  llvm::SmallVector<OperandAccess, 3> operands;
};

// A region of code: the body of the function, or what runs inside a loop or a branch of one node.
struct Scope {
  int64_t depth = 0;
  std::vector<Constraint> conditions;  // hold inside
  std::vector<int64_t> nodes;          // operands before users
};

struct Subgraph {
  std::string name;
  std::vector<int64_t> shape;   // the index space of the function
  std::vector<ValueRef> roots;  // one result of the function each
  std::vector<Index> indices;   // where; empty: all at the index of the function
  std::vector<Interval> dims;   // bounds of the index values
  std::vector<Scope> scopes;    // 0 is the body
  // Nodes whose element the function does not compute but gets after its index, one argument each.
  std::vector<int64_t> injected;
};

// A function that an emitter asks for. Its results are the values `roots` at one index of `shape`.
struct RootGroup {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<ValueRef> roots;  // may be none: then there is no function
  bool takes_injected = false;
  // Where each root is needed, over the index of the function; empty: all of them at that index.
  std::vector<Index> indices = {};
  // Further nodes whose elements it is given, behind those that are injected: what the emitter has
  // of another group, and need not be computed again. Parameters are not read again either.
  std::vector<int64_t> given = {};
};

struct PartitionRequest {
  std::vector<RootGroup> groups;
  // Nodes (of one result each) that the emitter computes itself. Only groups that take them may
  // reach them, each at one index.
  std::vector<int64_t> injected;
};

struct Partition {
  std::vector<Subgraph> subgraphs;  // one per group of the request, then the others
  std::vector<NodePlan> nodes;      // by node of the graph
};

// Parameters, constants, iotas and static dimension sizes are emitted anew at each use and never
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
