// Instances of the ops that make random numbers.
#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

Instruction* Rng(OpBuilder& b, Opcode opcode) {
  Shape shape = AnyArray(b, TypeClass::kReal);
  Attributes attributes;
  attributes.extra = {{"distribution", b.choices().Pick({"rng_uniform", "rng_normal"})}};
  Instruction* low = b.Operand(Shape::Array(shape.type, {}));
  Instruction* high = b.Operand(Shape::Array(shape.type, {}));
  return b.Add(opcode, {low, high}, attributes, shape);
}

Instruction* RngBitGenerator(OpBuilder& b, Opcode opcode) {
  const std::string algorithm = b.choices().Pick({"rng_three_fry", "rng_philox", "rng_default"});
  const int64_t numbers = algorithm != "rng_three_fry" && b.choices().OneIn(2) ? 3 : 2;
  Instruction* state = b.Operand(Shape::Array(PrimitiveType::kU64, {numbers}));
  Attributes attributes;
  attributes.extra = {{"algorithm", algorithm}};
  const PrimitiveType type = b.AnyType(TypeClass::kInteger);
  const Shape bits = b.Array(type, b.AnySizes(0, b.limits().max_rank));
  return b.Add(opcode, {state}, attributes, Shape::Tuple({state->shape, bits}));
}

Instruction* RngState(OpBuilder& b, Opcode opcode) {
  Attributes attributes;
  attributes.extra = {{"delta", "1"}};
  return b.Add(opcode, {}, attributes, Shape::Array(PrimitiveType::kU64, {2}));
}

constexpr OpEntry kRandomOps[] = {
    {Opcode::kRng, Rng, InGraphs::kNever},
    {Opcode::kRngBitGenerator, RngBitGenerator, InGraphs::kGenerated},
    {Opcode::kRngGetAndUpdateState, RngState, InGraphs::kNever},
};

}  // namespace

llvm::ArrayRef<OpEntry> RandomFamily() { return kRandomOps; }

}  // namespace affirm::fuzz
