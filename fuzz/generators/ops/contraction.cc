// Instances of dot, scaled and ragged dot, and convolution.
#include <algorithm>

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

// The sizes of the right side of a dot, with the attributes that pair up its dims with the left's.
struct Contraction {
  Sizes rhs;
  Attributes attributes;
};

// Each dim of the left side is a batch dim, contracted, or free; the right side has the partners of
// the first two at any places, and dims of its own.
Contraction AnyContraction(OpBuilder& b, const Sizes& lhs) {
  enum Role : uint8_t { kContracting, kFree, kBatch };
  struct Dim {
    Role role;
    int64_t size, partner;
  };
  std::vector<Dim> dims;
  int64_t budget = b.limits().max_elements;
  for (int64_t d = 0; d < std::ssize(lhs); ++d) {
    const Role role = b.choices().Pick({kContracting, kFree, kFree, kBatch});
    if (role != kFree) dims.push_back({role, lhs[d], d});
    budget /= std::max<int64_t>(lhs[d], 1);
  }
  const int64_t places_left = b.limits().max_rank - std::ssize(dims);
  for (int64_t n = b.Small(0, std::clamp<int64_t>(places_left, 0, 2)); n > 0; --n) {
    const int64_t least = b.limits().zero_sizes && b.choices().OneIn(24) ? 0 : 1;
    dims.push_back({kFree, b.Size(least, std::max<int64_t>(budget, 4)), -1});
    budget /= std::max<int64_t>(dims.back().size, 1);
  }
  Contraction c;
  c.rhs.resize(dims.size());
  Attributes& a = c.attributes;
  const Sizes place = b.Permutation(std::ssize(dims));
  for (int64_t i : b.Permutation(std::ssize(dims))) {
    c.rhs[place[i]] = dims[i].size;
    if (dims[i].role == kFree) continue;
    (dims[i].role == kBatch ? a.lhs_batch : a.lhs_contracting).push_back(dims[i].partner);
    (dims[i].role == kBatch ? a.rhs_batch : a.rhs_contracting).push_back(place[i]);
  }
  return c;
}

Instruction* Dot(OpBuilder& b, Opcode opcode) {
  Instruction* lhs = b.MainOperand(0, TypeClass::kNumber);
  const Contraction c = AnyContraction(b, lhs->shape.dims);
  Instruction* rhs = b.Operand(b.Array(lhs->shape.type, c.rhs));
  return b.Add(opcode, {lhs, rhs}, c.attributes);
}

// A scale stands for a block of its operand, or for all of it.
Instruction* ScaledDot(OpBuilder& b, Opcode opcode) {
  const Sizes lhs = b.AnySizes(0, b.limits().max_rank);
  const Contraction c = AnyContraction(b, lhs);
  const PrimitiveType type = b.choices().Pick({PrimitiveType::kF32, PrimitiveType::kBF16});
  auto scale = [&](const Sizes& sizes) {
    if (b.choices().OneIn(4)) return Shape::Array(type, {});
    Sizes blocks = sizes;
    for (int64_t& size : blocks) {
      const int64_t divisor = b.Small(1, 4);
      if (size > 0 && size % divisor == 0) size /= divisor;
    }
    return b.Array(type, blocks);
  };
  std::vector<Instruction*> operands = {b.Operand(b.Array(type, lhs)),
                                        b.Operand(b.Array(type, c.rhs))};
  operands.push_back(b.Operand(scale(lhs)));
  operands.push_back(b.Operand(scale(c.rhs)));
  return b.Add(opcode, operands, c.attributes);
}

