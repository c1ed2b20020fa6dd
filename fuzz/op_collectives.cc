// Instances of the collectives.
#include <algorithm>

#include "fuzz/op_families.h"

namespace affirm::fuzz {
namespace {

using hlo::Attributes;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// The replicas 0 to n - 1 in groups of one size, in any order.
Attributes AnyGroups(OpBuilder& b) {
  const int64_t members = b.Small(1, 3), groups = b.Small(1, 2);
  const Sizes order = b.Permutation(members * groups);
  Attributes attributes;
  for (int64_t g = 0; g < groups; ++g) {
    attributes.replica_groups.emplace_back(order.begin() + g * members,
                                           order.begin() + (g + 1) * members);
  }
  return attributes;
}

int64_t Members(const Attributes& attributes) { return std::ssize(attributes.replica_groups[0]); }

// An array one dim of which, put in attributes.dimensions, is a multiple of `pieces`.
Instruction* Divisible(OpBuilder& b, Attributes& attributes, int64_t pieces) {
  const PrimitiveType type = b.AnyType(TypeClass::kNumber);
  Sizes sizes = b.AnySizes(1, b.limits().max_rank);
  attributes.dimensions = {static_cast<int64_t>(b.choices().Below(sizes.size()))};
  sizes[attributes.dimensions[0]] *= pieces;
  return b.Operand(b.Array(type, sizes));
}

Shape Scaled(OpBuilder& b, const Shape& shape, int64_t dim, int64_t times) {
  Sizes sizes = shape.dims;
  sizes[dim] *= times;
  return b.Array(shape.type, sizes);
}

struct Gathering {
  std::vector<Instruction*> operands;
  Attributes attributes;
  Shape operand_shape, result;  // tuples for several operands
};

Gathering AnyGathering(OpBuilder& b) {
  Gathering g;
  g.attributes = AnyGroups(b);
  std::vector<Shape> in, out;
  for (int64_t n = b.choices().OneIn(4) ? 2 : 1; n > 0; --n) {
    Instruction* operand =
        in.empty() ? Divisible(b, g.attributes, 1) : b.Operand(b.Array(in[0].type, in[0].dims));
    g.operands.push_back(operand);
    in.push_back(operand->shape);
    out.push_back(Scaled(b, operand->shape, g.attributes.dimensions[0], Members(g.attributes)));
  }
  g.operand_shape = in.size() == 1 ? in[0] : Shape::Tuple(in);
  g.result = out.size() == 1 ? out[0] : Shape::Tuple(out);
  return g;
}

Instruction* AllGather(OpBuilder& b, Opcode opcode) {
  const Gathering g = AnyGathering(b);
  return b.Add(opcode, g.operands, g.attributes, g.result);
}
Instruction* AllGatherStart(OpBuilder& b, Opcode opcode) {
  const Gathering g = AnyGathering(b);
  return b.Add(opcode, g.operands, g.attributes, Shape::Tuple({g.operand_shape, g.result}));
}
Instruction* AllGatherDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = AllGatherStart(b, Opcode::kAllGatherStart);
  return b.Add(opcode, {start}, {}, start->shape.tuple[1]);
}

// One array or several.
Instruction* AllReduce(OpBuilder& b, Opcode opcode) {
  const Attributes attributes = AnyGroups(b);
  std::vector<Instruction*> operands = {b.MainOperand(0, TypeClass::kNumber)};
  const PrimitiveType type = operands[0]->shape.type;
  if (b.choices().OneIn(4)) {
    operands.push_back(b.Operand(b.Array(type, b.AnySizes(0, b.limits().max_rank))));
  }
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape);
  return b.Add(opcode, operands, attributes, shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes),
               {{"to_apply", b.Combiner({type})}});
}
Instruction* AllReduceDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = AllReduce(b, Opcode::kAllReduceStart);
  return b.Add(opcode, {start}, {}, start->shape);
}

