#include "verify/equivalence/sort_comparators.h"

#include <array>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/equivalence/merge_layers.h"
#include "verify/equivalence/prove.h"
#include "verify/equivalence/same_structure.h"
#include "verify/equivalence/signatures.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// Inlines `from`, applied to the arguments; returns the copy of its root.
Instruction* Inlined(Computation& to, const Computation& from, const Arrays& arguments) {
  Copies copies;
  for (const auto& op : from.instructions) {
    copies[op.get()] = op->opcode == Opcode::kParameter ? arguments[op->parameter_number]
                                                        : CopyInto(to, *op, copies);
  }
  return copies.lookup(from.root);
}

// Two forms of breaking ties of `less` by positions p and q. They are equal if `less` is
// asymmetric.
enum class Ties {
  kAreNotBehind,  // p < q ? !less(b, a) : less(a, b)
  kAreAlike,      // less(a, b) == less(b, a) ? p < q : less(a, b), as XLA writes it
};

// The comparator by `less`, then positions, with the parameters of `like`; parameter `p` is a
// position.
std::unique_ptr<Computation> OrderedByPositions(const Computation& like, const Computation& less,
                                                size_t p, Ties ties) {
  auto made = std::make_unique<Computation>();
  LayerBuilder b(*made);
  Arrays forth, back;
  for (const Instruction* parameter : like.parameters)
    forth.push_back(b.Parameter(parameter->shape));
  for (size_t k = 0; k < forth.size(); k += 2) {
    back.push_back(forth[k + 1]);
    back.push_back(forth[k]);
  }
  const Shape pred = Shape::Array(PrimitiveType::kPred, {});
  hlo::Attributes lt, eq;
  lt.comparison_direction = "LT";
  eq.comparison_direction = "EQ";
  Instruction* is_earlier = b.Add(Opcode::kCompare, pred, {forth[p], forth[p + 1]}, lt);
  Instruction* before = Inlined(*made, less, forth);
  Instruction* behind = Inlined(*made, less, back);
  if (ties == Ties::kAreAlike) {
    Instruction* alike = b.Add(Opcode::kCompare, pred, {before, behind}, eq);
    made->root = b.Add(Opcode::kSelect, pred, {alike, is_earlier, before});
  } else {
    Instruction* not_behind = b.Add(Opcode::kNot, pred, {behind});
    made->root = b.Add(Opcode::kSelect, pred, {is_earlier, not_behind, before});
  }
  return made;
}

bool IsProvedToBe(const Computation& comparator, Computation& wanted) {
  if (SameStructure(comparator, wanted)) return true;
  Computation copy;
  Copies copies;
  for (const auto& op : comparator.instructions) copies[op.get()] = CopyInto(copy, *op, copies);
  copy.root = copies.lookup(comparator.root);
  return AreProvedEqual(copy, wanted);
}

}  // namespace

Instruction* CopyInto(Computation& to, const Instruction& op, const Copies& copies) {
  auto copy = hlo::CopyOf(op);
  for (const Instruction* operand : op.operands) copy->operands.push_back(copies.lookup(operand));
  return to.Add(std::move(copy));
}

bool AreProvedEqual(Computation& a, Computation& b) {
  if (!a.NumberParameters() || !b.NumberParameters()) return false;
  if (llvm::Error error = CheckSignatures(a, b)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  return ProveEquivalent(a, b, {}).proved();
}

bool IsTotal(const Computation& less) {
  const Instruction& root = *less.root;
  if (less.parameters.size() != 2 || root.opcode != Opcode::kCompare) return false;
  const hlo::Attributes& of = root.attributes;
  if (of.comparison_direction != "LT" && of.comparison_direction != "GT") return false;
  if (root.operands[0]->opcode != Opcode::kParameter ||
      root.operands[1]->opcode != Opcode::kParameter || root.operands[0] == root.operands[1]) {
    return false;
  }
  const PrimitiveType type = root.operands[0]->shape.type;
  if (hlo::IsFloat(type)) return of.comparison_type == "TOTALORDER";
  return hlo::IsInt(type) || type == PrimitiveType::kPred;
}

std::unique_ptr<Computation> LessBesidePositions(const Computation& with, size_t operand) {
  const size_t parameters = with.parameters.size();
  const size_t p = 2 * operand, q = p + 1;
  if (parameters % 2 != 0 || q >= parameters || with.root->opcode != Opcode::kSelect)
    return nullptr;
  auto less = std::make_unique<Computation>();
  less->name = with.name + ".less";
  Copies copies;
  llvm::SetVector<const Instruction*> needed;
  needed.insert(with.root->operands[2]);
  for (size_t i = 0; i < needed.size(); ++i)
    needed.insert(needed[i]->operands.begin(), needed[i]->operands.end());
  if (needed.contains(with.parameters[p]) || needed.contains(with.parameters[q])) return nullptr;
  for (const auto& op : with.instructions) {
    if (op->opcode == Opcode::kParameter || needed.contains(op.get()))
      copies[op.get()] = CopyInto(*less, *op, copies);
  }
  less->root = copies.lookup(with.root->operands[2]);
  if (!less->NumberParameters()) return nullptr;

  const bool is_one = llvm::any_of(
      std::array{Ties::kAreNotBehind, Ties::kAreAlike},
      [&](Ties ties) { return IsProvedToBe(with, *OrderedByPositions(with, *less, p, ties)); });
  return is_one ? std::move(less) : nullptr;
}

std::unique_ptr<Computation> WithoutPositions(const Computation& with) {
  const size_t parameters = with.parameters.size();
  if (parameters < 4) return nullptr;
  for (size_t p : {parameters - 2, parameters - 1}) {
    if (!with.parameters[p]->shape.SameIgnoringLayout(Shape::Array(PrimitiveType::kS32, {})))
      return nullptr;
  }
  const std::unique_ptr<Computation> less = LessBesidePositions(with, parameters / 2 - 1);
  if (!less) return nullptr;
  auto without = std::make_unique<Computation>();
  without->name = less->name;
  Copies copies;
  for (const auto& op : less->instructions) {
    if (op->parameter_number < static_cast<int64_t>(parameters) - 2)
      copies[op.get()] = CopyInto(*without, *op, copies);
  }
  without->root = copies.lookup(less->root);
  return without->NumberParameters() ? std::move(without) : nullptr;
}

}  // namespace affirm::equivalence