// Batch, contracting and free sizes of one side, dealt out in a random order.
struct Side {
  Sizes sizes, batch, contracting;
  Side(OpBuilder& b, const Sizes& batch_sizes, const Sizes& contracted, const Sizes& free)
      : batch(batch_sizes.size()), contracting(contracted.size()) {
    Sizes all = batch_sizes;
    all.insert(all.end(), contracted.begin(), contracted.end());
    all.insert(all.end(), free.begin(), free.end());
    const Sizes order = b.Permutation(std::ssize(all));
    const size_t first_free = batch.size() + contracting.size();
    for (size_t place = 0; place < order.size(); ++place) {
      const size_t i = order[place];
      sizes.push_back(all[i]);
      if (i < batch.size()) {
        batch[i] = static_cast<int64_t>(place);
      } else if (i < first_free) {
        contracting[i - batch.size()] = static_cast<int64_t>(place);
      }
    }
  }
};

// The dims of a side that are neither batch, contracted nor one for groups, in order.
Sizes FreeDims(const Side& side, const Sizes& group = {}) {
  Sizes free;
  for (int64_t d = 0; d < std::ssize(side.sizes); ++d) {
    const bool used = llvm::is_contained(side.batch, d) ||
                      llvm::is_contained(side.contracting, d) || llvm::is_contained(group, d);
    if (!used) free.push_back(d);
  }
  return free;
}

// The sizes of groups: one list for all, or one for each index of the batch dims and of the dims
// like the ragged one that stand before it.
Shape GroupSizes(OpBuilder& b, const Side& lhs, const Sizes& like_ragged, int64_t ragged,
                 int64_t groups) {
  Sizes prefix = like_ragged == lhs.batch ? Sizes() : lhs.batch;
  for (int64_t d : like_ragged) {
    if (d == ragged) break;
    prefix.push_back(d);
  }
  Sizes sizes;
  for (int64_t d : b.Flip() ? prefix : Sizes()) sizes.push_back(lhs.sizes[d]);
  sizes.push_back(groups);
  return b.Array(b.choices().Pick({PrimitiveType::kS32, PrimitiveType::kS64}), sizes);
}

// The ragged dim is a free one, and the right side has a dim for the groups; or a contracted one,
// and the result has; or a batch dim.
Instruction* RaggedDot(OpBuilder& b, Opcode opcode) {
  int64_t budget = std::max<int64_t>(b.limits().max_elements / 4, 1);
  auto sizes = [&](int64_t least, int64_t most) {
    Sizes out;
    for (int64_t n = b.Small(least, most); n > 0; --n) {
      out.push_back(b.Size(1, budget));
      budget = std::max<int64_t>(budget / out.back(), 1);
    }
    return out;
  };
  const int64_t kind = b.Small(0, 2), groups = b.Size(1, 4);
  const Sizes batch = sizes(kind == 2 ? 1 : 0, kind == 2 ? 2 : 1);
  const Sizes contracted = sizes(kind == 1 ? 1 : 0, 2), free = sizes(kind == 0 ? 1 : 0, 2);
  const Side lhs(b, batch, contracted, free);
  // A dim for groups is dealt out with the batch dims.
  Sizes with_group = batch;
  if (kind == 0) with_group.push_back(groups);
  Side rhs(b, with_group, contracted, sizes(0, 1));
  Sizes group_dims;
  if (kind == 0) {
    group_dims.push_back(rhs.batch.back());
    rhs.batch.pop_back();
  }
  const Sizes lhs_free = FreeDims(lhs), rhs_free = FreeDims(rhs, group_dims);
  const Sizes& like_ragged = kind == 0 ? lhs_free : kind == 1 ? lhs.contracting : lhs.batch;
  const int64_t ragged = like_ragged[b.choices().Below(like_ragged.size())];
  Attributes a;
  a.lhs_batch = lhs.batch;
  a.rhs_batch = rhs.batch;
  a.lhs_contracting = lhs.contracting;
  a.rhs_contracting = rhs.contracting;
  a.extra = {{"lhs_ragged_dims", Braced(Sizes{ragged})}};
  if (kind == 0) a.extra.emplace_back("rhs_group_dims", Braced(group_dims));
  Sizes result = kind == 1 ? Sizes{groups} : Sizes();
  result.insert(result.end(), batch.begin(), batch.end());
  for (int64_t d : lhs_free) result.push_back(lhs.sizes[d]);
  for (int64_t d : rhs_free) result.push_back(rhs.sizes[d]);
  const PrimitiveType type = b.AnyType(TypeClass::kReal);
  std::vector<Instruction*> operands = {b.Operand(b.Array(type, lhs.sizes)),
                                        b.Operand(b.Array(type, rhs.sizes))};
  operands.push_back(b.Operand(GroupSizes(b, lhs, like_ragged, ragged, groups)));
  return b.Add(opcode, operands, a, b.Array(type, result));
}

