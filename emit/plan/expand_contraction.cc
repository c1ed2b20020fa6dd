// Dots of scaled and of ragged operands, by plain dots.
//
//   scaled-dot(x, y, s, t)    dot(x * s, y * t), each scale spread over its block
//   ragged-dot(x, y, sizes)   with the ragged dimension among
//     the batch:          dot(x, y)
//     the free ones:      of each group g its rows of dot(x, y[g]); 0 behind the last group
//     the contracted:     of each group g a dot of what is in it, all else 0
#include <numeric>

#include "core/hlo/attribute_values.h"
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// Each group has dots of its own.
constexpr int64_t kMostGroups = 64;

bool IsStaticFloat(const Shape& shape) {
  return shape.IsArray() && hlo::IsFloat(shape.type) && !llvm::is_contained(shape.dynamic, true);
}

bool IsWide(const Instruction& dot) {
  return dot.shape.type == PrimitiveType::kF64 ||
         dot.operands[0]->shape.type == PrimitiveType::kF64 ||
         dot.operands[1]->shape.type == PrimitiveType::kF64;
}

bool Contains(llvm::ArrayRef<int64_t> list, int64_t d) { return llvm::is_contained(list, d); }

// Attributes of a dot alone, without names of those of other dots.
hlo::Attributes PlainDot(const hlo::Attributes& of) {
  hlo::Attributes plain;
  plain.lhs_contracting = of.lhs_contracting;
  plain.rhs_contracting = of.rhs_contracting;
  plain.lhs_batch = of.lhs_batch;
  plain.rhs_batch = of.rhs_batch;
  return plain;
}

}  // namespace

bool ExpandsScaledDot(const Instruction& dot) {
  if (dot.operands.size() != 4 || !IsStaticFloat(dot.shape)) return false;
  for (size_t k = 0; k < 2; ++k) {
    const Shape &operand = dot.operands[k]->shape, &scale = dot.operands[k + 2]->shape;
    if (!IsStaticFloat(operand) || !IsStaticFloat(scale) || operand.type == PrimitiveType::kF64 ||
        scale.type == PrimitiveType::kF64) {
      return false;
    }
    if (scale.dims.empty()) continue;
    if (scale.dims.size() != operand.dims.size()) return false;
    for (auto [size, blocks] : llvm::zip_equal(operand.dims, scale.dims)) {
      if (blocks < 1 || size % blocks != 0) return false;
    }
  }
  return dot.shape.type != PrimitiveType::kF64;
}

Instruction* ExpandScaledDot(Expander& expander, const Instruction& dot,
                             llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  std::vector<Instruction*> scaled;
  for (size_t k = 0; k < 2; ++k) {
    Instruction* x = b.Convert(operands[k], PrimitiveType::kF32);
    Instruction* scale = b.Convert(operands[k + 2], PrimitiveType::kF32);
    const std::vector<int64_t> dims = x->shape.dims;
    if (scale->shape.dims.empty()) {
      scale = b.Broadcast(scale, dims);
    } else {
      // [2,8] for [2,256]: [2,1,8,32], each number 32 times.
      std::vector<int64_t> spread, places;
      for (auto [size, blocks] : llvm::zip_equal(dims, scale->shape.dims)) {
        places.push_back(static_cast<int64_t>(spread.size()));
        spread.push_back(blocks);
        spread.push_back(size / blocks);
      }
      scale = b.Reshape(b.BroadcastInto(scale, spread, std::move(places)), dims);
    }
    scaled.push_back(b.Op(Opcode::kMultiply, {x, scale}));
  }
  return b.Add(Opcode::kDot, "of_scaled", Shape::Array(dot.shape.type, dot.shape.dims), scaled,
               PlainDot(dot.attributes));
}

