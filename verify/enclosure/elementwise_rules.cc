// Elementwise operations, maps, and operations that move elements.
#include "verify/enclosure/rules.h"
#include "verify/enclosure/scalar_enclosures.h"
#include "verify/reference/ops.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

// The operands of a movement whose elements are moved; the others say where.
bool IsMoved(const Instruction& op, int64_t operand) {
  switch (op.opcode) {
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return operand == 0;
    case Opcode::kDynamicUpdateSlice:
      return operand <= 1;
    default:
      return true;
  }
}

}  // namespace

llvm::Error EncloseElements(Evaluation& of) {
  auto exact = hlo::ResolveElementwise(of.op);
  if (!exact) return exact.takeError();
  LeafEnclosures& leaf = of.result.leaves[0];
  const int64_t count = CountOf(of.result.value);
  leaf.reserve(count);
  llvm::SmallVector<Enclosure, 3> elements(of.operands.size());
  for (int64_t i = 0; i < count; ++i) {
    for (auto [k, operand] : llvm::enumerate(of.operands))
      elements[k] = operand->At(0, operand->value.shape().IsScalar() ? 0 : i);
    leaf.push_back(Elementwise(of.op, elements, *exact, of.freedom));
  }
  return llvm::Error::success();
}

llvm::Error EncloseMap(Evaluation& of) {
  auto callee = hlo::Callee(of.op, "to_apply");
  if (!callee) return callee.takeError();
  auto function = ScalarEnclosures::Create(**callee, of.freedom);
  if (!function) {
    of.MakeWhole();
    return llvm::Error::success();
  }
  llvm::SmallVector<Enclosure, 3> elements(of.operands.size());
  for (int64_t i = 0; i < CountOf(of.result.value); ++i) {
    for (auto [k, operand] : llvm::enumerate(of.operands)) elements[k] = operand->At(0, i);
    of.result.leaves[0].push_back(function->Apply(elements)[0]);
  }
  return llvm::Error::success();
}

void EncloseMovement(Evaluation& of) {
  for (auto [k, operand] : llvm::enumerate(of.operands)) {
    if (!IsMoved(of.op, static_cast<int64_t>(k)) && !IsExact(*operand)) return of.MakeWhole();
  }
  // The type of a moved element is that of the result, but for bits.
  const std::vector<const Literal*> leaves = LeavesOf(of.result.value);
  std::vector<std::vector<bool>> seen(leaves.size());
  std::vector<std::vector<const Literal*>> leaves_of_operands;
  for (const EnclosedValue* operand : of.operands)
    leaves_of_operands.push_back(LeavesOf(operand->value));
  for (auto [leaf, enclosures, is_seen] : llvm::zip(leaves, of.result.leaves, seen)) {
    enclosures.reserve(CountOf(*leaf));
    for (int64_t i = 0; i < CountOf(*leaf); ++i)
      enclosures.push_back(Enclosure::Of(leaf->shape().type, hlo::Load(*leaf, i)));
    is_seen.resize(CountOf(*leaf));
  }
  for (const Read& read : of.reads) {
    if (!IsMoved(of.op, read.operand)) continue;
    const PrimitiveType type = leaves[read.leaf]->shape().type;
    const EnclosedValue& operand = *of.operands[read.operand];
    const PrimitiveType from = leaves_of_operands[read.operand][read.from_leaf]->shape().type;
    Enclosure& to = of.result.leaves[read.leaf][read.linear];
    const Enclosure element = operand.At(read.from_leaf, read.from);
    const bool is_first = !seen[read.leaf][read.linear];
    seen[read.leaf][read.linear] = true;
    if (from != type) {
      if (!IsPoint(from, element)) to = Enclosure::Whole(type);
    } else {
      to = is_first ? element : Hull(type, to, element);
    }
  }
}

}  // namespace affirm::enclosure
