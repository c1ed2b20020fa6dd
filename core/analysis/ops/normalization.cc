// Maps of batch-norm-training, batch-norm-inference and batch-norm-grad, which are elementwise but
// for statistics along all dims other than the feature dim.
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/attribute_values.h"

namespace affirm::analysis {
namespace {

// (..) -> (.., feature, ..): the whole slice of one feature.
IndexingMap FeatureSlice(Context& context, llvm::ArrayRef<int64_t> out, SymbolicExpr feature,
                         llvm::ArrayRef<int64_t> in, int64_t feature_dim) {
  std::vector<SymbolicExpr> results;
  std::vector<int64_t> ranges;
  for (int64_t i = 0; i < static_cast<int64_t>(in.size()); ++i) {
    if (i == feature_dim) {
      results.push_back(feature);
    } else {
      results.push_back(context.Range(static_cast<int64_t>(ranges.size())));
      ranges.push_back(in[i]);
    }
  }
  return IndexingMap::FromShapes(context, results, out, ranges);
}

}  // namespace

// Operands of full rank are read along their feature's slice where the result needs statistics, and
// at the element itself otherwise; vectors (scale, offset, mean, variance) are read at the feature.
InstructionIndexing BatchNormOutputToInput(const hlo::Instruction& op, int64_t id,
                                           Session& session) {
  Context& context = session.context;
  const hlo::Shape& array = op.operands[0]->shape;
  const hlo::Shape& result = *LeafShape(op.shape, id);
  int64_t feature_dim = hlo::IntegerAttribute(op.attributes, "feature_index").value_or(-1);
  if (feature_dim < 0 || feature_dim >= array.rank()) return UnknownOutputToInput(op, id, session);
  bool full = id == 0;
  if (full ? result.dims != array.dims : result.rank() != 1) {
    return UnknownOutputToInput(op, id, session);
  }
  bool statistics = op.opcode != hlo::Opcode::kBatchNormInference;
  SymbolicExpr feature = full ? context.Dim(feature_dim) : context.Dim(0);
  InstructionIndexing out = NothingRead(op);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const hlo::Shape& in = op.operands[k]->shape;
    if (k > 0 && in.rank() == 1 && in.dims[0] == array.dims[feature_dim]) {
      out.maps[k].push_back(
          OverApproximate(IndexingMap::FromShapes(context, {feature}, result.dims, {})));
    } else if (in.dims != array.dims) {
      out.maps[k].push_back(Unknown());
    } else if (statistics) {
      out.maps[k].push_back(
          OverApproximate(FeatureSlice(context, result.dims, feature, in.dims, feature_dim)));
    } else {
      out.maps[k].push_back(Exact(IndexingMap::Identity(context, result.dims)));
    }
  }
  return out;
}

}  // namespace affirm::analysis
