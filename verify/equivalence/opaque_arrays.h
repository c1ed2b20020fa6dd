// Numbers of the symbolic arrays that replace results of opaque instructions. Internal to prove.cc.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_OPAQUE_ARRAYS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_OPAQUE_ARRAYS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::equivalence {

// Each leaf has the number of an array; leaves with one number are equal. Numbers below `next` are
// taken.
class OpaqueArrays {
 public:
  int64_t next = 0;

  bool contains(const hlo::Instruction& op) const { return first_.contains(&op); }
  // nullopt for an instruction that is not opaque.
  std::optional<int64_t> NumberOf(const hlo::Instruction& op, int64_t leaf) const {
    const auto elements = elements_.find(&op);
    if (elements != elements_.end()) return elements->second[static_cast<size_t>(leaf)];
    const auto first = first_.find(&op);
    if (first == first_.end()) return std::nullopt;
    return first->second + leaf;
  }

  // The number of an array that is an opaque result, or a get-tuple-element of one.
  std::optional<int64_t> NumberOfArray(const hlo::Instruction& array) const {
    if (array.opcode != hlo::Opcode::kGetTupleElement) return NumberOf(array, 0);
    const hlo::Instruction& tuple = *array.operands[0];
    return NumberOf(tuple, hlo::FirstLeafOfElement(tuple.shape, array.attributes.tuple_index));
  }

  // Takes numbers for the leaves of a shape; returns the first one.
  int64_t Take(const hlo::Shape& shape) {
    const int64_t first = next;
    next += hlo::NumLeaves(shape);
    return first;
  }
  // Gives the leaves of an instruction the numbers from `first` on.
  void Add(const hlo::Instruction& op, int64_t first) { first_[&op] = first; }
  // Gives the leaves of `a` new numbers, and each leaf of `b` that of its match, or a new one.
  void AddMatched(const hlo::Instruction& a, const hlo::Instruction& b,
                  const std::vector<std::optional<int64_t>>& leaf_of_a) {
    const int64_t first = Take(a.shape);
    Add(a, first);
    Add(b, next);
    std::vector<int64_t>& of_b = elements_[&b];
    for (const std::optional<int64_t>& leaf : leaf_of_a)
      of_b.push_back(leaf ? first + *leaf : next++);
  }

 private:
  llvm::DenseMap<const hlo::Instruction*, int64_t> first_;
  llvm::DenseMap<const hlo::Instruction*, std::vector<int64_t>> elements_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_OPAQUE_ARRAYS_H_
