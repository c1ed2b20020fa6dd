#include "verify/equivalence/cumulative_steps.h"

#include "core/hlo/fold_opcodes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/merge_layers.h"

namespace affirm::equivalence {

using hlo::Attributes;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

bool IsAssociative(const hlo::Computation& computation, PrimitiveType type) {
  const Instruction& root = *computation.root;
  if (computation.parameters.size() != 2 || root.operands.size() != 2) return false;
  for (int64_t k : {0, 1}) {
    if (root.operands[k]->opcode != Opcode::kParameter || root.operands[k]->parameter_number != k)
      return false;
  }
  return root.shape.type == type && !hlo::IsComplex(type) && hlo::FoldsInAnyOrder(root.opcode);
}

// The dimension of the rows, and whether windows extend to their start or to their end.
struct Rows {
  int64_t dimension = -1;
  bool from_start = false;
};

Rows RowsOf(const Instruction& op) {
  Rows rows;
  const Shape& shape = op.operands[0]->shape;
  if (std::ssize(op.attributes.window) != shape.rank()) return {};
  for (auto [d, of] : llvm::enumerate(op.attributes.window)) {
    if (of == hlo::WindowDimension{}) continue;
    const int64_t size = shape.dims[d];
    const bool is_plain = of.stride == 1 && of.base_dilation == 1 && of.window_dilation == 1;
    const bool start = of.padding_low == size - 1 && of.padding_high == 0,
               end = of.padding_low == 0 && of.padding_high == size - 1;
    if (rows.dimension >= 0 || !is_plain || of.size != size || !(start || end)) return {};
    rows = {static_cast<int64_t>(d), start};
  }
  return rows;
}

Instruction* InSteps(LayerBuilder& b, const Instruction& op, Instruction* array,
                     Instruction* init) {
  const auto [dimension, from_start] = RowsOf(op);
  const std::vector<int64_t>& dims = array->shape.dims;
  const int64_t size = dims[dimension];
  const Shape shape = Shape::Array(array->shape.type, dims),
              pred = Shape::Array(PrimitiveType::kPred, dims),
              numbers = Shape::Array(PrimitiveType::kS32, dims);
  Attributes along, direction;
  along.dimensions = {dimension};
  direction.comparison_direction = from_start ? "GE" : "LT";
  Instruction* position = b.Add(Opcode::kIota, numbers, {}, along);
  const Opcode combine = op.called[0]->root->opcode;
  for (int64_t step = 1; step < size; step *= 2) {
    Attributes shifted;
    shifted.padding.resize(dims.size());
    shifted.padding[dimension].low = from_start ? step : -step;
    shifted.padding[dimension].high = from_start ? -step : step;
    Instruction* other = b.Add(Opcode::kPad, shape, {array, init}, shifted);
    Instruction* first = b.Add(Opcode::kConstant, Shape::Array(PrimitiveType::kS32, {}), {});
    first->literal = hlo::Literal(first->shape);
    first->literal->SetInt(0, from_start ? step : size - step);
    Instruction* bound = b.Add(Opcode::kBroadcast, numbers, {first});
    Instruction* exists = b.Add(Opcode::kCompare, pred, {position, bound}, direction);
    Instruction* both =
        b.Add(combine, shape, from_start ? Arrays{other, array} : Arrays{array, other});
    array = b.Add(Opcode::kSelect, shape, {exists, both, array});
  }
  return b.Add(combine, shape, {b.Add(Opcode::kBroadcast, shape, {init}), array});
}

}  // namespace

bool IsCumulative(const Instruction& op) {
  if (op.opcode != Opcode::kReduceWindow || op.operands.size() != 2 || op.called.size() != 1)
    return false;
  const Shape& shape = op.operands[0]->shape;
  const bool fits = op.shape.IsArray() && op.shape.type == shape.type &&
                    op.operands[1]->shape.type == shape.type &&
                    IsAssociative(*op.called[0], shape.type) &&
                    !llvm::is_contained(shape.dynamic, true) && RowsOf(op).dimension >= 0;
  return fits && shape.dims[RowsOf(op).dimension] < (int64_t{1} << 30);
}

std::unique_ptr<hlo::Computation> WithCumulativeSteps(const hlo::Computation& computation) {
  auto made = std::make_unique<hlo::Computation>();
  made->name = computation.name;
  LayerBuilder b(*made);
  llvm::DenseMap<const Instruction*, Instruction*> copies;
  for (const auto& op : computation.instructions) {
    Arrays operands;
    for (const Instruction* operand : op->operands) operands.push_back(copies.lookup(operand));
    if (IsCumulative(*op)) {
      copies[op.get()] = InSteps(b, *op, operands[0], operands[1]);
      continue;
    }
    auto copy = hlo::CopyOf(*op);
    copy->operands = std::move(operands);
    copies[op.get()] = made->Add(std::move(copy));
  }
  made->root = copies.lookup(computation.root);
  made->NumberParameters();
  return made;
}

}  // namespace affirm::equivalence
