// How the generator builds dots and convolutions.
#include <algorithm>

#include "fuzz/hlo_body.h"

namespace affirm::fuzz {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// Each dimension of the left side is a batch dimension, summed over, or free; the right side has
// the partners of the first two in any order, and dimensions of its own.
Instruction* Dot(HloBody& body, Opcode opcode) {
  Instruction* lhs = body.Array(kNumber);
  if (!lhs) return nullptr;
  Choices& choices = body.choices();
  enum Role : int64_t { kContracting, kFree, kBatch };
  hlo::Attributes attributes;
  std::vector<std::pair<Role, int64_t>> rhs;  // role, dimension of the left side
  for (int64_t d = 0; d < lhs->shape.rank(); ++d) {
    Role role = choices.Pick({kContracting, kFree, kFree, kBatch});
    if (role != kFree) rhs.push_back({role, d});
  }
  for (int64_t fresh = choices.Pick<int64_t>({1, 0, 2}); fresh > 0; --fresh)
    rhs.push_back({kFree, -1});
  Sizes order = body.Permutation(static_cast<int64_t>(rhs.size()));
  Sizes sizes;
  for (size_t place = 0; place < order.size(); ++place) {
    auto [role, partner] = rhs[order[place]];
    sizes.push_back(role == kFree ? body.Size(5) : lhs->shape.dims[partner]);
    if (role == kFree) continue;
    (role == kBatch ? attributes.lhs_batch : attributes.lhs_contracting).push_back(partner);
    (role == kBatch ? attributes.rhs_batch : attributes.rhs_contracting)
        .push_back(static_cast<int64_t>(place));
  }
  return body.Add(opcode, {lhs, body.ArrayOf(lhs->shape.type, sizes)}, attributes);
}

// Sizes placed by the dimension numbers that a permutation gives.
Sizes Placed(const Sizes& places, const Sizes& sizes) {
  Sizes result(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) result[places[i]] = sizes[i];
  return result;
}

hlo::WindowDimension AnyWindow(Choices& choices, int64_t size) {
  hlo::WindowDimension dim;
  dim.size = size;
  dim.stride = choices.Pick<int64_t>({1, 1, 2, 3});
  dim.padding_low = choices.Pick<int64_t>({0, 0, 1, 2, -1});
  dim.padding_high = choices.Pick<int64_t>({0, 0, 1, 2, -1});
  dim.base_dilation = choices.Pick<int64_t>({1, 1, 1, 2});
  dim.window_dilation = choices.Pick<int64_t>({1, 1, 1, 2});
  dim.reversal = choices.OneIn(6);
  return dim;
}

Instruction* Convolution(HloBody& body, Opcode opcode) {
  Choices& choices = body.choices();
  PrimitiveType type = body.Type(kInteger | kFloat);
  if (type == PrimitiveType::kInvalid) return nullptr;
  int64_t spatial = std::min(choices.Pick<int64_t>({1, 2, 0}), body.limits().max_rank - 2);
  if (spatial < 0) return nullptr;
  hlo::Attributes attributes;
  int64_t groups = choices.Pick<int64_t>({1, 1, 2, 3});
  bool by_batch = choices.OneIn(4);
  (by_batch ? attributes.batch_group_count : attributes.feature_group_count) = groups;
  int64_t batch = choices.Between(1, 2) * (by_batch ? groups : 1);
  int64_t features = choices.Between(1, 2);  // of a group
  Sizes input = {batch, by_batch ? features : features * groups};
  Sizes kernel = {features, choices.Between(1, 2) * groups};  // input features, output features
  for (int64_t i = 0; i < spatial; ++i) {
    input.push_back(body.Size(7));
    kernel.push_back(choices.Pick<int64_t>({1, 2, 3}));
    attributes.window.push_back(AnyWindow(choices, kernel.back()));
  }
  hlo::ConvDimensionNumbers numbers;
  Sizes in = body.Permutation(spatial + 2);
  Sizes weights = body.Permutation(spatial + 2);
  Sizes out = body.Permutation(spatial + 2);
  numbers.input_batch = in[0], numbers.input_feature = in[1];
  numbers.kernel_input_feature = weights[0], numbers.kernel_output_feature = weights[1];
  numbers.output_batch = out[0], numbers.output_feature = out[1];
  numbers.input_spatial.assign(in.begin() + 2, in.end());
  numbers.kernel_spatial.assign(weights.begin() + 2, weights.end());
  numbers.output_spatial.assign(out.begin() + 2, out.end());
  attributes.dim_labels = numbers;
  Instruction* lhs = body.ArrayOf(type, Placed(in, input));
  Instruction* rhs = body.ArrayOf(type, Placed(weights, kernel));
  return body.Add(opcode, {lhs, rhs}, attributes);
}

constexpr GraphOp kOps[] = {
    {Opcode::kDot, Dot},
    {Opcode::kConvolution, Convolution},
};

}  // namespace

llvm::ArrayRef<GraphOp> ContractionGraphOps() { return kOps; }

}  // namespace affirm::fuzz
