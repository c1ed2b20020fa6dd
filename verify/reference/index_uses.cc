// A data-flow analysis from parameters to index operands, through calls and loops.
#include "verify/reference/index_uses.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm::hlo {
namespace {

// A node of a graph whose edges lead to what a value was computed from: which parameter leaves of
// the outermost computation an index depends on is asked at the end, of few nodes. Sets of leaves
// at each instruction would grow with the length of a chain.
struct Source {
  int64_t parameter = -1;             // the leaf's number; -1 where there is none
  llvm::SmallVector<size_t, 2> from;  // nodes before this one
};
constexpr size_t kNothing = 0;            // the node that depends on no parameter
using LeafSources = std::vector<size_t>;  // nodes, by leaf of a value

constexpr int64_t kMaxVisits = int64_t{1}
                               << 20;  // of instructions; nested calls may visit one many times

int64_t SizeOf(const std::vector<int64_t>& sizes, size_t k) {
  return k < sizes.size() ? sizes[k] : 1;
}

class Finder {
 public:
  Finder() : sources_(1) {}

  size_t AddParameter() {
    sources_.push_back({parameters_++, {}});
    return sources_.size() - 1;
  }

  LeafSources Visit(const Computation& computation, const std::vector<LeafSources>& parameters) {
    // A map by nodes, since references into it survive an insertion.
    std::unordered_map<const Instruction*, LeafSources> values;
    for (const auto& op : computation.instructions) {
      if (++visits_ > kMaxVisits) break;
      LeafSources& value = values[op.get()];
      if (op->opcode == Opcode::kParameter) {
        const auto k = static_cast<size_t>(op->parameter_number);
        if (k < parameters.size()) value = parameters[k];
      } else {
        llvm::SmallVector<const LeafSources*> operands;
        for (const Instruction* operand : op->operands) operands.push_back(&values[operand]);
        NoteIndices(*op, operands);
        value = ValueOf(*op, operands);
      }
      value.resize(NumLeaves(op->shape), kNothing);
    }
    return values[computation.root];
  }

  std::vector<IndexUse> Take() {
    std::vector<IndexUse> uses(parameters_);
    for (const auto& [bounds, nodes] : bounds_) {
      for (int64_t parameter : ParametersOf(nodes)) uses[parameter].bounds.push_back(bounds);
    }
    for (int64_t parameter : ParametersOf(in_loop_state_)) uses[parameter].in_loop_state = true;
    return uses;
  }

 private:
  using Operands = llvm::ArrayRef<const LeafSources*>;

  // The node of what depends on all of these.
  size_t Join(llvm::SmallVector<size_t, 2> from) {
    llvm::sort(from);
    from.erase(std::unique(from.begin(), from.end()), from.end());
    if (!from.empty() && from.front() == kNothing) from.erase(from.begin());
    if (from.size() <= 1) return from.empty() ? kNothing : from.front();
    sources_.push_back({-1, std::move(from)});
    return sources_.size() - 1;
  }

  void Merge(size_t& into, size_t from) { into = Join({into, from}); }

  size_t All(Operands operands) {
    llvm::SmallVector<size_t, 2> all;
    for (const LeafSources* operand : operands) all.append(operand->begin(), operand->end());
    return Join(std::move(all));
  }

  // Ascending.
  std::vector<int64_t> ParametersOf(const std::vector<size_t>& nodes) const {
    std::vector<bool> is_wanted(sources_.size());
    for (size_t node : nodes) is_wanted[node] = true;
    std::vector<int64_t> parameters;
    for (size_t node = sources_.size(); node-- > 0;) {
      if (!is_wanted[node]) continue;
      if (sources_[node].parameter >= 0) parameters.push_back(sources_[node].parameter);
      for (size_t from : sources_[node].from) is_wanted[from] = true;
    }
    std::reverse(parameters.begin(), parameters.end());
    return parameters;
  }

  void Note(const LeafSources& index, int64_t low, int64_t high) {
    std::vector<size_t>& nodes = bounds_[{low, high}];
    nodes.insert(nodes.end(), index.begin(), index.end());
  }

  void NoteStarts(const Instruction& op, Operands operands, size_t first,
                  const std::vector<int64_t>& sizes) {
    const Shape& from = op.operands.front()->shape;
    const bool is_vector = op.operands.size() == first + 1 && op.operands[first]->shape.rank() == 1;
    for (int64_t d = 0; d < from.rank(); ++d) {
      const size_t k = is_vector ? first : first + d;
      if (k < operands.size()) Note(*operands[k], 0, from.dims[d] - SizeOf(sizes, d));
    }
  }

