// A select-and-scatter, as the gradient of a max-pool, as two kernels without a scatter:
//
//   chosen = reduce-window(x, iota)     of each window the number of the element that it selects
//   result = init, and for each place in a window, the last first:
//            chosen[w] == i ? scatter(result[i], source[w]) : result[i]
//
// of the window w that has element i at that place, if there is one. So each element of the result
// takes what windows send it in the order of the windows, and no two threads write one element.
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// Each place in the window is written out.
constexpr int64_t kMaxPlaces = 64;
constexpr int64_t kMaxElements = int64_t{1} << 31;

// (so far, number so far, element, its number): nothing was chosen so far, or it stays.
hlo::Computation* Choice(Expander& expander, const Instruction& op) {
  hlo::Computation* made = expander.NewComputation(op.name + ".choose");
  HloBuilder b(*made);
  b.set_prefix(op.name + ".choose");
  const Shape value = Shape::Array(op.shape.type, {}),
              number = Shape::Array(PrimitiveType::kS32, {}),
              pred = Shape::Array(PrimitiveType::kPred, {});
  Instruction* chosen = b.Parameter("chosen", value);
  Instruction* chosen_number = b.Parameter("chosen_number", number);
  Instruction* other = b.Parameter("other", value);
  Instruction* other_number = b.Parameter("other_number", number);
  Instruction* stays = b.Inline(*op.called[0], {chosen, other});
  Instruction* exists = b.Compare("GE", chosen_number, b.Scalar("none", PrimitiveType::kS32, 0));
  Instruction* keeps = b.Add(Opcode::kAnd, "keeps", pred, {exists, stays});
  Instruction* next = b.Add(Opcode::kSelect, "value", value, {keeps, chosen, other});
  Instruction* next_number =
      b.Add(Opcode::kSelect, "number", number, {keeps, chosen_number, other_number});
  made->root = b.Tuple({next, next_number});
  return made;
}

// The array with element w at w * stride + place - padding, and `filler` elsewhere.
Instruction* AtPlace(HloBuilder& b, Instruction* array, Instruction* filler,
                     llvm::ArrayRef<hlo::WindowDimension> window, llvm::ArrayRef<int64_t> place,
                     const std::vector<int64_t>& dims) {
  hlo::Attributes attributes;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t count = array->shape.dims[d], stride = window[d].stride;
    const int64_t low = place[d] - window[d].padding_low;
    attributes.padding.push_back({low, dims[d] - low - ((count - 1) * stride + 1), stride - 1});
  }
  return b.Add(Opcode::kPad, "at_place", Shape::Array(array->shape.type, dims), {array, filler},
               std::move(attributes));
}

}  // namespace

bool ExpandsSelectAndScatter(const Instruction& op) {
  if (op.operands.size() != 3 || op.called.size() != 2 || op.called_as.size() != 2) return false;
  const Shape &shape = op.operands[0]->shape, &source = op.operands[1]->shape;
  const auto& window = op.attributes.window;
  if (op.called_as[0] != "select" || op.called_as[1] != "scatter" || !op.shape.IsArray() ||
      std::ssize(window) != shape.rank() || source.rank() != shape.rank() ||
      shape.dims != op.shape.dims || shape.type != op.shape.type || source.type != shape.type ||
      shape.NumElements() >= kMaxElements || shape.NumElements() == 0 ||
      source.NumElements() == 0) {
    return false;
  }
  int64_t places = 1;
  for (const hlo::WindowDimension& d : window) {
    if (d.base_dilation != 1 || d.window_dilation != 1 || d.reversal || d.size < 1) return false;
    if (d.size > kMaxPlaces / places) return false;
    places *= d.size;
  }
  return !llvm::is_contained(shape.dynamic, true) && !llvm::is_contained(source.dynamic, true) &&
         IsOfElements(*op.called[0]) && IsOfElements(*op.called[1]) &&
         op.called[1]->root->shape.IsScalar();
}

Instruction* ExpandSelectAndScatter(Expander& expander, const Instruction& op,
                                    llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const std::vector<int64_t>&dims = op.shape.dims, &counts = operands[1]->shape.dims;
  const auto& window = op.attributes.window;
  Instruction* numbers = b.Reshape(b.Iota(PrimitiveType::kS32, {op.shape.NumElements()}, 0), dims);
  Instruction* zero = b.Add(Opcode::kConstant, "zero", Shape::Array(op.shape.type, {}), {});
  zero->literal = hlo::Literal(zero->shape);
  Instruction* none = b.Scalar("none", PrimitiveType::kS32, -1);
  hlo::Attributes attributes;
  attributes.window = window;
  const Shape number_shape = Shape::Array(PrimitiveType::kS32, counts);
  Instruction* chosen = b.Add(Opcode::kReduceWindow, "chosen",
                              Shape::Tuple({Shape::Array(op.shape.type, counts), number_shape}),
                              {operands[0], numbers, zero, none}, std::move(attributes));
  chosen->called = {Choice(expander, op)};
  chosen->called_as = {"to_apply"};
  Instruction* chosen_number = b.Element(chosen, 1);
  expander.Materialize(chosen);

  Instruction* result = b.Broadcast(operands[2], dims);
  std::vector<int64_t> place;
  place.reserve(window.size());
  for (const hlo::WindowDimension& d : window) place.push_back(d.size - 1);
  for (bool more = true; more;) {
    Instruction* sender = AtPlace(b, chosen_number, none, window, place, dims);
    Instruction* sent = AtPlace(b, operands[1], zero, window, place, dims);
    Instruction* is_chosen = b.Compare("EQ", sender, numbers);
    Instruction* next = b.Apply(*op.called[1], {result, sent})[0];
    result = b.Add(Opcode::kSelect, "sent", next->shape, {is_chosen, next, result});
    // The place before, with the last dimension running fastest.
    more = false;
    for (size_t d = place.size(); d-- > 0 && !more;) {
      more = place[d] > 0;
      place[d] = more ? place[d] - 1 : window[d].size - 1;
    }
  }
  return result;
}

}  // namespace affirm::emit
