// What calls of libraries of matrices have in common.
#ifndef AFFIRM_VERIFY_CALLS_LAPACK_H_
#define AFFIRM_VERIFY_CALLS_LAPACK_H_

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"

namespace affirm::calls {

// Of floats or complex numbers, or a batch of such.
bool IsMatrix(const hlo::Shape& shape);

// A letter of LAPACK, as its number: "76" is 'L'. 0 where there is none.
char Letter(const hlo::Instruction& call, llvm::StringRef key);

// Libraries of matrices have columns one after the other. Before layouts are assigned the call says
// how it will want its operands.
llvm::Error CheckColumnMajor(const hlo::Instruction& call);

// Which triangle a call is asked for: 'L', 'U', or nothing that is known.
char Triangle(const hlo::Instruction& call);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_LAPACK_H_
