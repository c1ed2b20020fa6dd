// Inlines fusions and calls and dissolves tuples, in one walk in the order of the instructions.
#include "emit/plan/flat_graph.h"

#include "core/hlo/dynamic_sizes.h"
#include "emit/plan/error.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using Values = llvm::SmallVector<ValueRef, 2>;

constexpr size_t kMaxNodes = 1'000'000;
constexpr int kMaxCallDepth = 200;

class Flattener {
 public:
  explicit Flattener(FlatGraph& graph) : graph_(graph) {}

  // Inlines `computation` on `arguments` (one list of leaves per parameter); answers the root's
  // leaves.
  llvm::Expected<Values> Inline(const hlo::Computation& computation,
                                llvm::ArrayRef<Values> arguments, int depth);

 private:
  using Environment = llvm::DenseMap<const Instruction*, Values>;

  llvm::Expected<Values> Flat(const Instruction& instruction, llvm::ArrayRef<Values> operands,
                              int depth);
  Values AddNode(const Instruction& instruction, llvm::ArrayRef<Values> operands);
  // Whether the leaves have the shapes of `shape`: a caller and what it calls must agree.
  bool Fits(const Values& values, const hlo::Shape& shape) const;

  FlatGraph& graph_;
};

Values Flattener::AddNode(const Instruction& instruction, llvm::ArrayRef<Values> operands) {
  FlatNode node;
  node.instruction = &instruction;
  // A tuple-valued operand of an ordinary op has no single element to read; the emitter refuses
  // such ops by name, so its first leaf stands in.
  for (const Values& operand : operands) {
    node.operands.push_back(operand.empty() ? ValueRef{} : operand.front());
  }
  int64_t id = static_cast<int64_t>(graph_.nodes.size());
  graph_.nodes.push_back(std::move(node));
  Values result;
  int64_t leaves = NumLeaves(instruction.shape);
  for (int64_t leaf = 0; leaf < leaves; ++leaf) result.push_back({id, leaf});
  return result;
}

bool Flattener::Fits(const Values& values, const hlo::Shape& shape) const {
  std::vector<const hlo::Shape*> leaves = LeafShapes(shape);
  if (leaves.size() != values.size()) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (values[i].node < 0 || !graph_.shape(values[i]).SameIgnoringLayout(*leaves[i])) return false;
  }
  return true;
}

llvm::Expected<Values> Flattener::Flat(const Instruction& instruction,
                                       llvm::ArrayRef<Values> operands, int depth) {
  switch (instruction.opcode) {
    case Opcode::kTuple: {
      Values all;
      for (const Values& operand : operands) all.append(operand.begin(), operand.end());
      return all;
    }
    case Opcode::kOptimizationBarrier:
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      if (operands.empty()) return Unsupported(instruction, "it has no operand");
      return operands.front();
    case Opcode::kScatter: {
      // Without updates the arrays stay as they are.
      size_t arrays = operands.size() / 2;
      if (operands.size() % 2 == 0 || instruction.operands.back()->shape.NumElements() > 0) break;
      Values all;
      for (const Values& operand : operands.take_front(arrays)) {
        all.append(operand.begin(), operand.end());
      }
      return all;
    }
    case Opcode::kGetTupleElement: {
      const Instruction& tuple = *instruction.operands.front();
      int64_t index = instruction.attributes.tuple_index;
      if (index < 0 || index >= static_cast<int64_t>(tuple.shape.tuple.size())) {
        return Unsupported(instruction, "its index is outside the tuple");
      }
      size_t begin = FirstLeafOfElement(tuple.shape, index);
      size_t count = NumLeaves(tuple.shape.tuple[index]);
      if (begin + count > operands.front().size()) {
        return Unsupported(instruction, "its operand isn't a tuple of that many arrays");
      }
      return Values(operands.front().begin() + begin, operands.front().begin() + begin + count);
    }
    case Opcode::kFusion:
    case Opcode::kCall:
      if (instruction.called.size() != 1) {
        return Unsupported(instruction, "it must call one computation");
      }
      if (NumLeaves(instruction.shape) > 0 &&
          !instruction.called.front()->root->shape.SameIgnoringLayout(instruction.shape)) {
        return Unsupported(instruction, "what it calls has a result of another shape");
      }
      return Inline(*instruction.called.front(), operands, depth + 1);
    default:
      break;
  }
  return AddNode(instruction, operands);
}

