// How the generator builds reductions, windows and sorts.
#include <limits>

#include "fuzz/hlo_body.h"

namespace affirm::fuzz {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// An op that combines scalars of a type, whatever their order.
Opcode AnyCombiner(HloBody& body, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return body.choices().Pick({Opcode::kAnd, Opcode::kOr});
  if (hlo::IsComplex(type)) return Opcode::kAdd;
  if (hlo::IsFloat(type)) {
    return body.choices().Pick({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum});
  }
  return body.choices().Pick({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply,
                              Opcode::kXor, Opcode::kAnd});
}

// Of two scalars of one type and two of another: the larger first one and its companion.
hlo::Computation* ArgMax(HloBody& body, PrimitiveType type, PrimitiveType with) {
  std::string name = "argmax_" + hlo::Name(type).str() + "_" + hlo::Name(with).str();
  if (hlo::Computation* known = body.module().FindComputation(name)) return known;
  hlo::Computation* computation = body.NewComputation(name);
  HloBody inner(body.choices(), body.limits(), body.module(), *computation);
  Instruction* a = inner.Parameter(Shape::Array(type, {}));
  Instruction* i = inner.Parameter(Shape::Array(with, {}));
  Instruction* b = inner.Parameter(Shape::Array(type, {}));
  Instruction* j = inner.Parameter(Shape::Array(with, {}));
  hlo::Attributes order;
  order.comparison_direction = "GE";
  Instruction* first = inner.Add(Opcode::kCompare, {a, b}, order);
  Instruction* value = inner.Add(Opcode::kSelect, {first, a, b});
  Instruction* companion = inner.Add(Opcode::kSelect, {first, i, j});
  computation->root = inner.Add(Opcode::kTuple, {value, companion});
  return computation;
}

// What combines with any value to that value; for a maximum and a minimum, the end of the type.
Instruction* Neutral(HloBody& body, Opcode combiner, PrimitiveType type) {
  hlo::Literal literal(Shape::Array(type, {}));
  bool maximum = combiner == Opcode::kMaximum, minimum = combiner == Opcode::kMinimum;
  if (hlo::IsFloat(type) && (maximum || minimum)) {
    double infinity = std::numeric_limits<double>::infinity();
    literal.SetFloat(0, maximum ? -infinity : infinity);
  } else if (combiner == Opcode::kAnd) {
    literal.SetInt(0, -1);
  } else if (combiner == Opcode::kMultiply) {
    literal.SetInt(0, 1);
  } else if (maximum && hlo::IsSignedInt(type)) {
    literal.SetInt(0, int64_t{-1} << (hlo::BitWidth(type) - 1));
  } else if (minimum) {
    literal.SetInt(0, hlo::IsSignedInt(type) ? ~(int64_t{-1} << (hlo::BitWidth(type) - 1)) : -1);
  }
  return body.Constant(std::move(literal));
}

Instruction* Reduce(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  PrimitiveType type = operand->shape.type;
  hlo::Attributes attributes;
  attributes.dimensions = body.Subset(operand->shape.rank());
  bool neutral = body.limits().neutral_inits;
  bool variadic =
      !neutral && body.limits().tuples && !hlo::IsComplex(type) && body.choices().OneIn(6);
  if (!variadic) {
    Opcode combiner = AnyCombiner(body, type);
    Instruction* init = neutral ? Neutral(body, combiner, type) : body.Scalar(type);
    return body.Add(opcode, {operand, init}, attributes, {}, {body.Combiner(combiner, type)});
  }
  PrimitiveType with = body.Type(kInteger | kPred);
  if (with == PrimitiveType::kInvalid) return nullptr;
  Instruction* companion = body.ArrayOf(with, operand->shape.dims);
  Instruction* init = body.Scalar(type);
  Instruction* init_with = body.Scalar(with);
  Instruction* both = body.Add(opcode, {operand, companion, init, init_with}, attributes, {},
                               {ArgMax(body, type, with)});
  hlo::Attributes which;
  which.tuple_index = body.choices().Below(2);
  return body.Add(Opcode::kGetTupleElement, {both}, which);
}

// Windows that overlap, leave gaps, or stick out; strides and dilations up to the end of int64.
Instruction* ReduceWindow(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  Choices& choices = body.choices();
  const int64_t most = body.limits().max_stride;
  hlo::Attributes attributes;
  for (int64_t size : operand->shape.dims) {
    hlo::WindowDimension dim;
    dim.size = choices.Pick<int64_t>({1, 2, 3, 1, 5});
    dim.stride = choices.Pick<int64_t>({1, 1, 2, 3, 7, most});
    dim.padding_low = choices.Pick<int64_t>({0, 0, 1, 2, -1});
    dim.padding_high = choices.Pick<int64_t>({0, 0, 1, 2, -1});
    dim.base_dilation = choices.Pick<int64_t>({1, 1, 1, 2, 3});
    dim.window_dilation = choices.Pick<int64_t>({1, 1, 1, 2, 3});
    if (dim.size == 1 && choices.OneIn(8)) dim.window_dilation = most;
    if (size == 1 && choices.OneIn(8)) dim.base_dilation = most;
    attributes.window.push_back(dim);
  }
  PrimitiveType type = operand->shape.type;
  Opcode combiner = AnyCombiner(body, type);
  Instruction* init =
      body.limits().neutral_inits ? Neutral(body, combiner, type) : body.Scalar(type);
  return body.Add(opcode, {operand, init}, attributes, {}, {body.Combiner(combiner, type)});
}

// One operand, or keys with a companion that moves along; NaN-free order by the keys alone, stable.
Instruction* Sort(HloBody& body, Opcode opcode) {
  Instruction* keys = body.ArrayWhere(
      [](const Shape& shape) { return shape.rank() > 0 && !hlo::IsComplex(shape.type); },
      [&] { return Shape::Array(body.Type(kInteger | kFloat), {5}); });
  if (!keys) return nullptr;
  Choices& choices = body.choices();
  PrimitiveType type = keys->shape.type;
  bool pair = body.limits().tuples && choices.OneIn(2);
  PrimitiveType with = pair ? body.Type(kInteger | kFloat) : PrimitiveType::kInvalid;
  pair = pair && with != PrimitiveType::kInvalid;
  Instruction* companion = pair ? body.ArrayOf(with, keys->shape.dims) : nullptr;
  hlo::Computation* less = body.NewComputation("order");
  HloBody inner(choices, body.limits(), body.module(), *less);
  Instruction* a = inner.Parameter(Shape::Array(type, {}));
  Instruction* b = inner.Parameter(Shape::Array(type, {}));
  if (pair) {
    inner.Parameter(Shape::Array(with, {}));
    inner.Parameter(Shape::Array(with, {}));
  }
  hlo::Attributes order;
  order.comparison_direction = choices.Pick({"LT", "GT"});
  if (hlo::IsFloat(type)) order.comparison_type = "TOTALORDER";
  less->root = inner.Add(Opcode::kCompare, {a, b}, order);
  hlo::Attributes attributes;
  attributes.dimensions = {choices.Between(0, keys->shape.rank() - 1)};
  attributes.is_stable = true;
  if (!pair) return body.Add(opcode, {keys}, attributes, {}, {less});
  Instruction* both = body.Add(opcode, {keys, companion}, attributes, {}, {less});
  hlo::Attributes which;
  which.tuple_index = choices.Below(2);
  return body.Add(Opcode::kGetTupleElement, {both}, which);
}

constexpr GraphOp kOps[] = {
    {Opcode::kReduce, Reduce},
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kSort, Sort, false},
};

}  // namespace

llvm::ArrayRef<GraphOp> ReductionGraphOps() { return kOps; }

}  // namespace affirm::fuzz
