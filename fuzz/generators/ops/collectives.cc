// Instances of the collectives.

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {
namespace {

// Groups of one size, of all devices; how the module counts its devices is set to what they need.
struct Groups {
  Attributes attributes;
  int64_t members = 1;  // devices that meet
};

// The numbers from 0 to n - 1 in any order as lists, or in the order of an array with its dims
// swapped, as text.
void AddGroups(OpBuilder& b, int64_t groups, int64_t members, Attributes& attributes) {
  const int64_t n = groups * members;
  if (b.choices().OneIn(4)) {
    const std::string shape = "[" + std::to_string(groups) + "," + std::to_string(members) + "]<=[";
    const std::string swapped = std::to_string(members) + "," + std::to_string(groups) + "]T(1,0)";
    attributes.extra.emplace_back("replica_groups",
                                  shape + (b.Flip() ? swapped : std::to_string(n) + "]"));
    return;
  }
  const Sizes order = b.Permutation(n);
  for (int64_t g = 0; g < groups; ++g) {
    attributes.replica_groups.emplace_back(order.begin() + g * members,
                                           order.begin() + (g + 1) * members);
  }
}

// Without a channel, groups count replicas. With one, devices where the op can say so, replicas
// with all of their partitions where it does not, and partitions for the ops that cannot.
Groups AnyGroups(OpBuilder& b, bool can_count_devices) {
  const int64_t groups = b.Small(1, 2);
  Groups out;
  out.members = b.Small(1, 3);
  const int64_t n = groups * out.members;
  AddGroups(b, groups, out.members, out.attributes);
  const int64_t others = b.choices().OneIn(3) ? 2 : 1;
  if (!b.choices().OneIn(3)) {
    b.SetDevices(n, others);
    return out;
  }
  out.attributes.extra.emplace_back("channel_id", "1");
  if (!can_count_devices) {
    b.SetDevices(others, n);
  } else if (b.Flip()) {
    out.attributes.extra.emplace_back("use_global_device_ids", "true");
    const bool even = n % others == 0;
    b.SetDevices(even ? n / others : n, even ? others : 1);
  } else {
    b.SetDevices(n, others);
    out.members *= others;
  }
  return out;
}

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
  const Groups groups = AnyGroups(b, true);
  g.attributes = groups.attributes;
  std::vector<Shape> in, out;
  for (int64_t n = b.choices().OneIn(4) ? 2 : 1; n > 0; --n) {
    Instruction* operand =
        in.empty() ? Divisible(b, g.attributes, 1) : b.Operand(b.Array(in[0].type, in[0].dims));
    g.operands.push_back(operand);
    in.push_back(operand->shape);
    out.push_back(Scaled(b, operand->shape, g.attributes.dimensions[0], groups.members));
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

// The bits of integers are not what every network combines.
hlo::Computation* Combiner(OpBuilder& b, PrimitiveType type) {
  const Opcode opcode = b.CombiningOpcode(type);
  const bool of_bits = opcode == Opcode::kXor || opcode == Opcode::kAnd;
  const bool is_common = !of_bits || !hlo::IsInt(type) || !b.limits().portable;
  return b.Combiner({type}, {is_common ? opcode : Opcode::kAdd});
}

// One array or several.
Instruction* AllReduce(OpBuilder& b, Opcode opcode) {
  const Attributes attributes = AnyGroups(b, true).attributes;
  std::vector<Instruction*> operands = {b.MainOperand(0, TypeClass::kNumber)};
  const PrimitiveType type = operands[0]->shape.type;
  if (b.choices().OneIn(4)) {
    operands.push_back(b.Operand(b.Array(type, b.AnySizes(0, b.limits().max_rank))));
  }
  std::vector<Shape> shapes;
  shapes.reserve(operands.size());
  for (const Instruction* operand : operands) shapes.push_back(operand->shape);
  return b.Add(opcode, operands, attributes, shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes),
               {{"to_apply", Combiner(b, type)}});
}
Instruction* AllReduceDone(OpBuilder& b, Opcode opcode) {
  Instruction* start = AllReduce(b, Opcode::kAllReduceStart);
  return b.Add(opcode, {start}, {}, start->shape);
}

Instruction* ReduceScatter(OpBuilder& b, Opcode opcode) {
  auto [attributes, members] = AnyGroups(b, true);
  Instruction* operand = Divisible(b, attributes, members);
  Sizes sizes = operand->shape.dims;
  sizes[attributes.dimensions[0]] /= members;
  hlo::Computation* combiner = Combiner(b, operand->shape.type);
  return b.Add(opcode, {operand}, attributes, b.Array(operand->shape.type, sizes),
               {{"to_apply", combiner}});
}

// An array whose pieces change places, or a tuple of arrays, one for each replica.
Instruction* AllToAll(OpBuilder& b, Opcode opcode) {
  auto [attributes, members] = AnyGroups(b, false);
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
  attributes.extra = {{"source_target_pairs", "{" + text + "}"}};
  if (b.choices().OneIn(3)) {
    attributes.extra.emplace_back("channel_id", "1");
    b.SetDevices(b.Small(1, 2), replicas);
  } else {
    b.SetDevices(replicas, b.Small(1, 2));
  }
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
  return b.Add(opcode, {operand}, AnyGroups(b, false).attributes, operand->shape);
}

// input, output, and for each member of the group: input offsets, sizes to send, output offsets,
// sizes to receive.
Instruction* RaggedAllToAll(OpBuilder& b, Opcode opcode) {
  const auto [attributes, members] = AnyGroups(b, false);
  Instruction* input = b.MainOperand(1);
  std::vector<Instruction*> operands = {input, b.Operand(input->shape)};
  for (int k = 0; k < 4; ++k) {
    operands.push_back(b.Operand(Shape::Array(PrimitiveType::kS32, {members})));
  }
  return b.Add(opcode, operands, attributes, input->shape);
}

constexpr OpEntry kCollectiveOps[] = {
    {Opcode::kAllGather, AllGather, InGraphs::kGenerated},
    {Opcode::kAllGatherDone, AllGatherDone, InGraphs::kNever},
    {Opcode::kAllGatherStart, AllGatherStart, InGraphs::kNever},
    {Opcode::kAllReduce, AllReduce, InGraphs::kGenerated},
    {Opcode::kAllReduceDone, AllReduceDone, InGraphs::kNever},
    {Opcode::kAllReduceStart, AllReduce, InGraphs::kNever},
    {Opcode::kAllToAll, AllToAll, InGraphs::kGenerated},
    {Opcode::kCollectiveBroadcast, Broadcast, InGraphs::kGenerated},
    {Opcode::kCollectivePermute, Permute, InGraphs::kGenerated},
    {Opcode::kCollectivePermuteDone, PermuteDone, InGraphs::kNever},
    {Opcode::kCollectivePermuteStart, PermuteStart, InGraphs::kNever},
    {Opcode::kRaggedAllToAll, RaggedAllToAll, InGraphs::kNever},
    {Opcode::kReduceScatter, ReduceScatter, InGraphs::kGenerated},
};

}  // namespace

llvm::ArrayRef<OpEntry> CollectiveFamily() { return kCollectiveOps; }

}  // namespace affirm::fuzz
