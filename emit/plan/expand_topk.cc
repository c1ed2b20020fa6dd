// A top-k is a sort of the elements with their places, of which the first are kept.
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

bool ExpandsTopK(const Instruction& topk) {
  const bool fits = topk.operands.size() == 1 && topk.shape.IsTuple() &&
                    topk.shape.tuple.size() == 2 && topk.operands[0]->shape.rank() > 0;
  return fits && !llvm::is_contained(topk.operands[0]->shape.dynamic, true);
}

Instruction* ExpandTopK(Expander& expander, const Instruction& topk,
                        llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const Shape& shape = operands[0]->shape;
  const Shape places = Shape::Array(topk.shape.tuple[1].type, shape.dims);
  const int64_t last = shape.rank() - 1;
  const std::string* largest = topk.attributes.FindExtra("largest");
  hlo::Computation* order = expander.NewComputation(topk.name + ".order");
  HloBuilder less(*order);
  less.set_prefix(topk.name + ".order");
  Instruction* a = less.Parameter("a", Shape::Array(shape.type, {}));
  Instruction* c = less.Parameter("b", Shape::Array(shape.type, {}));
  less.Parameter("place_a", Shape::Array(places.type, {}));
  less.Parameter("place_b", Shape::Array(places.type, {}));
  order->root = less.Compare(largest == nullptr || *largest == "true" ? "GT" : "LT", a, c);
  if (hlo::IsFloat(shape.type)) order->root->attributes.comparison_type = "TOTALORDER";

  // An instruction that stands in no computation: what a sort would be.
  Instruction sort;
  sort.name = topk.name;
  sort.opcode = Opcode::kSort;
  sort.shape = Shape::Tuple({shape, places});
  sort.operands = {operands[0], b.Iota(places.type, shape.dims, last)};
  sort.attributes.dimensions = {last};
  sort.attributes.is_stable = true;
  sort.called = {order};
  Instruction* sorted = ExpandSort(expander, sort, sort.operands);
  std::vector<Instruction*> kept;
  for (int64_t k : {0, 1}) {
    hlo::Attributes attributes;
    for (int64_t size : topk.shape.tuple[k].dims) attributes.slice.push_back({0, size, 1});
    kept.push_back(b.Add(Opcode::kSlice, "kept", topk.shape.tuple[k],
                         {sorted->operands[static_cast<size_t>(k)]}, attributes));
  }
  return b.Tuple(kept);
}

}  // namespace affirm::emit
