// Access relations of dot, scaled-dot and convolution.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

namespace {

// The dimensions of the result are the batch dimensions, then the free ones of the left operand,
// then those of the right. An operand is read at the result's index there and at every index of its
// contracted dimensions: (d0, d1) reads (d0, *) of the left operand of a matrix product and (*, d1)
// of the right. For scales, each element of the array that is read serves `blocks[j]` elements of
// operand `side` along dimension j.
OptionalRelation Contract(const AccessQuery& q, int64_t side, llvm::ArrayRef<int64_t> blocks) {
  const hlo::Attributes& a = q.op.attributes;
  bool left = side == 0;
  const auto& batch = left ? a.lhs_batch : a.rhs_batch;
  const auto& contracting = left ? a.lhs_contracting : a.rhs_contracting;
  int64_t left_free = q.op.operands[0]->shape.rank() -
                      static_cast<int64_t>(a.lhs_batch.size() + a.lhs_contracting.size());
  int64_t next = static_cast<int64_t>(batch.size()) + (left ? 0 : left_free);
  std::vector<Formula> facts;
  for (int64_t j = 0; j < q.in_rank(); ++j) {
    if (llvm::is_contained(contracting, j)) continue;
    auto at = llvm::find(batch, j);
    int64_t out = at != batch.end() ? at - batch.begin() : next++;
    if (out < 0 || out >= q.out_rank()) return std::nullopt;
    facts.push_back(Formula::Eq(q.In(j), q.Out(out).FloorDiv(blocks[j])));
  }
  return Where(q, std::move(facts));
}

}  // namespace

OptionalRelation Dot(const AccessQuery& q) {
  if (q.op.operands.size() != 2) return std::nullopt;
  return Contract(q, q.operand, std::vector<int64_t>(q.in_rank(), 1));
}

// The operands are left, right and their scales; a scale serves a block of its operand.
OptionalRelation ScaledDot(const AccessQuery& q) {
  if (q.op.operands.size() != 4) return std::nullopt;
  int64_t side = q.operand % 2;
  const std::vector<int64_t>& sizes = q.op.operands[side]->shape.dims;
  if (q.operand < 2) return Contract(q, side, std::vector<int64_t>(sizes.size(), 1));
  if (q.input.IsScalar()) return ReadsAll(q);
  if (q.input.dims.size() != sizes.size()) return std::nullopt;
  std::vector<int64_t> blocks;
  for (size_t j = 0; j < sizes.size(); ++j) {
    if (q.input.dims[j] <= 0 || sizes[j] <= 0 || sizes[j] % q.input.dims[j] != 0) {
      return std::nullopt;
    }
    blocks.push_back(sizes[j] / q.input.dims[j]);
  }
  return Contract(q, side, blocks);
}

namespace {

bool Fits(const hlo::ConvDimensionNumbers& d, const hlo::Instruction& op,
          const hlo::Shape& output) {
  size_t spatial = op.attributes.window.size();
  int64_t rank = static_cast<int64_t>(spatial) + 2;
  auto in_range = [&](int64_t v) { return v >= 0 && v < rank; };
  bool ok = op.operands.size() == 2 && output.rank() == rank &&
            op.operands[0]->shape.rank() == rank && op.operands[1]->shape.rank() == rank &&
            d.input_spatial.size() == spatial && d.kernel_spatial.size() == spatial &&
            d.output_spatial.size() == spatial;
  for (const auto* dims : {&d.input_spatial, &d.kernel_spatial, &d.output_spatial}) {
    ok = ok && llvm::all_of(*dims, in_range);
  }
  for (int64_t v : {d.input_batch, d.input_feature, d.kernel_input_feature, d.kernel_output_feature,
                    d.output_batch, d.output_feature}) {
    ok = ok && in_range(v);
  }
  for (const hlo::WindowDimension& w : op.attributes.window) {
    ok = ok && w.window_dilation > 0 && w.base_dilation > 0;
  }
  return ok && op.attributes.feature_group_count > 0 && op.attributes.batch_group_count > 0;
}

// Does tap `tap` of the window at `out` lie on an input element, rather than on padding or between
// two?
Formula OnInput(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr tap,
                int64_t input_size) {
  SymbolicExpr at = out * window.stride + tap * window.window_dilation - window.padding_low;
  Context& context = *out.context();
  return Formula::And({Formula::Eq(at.Mod(window.base_dilation), context.Constant(0)),
                       Formula::In(at.FloorDiv(window.base_dilation), {0, input_size - 1})});
}

}  // namespace

// The feature f of an output element (b, f, x) lies in one feature group and in one batch group. Of
// the input the element reads the features of its feature group, batch b of its batch group, and
// what lies under the window at x; of the kernel, output feature f and the taps that meet the
// input.
OptionalRelation Convolution(const AccessQuery& q) {
  const hlo::Attributes& a = q.op.attributes;
  if (!a.dim_labels || !Fits(*a.dim_labels, q.op, q.output)) return std::nullopt;
  const hlo::ConvDimensionNumbers& d = *a.dim_labels;
  const hlo::Shape& input = q.op.operands[0]->shape;
  SymbolicExpr feature = q.Out(d.output_feature);
  int64_t features = q.output.dims[d.output_feature];
  if (features % a.feature_group_count != 0 || features % a.batch_group_count != 0) {
    return std::nullopt;
  }
  // The size of a group of `count`; 1 for an empty array, in which nothing is asked.
  auto group = [](int64_t all, int64_t count) { return std::max<int64_t>(all / count, 1); };
  std::vector<Formula> facts;
  if (q.operand == 0) {
    SymbolicExpr feature_group = feature.FloorDiv(group(features, a.feature_group_count));
    SymbolicExpr batch_group = feature.FloorDiv(group(features, a.batch_group_count));
    int64_t in_group = group(input.dims[d.input_feature], a.feature_group_count);
    facts.push_back(Formula::Eq(q.In(d.input_feature).FloorDiv(in_group), feature_group));
    int64_t batches = input.dims[d.input_batch] / a.batch_group_count;
    facts.push_back(
        Formula::Eq(q.In(d.input_batch), q.Out(d.output_batch) + batch_group * batches));
  } else {
    facts.push_back(Formula::Eq(q.In(d.kernel_output_feature), feature));
  }
  for (size_t s = 0; s < a.window.size(); ++s) {
    const hlo::WindowDimension& w = a.window[s];
    SymbolicExpr out = q.Out(d.output_spatial[s]);
    if (q.operand == 0) {
      facts.push_back(UnderWindow(w, out, q.In(d.input_spatial[s])));
    } else {
      SymbolicExpr tap = q.In(d.kernel_spatial[s]);
      if (w.reversal) tap = q.Constant(w.size - 1) - tap;
      facts.push_back(OnInput(w, out, tap, input.dims[d.input_spatial[s]]));
    }
  }
  return Where(q, std::move(facts));
}

}  // namespace affirm::hlo_semantics