namespace {

struct Ragged {
  bool free = false, contracted = false;
  int64_t dim = 0;              // of the left operand
  int64_t group_dim = -1;       // of the right one
  std::vector<int64_t> prefix;  // dimensions of the left operand that have sizes of their own
};

std::vector<int64_t> Before(llvm::ArrayRef<int64_t> dims, int64_t dim) {
  return std::vector<int64_t>(dims.begin(), llvm::find(dims, dim));
}

Ragged RaggedOf(const Instruction& dot) {
  const hlo::Attributes& a = dot.attributes;
  Ragged ragged;
  ragged.dim = hlo::IntsAttribute(a, "lhs_ragged_dims")->front();
  const auto groups = hlo::IntsAttribute(a, "rhs_group_dims");
  if (groups && !groups->empty()) ragged.group_dim = groups->front();
  std::vector<int64_t> free;
  for (int64_t d = 0; d < static_cast<int64_t>(dot.operands[0]->shape.dims.size()); ++d) {
    if (!Contains(a.lhs_batch, d) && !Contains(a.lhs_contracting, d)) free.push_back(d);
  }
  ragged.contracted = Contains(a.lhs_contracting, ragged.dim);
  ragged.free = Contains(free, ragged.dim);
  if (dot.operands[2]->shape.dims.size() > 1) {
    ragged.prefix = a.lhs_batch;
    llvm::append_range(ragged.prefix,
                       Before(ragged.contracted ? a.lhs_contracting : free, ragged.dim));
  }
  return ragged;
}

// For each group and each element of the left operand's `prefix` and ragged dimensions: whether it
// is in the group. The ragged dimension comes last.
std::vector<Instruction*> InGroups(HloBuilder& b, const Instruction& dot, const Ragged& ragged,
                                   Instruction* sizes) {
  const std::vector<int64_t>& left = dot.operands[0]->shape.dims;
  const int64_t length = left[ragged.dim], last = std::ssize(sizes->shape.dims) - 1;
  std::vector<int64_t> of_prefix = sizes->shape.dims, places;
  of_prefix.pop_back();
  std::vector<int64_t> dims = of_prefix;
  dims.push_back(length);
  for (int64_t d = 0; d < last; ++d) places.push_back(d);
  Instruction* position = b.Iota(PrimitiveType::kS64, dims, last);
  Instruction* zero = b.Scalar("zero", PrimitiveType::kS64, 0);
  Instruction* most = b.Scalar("length", PrimitiveType::kS64, length);
  Instruction *end = b.Broadcast(zero, of_prefix), *before = nullptr;
  std::vector<Instruction*> groups;
  for (int64_t g = 0; g < sizes->shape.dims[last]; ++g) {
    Instruction* size =
        b.Convert(b.Reshape(b.Part(sizes, last, g, g + 1), of_prefix), PrimitiveType::kS64);
    // A group that is longer than the dimension ends where it does, and no sum exceeds 2^63.
    size = b.Op(Opcode::kMaximum, {size, b.Broadcast(zero, of_prefix)});
    size = b.Op(Opcode::kMinimum, {size, b.Broadcast(most, of_prefix)});
    end = b.Op(Opcode::kAdd, {end, size});
    Instruction* below = b.Compare("LT", position, b.BroadcastInto(end, dims, places));
    groups.push_back(before == nullptr ? below
                                       : b.Op(Opcode::kAnd, {below, b.Op(Opcode::kNot, {before})}));
    before = below;
  }
  return groups;
}

}  // namespace

bool ExpandsRaggedDot(const Instruction& dot) {
  if (dot.operands.size() != 3 || !IsStaticFloat(dot.shape) ||
      !IsStaticFloat(dot.operands[0]->shape) || !IsStaticFloat(dot.operands[1]->shape)) {
    return false;
  }
  const Shape& sizes = dot.operands[2]->shape;
  const auto dims = hlo::IntsAttribute(dot.attributes, "lhs_ragged_dims");
  if (!dims || dims->size() != 1 || !sizes.IsArray() || sizes.dims.empty() ||
      !hlo::IsInt(sizes.type) || sizes.type == PrimitiveType::kU64 ||
      llvm::is_contained(sizes.dynamic, true)) {
    return false;
  }
  const Ragged ragged = RaggedOf(dot);
  return sizes.dims.back() > 0 && sizes.dims.back() <= kMostGroups &&
         ragged.free == (ragged.group_dim >= 0);
}

