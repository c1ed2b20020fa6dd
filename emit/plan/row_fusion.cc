// Finds the stages of a computation over rows. Where its nodes are needed is what a partition into
// one function says, which gets the reductions and computes everything else at an index of the
// array: a node that would need a function of its own is needed at several places.
#include "emit/plan/row_fusion.h"

#include <algorithm>

#include "core/simplify/simplify.h"
#include "core/symbolic/linearize.h"
#include "emit/plan/regrouping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kMaxWordsOfElement = 8;     // 16 elements a thread: half of its registers
constexpr int64_t kMaxWordsOfRow = 48 << 10;  // of the 64 K that a block has
constexpr int64_t kMinRow = 2;

int64_t NumElements(llvm::ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t size : dims) product *= size;
  return product;
}

// Whether a node only says where its operand is read, so that nothing is gained by keeping it.
bool IsMovement(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

class RowAnalysis {
 public:
  RowAnalysis(const FlatGraph& graph, Context& context)
      : graph_(graph),
        context_(context),
        reachable_(graph.Reachable()),
        levels_(graph.nodes.size()),
        free_(graph.nodes.size()),
        group_(graph.nodes.size(), -1),
        at_(graph.nodes.size()) {}

  std::optional<RowFusion> Run() {
    if (!FindReductions() || !FindLevels() || !FindOutputs() || !ReadsReductions() || !Probe()) {
      return std::nullopt;
    }
    if (!AssignStages() || !Connect() || !FitsRegisters()) return std::nullopt;
    return std::move(fusion_);
  }

 private:
  // An element of a node that another one, or the end of a stage, needs.
  struct Need {
    int64_t node;
    Index at;
  };
  using Needs = llvm::SmallVector<Need, 4>;

  const Instruction& instruction(int64_t node) const { return *graph_.nodes[node].instruction; }
  bool IsReduction(int64_t node) const { return llvm::is_contained(reductions_, node); }
  int64_t LastStage() const { return std::ssize(fusion_.stages) - 1; }

  // All reductions that are needed go along the rows of arrays of one shape.
  bool FindReductions() {
    for (int64_t n = 0; n < std::ssize(graph_.nodes); ++n) {
      const Instruction& op = instruction(n);
      if (!reachable_[n] || op.opcode != Opcode::kReduce) continue;
      if (!RegroupedOperation(op)) return false;
      const std::vector<int64_t>& shape = op.operands[0]->shape.dims;
      if (reductions_.empty()) {
        fusion_.shape = shape;
        fusion_.dimensions = op.attributes.dimensions;
      }
      if (shape != fusion_.shape || op.attributes.dimensions != fusion_.dimensions) return false;
      reductions_.push_back(n);
    }
    return !reductions_.empty() && FindRows();
  }

  bool FindRows() {
    bool minor = true, reduced_before = false;
    int64_t length = 1;
    for (int64_t d = 0; d < std::ssize(fusion_.shape); ++d) {
      const int64_t size = fusion_.shape[d];
      if (llvm::is_contained(fusion_.dimensions, d)) {
        reduced_before |= size != 1;
        length *= size;
      } else {
        minor &= size == 1 || !reduced_before;
        kept_dims_.push_back(d);
        fusion_.rows.push_back(size);
      }
    }
    fusion_.element = Identity(fusion_.shape);
    return minor && length >= kMinRow && length <= kMaxRow && NumElements(fusion_.rows) > 0;
  }

  // For each node: the largest number of reductions on a path to it, and whether it is computed
  // without parameters and reductions.
  bool FindLevels() {
    int64_t stages = 1;
    for (int64_t n = 0; n < std::ssize(graph_.nodes); ++n) {
      if (!reachable_[n]) continue;
      const FlatNode& node = graph_.nodes[n];
      free_[n] = !node.is_parameter() && !IsReduction(n);
      if (node.is_parameter() && graph_.NumLeaves(n) != 1) return false;
      for (ValueRef operand : node.operands) {
        if (operand.node < 0) return false;
        levels_[n] = std::max(levels_[n], levels_[operand.node]);
        free_[n] = free_[n] && free_[operand.node];
      }
      if (!IsReduction(n)) continue;
      if (levels_[node.operands[1].node] > 0) return false;  // the initial value
      stages = std::max(stages, ++levels_[n] + 1);
    }
    fusion_.stages.resize(stages);
    for (int64_t n : reductions_) fusion_.stages[levels_[n] - 1].reductions.push_back(n);
    return true;
  }

  // The rows' elements in row-major order are those of each output, or the rows are.
  bool FindOutputs() {
    for (auto [value, leaf] : llvm::zip(graph_.outputs, graph_.output_leaves)) {
      if (value.node < 0) return false;
      RowFusion::Output output;
      output.of_rows = leaf->NumElements() == NumElements(fusion_.rows);
      if (!output.of_rows && leaf->NumElements() != NumElements(fusion_.shape)) return false;
      output.at = SameElement(output.of_rows ? fusion_.rows : fusion_.shape, leaf->dims);
      if (output.at.size() != leaf->dims.size()) return false;
      fusion_.outputs.push_back(std::move(output));
    }
    return true;
  }

  // The index in an array of sizes `to` of the element that has the same number in one of `from`.
  Index SameElement(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
    Index identity = Identity(from);
    if (from == to) return identity;
    const std::vector<SymbolicExpr> same = Delinearize(Linearize(context_, identity, from), to);
    const IndexingMap map = Simplify(IndexingMap(context_, same, VariablesOfSizes(from), {}, {}));
    return Index(map.results().begin(), map.results().end());
  }

  // Whether elements of a row need its reductions; otherwise no row has to be kept.
  bool ReadsReductions() const {
    if (fusion_.stages.size() > 2) return true;
    return llvm::any_of(llvm::zip(graph_.outputs, fusion_.outputs), [&](const auto& output) {
      return levels_[std::get<0>(output).node] > 0 && !std::get<1>(output).of_rows;
    });
  }

  // The roots of a stage: the operands of its reductions, or the outputs.
  Needs RootsOf(int64_t stage) const {
    Needs roots;
    for (int64_t n : fusion_.stages[stage].reductions) {
      roots.push_back({graph_.nodes[n].operands[0].node, fusion_.element});
    }
    if (stage < LastStage()) return roots;
    for (auto [value, output] : llvm::zip(graph_.outputs, fusion_.outputs)) {
      roots.push_back({value.node, output.of_rows ? OverRows(output.at) : output.at});
    }
    return roots;
  }

  // An index over the index of a row, over that of an element of the array instead; and back.
  Index OverRows(const Index& index) const {
    Index result;
    for (SymbolicExpr e : index) {
      result.push_back(
          e.Substitute([&](VarKind, int64_t d) { return context_.Dim(kept_dims_[d]); }));
    }
    return result;
  }
  Index OfRow(const Index& index) const {
    Index result;
    for (SymbolicExpr e : index) {
      result.push_back(e.Substitute([&](VarKind, int64_t d) {
        return context_.Dim(llvm::find(kept_dims_, d) - kept_dims_.begin());
      }));
    }
    return result;
  }
  // An index over itself. What can only be 0 is 0, as in the maps of instructions.
  Index Identity(llvm::ArrayRef<int64_t> sizes) const {
    Index index;
    for (auto [d, size] : llvm::enumerate(sizes)) {
      index.push_back(size == 1 ? context_.Constant(0) : context_.Dim(static_cast<int64_t>(d)));
    }
    return index;
  }
  static bool HasOnly(const Index& index, llvm::function_ref<bool(int64_t variable)> allowed) {
    return llvm::all_of(index, [&](SymbolicExpr e) {
      bool only = true;
      e.Walk([&](SymbolicExpr part) { only &= !part.IsVariable() || allowed(part.value()); });
      return only;
    });
  }
  // Whether all elements of a row have the same index.
  bool IsOfRow(const Index& index) const {
    return HasOnly(index, [&](int64_t d) {
      return llvm::is_contained(kept_dims_, d) || llvm::is_contained(starts_of_rows_, d);
    });
  }
  // Whether an index needs no value that is known at run time only.
  bool IsStatic(const Index& index) const {
    return HasOnly(index, [&](int64_t d) { return d < std::ssize(fusion_.shape); });
  }

  // Everything in one function over the array, for what it says of where nodes are needed.
  bool Probe() {
    RootGroup group{"rows", fusion_.shape, {}, true};
    for (int64_t stage = 0; stage <= LastStage(); ++stage) {
      for (Need& need : RootsOf(stage)) {
        group.roots.push_back({need.node, 0});
        group.indices.push_back(std::move(need.at));
      }
    }
    llvm::Expected<Partition> probe =
        MakePartition(graph_, context_, {{std::move(group)}, reductions_});
    if (!probe) {
      llvm::consumeError(probe.takeError());
      return false;
    }
    probe_ = std::move(*probe);
    return probe_.subgraphs.size() == 1 &&
           llvm::all_of(probe_.nodes, [](const NodePlan& plan) { return plan.loops.empty(); });
  }

  // The values that a node needs at its index, without those that it needs under a condition (such
  // as inside a padding). nullopt where one of the latter depends on a reduction.
  std::optional<Needs> NeedsOf(int64_t node) const {
    const NodePlan& plan = probe_.nodes[node];
    Needs needs;
    for (const RuntimeVariable& variable : plan.runtime) {
      needs.push_back({graph_.nodes[node].operands[variable.operand].node, variable.index});
    }
    for (auto [access, operand] : llvm::zip(plan.operands, graph_.nodes[node].operands)) {
      if (!access.read) continue;
      if (IsUnconditional(access.scope, plan.scope)) {
        needs.push_back({operand.node, access.index});
      } else if (levels_[operand.node] > 0) {
        return std::nullopt;
      }
    }
    return needs;
  }

  // Whether what runs in a scope runs whenever the one around it does, and once.
  bool IsUnconditional(int64_t scope, int64_t outer) const {
    const std::vector<Scope>& scopes = probe_.subgraphs[0].scopes;
    return scope == outer || scopes[scope].conditions.size() == scopes[outer].conditions.size();
  }

  bool IsTransparent(int64_t node) const {
    return free_[node] || IsMovement(instruction(node).opcode);
  }

  // The first stage that needs a node, and whether it is needed once a row: its group.
  bool AssignStages() {
    for (int64_t stage = 0; stage <= LastStage(); ++stage) {
      std::vector<bool> needed(graph_.nodes.size());
      for (const Need& need : RootsOf(stage)) {
        if (!Visit(need, needed)) return false;
      }
      for (int64_t n = std::ssize(graph_.nodes) - 1; n >= 0; --n) {
        if (!needed[n] || IsReduction(n) || free_[n] || group_[n] >= 0) continue;
        group_[n] = 2 * stage + (IsOfRow(at_[n]) ? 0 : 1);
        if (graph_.nodes[n].is_parameter()) continue;
        std::optional<Needs> needs = NeedsOf(n);
        if (!needs) return false;
        for (const RuntimeVariable& start : probe_.nodes[n].runtime) {
          if (IsOfRow(start.index)) starts_of_rows_.push_back(start.dim);
        }
        for (const Need& need : *needs) {
          if (!Visit(need, needed)) return false;
        }
      }
    }
    return true;
  }

  // Notes that a node is needed, and where: at one place, and a reduction at its row.
  bool Visit(const Need& need, std::vector<bool>& needed) {
    if (free_[need.node]) return true;
    if (at_[need.node] && *at_[need.node] != need.at) return false;
    at_[need.node] = need.at;
    needed[need.node] = true;
    if (!IsReduction(need.node)) return true;
    return llvm::all_of(llvm::zip(need.at, kept_dims_), [&](const auto& part) {
      auto [e, d] = part;
      return fusion_.shape[d] == 1 || e == context_.Dim(d);
    });
  }
  bool IsOfRow(const std::optional<Index>& index) const { return index && IsOfRow(*index); }

  // Which groups are given what others have.
  bool Connect() {
    for (int64_t stage = 0; stage <= LastStage(); ++stage) {
      for (auto [k, root] : llvm::enumerate(RootsOf(stage))) {
        const bool of_rows = stage == LastStage() && fusion_.outputs[k].of_rows;
        Give(root.node, 2 * stage + (of_rows ? 0 : 1));
      }
    }
    for (int64_t n = 0; n < std::ssize(graph_.nodes); ++n) {
      if (group_[n] < 0 || IsTransparent(n) || graph_.nodes[n].is_parameter()) continue;
      const std::optional<Needs> needs = NeedsOf(n);
      for (const Need& need : *needs) Give(need.node, group_[n]);
    }
    if (!kept_are_static_) return false;
    for (RowFusion::Stage& stage : fusion_.stages) {
      for (RowFusion::Values* values : {&stage.row, &stage.element}) llvm::sort(values->given);
    }
    return true;
  }

  RowFusion::Values& GroupOf(int64_t group) {
    RowFusion::Stage& stage = fusion_.stages[group / 2];
    return group % 2 == 0 ? stage.row : stage.element;
  }

  // Group `to` needs a node: it is given it, unless it computes it.
  void Give(int64_t node, int64_t to) {
    if (free_[node]) return;
    if (!IsReduction(node) && IsTransparent(node)) {
      const std::optional<Needs> needs = NeedsOf(node);
      for (const Need& need : *needs) Give(need.node, to);
      return;
    }
    if (group_[node] == to) return;
    AddOnce(GroupOf(to).given, node);
    if (IsReduction(node)) return;
    RowFusion::Values& from = GroupOf(group_[node]);
    if (!AddOnce(from.kept, node)) return;
    kept_are_static_ &= IsStatic(*at_[node]);
    from.at.push_back(group_[node] % 2 == 0 ? OfRow(*at_[node]) : *at_[node]);
  }

  static bool AddOnce(std::vector<int64_t>& nodes, int64_t node) {
    if (llvm::is_contained(nodes, node)) return false;
    nodes.push_back(node);
    return true;
  }

  bool FitsRegisters() const {
    int64_t words = 0;
    for (const RowFusion::Stage& stage : fusion_.stages) {
      for (int64_t n : stage.element.kept) {
        const hlo::PrimitiveType type = instruction(n).shape.type;
        if (hlo::IsComplex(type)) return false;
        words += hlo::BitWidth(type) > 32 ? 2 : 1;
      }
    }
    const int64_t length = NumElements(fusion_.shape) / NumElements(fusion_.rows);
    return words <= kMaxWordsOfElement && words * length <= kMaxWordsOfRow;
  }

  const FlatGraph& graph_;
  Context& context_;
  std::vector<bool> reachable_;
  std::vector<int64_t> reductions_;
  llvm::SmallVector<int64_t> kept_dims_;  // of the array, that count rows
  std::vector<int64_t> levels_;           // by node
  std::vector<bool> free_;
  std::vector<int64_t> group_;  // stage * 2, plus 1 for what each element has; -1: in none
  std::vector<std::optional<Index>> at_;
  bool kept_are_static_ = true;                // what is kept has a place of its own in a row
  llvm::SmallVector<int64_t> starts_of_rows_;  // known at run time, one for each row
  Partition probe_;
  RowFusion fusion_;
};

}  // namespace

std::optional<RowFusion> FindRowFusion(const FlatGraph& graph, Context& context) {
  return RowAnalysis(graph, context).Run();
}

}  // namespace affirm::emit
