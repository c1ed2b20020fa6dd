// Instances of the ops that make values from little or nothing, that talk to the host, and of batch
// normalization.
#include "fuzz/op_families.h"

namespace affirm::fuzz {
namespace {

using hlo::Attributes;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

Shape Token() {
  Shape token;
  token.type = PrimitiveType::kToken;
  return token;
}

Shape AnyArray(OpBuilder& b, TypeClass types = TypeClass::kAny) {
  const PrimitiveType type = b.AnyType(types);
  return b.Array(type, b.AnySizes(0, b.limits().max_rank));
}

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

Instruction* Rng(OpBuilder& b, Opcode opcode) {
  Shape shape = AnyArray(b, TypeClass::kReal);
  Attributes attributes;
  attributes.other = {{"distribution", b.choices().Pick({"rng_uniform", "rng_normal"})}};
  Instruction* low = b.Operand(Shape::Array(shape.type, {}));
  Instruction* high = b.Operand(Shape::Array(shape.type, {}));
  return b.Add(opcode, {low, high}, attributes, shape);
}

Instruction* RngBitGenerator(OpBuilder& b, Opcode opcode) {
  const std::string algorithm = b.choices().Pick({"rng_three_fry", "rng_philox", "rng_default"});
  const int64_t numbers = algorithm != "rng_three_fry" && b.choices().OneIn(2) ? 3 : 2;
  Instruction* state = b.Operand(Shape::Array(PrimitiveType::kU64, {numbers}));
  Attributes attributes;
  attributes.other = {{"algorithm", algorithm}};
  const PrimitiveType type = b.AnyType(TypeClass::kInteger);
  const Shape bits = b.Array(type, b.AnySizes(0, b.limits().max_rank));
  return b.Add(opcode, {state}, attributes, Shape::Tuple({state->shape, bits}));
}

Instruction* RngState(OpBuilder& b, Opcode opcode) {
  Attributes attributes;
  attributes.other = {{"delta", "1"}};
  return b.Add(opcode, {}, attributes, Shape::Array(PrimitiveType::kU64, {2}));
}

Attributes Channel() {
  Attributes attributes;
  attributes.other = {{"channel_id", "1"}};
  return attributes;
}

Instruction* Infeed(OpBuilder& b, Opcode opcode) {
  Instruction* token = b.Operand(Token());
  return b.Add(opcode, {token}, {}, Shape::Tuple({AnyArray(b), Token()}));
}

Instruction* Outfeed(OpBuilder& b, Opcode opcode) {
  Instruction* value = b.MainOperand();
  Attributes attributes;
  attributes.other = {{"outfeed_shape", value->shape.ToString()}};
  return b.Add(opcode, {value, b.Operand(Token())}, attributes, Token());
}

Instruction* Send(OpBuilder& b, Opcode opcode) {
  Instruction* value = b.MainOperand();
  return b.Add(opcode, {value, b.Operand(Token())}, Channel(),
               Shape::Tuple({value->shape, Shape::Array(PrimitiveType::kU32, {}), Token()}));
}
Instruction* SendDone(OpBuilder& b, Opcode opcode) {
  return b.Add(opcode, {Send(b, Opcode::kSend)}, Channel(), Token());
}

Instruction* Recv(OpBuilder& b, Opcode opcode) {
  return b.Add(opcode, {b.Operand(Token())}, Channel(),
               Shape::Tuple({AnyArray(b), Shape::Array(PrimitiveType::kU32, {}), Token()}));
}
Instruction* RecvDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = Recv(b, Opcode::kRecv);
  return b.Add(opcode, {start}, Channel(), Shape::Tuple({start->shape.tuple[0], Token()}));
}

// The array first, then vectors with a number for each feature; grad also takes the gradient of the
// output.
Instruction* BatchNorm(OpBuilder& b, Opcode opcode) {
  const PrimitiveType type = b.choices().Pick({PrimitiveType::kF32, PrimitiveType::kF64});
  const Shape array = b.Array(type, b.AnySizes(1, b.limits().max_rank));
  Attributes attributes;
  const auto feature = static_cast<int64_t>(b.choices().Below(array.rank()));
  attributes.other = {{"epsilon", "0.001"}, {"feature_index", std::to_string(feature)}};
  const Shape vector = Shape::Array(type, {array.dims[feature]});
  std::vector<Instruction*> operands = {b.Operand(array)};
  const int vectors = opcode == Opcode::kBatchNormTraining ? 2
                      : opcode == Opcode::kBatchNormGrad   ? 3
                                                           : 4;
  for (int k = 0; k < vectors; ++k) operands.push_back(b.Operand(vector));
  if (opcode == Opcode::kBatchNormGrad) operands.push_back(b.Operand(array));
  const Shape result = b.Array(type, array.dims);
  return b.Add(
      opcode, operands, attributes,
      opcode == Opcode::kBatchNormInference ? result : Shape::Tuple({result, vector, vector}));
}

constexpr OpFamily kFamilies[] = {
    {Opcode::kBatchNormGrad, BatchNorm, InGraphs::kGenerated},
    {Opcode::kBatchNormInference, BatchNorm, InGraphs::kGenerated},
    {Opcode::kBatchNormTraining, BatchNorm, InGraphs::kGenerated},
    {Opcode::kConstant, Constant, InGraphs::kNever},
    {Opcode::kInfeed, Infeed, InGraphs::kNever},
    {Opcode::kIota, Iota},
    {Opcode::kOutfeed, Outfeed, InGraphs::kNever},
    {Opcode::kParameter, Parameter, InGraphs::kNever},
    {Opcode::kPartitionId, Number, InGraphs::kNever},
    {Opcode::kRecv, Recv, InGraphs::kNever},
    {Opcode::kRecvDone, RecvDone, InGraphs::kNever},
    {Opcode::kReplicaId, Number, InGraphs::kNever},
    {Opcode::kRng, Rng, InGraphs::kNever},
    {Opcode::kRngBitGenerator, RngBitGenerator, InGraphs::kGenerated},
    {Opcode::kRngGetAndUpdateState, RngState, InGraphs::kNever},
    {Opcode::kSend, Send, InGraphs::kNever},
    {Opcode::kSendDone, SendDone, InGraphs::kNever},
};

}  // namespace

llvm::ArrayRef<OpFamily> SourceFamilies() { return kFamilies; }

}  // namespace affirm::fuzz
