// The meanings of the calls of each library. A function takes a call of one of its targets and
// returns the text of an HLO module whose entry has the call's operands as parameters and its
// result as result (meaning_text.h); an error says why this call has no meaning.
#ifndef AFFIRM_VERIFY_CALLS_FAMILIES_H_
#define AFFIRM_VERIFY_CALLS_FAMILIES_H_

#include <string>

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"

namespace affirm::calls {

using Meaning = llvm::Expected<std::string>;

// Notes for the partitioner and for where a value is kept: the operand.
Meaning SameValue(const hlo::Instruction& call);
// SPMDFullToShardShape and SPMDShardToFullShape: the operand where one device has all of it.
Meaning SameShard(const hlo::Instruction& call);

// alpha * dot + beta * C, then the epilogue, then one rounding to the type of the result.
Meaning Gemm(const hlo::Instruction& call);     // __cublas$gemm
Meaning Matmul(const hlo::Instruction& call);   // __cublas$lt$matmul
Meaning Matmul8(const hlo::Instruction& call);  // __cublas$lt$matmul$f8: with scales

// __cudnn$conv...; the window and the labels are those of the forward convolution in each.
Meaning ConvolutionForward(const hlo::Instruction& call);
Meaning ConvolutionBackwardInput(const hlo::Instruction& call);
Meaning ConvolutionBackwardFilter(const hlo::Instruction& call);
Meaning ConvolutionBiasActivation(const hlo::Instruction& call);

Meaning TopK(const hlo::Instruction& call);       // the first of a stable sort, and where they were
Meaning RadixSort(const hlo::Instruction& call);  // of CUB: keys, or keys with values

Meaning TriangularSolve(const hlo::Instruction& call);  // cuBLAS
Meaning Trsm(const hlo::Instruction& call);             // LAPACK's interface
Meaning Potrf(const hlo::Instruction& call);  // a Cholesky factor, and whether there is one

Meaning PivotsToPermutation(const hlo::Instruction& call);
Meaning Getrf(const hlo::Instruction& call);      // LU
Meaning Geqrf(const hlo::Instruction& call);      // QR, as reflectors
Meaning Orgqr(const hlo::Instruction& call);      // the product of reflectors
Meaning Syevd(const hlo::Instruction& call);      // eigenvalues of symmetric matrices
Meaning Singulars(const hlo::Instruction& call);  // singular values

Meaning ThreeFry(const hlo::Instruction& call);

Meaning OneDnnSoftmax(const hlo::Instruction& call);
Meaning OneDnnLayerNorm(const hlo::Instruction& call);
Meaning ScaledSoftmax(const hlo::Instruction& call);  // Transformer Engine

// XLA's client library, with names in front of it: xla_builder.matrix.Einsum
Meaning Einsum(const hlo::Instruction& call);
Meaning TridiagonalSolver(const hlo::Instruction& call);
Meaning ScramblePhiloxKey(const hlo::Instruction& call);

// xla_builder.math.Asin and its like: one op.
Meaning MathFunction(const hlo::Instruction& call);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_FAMILIES_H_
