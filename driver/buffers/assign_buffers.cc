#include "driver/buffers/assign_buffers.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/hlo/input_output_alias.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using hlo::Instruction;
using hlo::Opcode;

namespace {

constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

bool NamesItsOperand(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kAddDependency:
    case Opcode::kBitcast:
    case Opcode::kDomain:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

// Whether all operands of the op are needed until it ends: other ops read them while it runs, or it
// runs computations of its own.
bool KeepsItsOperands(const Instruction& op) {
  const llvm::StringRef name = op.opcode_text.empty() ? hlo::Name(op.opcode) : op.opcode_text;
  return name.ends_with("-start") || name.ends_with("-update") || op.opcode == Opcode::kWhile ||
         op.opcode == Opcode::kConditional || op.opcode == Opcode::kCall;
}

int64_t BytesOf(const hlo::Shape& shape) {
  return shape.NumElements() * hlo::ByteWidth(shape.type);
}

class Assigner {
 public:
  Assigner(const hlo::Module& module, const MayTakeOperand& may_take)
      : entry_(*module.entry), may_take_(may_take) {
    FindLastUses();
    ReadAliases(module);
  }

  AssignedBuffers Assign(const hlo::Module& module) {
    for (const auto& computation : module.computations) {
      if (computation.get() == &entry_) continue;
      for (const auto& op : computation->instructions) AddAll(*op, /*reuses=*/false);
    }
    for (const auto& op : entry_.instructions) AddAll(*op, /*reuses=*/true);
    for (const auto& [wanted, parameter] : aliases_) {
      const BufferSlice from = places_.lookup(wanted), to = places_.lookup(parameter);
      if (!(from == to)) result_.copies.emplace_back(from, to);
    }
    for (const Allocation& allocation : allocations_) result_.bytes += allocation.size;
    return std::move(result_);
  }

 private:
  struct Allocation {
    int64_t size = 0;
    int64_t needed_until = kForEver;  // the last time that something reads what is in it
  };

  void FindLastUses() {
    for (const auto& op : entry_.instructions) {
      times_[op.get()] = static_cast<int64_t>(times_.size());
      if (NamesItsOperand(*op)) continue;
      for (const Instruction* operand : op->operands) {
        const int64_t time = KeepsItsOperands(*op) ? kForEver : times_[op.get()];
        ReadAll(*operand, time);
      }
    }
    ReadAll(*entry_.root, kForEver);
  }
  void ReadAll(const Instruction& op, int64_t time) {
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      int64_t& last = last_uses_.try_emplace(MadeBy({&op, leaf.index}), -1).first->second;
      last = std::max(last, time);
    }
  }

  void ReadAliases(const hlo::Module& module) {
    auto aliases = hlo::InputOutputAliases(module);
    if (!aliases) return llvm::consumeError(aliases.takeError());
    for (const hlo::InputOutputAlias& alias : *aliases) {
      const ArrayOf wanted = MadeBy({entry_.root, alias.result_leaf});
      aliases_.emplace_back(wanted,
                            ArrayOf{entry_.parameters[alias.parameter], alias.parameter_leaf});
    }
    // An array that the caller gets twice cannot be in two places, and has a place of its own.
    llvm::DenseMap<ArrayOf, int> times;
    for (const hlo::LeafRef& leaf : hlo::Leaves(entry_.root->shape))
      ++times[MadeBy({entry_.root, leaf.index})];
    for (const auto& [wanted, parameter] : aliases_) {
      if (times[wanted] == 1) parameter_of_[wanted] = parameter;
    }
  }

  void AddAll(const Instruction& op, bool reuses) {
    if (NamesItsOperand(op) || (op.opcode == Opcode::kParameter && op.parent != &entry_)) return;
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      if (!leaf.shape->IsArray()) continue;
      const ArrayOf array{&op, leaf.index};
      const int64_t size = BytesOf(*leaf.shape);
      if (const ArrayOf made = MadeBy(array); made != array) {
        places_[array] = places_.lookup(made);
        result_.slices.Add(op, leaf.index, places_[array]);
        continue;
      }
      std::optional<int64_t> place;
      if (reuses) place = OfParameter(array);
      if (!place) place = reuses && IsMadeForAWhile(array) ? Free(size, times_[&op]) : New(size);
      if (reuses && IsMadeForAWhile(array))
        allocations_[*place].needed_until = last_uses_.lookup(array);
      places_[array] = {*place, 0, size};
      result_.slices.Add(op, leaf.index, places_[array]);
    }
  }

