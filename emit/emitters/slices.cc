#include "emit/emitters/slices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace affirm::emit {

namespace {

// Whether an index into `dims` is that of the element which the function is called for.
bool IsOwnIndex(const Index& index, llvm::ArrayRef<int64_t> dims) {
  for (auto [d, expr] : llvm::enumerate(index)) {
    const bool is_dim = expr.IsVariable() && expr.var_kind() == VarKind::kDim &&
                        expr.value() == static_cast<int64_t>(d);
    if (!is_dim && dims[d] != 1) return false;
  }
  return true;
}

class SliceChooser {
 public:
  SliceChooser(const FlatGraph& graph, const EmissionPlan& plan, llvm::ArrayRef<int64_t> wanted,
               llvm::function_ref<bool(size_t)> is_read)
      : graph_(graph),
        plan_(plan),
        wanted_(wanted),
        is_read_(is_read),
        inputs_(graph.parameter_leaves.size()) {}

  std::vector<int64_t> Choose() {
    for (size_t i = 0; i < inputs_; ++i) slices_.push_back(OfInput(i));
    for (size_t k = 0; k < graph_.outputs.size(); ++k) slices_.push_back(OfOutput(k));
    return std::move(slices_);
  }

 private:
  int64_t OfInput(size_t i) const {
    const hlo::Shape& shape = *graph_.parameter_leaves[i];
    for (size_t first = 0; first < i && !wanted_.empty(); ++first) {
      const hlo::Shape& other = *graph_.parameter_leaves[first];
      if (wanted_[first] == wanted_[i] && other.type == shape.type &&
          other.NumElements() == shape.NumElements())
        return slices_[first];
    }
    return static_cast<int64_t>(i);
  }

  int64_t OfOutput(size_t k) const {
    if (!plan_.aliases.empty() && plan_.aliases[k] >= 0) {
      const auto alias = static_cast<size_t>(plan_.aliases[k]);
      if (IsFree(alias, [&](size_t i) { return !is_read_(i); })) return slices_[alias];
    } else if (!wanted_.empty()) {
      for (size_t input = 0; input < inputs_; ++input) {
        if (wanted_[input] == wanted_[inputs_ + k] &&
            IsFree(input, [&](size_t i) { return CanBeWrittenOver(graph_, plan_, k, i); }))
          return slices_[input];
      }
    }
    return static_cast<int64_t>(inputs_ + k);
  }

  // Whether no output has the slice of the input yet, and all inputs that have it allow it.
  bool IsFree(size_t input, llvm::function_ref<bool(size_t)> allows) const {
    const llvm::ArrayRef<int64_t> all(slices_);
    const int64_t slice = slices_[input];
    return !llvm::is_contained(all.drop_front(inputs_), slice) &&
           llvm::all_of(llvm::seq(size_t{0}, inputs_),
                        [&](size_t i) { return all[i] != slice || allows(i); });
  }

  const FlatGraph& graph_;
  const EmissionPlan& plan_;
  llvm::ArrayRef<int64_t> wanted_;
  llvm::function_ref<bool(size_t)> is_read_;
  size_t inputs_;
  std::vector<int64_t> slices_;
};

}  // namespace

bool CanBeWrittenOver(const FlatGraph& graph, const EmissionPlan& plan, size_t output,
                      size_t input) {
  const hlo::Shape &result = *graph.output_leaves[output],
                   &operand = *graph.parameter_leaves[input];
  if (!plan.by_element || result.type != operand.type || result.dims != operand.dims) return false;
  const std::vector<Subgraph>& functions = plan.partition.subgraphs;
  if (functions.size() != 1 || functions.front().shape != result.dims) return false;
  auto is_input = [&](ValueRef value) {
    const FlatNode& node = graph.nodes[value.node];
    return node.is_parameter() && node.buffer + value.leaf == static_cast<int64_t>(input);
  };
  for (auto [node, planned] : llvm::zip_equal(graph.nodes, plan.partition.nodes)) {
    if (planned.subgraph < 0) continue;
    for (const RuntimeVariable& variable : planned.runtime) {
      if (is_input(node.operands[variable.operand])) return false;
    }
    for (auto [value, access] : llvm::zip(node.operands, planned.operands)) {
      if (access.read && is_input(value) && !IsOwnIndex(access.index, operand.dims)) return false;
    }
  }
  return true;
}

std::vector<int64_t> ChooseSlices(const FlatGraph& graph, const EmissionPlan& plan,
                                  llvm::ArrayRef<int64_t> wanted,
                                  llvm::function_ref<bool(size_t input)> is_read) {
  return SliceChooser(graph, plan, wanted, is_read).Choose();
}

}  // namespace affirm::emit
