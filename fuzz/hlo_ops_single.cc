// How the generator builds the rarer ops: as the generators of single instructions do, with
// operands from the graph.
#include <algorithm>

#include "fuzz/hlo_body.h"
#include "fuzz/op_instances.h"

namespace affirm::fuzz {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

unsigned SetOf(TypeClass types) {
  switch (types) {
    case TypeClass::kReal:
      return kFloat;
    case TypeClass::kInteger:
      return kInteger;
    case TypeClass::kFloating:
      return kFloat | kComplex;
    case TypeClass::kNumber:
      return kNumber;
    case TypeClass::kBits:
      return kPred | kInteger;
    case TypeClass::kSortable:
      return kInteger | kFloat;
    case TypeClass::kAny:
      break;
  }
  return kAnyType;
}

OpLimits LimitsOf(const HloLimits& limits) {
  OpLimits out;
  out.max_rank = std::min(out.max_rank, limits.max_rank);
  out.max_size = 7;
  out.max_elements = std::min(out.max_elements, limits.max_elements);
  out.layouts = limits.layouts;
  return out;
}

// Operands are values of the body.
class GraphOpBuilder : public OpBuilder {
 public:
  GraphOpBuilder(HloBody& body, const OpLimits& limits)
      : OpBuilder(body.choices(), limits, body.computation()), body_(body) {}

  Instruction* Operand(const Shape& shape) override {
    if (shape.IsArray()) {
      Instruction* array = body_.ArrayOf(shape.type, shape.dims);
      return array ? array : body_.Parameter(shape);
    }
    if (!shape.IsTuple()) return body_.Parameter(shape);
    std::vector<Instruction*> elements;
    for (const Shape& element : shape.tuple) elements.push_back(Operand(element));
    return Add(Opcode::kTuple, elements, {}, {}, {});
  }

  Instruction* MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types) override {
    const unsigned classes = SetOf(types);
    Instruction* array = body_.ArrayWhere(
        [&](const Shape& shape) {
          return (fuzz::SetOf(shape.type) & classes) != 0 && shape.rank() >= min_rank &&
                 shape.rank() <= max_rank && shape.NumElements() <= limits().max_elements;
        },
        [&] { return Shape::Array(AnyType(types), AnySizes(min_rank, max_rank)); });
    return array ? array : OpBuilder::MainOperand(min_rank, max_rank, types);
  }

  PrimitiveType AnyType(TypeClass types) override {
    const PrimitiveType type = body_.Type(SetOf(types));
    return type == PrimitiveType::kInvalid ? OpBuilder::AnyType(types) : type;
  }

  Instruction* Add(Opcode opcode, std::vector<Instruction*> operands, hlo::Attributes attributes,
                   Shape written,
                   std::vector<std::pair<std::string, hlo::Computation*>> called) override {
    OpBuilder::Add(opcode, std::move(operands), std::move(attributes), std::move(written),
                   std::move(called));
    return body_.Adopt();
  }

 private:
  HloBody& body_;
};

// Adds the arrays of a value to what others may use.
Instruction* AddLeaves(HloBody& body, Instruction* value) {
  if (!value->shape.IsTuple()) return value;
  Instruction* last = value;
  for (size_t i = 0; i < value->shape.tuple.size(); ++i) {
    hlo::Attributes which;
    which.tuple_index = static_cast<int64_t>(i);
    Instruction* element = body.Add(Opcode::kGetTupleElement, {value}, which);
    if (element) last = AddLeaves(body, element);
  }
  return last;
}

Instruction* Single(HloBody& body, Opcode opcode) {
  const OpLimits limits = LimitsOf(body.limits());
  GraphOpBuilder builder(body, limits);
  return AddLeaves(body, GenerateOp(builder, opcode));
}

// One for a module: it says how many devices there are. What a fusion computes stays on one device.
Instruction* Collective(HloBody& body, Opcode opcode) {
  const bool is_free = body.computation().is_entry && body.module().other.empty();
  return is_free ? Single(body, opcode) : nullptr;
}

constexpr GraphOp kOps[] = {
    {Opcode::kAllGather, Collective, false},
    {Opcode::kAllReduce, Collective, false},
    {Opcode::kAllToAll, Collective, false},
    {Opcode::kBatchNormGrad, Single, false},
    {Opcode::kBatchNormInference, Single, false},
    {Opcode::kBatchNormTraining, Single, false},
    {Opcode::kCholesky, Single, false},
    {Opcode::kCollectiveBroadcast, Collective, false},
    {Opcode::kCollectivePermute, Collective, false},
    {Opcode::kDomain, Single, false},
    {Opcode::kDynamicReshape, Single, false},
    {Opcode::kFft, Single, false},
    {Opcode::kGetDimensionSize, Single, false},
    {Opcode::kOptimizationBarrier, Single, false},
    {Opcode::kRaggedDot, Single, false},
    {Opcode::kReduceScatter, Collective, false},
    {Opcode::kScan, Single, false},
    {Opcode::kSelectAndScatter, Single, false},
    {Opcode::kTopk, Single, false},
    {Opcode::kTriangularSolve, Single, false},
    {Opcode::kWhile, Single, false},
};

}  // namespace

llvm::ArrayRef<GraphOp> SingleGraphOps() { return kOps; }

}  // namespace affirm::fuzz
