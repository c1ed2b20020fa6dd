// Instances of sort and top-k.
#include <algorithm>

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

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
  // Only a stable order defines the places of elements with equal keys.
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
  attributes.extra = {{"k", std::to_string(sizes.back())},
                      {"largest", b.choices().Pick({"true", "false"})}};
  Shape values = b.Array(operand->shape.type, sizes);
  Shape places = b.Array(PrimitiveType::kS32, sizes);
  return b.Add(opcode, {operand}, attributes, Shape::Tuple({values, places}));
}

constexpr OpEntry kSortingOps[] = {
    {Opcode::kSort, Sort, InGraphs::kGenerated},
    {Opcode::kTopk, TopK, InGraphs::kGenerated},
};

}  // namespace

hlo::Computation* Comparator(OpBuilder& b, llvm::ArrayRef<PrimitiveType> types,
                             const char* direction, bool is_total) {
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

llvm::ArrayRef<OpEntry> SortingFamily() { return kSortingOps; }

}  // namespace affirm::fuzz