llvm::Expected<Values> Flattener::Inline(const hlo::Computation& computation,
                                         llvm::ArrayRef<Values> arguments, int depth) {
  Environment values;
  for (const auto& owned : computation.instructions) {
    const Instruction& instruction = *owned;
    if (graph_.nodes.size() > kMaxNodes || depth > kMaxCallDepth) {
      return Unsupported(instruction, "inlining its callers takes too many instructions");
    }
    if (hlo::UsesDynamicSizes(instruction)) {
      return Unsupported(instruction, "a size is known at run time only");
    }
    if (instruction.opcode == Opcode::kParameter) {
      auto number = static_cast<size_t>(instruction.parameter_number);
      if (number >= arguments.size()) return Unsupported(instruction, "it has no argument");
      if (!Fits(arguments[number], instruction.shape)) {
        return Unsupported(instruction, "its argument has another shape");
      }
      values[&instruction] = arguments[number];
      continue;
    }
    llvm::SmallVector<Values> operands;
    for (const Instruction* operand : instruction.operands) operands.push_back(values[operand]);
    llvm::Expected<Values> result = Flat(instruction, operands, depth);
    if (!result) return result.takeError();
    values[&instruction] = std::move(*result);
  }
  const Values& root = values[computation.root];
  if (!Fits(root, computation.root->shape)) {
    return Unsupported(*computation.root, "its leaves do not have the shapes that it declares");
  }
  return root;
}

// A graph in which each op has its own copy of operands that only move elements, where a reduction
// is broadcast. The stages of a computation over rows (row_fusion.h) are separate functions; a node
// that two of them share would be a third one, which is given no reductions. An op that takes few
// elements, such as those of the right classes, has its own copy of all that it needs of an
// element, since it needs that at another place of a row.
class Copier {
 public:
  explicit Copier(FlatGraph& graph) : graph_(graph), copies_(graph.nodes.size(), -1) {}

  static bool IsWanted(const FlatGraph& graph) {
    std::vector<bool> reduced(graph.nodes.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Opcode opcode = graph.nodes[n].instruction->opcode;
      bool of_reduced = false;
      for (ValueRef operand : graph.nodes[n].operands) {
        of_reduced |= operand.node >= 0 && reduced[operand.node];
      }
      if (of_reduced && opcode == Opcode::kBroadcast) return true;
      reduced[n] = of_reduced || opcode == Opcode::kReduce;
    }
    return false;
  }

  void Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (IsMovement(graph_.nodes[n])) continue;  // where it is read
      FlatNode node = graph_.nodes[n];
      const bool takes_few = TakesFew(node);
      for (auto [k, operand] : llvm::enumerate(node.operands)) {
        llvm::DenseMap<int64_t, int64_t> own;
        operand = takes_few && k == 0 ? CopiedWhole(operand, own) : Copied(operand);
      }
      copies_[n] = Add(std::move(node));
    }
    for (ValueRef& output : graph_.outputs) output = Copied(output);
    graph_.nodes = std::move(nodes_);
  }

 private:
  static bool IsMovement(const FlatNode& node) {
    switch (node.instruction->opcode) {
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:
        return true;
      default:
        return false;
    }
  }
  bool TakesFew(const FlatNode& node) const {
    const Opcode opcode = node.instruction->opcode;
    if (opcode != Opcode::kGather && opcode != Opcode::kDynamicSlice) return false;
    if (node.operands[0].node < 0) return false;
    return node.instruction->shape.NumElements() <=
           graph_.shape(node.operands[0]).NumElements() / 2;
  }
  // With what it is computed from element by element, down to reductions and arguments: `own`.
  ValueRef CopiedWhole(ValueRef value, llvm::DenseMap<int64_t, int64_t>& own) {
    if (value.node < 0) return value;
    if (auto known = own.find(value.node); known != own.end()) return {known->second, value.leaf};
    FlatNode node = graph_.nodes[value.node];
    if (!node.is_parameter() && !IsMovement(node) && !hlo::IsElementwise(node.instruction->opcode))
      return Copied(value);
    for (ValueRef& operand : node.operands) operand = CopiedWhole(operand, own);
    return {own[value.node] = Add(std::move(node)), value.leaf};
  }
  int64_t Add(FlatNode node) {
    nodes_.push_back(std::move(node));
    return static_cast<int64_t>(nodes_.size()) - 1;
  }
  ValueRef Copied(ValueRef value) {
    if (value.node < 0) return value;
    if (copies_[value.node] >= 0) return {copies_[value.node], value.leaf};
    FlatNode node = graph_.nodes[value.node];
    for (ValueRef& operand : node.operands) operand = Copied(operand);
    return {Add(std::move(node)), value.leaf};
  }

  FlatGraph& graph_;
  std::vector<int64_t> copies_;  // by node; -1: it is copied for each that reads it
  std::vector<FlatNode> nodes_;
};

}  // namespace

