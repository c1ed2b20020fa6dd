#include "verify/equivalence/sort_comparators.h"

#include <utility>

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

// Adds copies of what a computation computes of these arguments; answers that of its root.
Instruction* Inlined(Computation& to, const Computation& from, const Arrays& arguments) {
  Copies copies;
  for (const auto& op : from.instructions) {
    copies[op.get()] = op->opcode == Opcode::kParameter ? arguments[op->parameter_number]
                                                        : CopyInto(to, *op, copies);
  }
  return copies.lookup(from.root);
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

std::unique_ptr<Computation> WithoutPositions(const Computation& with) {
  const size_t parameters = with.parameters.size();
  if (parameters < 4 || with.root->opcode != Opcode::kSelect) return nullptr;
  for (size_t p : {parameters - 2, parameters - 1}) {
    if (!with.parameters[p]->shape.SameIgnoringLayout(Shape::Array(PrimitiveType::kS32, {})))
      return nullptr;
  }
  auto less = std::make_unique<Computation>();
  less->name = with.name + ".less";
  Copies copies;
  llvm::SetVector<const Instruction*> needed;
  needed.insert(with.root->operands[2]);
  for (size_t i = 0; i < needed.size(); ++i)
    needed.insert(needed[i]->operands.begin(), needed[i]->operands.end());
  for (const auto& op : with.instructions) {
    const bool is_parameter = op->opcode == Opcode::kParameter;
    const bool is_position =
        is_parameter && op->parameter_number >= static_cast<int64_t>(parameters) - 2;
    if (is_position && needed.contains(op.get())) return nullptr;
    if (is_position || (!is_parameter && !needed.contains(op.get()))) continue;
    copies[op.get()] = CopyInto(*less, *op, copies);
  }
  less->root = copies.lookup(with.root->operands[2]);
  if (!less->NumberParameters()) return nullptr;

  // p < q ? !less(b, a) : less(a, b), to hold it against what there is.
  Computation wanted;
  LayerBuilder b(wanted);
  Arrays forth, back;
  for (const Instruction* parameter : with.parameters)
    forth.push_back(b.Parameter(parameter->shape));
  for (size_t k = 0; k + 2 < parameters; k += 2) {
    back.push_back(forth[k + 1]);
    back.push_back(forth[k]);
  }
  const Shape pred = Shape::Array(PrimitiveType::kPred, {});
  hlo::Attributes earlier;
  earlier.comparison_direction = "LT";
  Instruction* is_earlier =
      b.Add(Opcode::kCompare, pred, {forth[parameters - 2], forth[parameters - 1]}, earlier);
  Instruction* before = Inlined(wanted, *less, forth);
  Instruction* behind = Inlined(wanted, *less, back);
  Instruction* not_behind = b.Add(Opcode::kNot, pred, {behind});
  wanted.root = b.Add(Opcode::kSelect, pred, {is_earlier, not_behind, before});
  if (SameStructure(with, wanted)) return less;
  Computation copy;
  Copies of_with;
  for (const auto& op : with.instructions) of_with[op.get()] = CopyInto(copy, *op, of_with);
  copy.root = of_with.lookup(with.root);
  return AreProvedEqual(copy, wanted) ? std::move(less) : nullptr;
}

}  // namespace affirm::equivalence
