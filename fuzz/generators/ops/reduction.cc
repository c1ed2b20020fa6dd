// Instances of reduce and scan, and the choice of what reductions and windows combine.
#include <algorithm>
#include <limits>

#include "core/hlo/float_format.h"
#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

// The largest number of a type of floats, or the least: infinite, where the type has such numbers.
double EndOf(PrimitiveType type, bool largest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double end = largest ? -kInfinity : kInfinity;
  if (hlo::BitWidth(type) > 8) return -end;
  for (uint64_t bits = 0; bits < uint64_t{1} << hlo::BitWidth(type); ++bits) {
    const double value = hlo::DecodeFloat(type, bits);
    if (largest ? value > end : value < end) end = value;
  }
  return end;
}

// The identity of the combiner; for a maximum and a minimum, the end of the type.
hlo::Literal Neutral(Opcode combiner, PrimitiveType type) {
  hlo::Literal literal(Shape::Array(type, {}));
  const bool maximum = combiner == Opcode::kMaximum, minimum = combiner == Opcode::kMinimum;
  const int64_t low = int64_t{-1} << (std::max(hlo::BitWidth(type), 1) - 1);
  if (hlo::IsFloat(type) && (maximum || minimum)) {
    literal.SetFloat(0, EndOf(type, /*largest=*/minimum));
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

// The combiner of two pairs of scalars that returns the pair whose first is larger.
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

// The initial value of reductions with that combiner.
Instruction* Init(OpBuilder& b, Opcode combiner, PrimitiveType type) {
  return b.limits().portable ? b.AddConstant(Neutral(combiner, type))
                             : b.Operand(Shape::Array(type, {}));
}

Instruction* Reduce(OpBuilder& b, Opcode opcode) {
  const Combining c = AnyCombining(b);
  Attributes attributes;
  attributes.dimensions = b.Subset(c.operands[0]->shape.rank());
  return b.Add(opcode, c.operands, attributes, {}, {{"to_apply", c.combiner}});
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

constexpr OpEntry kReductionOps[] = {
    {Opcode::kReduce, Reduce},
    {Opcode::kScan, Scan, InGraphs::kGenerated},
};

}  // namespace

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
    out.operands.push_back(Init(b, opcodes.back(), type));
  }
  if (!out.combiner) out.combiner = b.Combiner(types, opcodes);
  return out;
}

Instruction* ReduceAlong(OpBuilder& b, Instruction* array, Sizes dims) {
  const PrimitiveType type = array->shape.type;
  const Opcode combiner = b.CombiningOpcode(type);
  Attributes attributes;
  attributes.dimensions = std::move(dims);
  return b.Add(Opcode::kReduce, {array, Init(b, combiner, type)}, attributes, {},
               {{"to_apply", b.Combiner({type}, {combiner})}});
}

llvm::ArrayRef<OpEntry> ReductionFamily() { return kReductionOps; }

}  // namespace affirm::fuzz
