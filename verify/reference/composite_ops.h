// Ops that are made of others: the halves of asynchronous ops, and ops on rows, features, blocks,
// groups, signals and matrices; ops that several devices run together.
#ifndef AFFIRM_VERIFY_REFERENCE_COMPOSITE_OPS_H_
#define AFFIRM_VERIFY_REFERENCE_COMPOSITE_OPS_H_

#include "verify/reference/ops.h"

namespace affirm::hlo {

// async.cc
Result EvaluateAsyncStart(const Call& call);
Result EvaluateCopyDone(const Call& call);
Result EvaluateCopyStart(const Call& call);
Result EvaluateSecondHalf(const Call& call);  // of a start's tuple (operands, results, ..)
// The value of a start that made `made`: (operands, made, contexts). Reports that the operands are
// there as they are.
Result StartValue(const Call& call, Literal made);
// devices.cc: collectives and numbers of devices, where there is only one device
Result EvaluateOnOneDevice(const Call& call);
// fft.cc
Result EvaluateFft(const Call& call);
// normalization.cc
Result EvaluateBatchNormGrad(const Call& call);
Result EvaluateBatchNormInference(const Call& call);
Result EvaluateBatchNormTraining(const Call& call);
// ragged_dot.cc
Result EvaluateRaggedDot(const Call& call);
// random_bits.cc
Result EvaluateRngBitGenerator(const Call& call);
// scaled_dot.cc
Result EvaluateScaledDot(const Call& call);
// topk.cc
Result EvaluateTopK(const Call& call);
// triangles.cc
Result EvaluateCholesky(const Call& call);
Result EvaluateTriangularSolve(const Call& call);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_COMPOSITE_OPS_H_