// The sizes of one side of a convolution, by label, put in the order of the labels.
Sizes Labeled(const Sizes& order, int64_t first, int64_t second, const Sizes& spatial) {
  Sizes sizes(order.size());
  sizes[order[0]] = first;
  sizes[order[1]] = second;
  for (size_t i = 0; i < spatial.size(); ++i) sizes[order[i + 2]] = spatial[i];
  return sizes;
}

Sizes SpatialOf(const Sizes& order) { return Sizes(order.begin() + 2, order.end()); }

// Zero to three spatial dims; feature groups or batch groups; every side in its own order.
Instruction* Convolution(OpBuilder& b, Opcode opcode) {
  const int64_t spatial = b.Small(0, std::max<int64_t>(b.limits().max_rank - 2, 1));
  const Sizes in = b.Permutation(spatial + 2), kernel = b.Permutation(spatial + 2),
              out = b.Permutation(spatial + 2);
  Attributes a;
  a.dim_labels =
      hlo::ConvDimensionNumbers{in[0],  in[1],         kernel[0],         kernel[1],     out[0],
                                out[1], SpatialOf(in), SpatialOf(kernel), SpatialOf(out)};
  const int64_t kind = b.Small(0, 3), groups = b.Small(2, 3);
  if (kind == 2) a.feature_group_count = groups;
  if (kind == 3) a.batch_group_count = groups;
  int64_t budget = b.limits().max_elements / (a.feature_group_count * a.batch_group_count);
  auto draw = [&](int64_t most) {
    const int64_t size = b.Size(1, std::min(budget, most));
    budget /= size;
    return std::max<int64_t>(size, 1);
  };
  // Many features are many taps of each window.
  auto channels = [&] {
    const int64_t most = std::max<int64_t>(b.limits().max_size / 2, 1);
    return draw(b.choices().OneIn(4) ? most : std::min<int64_t>(most, 2));
  };
  const int64_t batch = a.batch_group_count * channels(), features = channels();
  const int64_t outputs = a.feature_group_count * a.batch_group_count * channels();
  Sizes input, taps;
  for (int64_t d = 0; d < spatial; ++d) {
    input.push_back(draw(b.limits().max_size));
    hlo::WindowDimension window = b.AnyWindow(input.back());
    window.reversal = b.choices().OneIn(4);
    taps.push_back(window.size);
    a.window.push_back(window);
  }
  const PrimitiveType type = b.AnyType(TypeClass::kNumber);
  Instruction* lhs =
      b.Operand(b.Array(type, Labeled(in, batch, features * a.feature_group_count, input)));
  Instruction* rhs = b.Operand(b.Array(type, Labeled(kernel, features, outputs, taps)));
  return b.Add(opcode, {lhs, rhs}, a);
}

constexpr OpEntry kContractionOps[] = {
    {Opcode::kConvolution, Convolution},
    {Opcode::kDot, Dot},
    {Opcode::kRaggedDot, RaggedDot, InGraphs::kGenerated},
    {Opcode::kScaledDot, ScaledDot, InGraphs::kNever},
};

}  // namespace

llvm::ArrayRef<OpEntry> ContractionFamily() { return kContractionOps; }

}  // namespace affirm::fuzz