Instruction* ReduceScatter(OpBuilder& b, Opcode opcode) {
  Attributes attributes = AnyGroups(b);
  const int64_t members = Members(attributes);
  Instruction* operand = Divisible(b, attributes, members);
  Sizes sizes = operand->shape.dims;
  sizes[attributes.dimensions[0]] /= members;
  hlo::Computation* combiner = b.Combiner({operand->shape.type});
  return b.Add(opcode, {operand}, attributes, b.Array(operand->shape.type, sizes),
               {{"to_apply", combiner}});
}

// An array whose pieces change places, or a tuple of arrays, one for each replica.
Instruction* AllToAll(OpBuilder& b, Opcode opcode) {
  Attributes attributes = AnyGroups(b);
  const int64_t members = Members(attributes);
  if (b.Flip()) {
    Instruction* operand = Divisible(b, attributes, members);
    return b.Add(opcode, {operand}, attributes, operand->shape);
  }
  std::vector<Instruction*> operands = {b.MainOperand()};
  const Shape shape = operands[0]->shape;
  for (int64_t k = 1; k < members; ++k) operands.push_back(b.Operand(shape));
  return b.Add(opcode, operands, attributes, Shape::Tuple(std::vector<Shape>(members, shape)));
}

// Pairs of a permutation of two to four replicas, some left out.
Attributes AnyPairs(OpBuilder& b) {
  const int64_t replicas = b.Small(2, 4);
  const Sizes order = b.Permutation(replicas);
  std::string text;
  for (int64_t source = 0; source < replicas; ++source) {
    if (source > 0 && b.choices().OneIn(4)) continue;
    text += (text.empty() ? "" : ",") + Braced({source, order[source]});
  }
  Attributes attributes;
  attributes.other = {{"source_target_pairs", "{" + text + "}"}};
  return attributes;
}

Instruction* Permute(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  return b.Add(opcode, {operand}, AnyPairs(b), operand->shape);
}
Instruction* PermuteStart(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  return b.Add(opcode, {operand}, AnyPairs(b), Shape::Tuple({operand->shape, operand->shape}));
}
Instruction* PermuteDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = PermuteStart(b, Opcode::kCollectivePermuteStart);
  return b.Add(opcode, {start}, {}, start->shape.tuple[1]);
}

Instruction* Broadcast(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  return b.Add(opcode, {operand}, AnyGroups(b), operand->shape);
}

// input, output, and for each member of the group: input offsets, sizes to send, output offsets,
// sizes to receive.
Instruction* RaggedAllToAll(OpBuilder& b, Opcode opcode) {
  const Attributes attributes = AnyGroups(b);
  Instruction* input = b.MainOperand(1);
  std::vector<Instruction*> operands = {input, b.Operand(input->shape)};
  for (int k = 0; k < 4; ++k) {
    operands.push_back(b.Operand(Shape::Array(PrimitiveType::kS32, {Members(attributes)})));
  }
  return b.Add(opcode, operands, attributes, input->shape);
}

constexpr OpFamily kFamilies[] = {
    {Opcode::kAllGather, AllGather},
    {Opcode::kAllGatherDone, AllGatherDone},
    {Opcode::kAllGatherStart, AllGatherStart},
    {Opcode::kAllReduce, AllReduce},
    {Opcode::kAllReduceDone, AllReduceDone},
    {Opcode::kAllReduceStart, AllReduce},
    {Opcode::kAllToAll, AllToAll},
    {Opcode::kCollectiveBroadcast, Broadcast},
    {Opcode::kCollectivePermute, Permute},
    {Opcode::kCollectivePermuteDone, PermuteDone},
    {Opcode::kCollectivePermuteStart, PermuteStart},
    {Opcode::kRaggedAllToAll, RaggedAllToAll},
    {Opcode::kReduceScatter, ReduceScatter},
};

}  // namespace

llvm::ArrayRef<OpFamily> CollectiveFamilies() { return kFamilies; }

}  // namespace affirm::fuzz
