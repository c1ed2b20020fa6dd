// Helpers for calls of matrix libraries.
#ifndef AFFIRM_VERIFY_CALLS_LAPACK_H_
#define AFFIRM_VERIFY_CALLS_LAPACK_H_

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "verify/calls/backend_config.h"

namespace affirm::calls {

// Whether the shape is a matrix of floats or complex numbers, or a batch of matrices.
bool IsMatrix(const hlo::Shape& shape);

// LAPACK alone: cuSOLVER has other attributes.
bool IsLapack(const hlo::Instruction& call);

// Libraries of matrices have columns one after the other. Before layouts are assigned the call says
// how it will want its operands.
llvm::Error CheckColumnMajor(const hlo::Instruction& call);

// Which triangle a call is asked for: 'L', 'U', or nothing that is known.
char Triangle(const TypedConfig& config);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_LAPACK_H_
