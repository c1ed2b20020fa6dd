#include "verify/equivalence/stable_sorts.h"

#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/inline_calls.h"
#include "verify/equivalence/sort_comparators.h"
#include "verify/equivalence/trip_claims.h"
#include "verify/hlo/values/strict_weak_order.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

// Whether each element is its index in the dimension, without overflow of its type.
bool NumbersPositions(const Instruction& array, int64_t dimension) {
  const Instruction* numbers = &array;
  int64_t along = dimension;
  if (array.opcode == Opcode::kBroadcast) {
    const auto& dimensions = array.attributes.dimensions;
    numbers = array.operands[0];
    along = llvm::find(dimensions, dimension) - dimensions.begin();
  }
  if (numbers->opcode != Opcode::kIota || !hlo::IsInt(array.shape.type) ||
      numbers->attributes.dimensions != std::vector<int64_t>{along})
    return false;
  const int bits = hlo::BitWidth(array.shape.type) - (hlo::IsSignedInt(array.shape.type) ? 1 : 0);
  return bits >= 63 || array.shape.dims[dimension] <= int64_t{1} << bits;
}

// Copies a computation, and rewrites its sorts.
class Stabilizer {
 public:
  explicit Stabilizer(const Computation& from) : from_(from) { FindNeeded(); }

  std::unique_ptr<hlo::Module> Run() {
    auto made = std::make_unique<Computation>();
    to_ = made.get();
    result_->name = made->name = from_.name;
    made->module = result_.get();
    made->is_entry = true;
    for (const auto& op : from_.instructions) {
      if (op->opcode == Opcode::kParameter || needed_.contains(op.get()))
        copies_[op.get()] = Copy(*op);
    }
    if (!changed_) return nullptr;
    made->root = copies_.lookup(from_.root);
    made->NumberParameters();
    result_->entry = made.get();
    result_->computations.push_back(std::move(made));
    return std::move(result_);
  }

 private:
  // Finds the live instructions, and the live results of each sort, looking through tuples. Loops
  // that may not end stay live, since without termination there is no result.
  void FindNeeded() {
    std::vector<const Instruction*> open = {from_.root};
    for (const auto& op : from_.instructions) {
      if (op->called.empty() || IsKnownToEnd(*op)) continue;
      open.push_back(op.get());
      whole_.insert(op.get());
    }
    while (!open.empty()) {
      const Instruction& op = *open.back();
      open.pop_back();
      if (!needed_.insert(&op).second) continue;
      if (op.opcode != Opcode::kGetTupleElement) {
        open.insert(open.end(), op.operands.begin(), op.operands.end());
        for (const Instruction* operand : op.operands) whole_.insert(operand);
        continue;
      }
      const auto k = static_cast<size_t>(op.attributes.tuple_index);
      const Instruction* tuple = op.operands[0];
      elements_[tuple].insert(k);
      open.push_back(tuple->opcode == Opcode::kTuple ? tuple->operands[k] : tuple);
      if (tuple->opcode == Opcode::kTuple) whole_.insert(tuple->operands[k]);
    }
    whole_.insert(from_.root);
  }

  Instruction* Copy(const Instruction& op) {
    if (op.opcode == Opcode::kSort && op.called.size() == 1) return Sort(op);
    if (op.opcode == Opcode::kGetTupleElement && op.operands[0]->opcode == Opcode::kTuple) {
      const auto k = static_cast<size_t>(op.attributes.tuple_index);
      return InLayoutOf(op, copies_.lookup(op.operands[0]->operands[k]), *to_);
    }
    if (op.opcode == Opcode::kGetTupleElement) {
      const auto kept = kept_.find(op.operands[0]);
      if (kept != kept_.end()) return Result(op, kept->second);
    }
    return CopyInto(*to_, op, copies_);
  }

  Instruction* Sort(const Instruction& sort) {
    const Computation* comparator = sort.called[0];
    std::unique_ptr<Computation> less = Less(sort);
    // Dropping an operand of an unstable sort could merge it with another sort, with other ties.
    const bool is_stable = less != nullptr || sort.attributes.is_stable;
    const std::vector<size_t> kept = Kept(sort, less ? *less : *comparator, is_stable);
    const bool drops = kept.size() < sort.operands.size();
    if (!less && !drops) return CopyInto(*to_, sort, copies_);
    changed_ = true;
    auto copy = hlo::CopyOf(sort);
    if (less) {
      copy->attributes.is_stable = true;
      comparator = less.get();
      Keep(std::move(less));
    }
    if (drops) {
      std::unique_ptr<Computation> fewer = OfOperands(*comparator, kept);
      comparator = fewer.get();
      Keep(std::move(fewer));
      copy->shape = ShapeOf(sort, kept);
      kept_[&sort] = kept;
    }
    copy->called = {const_cast<Computation*>(comparator)};
    for (size_t k : kept) copy->operands.push_back(copies_.lookup(sort.operands[k]));
    return to_->Add(std::move(copy));
  }

