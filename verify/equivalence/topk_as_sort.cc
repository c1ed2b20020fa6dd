#include "verify/equivalence/topk_as_sort.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/merge_layers.h"

namespace affirm::equivalence {

using hlo::Attributes;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

bool IsSort(const Instruction& op) {
  if (op.opcode != Opcode::kTopk || op.operands.size() != 1) return false;
  const Shape& shape = op.operands[0]->shape;
  return op.shape.IsTuple() && op.shape.tuple.size() == 2 && shape.rank() > 0 &&
         op.shape.tuple[0].type == shape.type && hlo::IsInt(op.shape.tuple[1].type) &&
         !llvm::is_contained(shape.dynamic, true);
}

// The comparator of pairs (element, position), by the elements alone.
std::unique_ptr<Computation> OrderOf(const Instruction& topk) {
  auto order = std::make_unique<Computation>();
  order->name = topk.name + ".order";
  LayerBuilder b(*order);
  Arrays numbers;
  for (const Shape& of : topk.shape.tuple) {
    for (int side = 0; side < 2; ++side) numbers.push_back(b.Parameter(Shape::Array(of.type, {})));
  }
  const std::string* largest = topk.attributes.FindExtra("largest");
  Attributes attributes;
  attributes.comparison_direction = largest == nullptr || *largest == "true" ? "GT" : "LT";
  if (hlo::IsFloat(topk.shape.tuple[0].type)) attributes.comparison_type = "TOTALORDER";
  order->root = b.Add(Opcode::kCompare, Shape::Array(PrimitiveType::kPred, {}),
                      {numbers[0], numbers[1]}, attributes);
  order->NumberParameters();
  return order;
}

Instruction* Sorted(LayerBuilder& b, const Instruction& topk, Instruction* array,
                    Computation* order) {
  const Shape shape = Shape::Array(array->shape.type, array->shape.dims);
  const Shape places = Shape::Array(topk.shape.tuple[1].type, array->shape.dims);
  Attributes along, sorts;
  along.dimensions = sorts.dimensions = {shape.rank() - 1};
  sorts.is_stable = true;
  Instruction* sort = b.Add(Opcode::kSort, Shape::Tuple({shape, places}),
                            {array, b.Add(Opcode::kIota, places, {}, along)}, sorts);
  sort->called = {order};
  sort->called_as = {"to_apply"};
  Arrays kept;
  for (int64_t k : {0, 1}) {
    Attributes number, first;
    number.tuple_index = k;
    for (int64_t size : topk.shape.tuple[k].dims) first.slice.push_back({0, size, 1});
    Instruction* all = b.Add(Opcode::kGetTupleElement, sort->shape.tuple[k], {sort}, number);
    kept.push_back(b.Add(Opcode::kSlice, topk.shape.tuple[k], {all}, first));
  }
  return b.Tuple(kept);
}

}  // namespace

std::unique_ptr<hlo::Module> WithTopKAsSort(const Computation& computation) {
  auto result = std::make_unique<hlo::Module>();
  auto made = std::make_unique<Computation>();
  result->name = made->name = computation.name;
  made->module = result.get();
  made->is_entry = true;
  LayerBuilder b(*made);
  llvm::DenseMap<const Instruction*, Instruction*> copies;
  for (const auto& op : computation.instructions) {
    if (IsSort(*op)) {
      result->computations.push_back(OrderOf(*op));
      result->computations.back()->module = result.get();
      copies[op.get()] =
          Sorted(b, *op, copies.lookup(op->operands[0]), result->computations.back().get());
      continue;
    }
    auto copy = hlo::CopyOf(*op);
    for (const Instruction* operand : op->operands)
      copy->operands.push_back(copies.lookup(operand));
    copies[op.get()] = made->Add(std::move(copy));
  }
  made->root = copies.lookup(computation.root);
  made->NumberParameters();
  result->entry = made.get();
  result->computations.push_back(std::move(made));
  return result;
}

}  // namespace affirm::equivalence