Instruction* ExpandRaggedDot(Expander& expander, const Instruction& dot,
                             llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const Ragged ragged = RaggedOf(dot);
  const PrimitiveType sums = IsWide(dot) ? PrimitiveType::kF64 : PrimitiveType::kF32;
  Instruction* left = b.Convert(operands[0], sums);
  Instruction* right = b.Convert(operands[1], sums);
  hlo::Attributes plain = PlainDot(dot.attributes);
  if (!ragged.free && !ragged.contracted) {
    Instruction* all = b.Add(Opcode::kDot, "dot", Shape::Array(sums, dot.shape.dims), {left, right},
                             std::move(plain));
    return b.Convert(all, dot.shape.type);
  }
  const std::vector<Instruction*> groups = InGroups(b, dot, ragged, operands[2]);
  const std::vector<int64_t>& left_dims = left->shape.dims;
  std::vector<int64_t> masked = ragged.prefix;
  masked.push_back(ragged.dim);
  Instruction* zero = b.Convert(b.Doubles({}, 0.0), sums);
  if (ragged.free) {
    // The right operand without its groups.
    const int64_t group = ragged.group_dim;
    for (std::vector<int64_t>* list : {&plain.rhs_batch, &plain.rhs_contracting}) {
      for (int64_t& d : *list) d -= d > group ? 1 : 0;
    }
    // Where a dimension of the left operand is in the result.
    std::vector<int64_t> place(left_dims.size(), -1);
    int64_t next = 0;
    for (int64_t d : plain.lhs_batch) place[d] = next++;
    for (size_t d = 0; d < left_dims.size(); ++d) {
      if (place[d] < 0 && !Contains(plain.lhs_contracting, static_cast<int64_t>(d)))
        place[d] = next++;
    }
    std::vector<int64_t> places;
    places.reserve(masked.size());
    for (int64_t d : masked) places.push_back(place[d]);
    Instruction* result = b.Broadcast(zero, dot.shape.dims);
    for (size_t g = 0; g < groups.size(); ++g) {
      const auto at = static_cast<int64_t>(g);
      std::vector<int64_t> dims = right->shape.dims;
      dims.erase(dims.begin() + group);
      Instruction* of_group = b.Reshape(b.Part(right, group, at, at + 1), std::move(dims));
      Instruction* product = b.Add(Opcode::kDot, "of_group", Shape::Array(sums, dot.shape.dims),
                                   {left, of_group}, plain);
      result = b.Select(b.BroadcastInto(groups[g], dot.shape.dims, places), product, result);
    }
    return b.Convert(result, dot.shape.type);
  }
  // Where the masked dimensions are in the right operand, all contracted or of the batch.
  std::vector<int64_t> of_right;
  for (int64_t d : masked) {
    const auto batch = llvm::find(plain.lhs_batch, d);
    of_right.push_back(batch != plain.lhs_batch.end()
                           ? plain.rhs_batch[batch - plain.lhs_batch.begin()]
                           : plain.rhs_contracting[llvm::find(plain.lhs_contracting, d) -
                                                   plain.lhs_contracting.begin()]);
  }
  auto only = [&](Instruction* x, Instruction* group, std::vector<int64_t> places) {
    std::vector<int64_t> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t a, int64_t c) { return places[a] < places[c]; });
    llvm::sort(places);
    group = b.BroadcastInto(b.Transpose(group, order), x->shape.dims, std::move(places));
    return b.Select(group, x, b.Broadcast(zero, x->shape.dims));
  };
  std::vector<Instruction*> parts;
  std::vector<int64_t> dims(dot.shape.dims.begin() + 1, dot.shape.dims.end());
  for (Instruction* group : groups) {
    Instruction* product = b.Add(Opcode::kDot, "of_group", Shape::Array(sums, dims),
                                 {only(left, group, masked), only(right, group, of_right)}, plain);
    std::vector<int64_t> with_group = dims;
    with_group.insert(with_group.begin(), 1);
    parts.push_back(b.Reshape(product, std::move(with_group)));
  }
  return b.Convert(b.Concatenate(parts, 0), dot.shape.type);
}

}  // namespace affirm::emit
