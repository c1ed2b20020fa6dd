// Instances of the ops without operands: constant, iota, parameter, and the ids of devices.
#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

Instruction* Parameter(OpBuilder& b, Opcode) { return b.MainOperand(); }

// Small whole numbers.
Instruction* Constant(OpBuilder& b, Opcode) {
  hlo::Literal value(AnyArray(b));
  const PrimitiveType type = value.shape().type;
  for (int64_t i = 0; i < value.NumElements() && !b.choices().AtEnd(); ++i) {
    const int64_t v = b.Small(0, 1);
    if (hlo::IsFloat(type)) {
      value.SetFloat(i, static_cast<double>(v));
    } else if (hlo::IsComplex(type)) {
      value.SetComplex(i, {static_cast<double>(v), 1});
    } else {
      value.SetInt(i, v);
    }
  }
  return b.AddConstant(std::move(value));
}

Instruction* Iota(OpBuilder& b, Opcode opcode) {
  const PrimitiveType type = b.AnyType(TypeClass::kNumber);
  Shape shape = b.Array(type, b.AnySizes(1, b.limits().max_rank));
  Attributes attributes;
  attributes.dimensions = {static_cast<int64_t>(b.choices().Below(shape.rank()))};
  return b.Add(opcode, {}, attributes, shape);
}

Instruction* Number(OpBuilder& b, Opcode opcode) { return b.Add(opcode, {}); }

constexpr OpEntry kNullaryOps[] = {
    {Opcode::kConstant, Constant, InGraphs::kNever},
    {Opcode::kIota, Iota},
    {Opcode::kParameter, Parameter, InGraphs::kNever},
    {Opcode::kPartitionId, Number, InGraphs::kNever},
    {Opcode::kReplicaId, Number, InGraphs::kNever},
};

}  // namespace

llvm::ArrayRef<OpEntry> NullaryFamily() { return kNullaryOps; }

}  // namespace affirm::fuzz