const hlo::Shape& FlatGraph::shape(ValueRef value) const {
  return *hlo::LeafShape(nodes[value.node].instruction->shape, value.leaf);
}

int64_t FlatGraph::NumLeaves(int64_t node) const {
  return hlo::NumLeaves(nodes[node].instruction->shape);
}

std::vector<bool> FlatGraph::Reachable() const {
  std::vector<bool> reachable(nodes.size());
  for (ValueRef output : outputs) {
    if (output.node >= 0) reachable[output.node] = true;
  }
  for (size_t n = nodes.size(); n-- > 0;) {
    if (!reachable[n]) continue;
    for (ValueRef operand : nodes[n].operands) {
      if (operand.node >= 0) reachable[operand.node] = true;
    }
  }
  return reachable;
}

llvm::Expected<FlatGraph> Flatten(const hlo::Computation& computation) {
  FlatGraph graph;
  llvm::SmallVector<Values> arguments;
  for (const Instruction* parameter : computation.parameters) {
    FlatNode node;
    node.instruction = parameter;
    node.buffer = static_cast<int64_t>(graph.parameter_leaves.size());
    Values leaves;
    for (const hlo::Shape* leaf : LeafShapes(parameter->shape)) {
      leaves.push_back(
          {static_cast<int64_t>(graph.nodes.size()), static_cast<int64_t>(leaves.size())});
      graph.parameter_leaves.push_back(leaf);
    }
    graph.nodes.push_back(std::move(node));
    arguments.push_back(std::move(leaves));
  }
  llvm::Expected<Values> outputs = Flattener(graph).Inline(computation, arguments, 0);
  if (!outputs) return outputs.takeError();
  for (auto [value, shape] : llvm::zip_equal(*outputs, LeafShapes(computation.root->shape))) {
    const size_t known = llvm::find(graph.outputs, value) - graph.outputs.begin();
    graph.output_of_leaf.push_back(known);
    if (known < graph.outputs.size()) continue;
    graph.outputs.push_back(value);
    graph.output_leaves.push_back(shape);
  }
  if (Copier::IsWanted(graph)) Copier(graph).Run();
  return graph;
}

std::string Describe(const hlo::Instruction& instruction) {
  std::string text = "%" + instruction.name + " (" + instruction.opcode_text + ")";
  if (instruction.opcode_text.empty()) {
    text = "%" + instruction.name + " (" + hlo::Name(instruction.opcode).str() + ")";
  }
  if (instruction.parent) text += " in " + instruction.parent->name;
  if (instruction.location.line > 0) {
    text += " at " + std::to_string(instruction.location.line) + ":" +
            std::to_string(instruction.location.column);
  }
  return text;
}

llvm::Error Unsupported(const hlo::Instruction& instruction, const llvm::Twine& reason) {
  return NotSupported("cannot emit " + Describe(instruction) + ": " + reason);
}

}  // namespace affirm::emit
