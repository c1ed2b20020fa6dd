// How the generator builds ops that move elements: their sizes, strides, paddings and layouts.
#include <algorithm>

#include "fuzz/hlo_body.h"

namespace affirm::fuzz {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

int64_t Product(const Sizes& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

// New dimensions before, between and behind the operand's.
Instruction* Broadcast(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  Choices& choices = body.choices();
  hlo::Attributes attributes;
  Sizes sizes;
  int64_t budget = body.limits().max_elements / std::max<int64_t>(1, operand->shape.NumElements());
  int64_t fresh = body.limits().max_rank - operand->shape.rank();
  auto add_fresh = [&] {
    while (fresh > 0 && choices.OneIn(2)) {
      --fresh;
      sizes.push_back(body.Size(budget));
      budget /= std::max<int64_t>(1, sizes.back());
    }
  };
  for (int64_t size : operand->shape.dims) {
    add_fresh();
    attributes.dimensions.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(size);
  }
  add_fresh();
  return body.Add(opcode, {operand}, attributes,
                  body.AnyLayout(Shape::Array(operand->shape.type, sizes)));
}

Instruction* Transpose(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  hlo::Attributes attributes;
  attributes.dimensions = body.Permutation(operand->shape.rank());
  return body.Add(opcode, {operand}, attributes);
}

Instruction* Reverse(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  hlo::Attributes attributes;
  attributes.dimensions = body.Subset(operand->shape.rank());
  return body.Add(opcode, {operand}, attributes);
}

Instruction* Slice(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  hlo::Attributes attributes;
  for (int64_t size : operand->shape.dims) {
    hlo::SliceDimension dim;
    dim.start = body.UpTo(size);
    dim.limit = size - body.UpTo(size - dim.start);
    dim.stride = 1 + body.UpTo(body.choices().OneIn(8) ? body.limits().max_stride - 1 : size);
    attributes.slice.push_back(dim);
  }
  return body.Add(opcode, {operand}, attributes);
}

// Paddings of either sign; between elements up to thousands, when negative ones take them away.
Instruction* Pad(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  // The text has no way to write the padding of a scalar.
  if (!operand || operand->shape.rank() == 0) return nullptr;
  Choices& choices = body.choices();
  hlo::Attributes attributes;
  for (int64_t size : operand->shape.dims) {
    hlo::PaddingDimension dim;
    dim.interior = choices.Pick<int64_t>({0, 0, 1, 2, 3, 7, 1000});
    int64_t full = size + std::max<int64_t>(size - 1, 0) * dim.interior;
    dim.low = choices.Between(-2, 4);
    dim.high = choices.Between(-2, 4);
    if (full > 100) dim.low -= choices.Between(0, full);
    if (full > 100) dim.high -= std::max<int64_t>(full + dim.low + dim.high - 9, 0);
    if (choices.OneIn(12)) dim.high += dim.low, dim.low = 0;
    attributes.padding.push_back(dim);
  }
  return body.Add(opcode, {operand, body.Scalar(operand->shape.type)}, attributes);
}

Instruction* Concatenate(HloBody& body, Opcode opcode) {
  Instruction* first = body.ArrayWhere([](const Shape& shape) { return shape.rank() > 0; },
                                       [&] { return Shape::Array(body.Type(kAnyType), {3}); });
  if (!first) return nullptr;
  Choices& choices = body.choices();
  int64_t along = choices.Between(0, first->shape.rank() - 1);
  auto fits = [&](const Shape& shape) {
    if (shape.type != first->shape.type || shape.rank() != first->shape.rank()) return false;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d != along && shape.dims[d] != first->shape.dims[d]) return false;
    }
    return true;
  };
  std::vector<Instruction*> operands = {first};
  for (int64_t more = choices.Pick<int64_t>({1, 1, 2, 0, 3}); more > 0; --more) {
    operands.push_back(body.ArrayWhere(fits, [&] {
      Shape shape = Shape::Array(first->shape.type, first->shape.dims);
      shape.dims[along] = body.Size(5);
      return shape;
    }));
  }
  hlo::Attributes attributes;
  attributes.dimensions = {along};
  return body.Add(opcode, operands, attributes);
}

// Sizes with the same product: the prime factors dealt out anew.
Sizes SameProduct(HloBody& body, const Sizes& sizes) {
  Choices& choices = body.choices();
  Sizes factors;
  for (int64_t size : sizes) {
    for (int64_t p = 2; p * p <= size; ++p) {
      for (; size % p == 0; size /= p) factors.push_back(p);
    }
    if (size != 1) factors.push_back(size);
  }
  Sizes result;
  for (int64_t factor : factors) {
    bool full = static_cast<int64_t>(result.size()) >= body.limits().max_rank;
    if (!result.empty() && (full || !choices.OneIn(3))) {
      result.back() *= factor;
    } else {
      result.push_back(factor);
    }
  }
  while (static_cast<int64_t>(result.size()) < body.limits().max_rank && choices.OneIn(4)) {
    result.insert(result.begin() + choices.Below(result.size() + 1), 1);
  }
  if (!result.empty() && choices.OneIn(4))
    std::rotate(result.begin(), result.begin() + 1, result.end());
  return Product(result) == Product(sizes) ? result : sizes;
}

Instruction* Reshape(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  Sizes sizes = SameProduct(body, operand->shape.dims);
  return body.Add(opcode, {operand}, {}, body.AnyLayout(Shape::Array(operand->shape.type, sizes)));
}

// Between element types of one width, or with a last dimension that a wider type takes in or a
// narrower one adds.
Instruction* BitcastConvert(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kInteger | kFloat);
  PrimitiveType type = body.Type(kInteger | kFloat);
  if (!operand || type == PrimitiveType::kInvalid) return nullptr;
  int from = hlo::BitWidth(operand->shape.type), to = hlo::BitWidth(type);
  if (from != to && !body.limits().any_width) return nullptr;
  Sizes sizes = operand->shape.dims;
  if (from > to) sizes.push_back(from / to);
  if (from < to) {
    int64_t parts = to / from;
    auto fits = [&](const Shape& shape) {
      return shape.type == operand->shape.type && shape.rank() > 0 && shape.dims.back() == parts;
    };
    operand = body.ArrayWhere(fits, [&] {
      Sizes wider = body.SizesOf(2, body.limits().max_elements / parts);
      wider.push_back(parts);
      return Shape::Array(operand->shape.type, wider);
    });
    if (!operand) return nullptr;
    sizes = operand->shape.dims;
    sizes.pop_back();
  }
  if (!HasDefinedBits(*operand)) return nullptr;
  return body.Add(opcode, {operand}, {}, Shape::Array(type, sizes));
}

Instruction* Iota(HloBody& body, Opcode opcode) {
  PrimitiveType type = body.Type(kInteger | kFloat);
  if (type == PrimitiveType::kInvalid) return nullptr;
  Sizes sizes = body.AnySizes();
  if (sizes.empty()) sizes = {3};
  hlo::Attributes attributes;
  attributes.dimensions = {body.choices().Between(0, static_cast<int64_t>(sizes.size()) - 1)};
  return body.Add(opcode, {}, attributes, Shape::Array(type, sizes));
}

constexpr GraphOp kOps[] = {
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kTranspose, Transpose},
    {Opcode::kReverse, Reverse},
    {Opcode::kSlice, Slice},
    {Opcode::kPad, Pad},
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kReshape, Reshape},
    {Opcode::kBitcast, Reshape},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kIota, Iota},
};

}  // namespace

llvm::ArrayRef<GraphOp> MovementGraphOps() { return kOps; }

}  // namespace affirm::fuzz