  void NoteIndices(const Instruction& op, Operands operands) {
    const Attributes& a = op.attributes;
    switch (op.opcode) {
      case Opcode::kDynamicSlice:
        return NoteStarts(op, operands, 1, a.dynamic_slice_sizes);
      case Opcode::kDynamicUpdateSlice:
        return NoteStarts(op, operands, 2, op.operands[1]->shape.dims);
      case Opcode::kGather:
      case Opcode::kScatter: {
        const bool gather = op.opcode == Opcode::kGather;
        const auto& dims = gather ? a.start_index_map : a.scatter_dims_to_operand_dims;
        const std::vector<int64_t> sizes = gather ? a.slice_sizes : ScatterWindowSizes(op);
        const LeafSources& index = *operands[gather ? 1 : operands.size() / 2];
        for (int64_t d : dims) {
          if (d >= op.operands.front()->shape.rank()) continue;
          Note(index, 0, op.operands.front()->shape.dims[d] - SizeOf(sizes, d));
        }
        return;
      }
      case Opcode::kConditional:
        return Note(*operands.front(), 0, static_cast<int64_t>(op.called.size()) - 1);
      default:
        return;
    }
  }

  LeafSources ValueOf(const Instruction& op, Operands operands) {
    switch (op.opcode) {
      case Opcode::kTuple: {
        LeafSources all;
        for (const LeafSources* operand : operands)
          all.insert(all.end(), operand->begin(), operand->end());
        return all;
      }
      case Opcode::kGetTupleElement: {
        const int64_t first = FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
        LeafSources element;
        for (int64_t k = 0; first >= 0 && k < NumLeaves(op.shape); ++k) {
          element.push_back((*operands[0])[first + k]);
        }
        return element;
      }
      case Opcode::kCall:
      case Opcode::kFusion: {
        if (op.called.empty()) break;
        std::vector<LeafSources> passed;
        for (const LeafSources* operand : operands) passed.push_back(*operand);
        return Visit(*op.called.front(), passed);
      }
      case Opcode::kConditional: {
        LeafSources merged(NumLeaves(op.shape));
        for (size_t k = 0; k < op.called.size() && k + 1 < operands.size(); ++k) {
          LeafSources branch = Visit(*op.called[k], {*operands[k + 1]});
          for (size_t i = 0; i < std::min(merged.size(), branch.size()); ++i) {
            Merge(merged[i], branch[i]);
          }
        }
        return merged;
      }
      case Opcode::kWhile: {
        LeafSources state = *operands[0];
        const std::vector<const Shape*> shapes = LeafShapes(op.shape);
        for (size_t i = 0; i < std::min(state.size(), shapes.size()); ++i) {
          if (shapes[i]->IsScalar()) in_loop_state_.push_back(state[i]);
        }
        // A leaf of the state that one trip computes may be an index in the next one.
        for (int trip = 0; trip < 2; ++trip) {
          for (const Computation* called : op.called) {
            LeafSources next = Visit(*called, {state});
            if (next.size() != state.size()) continue;  // the condition
            for (size_t i = 0; i < state.size(); ++i) Merge(state[i], next[i]);
          }
        }
        return state;
      }
      default:
        break;
    }
    return LeafSources(NumLeaves(op.shape), All(operands));
  }

  std::vector<Source> sources_;  // each after what it is from
  int64_t parameters_ = 0;
  std::map<IndexUse::Bounds, std::vector<size_t>> bounds_;  // of indices: their nodes
  std::vector<size_t> in_loop_state_;
  int64_t visits_ = 0;
};

}  // namespace

std::vector<int64_t> ScatterWindowSizes(const Instruction& scatter) {
  const Attributes& a = scatter.attributes;
  const Shape& update = scatter.operands.back()->shape;
  std::vector<int64_t> sizes;
  size_t next = 0;
  for (int64_t d = 0; d < scatter.operands.front()->shape.rank(); ++d) {
    const bool one = llvm::is_contained(a.inserted_window_dims, d) ||
                     llvm::is_contained(a.input_batching_dims, d);
    const bool known =
        !one && next < a.update_window_dims.size() && a.update_window_dims[next] < update.rank();
    sizes.push_back(known ? update.dims[a.update_window_dims[next]] : 1);
    next += !one;
  }
  return sizes;
}

std::vector<std::vector<IndexUse>> FindIndexUses(const Computation& computation) {
  Finder finder;
  std::vector<LeafSources> parameters;
  for (const Instruction* parameter : computation.parameters) {
    LeafSources leaves;
    const int64_t n = parameter == nullptr ? 0 : NumLeaves(parameter->shape);
    for (int64_t i = 0; i < n; ++i) leaves.push_back(finder.AddParameter());
    parameters.push_back(std::move(leaves));
  }
  finder.Visit(computation, parameters);
  std::vector<IndexUse> uses = finder.Take();
  std::vector<std::vector<IndexUse>> by_parameter;
  auto next = uses.begin();
  for (const LeafSources& leaves : parameters) {
    by_parameter.emplace_back(next, next + std::ssize(leaves));
    next += std::ssize(leaves);
  }
  return by_parameter;
}

}  // namespace affirm::hlo
