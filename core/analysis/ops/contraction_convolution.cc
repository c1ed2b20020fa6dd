// Maps of convolution. Range variables: one tap per spatial dimension, then the input feature
// within a group, then (in the default map of the left operand) the batch group. Of a 1D
// convolution b0f_0io->b0f with stride 2 and no padding:
//   lhs: (d0, d1, d2)[s0, s1] -> (d0, d1 * 2 + s0, s1)
//   rhs: (d0, d1, d2)[s0, s1] -> (s0, s1, d2)
#include "core/analysis/ops/op_helpers.h"
#include "core/analysis/ops/window.h"

namespace affirm::analysis {
namespace {

// The dimension numbers cover each dim of the three arrays once, and the groups divide what they
// split.
bool IsWellFormedConvolution(const hlo::Instruction& op) {
  const hlo::Attributes& a = op.attributes;
  if (op.operands.size() != 2 || !a.dim_labels || !op.shape.IsArray()) return false;
  const hlo::ConvDimensionNumbers& n = *a.dim_labels;
  const hlo::Shape& lhs = op.operands[0]->shape;
  const hlo::Shape& rhs = op.operands[1]->shape;
  auto covers = [&](int64_t first, int64_t second, const std::vector<int64_t>& spatial,
                    const hlo::Shape& shape) {
    std::vector<int64_t> dims = spatial;
    dims.push_back(first);
    dims.push_back(second);
    return static_cast<int64_t>(dims.size()) == shape.rank() && spatial.size() == a.window.size() &&
           AreDistinctDims(dims, shape.rank());
  };
  bool dims_ok = IsWellFormed(a.window) &&
                 covers(n.input_batch, n.input_feature, n.input_spatial, lhs) &&
                 covers(n.kernel_input_feature, n.kernel_output_feature, n.kernel_spatial, rhs) &&
                 covers(n.output_batch, n.output_feature, n.output_spatial, op.shape);
  if (!dims_ok || a.feature_group_count < 1 || a.batch_group_count < 1) return false;
  for (size_t i = 0; i < a.window.size(); ++i) {
    if (a.window[i].size != rhs.dims[n.kernel_spatial[i]]) return false;
  }
  int64_t features = op.shape.dims[n.output_feature];
  return features % a.feature_group_count == 0 && features % a.batch_group_count == 0 &&
         lhs.dims[n.input_batch] % a.batch_group_count == 0;
}

// The kernel's index for tap variable i; `rhs_reversal` flips the kernel.
SymbolicExpr KernelTap(const hlo::WindowDimension& w, SymbolicExpr tap) {
  return w.reversal ? -tap + (w.size - 1) : tap;
}

// The elements that output `out` reads with the taps and the feature in `ranges`.
class Builder {
 public:
  Builder(const hlo::Instruction& op, Session& session)
      : op_(op),
        a_(op.attributes),
        n_(*op.attributes.dim_labels),
        lhs_(op.operands[0]->shape),
        rhs_(op.operands[1]->shape),
        context_(session.context),
        exact_(session.options.exact),
        taps_(static_cast<int64_t>(op.attributes.window.size())) {
    for (const hlo::WindowDimension& w : a_.window) ranges_.push_back(w.size);
    ranges_.push_back(rhs_.dims[n_.kernel_input_feature]);
  }

  LabeledMap Lhs() {
    std::vector<SymbolicExpr> results(lhs_.rank());
    std::vector<Constraint> constraints;
    for (int64_t i = 0; i < taps_; ++i) {
      results[n_.input_spatial[i]] =
          WindowInput(a_.window[i], context_.Dim(n_.output_spatial[i]), context_.Range(i),
                      lhs_.dims[n_.input_spatial[i]], constraints);
    }
    results[n_.input_feature] =
        Group(a_.feature_group_count) * rhs_.dims[n_.kernel_input_feature] + Feature();
    std::vector<int64_t> ranges = ranges_;
    SymbolicExpr batch = context_.Dim(n_.output_batch);
    bool spread = a_.batch_group_count > 1 && !exact_;
    if (a_.batch_group_count > 1) {
      // XLA's map runs over all batch groups; the one that is read is that of the output feature.
      SymbolicExpr group = spread ? context_.Range(taps_ + 1) : Group(a_.batch_group_count);
      if (spread) ranges.push_back(a_.batch_group_count);
      batch = group * (lhs_.dims[n_.input_batch] / a_.batch_group_count) + batch;
    }
    results[n_.input_batch] = batch;
    IndexingMap map =
        Canonical(IndexingMap::FromShapes(context_, results, op_.shape.dims, ranges, constraints));
    return spread ? OverApproximate(std::move(map)) : Exact(std::move(map));
  }

