// Arrays of a computation and of those that it calls, for certificates of what instructions read. A
// call is written out as the checker does: the parameters of the computation are the operands.
#ifndef AFFIRM_VERIFY_PROVER_CALLED_NODES_H_
#define AFFIRM_VERIFY_PROVER_CALLED_NODES_H_

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/module.h"

namespace affirm::prover {

// One computation that an instruction calls: `number` of several branches.
struct Call {
  const Call* outer = nullptr;
  const hlo::Instruction* instruction = nullptr;
  size_t number = 0;
  std::string prefix;  // of the names of its arrays: "c/", "c/1/"
};

// A leaf of an instruction's result, in a call or in the computation itself.
struct Node {
  const Call* call = nullptr;
  const hlo::Instruction* instruction = nullptr;
  int64_t leaf = 0;
  const hlo::Shape& shape() const { return *hlo::LeafShape(instruction->shape, leaf); }
  // "t{1}" for an array of a tuple.
  std::string name() const {
    return instruction->name +
           (instruction->shape.IsTuple() ? "{" + std::to_string(leaf) + "}" : "");
  }
  auto operator<=>(const Node&) const = default;
};
// An operand of a node; what is the same array has no number.
struct NodeOperand {
  Node node;
  std::optional<size_t> number;
};

class CalledNodes {
 public:
  // The arrays that a node is made of; none where an operand is a tuple of which the op has no
  // meaning.
  std::vector<NodeOperand> OperandsOf(const Node& node);
  // A parameter of a call is the operand.
  static Node Resolve(Node node);

 private:
  const Call* Enter(const Node& node, size_t number);

  std::map<std::tuple<const Call*, const hlo::Instruction*, size_t>, std::unique_ptr<Call>> calls_;
};

// The operand of a conditional that branch `number`, in the order of the text, gets.
size_t OperandOfBranch(const hlo::Instruction& conditional, size_t number);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_CALLED_NODES_H_
