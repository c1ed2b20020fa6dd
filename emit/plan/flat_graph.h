// FlatGraph: a computation as a graph of array values.
//
// Fusions and calls are inlined, tuples and get-tuple-element are dissolved, and a value that only
// renames another one (copy, optimization-barrier, ...) is replaced by it. Every remaining value is
// one array of one node. An instruction with a tuple result, such as a reduce of two arrays, is one
// node with several arrays, its leaves. If the graph broadcasts a reduction, some values are
// duplicated: an instruction that only moves elements has a node for each user, and a gather or a
// dynamic slice of few elements has its own nodes for its operands, parameters included.
#ifndef AFFIRM_EMIT_PLAN_FLAT_GRAPH_H_
#define AFFIRM_EMIT_PLAN_FLAT_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/module.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// Leaf array `leaf` of node `node`.
struct ValueRef {
  int64_t node = -1;
  int64_t leaf = 0;
  friend bool operator==(const ValueRef&, const ValueRef&) = default;
};

struct FlatNode {
  const hlo::Instruction* instruction = nullptr;
  llvm::SmallVector<ValueRef, 3> operands;  // one per operand of the instruction
  // For a parameter: the number of the kernel's buffer that holds leaf 0. -1 otherwise.
  int64_t buffer = -1;
  bool is_parameter() const { return buffer >= 0; }
};

struct FlatGraph {
  std::vector<FlatNode> nodes;                      // operands before users
  std::vector<ValueRef> outputs;                    // the result's values, each once
  std::vector<const hlo::Shape*> parameter_leaves;  // by buffer number
  std::vector<const hlo::Shape*> output_leaves;     // by output
  std::vector<size_t> output_of_leaf;  // by array leaf of the result: index in `outputs`
  // Owns instructions that are not the computation's (chosen_elements.h), if any.
  std::shared_ptr<const hlo::Module> made = nullptr;

  bool IsMade(const hlo::Instruction& instruction) const {
    return made && instruction.parent && instruction.parent->module == made.get();
  }

  const hlo::Shape& shape(ValueRef value) const;
  int64_t NumLeaves(int64_t node) const;
  // By node: whether some output needs it.
  std::vector<bool> Reachable() const;
};

// The graph of a computation. An error if inlining would exceed a million nodes, or an instruction
// to be dissolved has operands that do not fit it.
llvm::Expected<FlatGraph> Flatten(const hlo::Computation& computation);

// "add.3 (add) in fused_computation", for messages.
std::string Describe(const hlo::Instruction& instruction);

// An error that names the instruction, its opcode and its position in the text.
llvm::Error Unsupported(const hlo::Instruction& instruction, const llvm::Twine& reason);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_FLAT_GRAPH_H_
