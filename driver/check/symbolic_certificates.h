// Certificates of the formulas of `check --symbolic`, for all sizes.
#ifndef AFFIRM_DRIVER_CHECK_SYMBOLIC_CERTIFICATES_H_
#define AFFIRM_DRIVER_CHECK_SYMBOLIC_CERTIFICATES_H_

#include <string>

#include "llvm/Support/Error.h"
#include "verify/hlo/symbolic/op.h"

namespace affirm::driver {

// Certifies that the map of an operand equals its access relation at all sizes: two maps whose dims
// are the parameters and the index of the result. The second has a range variable for each
// component of the operand's index, under the constraints of the relation. An error "no
// certificate: ..." if no proof is found.
llvm::Expected<std::string> CertifySymbolic(const SymbolicOp& op, const SymbolicRead& read,
                                            Context& context);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_SYMBOLIC_CERTIFICATES_H_
