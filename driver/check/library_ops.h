// Ops whose elements are computed from other elements of the result, as loops of which each trip is
// kernels:
//
//   l = f32[9,9] cholesky(a), lower=true
//   x = f32[9,4] triangular-solve(l, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
//
// The first becomes a loop over the columns of the factor, the second one over the unknowns. A trip
// has one column, or unknown, and takes what it contributes from all those behind it. These are the
// operations of the interpreter in its order (verify/reference/linalg.cc), in f64 and rounded once.
//
// Nothing rests on these formulas: what they give is compared with what the interpreter says of the
// op.
#ifndef AFFIRM_DRIVER_CHECK_LIBRARY_OPS_H_
#define AFFIRM_DRIVER_CHECK_LIBRARY_OPS_H_

#include <memory>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace affirm::driver {

// Whether a loop stands for such an op.
bool IsLibraryOp(const hlo::Instruction& op);

// Whether there is one in a computation or in what it calls.
bool HasLibraryOp(const hlo::Computation& computation);

// A module whose entry has the op's operands as parameters and its result as result.
std::unique_ptr<hlo::Module> LoopModuleOf(const hlo::Instruction& op);

// Arguments for a computation of one such op and its parameters on which its result is finite:
// small numbers, and matrices whose diagonal outweighs the rest of a row. What the op does not read
// is NaN.
std::vector<hlo::Literal> WellConditionedArguments(const hlo::Computation& computation,
                                                   uint64_t seed);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_LIBRARY_OPS_H_