  // The copy of result `op` of a sort that keeps the operands `kept`.
  Instruction* Result(const Instruction& op, llvm::ArrayRef<size_t> kept) {
    if (kept.size() == 1) return copies_.lookup(op.operands[0]);
    auto copy = hlo::CopyOf(op);
    copy->attributes.tuple_index =
        llvm::find(kept, static_cast<size_t>(op.attributes.tuple_index)) - kept.begin();
    copy->operands = {copies_.lookup(op.operands[0])};
    return to_->Add(std::move(copy));
  }

  static Shape ShapeOf(const Instruction& sort, llvm::ArrayRef<size_t> kept) {
    std::vector<Shape> shapes;
    for (size_t k : kept) shapes.push_back(sort.shape.tuple[k]);
    return kept.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  }

  // The comparator of the stable sort; null if the sort is not one.
  static std::unique_ptr<Computation> Less(const Instruction& sort) {
    if (sort.attributes.is_stable) return nullptr;
    for (auto [k, operand] : llvm::enumerate(sort.operands)) {
      if (!NumbersPositions(*operand, sort.attributes.dimensions[0])) continue;
      auto less = LessBesidePositions(*sort.called[0], k);
      // Positions may order NaNs that the rest of the comparator does not, so NaNs are checked too.
      if (less && !hlo_values::WhyNoStrictWeakOrder(*less, hlo_values::NansCompared::kByAny))
        return less;
    }
    return nullptr;
  }

  // The operands of a sort that the comparator or a user needs; all of them if the whole tuple is
  // used, or none is needed.
  std::vector<size_t> Kept(const Instruction& sort, const Computation& comparator,
                           bool is_stable) const {
    const bool whole = !is_stable || !sort.shape.IsTuple() || whole_.contains(&sort);
    llvm::DenseSet<size_t> needed = elements_.lookup(&sort);
    for (const Instruction* parameter : comparator.parameters) {
      if (!parameter->users.empty() || parameter == comparator.root)
        needed.insert(static_cast<size_t>(parameter->parameter_number) / 2);
    }
    std::vector<size_t> kept;
    for (size_t k = 0; k < sort.operands.size(); ++k) {
      if (whole || needed.empty() || needed.contains(k)) kept.push_back(k);
    }
    return kept;
  }

  // The comparator without the unused parameters of dropped operands.
  static std::unique_ptr<Computation> OfOperands(const Computation& comparator,
                                                 llvm::ArrayRef<size_t> kept) {
    auto fewer = std::make_unique<Computation>();
    fewer->name = comparator.name;
    Copies copies;
    for (const auto& op : comparator.instructions) {
      const bool is_parameter = op->opcode == Opcode::kParameter;
      const auto number = static_cast<size_t>(op->parameter_number);
      const auto place = is_parameter ? llvm::find(kept, number / 2) : kept.end();
      if (is_parameter && place == kept.end()) continue;
      copies[op.get()] = CopyInto(*fewer, *op, copies);
      if (is_parameter) {
        copies[op.get()]->parameter_number =
            2 * (place - kept.begin()) + static_cast<int64_t>(number % 2);
      }
    }
    fewer->root = copies.lookup(comparator.root);
    fewer->NumberParameters();
    return fewer;
  }

  void Keep(std::unique_ptr<Computation> comparator) {
    comparator->module = result_.get();
    result_->computations.push_back(std::move(comparator));
  }

  const Computation& from_;
  std::unique_ptr<hlo::Module> result_ = std::make_unique<hlo::Module>();
  Computation* to_ = nullptr;
  Copies copies_;
  llvm::DenseSet<const Instruction*> needed_, whole_;  // whole_: used as a whole tuple
  llvm::DenseMap<const Instruction*, llvm::DenseSet<size_t>> elements_;
  llvm::DenseMap<const Instruction*, std::vector<size_t>> kept_;  // for sorts with dropped operands
  bool changed_ = false;
};

}  // namespace

std::unique_ptr<hlo::Module> WithStableSorts(const Computation& computation) {
  const bool sorts = llvm::any_of(computation.instructions,
                                  [](const auto& op) { return op->opcode == Opcode::kSort; });
  return sorts ? Stabilizer(computation).Run() : nullptr;
}

}  // namespace affirm::equivalence