  // A kernel element under a tap over padding or a hole is multiplied by nothing; the default map
  // has it nevertheless.
  LabeledMap Rhs() {
    std::vector<SymbolicExpr> results(rhs_.rank());
    std::vector<Constraint> constraints;
    for (int64_t i = 0; i < taps_; ++i) {
      results[n_.kernel_spatial[i]] = KernelTap(a_.window[i], context_.Range(i));
      WindowInput(a_.window[i], context_.Dim(n_.output_spatial[i]), context_.Range(i),
                  lhs_.dims[n_.input_spatial[i]], constraints);
    }
    results[n_.kernel_input_feature] = Feature();
    results[n_.kernel_output_feature] = context_.Dim(n_.output_feature);
    IndexingMap wide =
        Canonical(IndexingMap::FromShapes(context_, results, op_.shape.dims, ranges_));
    IndexingMap narrow =
        Canonical(IndexingMap::FromShapes(context_, results, op_.shape.dims, ranges_, constraints));
    if (exact_ || narrow == wide) return Exact(std::move(narrow));
    return OverApproximate(std::move(wide));
  }

  // Input element to outputs: ranges are the taps, then the output feature within the group.
  LabeledMap LhsInputToOutput() {
    std::vector<SymbolicExpr> results(op_.shape.rank());
    std::vector<Constraint> constraints;
    std::vector<int64_t> ranges(ranges_.begin(), ranges_.begin() + taps_);
    for (int64_t i = 0; i < taps_; ++i) {
      results[n_.output_spatial[i]] =
          WindowOutput(a_.window[i], context_.Dim(n_.input_spatial[i]), context_.Range(i),
                       op_.shape.dims[n_.output_spatial[i]], constraints);
    }
    int64_t groups = a_.feature_group_count * a_.batch_group_count;
    int64_t per_group = op_.shape.dims[n_.output_feature] / groups;
    ranges.push_back(per_group);
    SymbolicExpr group = context_.Constant(0);
    SymbolicExpr batch = context_.Dim(n_.input_batch);
    if (a_.batch_group_count > 1) {
      int64_t size = lhs_.dims[n_.input_batch] / a_.batch_group_count;
      group = batch.FloorDiv(size);
      batch = batch.Mod(size);
    } else if (a_.feature_group_count > 1) {
      group = context_.Dim(n_.input_feature).FloorDiv(rhs_.dims[n_.kernel_input_feature]);
    }
    results[n_.output_batch] = batch;
    results[n_.output_feature] = group * per_group + context_.Range(taps_);
    return Exact(
        Canonical(IndexingMap::FromShapes(context_, results, lhs_.dims, ranges, constraints)));
  }

  // With both kinds of groups, or empty ones, the closed form above does not hold.
  bool HasClosedInputToOutput() const {
    return (a_.feature_group_count == 1 || a_.batch_group_count == 1) &&
           lhs_.dims[n_.input_batch] > 0 && rhs_.dims[n_.kernel_input_feature] > 0;
  }

 private:
  SymbolicExpr Feature() const { return context_.Range(taps_); }
  SymbolicExpr Group(int64_t groups) const {
    int64_t size = op_.shape.dims[n_.output_feature] / groups;
    if (groups == 1 || size == 0) return context_.Constant(0);
    return context_.Dim(n_.output_feature).FloorDiv(size);
  }

  const hlo::Instruction& op_;
  const hlo::Attributes& a_;
  const hlo::ConvDimensionNumbers& n_;
  const hlo::Shape& lhs_;
  const hlo::Shape& rhs_;
  Context& context_;
  bool exact_;
  int64_t taps_;
  std::vector<int64_t> ranges_;
};

}  // namespace

InstructionIndexing ConvolutionOutputToInput(const hlo::Instruction& op, int64_t,
                                             Session& session) {
  if (!IsWellFormedConvolution(op)) return UnknownOutputToInput(op, 0, session);
  Builder builder(op, session);
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(builder.Lhs());
  out.maps[1].push_back(builder.Rhs());
  return out;
}

InstructionIndexing ConvolutionInputToOutput(const hlo::Instruction& op, int64_t operand,
                                             Session& session) {
  if (operand == 0 && IsWellFormedConvolution(op)) {
    Builder builder(op, session);
    if (builder.HasClosedInputToOutput()) {
      InstructionIndexing out = NothingWritten(op);
      out.maps[0].push_back(builder.LhsInputToOutput());
      return out;
    }
  }
  return InvertedInputToOutput(op, operand, session);
}

}  // namespace affirm::analysis
