// A data-flow analysis from parameters to index operands, through calls and loops.
#include "verify/reference/index_uses.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm::hlo {
namespace {

// The parameter leaves of the outermost computation, numbered consecutively, that a value depends
// on; sorted, distinct.
using ParameterLeaves = llvm::SmallVector<int64_t>;
using LeafSources = std::vector<ParameterLeaves>;  // by leaf of a value

constexpr int64_t kMaxVisits = int64_t{1}
                               << 20;  // of instructions; nested calls may visit one many times

void Merge(ParameterLeaves& into, llvm::ArrayRef<int64_t> from) {
  into.append(from.begin(), from.end());
  llvm::sort(into);
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

ParameterLeaves All(llvm::ArrayRef<const LeafSources*> operands) {
  ParameterLeaves all;
  for (const LeafSources* operand : operands) {
    for (const ParameterLeaves& leaf : *operand) all.append(leaf.begin(), leaf.end());
  }
  Merge(all, {});
  return all;
}

int64_t SizeOf(const std::vector<int64_t>& sizes, size_t k) {
  return k < sizes.size() ? sizes[k] : 1;
}

class Finder {
 public:
  explicit Finder(int64_t leaves) : uses_(leaves) {}

  LeafSources Visit(const Computation& computation, std::vector<LeafSources> parameters) {
    llvm::DenseMap<const Instruction*, LeafSources> values;
    for (const auto& op : computation.instructions) {
      if (++visits_ > kMaxVisits) break;
      if (op->opcode == Opcode::kParameter) {
        const auto k = static_cast<size_t>(op->parameter_number);
        if (k < parameters.size()) values[op.get()] = parameters[k];
      } else {
        // These are copies, because a reference would not survive the insertion of the value.
        llvm::SmallVector<LeafSources> operands;
        for (const Instruction* operand : op->operands) operands.push_back(values.lookup(operand));
        llvm::SmallVector<const LeafSources*> pointers;
        for (const LeafSources& operand : operands) pointers.push_back(&operand);
        NoteIndices(*op, pointers);
        values[op.get()] = ValueOf(*op, pointers);
      }
      values[op.get()].resize(NumLeaves(op->shape));
    }
    return values.lookup(computation.root);
  }

  std::vector<IndexUse> Take() {
    for (IndexUse& use : uses_) {
      llvm::sort(use.bounds);
      use.bounds.erase(std::unique(use.bounds.begin(), use.bounds.end()), use.bounds.end());
    }
    return std::move(uses_);
  }

 private:
  using Operands = llvm::ArrayRef<const LeafSources*>;

  void Note(const LeafSources& index, int64_t low, int64_t high) {
    for (const ParameterLeaves& leaf : index) {
      for (int64_t source : leaf) uses_[source].bounds.push_back({low, high});
    }
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
        return Visit(*op.called.front(), std::move(passed));
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
          for (int64_t source : state[i]) uses_[source].in_loop_state |= shapes[i]->IsScalar();
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

  std::vector<IndexUse> uses_;
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
  std::vector<LeafSources> parameters;
  int64_t count = 0;
  for (const Instruction* parameter : computation.parameters) {
    LeafSources leaves;
    const int64_t n = parameter == nullptr ? 0 : NumLeaves(parameter->shape);
    for (int64_t i = 0; i < n; ++i) leaves.push_back({count++});
    parameters.push_back(std::move(leaves));
  }
  Finder finder(count);
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
