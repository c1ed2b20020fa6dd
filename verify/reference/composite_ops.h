// Ops that are made of others: the halves of asynchronous ops, and ops on rows, features and
// blocks.
#ifndef AFFIRM_VERIFY_REFERENCE_COMPOSITE_OPS_H_
#define AFFIRM_VERIFY_REFERENCE_COMPOSITE_OPS_H_

#include "verify/reference/ops.h"

namespace affirm::hlo {

// async.cc
Result EvaluateAsyncDone(const Call& call);
Result EvaluateAsyncStart(const Call& call);
Result EvaluateCopyDone(const Call& call);
Result EvaluateCopyStart(const Call& call);
Result EvaluateSetDimensionSize(const Call& call);
// normalization.cc
Result EvaluateBatchNormGrad(const Call& call);
Result EvaluateBatchNormInference(const Call& call);
Result EvaluateBatchNormTraining(const Call& call);
// scaled_dot.cc
Result EvaluateScaledDot(const Call& call);
// topk.cc
Result EvaluateTopK(const Call& call);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_COMPOSITE_OPS_H_
