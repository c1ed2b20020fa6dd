// Executes ops whose elements depend on other elements of the result as loops of kernels:
//
//   l = f32[9,9] cholesky(a), lower=true
//   x = f32[9,4] triangular-solve(l, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
//
// The first becomes a loop over the columns of the factor, the second one over the unknowns. A trip
// computes one column, or unknown, and subtracts its contribution from all later ones. These are
// the interpreter's operations in its order (verify/reference/linalg.cc), in f64 and rounded once.
//
// The formulas are not trusted: their results are compared with the interpreter's.
#ifndef AFFIRM_DRIVER_CHECK_LIBRARY_OPS_H_
#define AFFIRM_DRIVER_CHECK_LIBRARY_OPS_H_

#include <memory>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace affirm::driver {

// Whether the op is executed as such a loop.
bool IsLibraryOp(const hlo::Instruction& op);

// Whether a computation or one that it calls has such an op.
bool HasLibraryOp(const hlo::Computation& computation);

// A module whose entry has the op's operands as parameters and its result as result.
std::unique_ptr<hlo::Module> LoopModuleOf(const hlo::Instruction& op);

// Arguments for a computation of one such op with a finite result: small numbers, and diagonally
// dominant matrices. Elements that the op does not read are NaN.
std::vector<hlo::Literal> WellConditionedArguments(const hlo::Computation& computation,
                                                   uint64_t seed);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_LIBRARY_OPS_H_
