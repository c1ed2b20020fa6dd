// Instances of the ops that combine along dims: reduce, windows, scan, sort, top-k.
#include <algorithm>
#include <limits>

#include "fuzz/op_families.h"

namespace affirm::fuzz {
namespace {

using hlo::Attributes;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// What combines with any value to that value; for a maximum and a minimum, the end of the type.
hlo::Literal Neutral(Opcode combiner, PrimitiveType type) {
  hlo::Literal literal(Shape::Array(type, {}));
  const bool maximum = combiner == Opcode::kMaximum, minimum = combiner == Opcode::kMinimum;
  const int64_t low = int64_t{-1} << (std::max(hlo::BitWidth(type), 1) - 1);
  if (hlo::IsFloat(type) && (maximum || minimum)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    literal.SetFloat(0, maximum ? -kInfinity : kInfinity);
  } else if (combiner == Opcode::kAnd) {
    literal.SetInt(0, -1);
  } else if (combiner == Opcode::kMultiply) {
    literal.SetInt(0, 1);
  } else if (maximum && hlo::IsSignedInt(type)) {
    literal.SetInt(0, low);
  } else if (minimum) {
    literal.SetInt(0, hlo::IsSignedInt(type) ? ~low : -1);
  }
  return literal;
}

// Of a pair of scalars and another: the one whose first is the larger.
hlo::Computation* ArgMax(OpBuilder& b, PrimitiveType type, PrimitiveType with) {
  const std::string name = "argmax_" + hlo::Name(type).str() + "_" + hlo::Name(with).str();
  return b.AddComputation(name, [&](OpBuilder& body) {
    std::vector<Instruction*> p;
    for (PrimitiveType t : {type, with, type, with}) {
      p.push_back(body.Parameter(Shape::Array(t, {})));
    }
    Attributes order;
    order.comparison_direction = "GE";
    Instruction* first = body.Add(Opcode::kCompare, {p[0], p[2]}, order);
    Instruction* value = body.Add(Opcode::kSelect, {first, p[0], p[2]});
    Instruction* companion = body.Add(Opcode::kSelect, {first, p[1], p[3]});
    return body.Add(Opcode::kTuple, {value, companion});
  });
}

// Arrays of one size, what they start from, and what combines them.
struct Combining {
  std::vector<Instruction*> operands;
  hlo::Computation* combiner = nullptr;
};

// One to three arrays.
Combining AnyCombining(OpBuilder& b) {
  Combining out;
  out.operands = {b.MainOperand()};
  const Shape first = out.operands[0]->shape;
  std::vector<PrimitiveType> types = {first.type};
  const bool is_variadic = b.limits().tuples && b.choices().OneIn(5);
  for (int64_t more = is_variadic ? b.Small(1, 2) : 0; more > 0; --more) {
    types.push_back(b.AnyType(TypeClass::kAny));
    out.operands.push_back(b.Operand(b.Array(types.back(), first.dims)));
  }
  // A pair that is chosen has no neutral value.
  const bool is_choice = types.size() == 2 && !hlo::IsComplex(first.type) && !b.limits().portable;
  if (is_choice && b.Flip()) out.combiner = ArgMax(b, types[0], types[1]);
  std::vector<Opcode> opcodes;
  for (PrimitiveType type : types) {
    opcodes.push_back(b.CombiningOpcode(type));
    out.operands.push_back(b.limits().portable ? b.AddConstant(Neutral(opcodes.back(), type))
                                               : b.Operand(Shape::Array(type, {})));
  }
  if (!out.combiner) out.combiner = b.Combiner(types, opcodes);
  return out;
}

Instruction* Reduce(OpBuilder& b, Opcode opcode) {
  const Combining c = AnyCombining(b);
  Attributes attributes;
  attributes.dimensions = b.Subset(c.operands[0]->shape.rank());
  return b.Add(opcode, c.operands, attributes, {}, {{"to_apply", c.combiner}});
}

std::vector<hlo::WindowDimension> AnyWindows(OpBuilder& b, const Shape& shape) {
  std::vector<hlo::WindowDimension> window;
  for (int64_t size : shape.dims) {
    window.push_back(b.choices().OneIn(4) ? hlo::WindowDimension() : b.AnyWindow(size));
  }
  return window;
}

Instruction* ReduceWindow(OpBuilder& b, Opcode opcode) {
  const Combining c = AnyCombining(b);
  Attributes attributes;
  attributes.window = AnyWindows(b, c.operands[0]->shape);
  return b.Add(opcode, c.operands, attributes, {}, {{"to_apply", c.combiner}});
}

hlo::Computation* Comparator(OpBuilder& b, llvm::ArrayRef<PrimitiveType> types,
                             const char* direction, bool is_total = false) {
  return b.AddComputation("order", [&](OpBuilder& body) {
    std::vector<Instruction*> first;
    for (PrimitiveType type : types) {
      Instruction* lhs = body.Parameter(Shape::Array(type, {}));
      Instruction* rhs = body.Parameter(Shape::Array(type, {}));
      if (first.empty()) first = {lhs, rhs};
    }
    Attributes attributes;
    attributes.comparison_direction = direction;
    if (is_total && hlo::IsFloat(types[0])) attributes.comparison_type = "TOTALORDER";
    return body.Add(Opcode::kCompare, first, attributes);
  });
}

// Operand, source (an element for each place of the window), initial value.
Instruction* SelectAndScatter(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(1, TypeClass::kSortable);
  const PrimitiveType type = operand->shape.type;
  Attributes attributes;
  Sizes source;
  attributes.window = AnyWindows(b, operand->shape);
  for (size_t d = 0; d < attributes.window.size(); ++d) {
    hlo::WindowDimension& w = attributes.window[d];
    // XLA's select-and-scatter has no dilations.
    w.base_dilation = w.window_dilation = 1;
    const int64_t size = operand->shape.dims[d];
    w.padding_high = std::max(w.padding_high, -(size + w.padding_low));
    const int64_t padded = size + w.padding_low + w.padding_high;
    source.push_back(padded < w.size ? 0 : (padded - w.size) / w.stride + 1);
  }
  Instruction* sources = b.Operand(b.Array(type, source));
  Instruction* initial = b.Operand(Shape::Array(type, {}));
  hlo::Computation* select = Comparator(b, {type}, b.choices().Pick({"GE", "LE", "GT"}));
  return b.Add(opcode, {operand, sources, initial}, attributes, {},
               {{"select", select}, {"scatter", b.Combiner(type)}});
}

// Keys, and what moves along with them. In total order the sign of a NaN says where it goes, so
// none of the keys was computed.
Instruction* Sort(OpBuilder& b, Opcode opcode) {
  std::vector<Instruction*> operands = {b.WithDefinedBits(b.MainOperand(1, TypeClass::kOrdered))};
  std::vector<PrimitiveType> types = {operands[0]->shape.type};
  const bool is_variadic = b.limits().tuples && b.choices().OneIn(3);
  for (int64_t more = is_variadic ? b.Small(1, 2) : 0; more > 0; --more) {
    types.push_back(b.AnyType(TypeClass::kAny));
    operands.push_back(b.Operand(b.Array(types.back(), operands[0]->shape.dims)));
  }
  Attributes attributes;
  attributes.dimensions = {static_cast<int64_t>(b.choices().Below(operands[0]->shape.rank()))};
  // Where keys are equal, only a stable order says what moves where.
  attributes.is_stable = b.limits().portable || b.Flip();
  hlo::Computation* less = Comparator(b, types, b.choices().Pick({"LT", "GT"}), true);
  return b.Add(opcode, operands, attributes, {}, {{"to_apply", less}});
}

// In total order, as a sort.
Instruction* TopK(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.WithDefinedBits(b.MainOperand(1, TypeClass::kSortable));
  Sizes sizes = operand->shape.dims;
  sizes.back() = b.Small(std::min<int64_t>(1, sizes.back()), sizes.back());
  Attributes attributes;
  attributes.other = {{"k", std::to_string(sizes.back())},
                      {"largest", b.choices().Pick({"true", "false"})}};
  Shape values = b.Array(operand->shape.type, sizes);
  Shape places = b.Array(PrimitiveType::kS32, sizes);
  return b.Add(opcode, {operand}, attributes, Shape::Tuple({values, places}));
}

Sizes Without(Sizes sizes, int64_t dim) {
  sizes.erase(sizes.begin() + dim);
  return sizes;
}

// Inputs of one length along the scanned dim and carries of the shape of a slice; each output is a
// carry as it stands after the step.
Instruction* Scan(OpBuilder& b, Opcode opcode) {
  Instruction* first = b.MainOperand(1, TypeClass::kNumber);
  const PrimitiveType type = first->shape.type;
  Attributes attributes;
  const auto dim = static_cast<int64_t>(b.choices().Below(first->shape.rank()));
  attributes.dimensions = {dim};
  attributes.is_reverse = b.Flip();
  attributes.num_carries = b.Small(1, 2);
  const int64_t inputs = b.Small(1, 2);
  const Shape slice = Shape::Array(type, Without(first->shape.dims, dim));
  std::vector<Instruction*> operands = {first};
  for (int64_t k = 1; k < inputs; ++k) {
    operands.push_back(b.Operand(b.Array(type, first->shape.dims)));
  }
  for (int64_t k = 0; k < attributes.num_carries; ++k) operands.push_back(b.Operand(slice));
  hlo::Computation* step = b.AddComputation("step", [&](OpBuilder& body) {
    std::vector<Instruction*> slices, carries;
    for (int64_t k = 0; k < inputs; ++k) slices.push_back(body.Parameter(slice));
    for (int64_t k = 0; k < attributes.num_carries; ++k) {
      Instruction* carry = body.Parameter(slice);
      carries.push_back(body.Add(Opcode::kAdd, {carry, slices[k % inputs]}));
    }
    std::vector<Instruction*> results = {carries[0]};
    results.insert(results.end(), carries.begin(), carries.end());
    return body.Add(Opcode::kTuple, results);
  });
  std::vector<Shape> results = {Shape::Array(type, first->shape.dims)};
  results.insert(results.end(), attributes.num_carries, slice);
  return b.Add(opcode, operands, attributes, Shape::Tuple(results), {{"to_apply", step}});
}

constexpr OpFamily kFamilies[] = {
    {Opcode::kReduce, Reduce},
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kScan, Scan, InGraphs::kGenerated},
    {Opcode::kSelectAndScatter, SelectAndScatter, InGraphs::kGenerated},
    {Opcode::kSort, Sort, InGraphs::kGenerated},
    {Opcode::kTopk, TopK, InGraphs::kGenerated},
};

}  // namespace

llvm::ArrayRef<OpFamily> ReductionFamilies() { return kFamilies; }

}  // namespace affirm::fuzz