  // An array that a kernel or a library makes, and that neither the caller nor a loop gets.
  bool IsMadeForAWhile(ArrayOf array) const {
    const Instruction& op = *array.first;
    auto last = last_uses_.find(array);
    return op.opcode != Opcode::kParameter && op.opcode != Opcode::kConstant &&
           !KeepsItsOperands(op) && last != last_uses_.end() && last->second != kForEver;
  }

  // The memory of the parameter that the result is to replace, where it is no longer needed, or
  // the instruction alone that makes the result, which may write over it.
  std::optional<int64_t> OfParameter(ArrayOf array) {
    auto wanted = parameter_of_.find(array);
    if (wanted == parameter_of_.end() || array.first->opcode == Opcode::kConstant)
      return std::nullopt;
    const ArrayOf parameter = wanted->second;
    auto place = places_.find(parameter);
    if (place == places_.end()) return std::nullopt;  // the array is a parameter itself
    const Instruction& op = *array.first;
    const int64_t last = last_uses_.contains(parameter) ? last_uses_[parameter] : -1;
    if (last > times_[&op] || KeepsItsOperands(op)) return std::nullopt;
    for (size_t k = 0; k < op.operands.size() && last == times_[&op]; ++k) {
      for (const hlo::LeafRef& leaf : hlo::Leaves(op.operands[k]->shape)) {
        if (MadeBy({op.operands[k], leaf.index}) == parameter &&
            !may_take_(op, array.second, k, leaf.index))
          return std::nullopt;
      }
    }
    return place->second.allocation;
  }

  int64_t New(int64_t size) {
    allocations_.push_back({size});
    return static_cast<int64_t>(allocations_.size()) - 1;
  }

  // The smallest allocation that is large enough and that is no longer read.
  int64_t Free(int64_t size, int64_t time) {
    std::optional<size_t> best;
    for (auto [k, allocation] : llvm::enumerate(allocations_)) {
      if (allocation.needed_until >= time || allocation.size < size) continue;
      if (!best || allocation.size < allocations_[*best].size) best = k;
    }
    return best ? static_cast<int64_t>(*best) : New(size);
  }

  const hlo::Computation& entry_;
  const MayTakeOperand& may_take_;
  llvm::DenseMap<const Instruction*, int64_t> times_;
  llvm::DenseMap<ArrayOf, int64_t> last_uses_;
  std::vector<std::pair<ArrayOf, ArrayOf>> aliases_;  // a result, the parameter
  llvm::DenseMap<ArrayOf, ArrayOf> parameter_of_;
  llvm::DenseMap<ArrayOf, BufferSlice> places_;
  std::vector<Allocation> allocations_;
  AssignedBuffers result_;
};

}  // namespace

// A value that a fusion returns twice is written once.
static ArrayOf FirstOfItsValue(ArrayOf array) {
  const auto& [fusion, leaf] = array;
  if (leaf == 0 || fusion->called.empty()) return array;
  const Instruction* root = fusion->called.front()->root;
  const ArrayOf value = MadeBy({root, leaf});
  // The elements of a tuple are read at once: finding each by its number is slow for a thousand.
  const llvm::ArrayRef<Instruction*> elements =
      root->opcode == Opcode::kTuple ? llvm::ArrayRef(root->operands)
                                     : llvm::ArrayRef(&fusion->called.front()->root, 1);
  int64_t number = 0;
  for (const Instruction* element : elements) {
    if (number >= leaf) break;
    const int64_t leaves = hlo::NumLeaves(element->shape);
    if (element != value.first && !NamesItsOperand(*element) && element->called.empty()) {
      number += leaves;
      continue;
    }
    for (int64_t k = 0; k < leaves && number < leaf; ++k, ++number) {
      if (MadeBy({element, k}) == value) return {fusion, number};
    }
  }
  return array;
}

ArrayOf MadeBy(ArrayOf array) {
  while (NamesItsOperand(*array.first)) {
    const Instruction& op = *array.first;
    if (op.opcode == Opcode::kTuple) {
      size_t element = 0;
      for (; array.second >= hlo::NumLeaves(op.shape.tuple[element]); ++element)
        array.second -= hlo::NumLeaves(op.shape.tuple[element]);
      array.first = op.operands[element];
    } else if (op.opcode == Opcode::kGetTupleElement) {
      const int64_t first =
          hlo::FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
      array = {op.operands[0], array.second + first};
    } else {
      array.first = op.operands[0];
    }
  }
  return array.first->opcode == Opcode::kFusion ? FirstOfItsValue(array) : array;
}

AssignedBuffers AssignBuffers(const hlo::Module& module, const MayTakeOperand& may_take) {
  return Assigner(module, may_take).Assign(module);
}

}  // namespace affirm::driver
