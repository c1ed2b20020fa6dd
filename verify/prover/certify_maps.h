// Writes certificates of claims about maps (docs/certificates.md), for affirm-check. The search is
// not trusted: a certificate that is wrong is rejected.
#ifndef AFFIRM_VERIFY_PROVER_CERTIFY_MAPS_H_
#define AFFIRM_VERIFY_PROVER_CERTIFY_MAPS_H_

#include <string>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm {

// The text of a certificate; an error "no certificate: ..." where the search found no proof, which
// says nothing about the claim.
llvm::Expected<std::string> CertifyEqual(const IndexingMap& a, const IndexingMap& b);
// The same, where the range variables of one map are known by those of the other.
llvm::Expected<std::string> CertifyEqual(const IndexingMap& a, const IndexingMap& b,
                                         llvm::ArrayRef<SymbolicExpr> ranges_of_a,
                                         llvm::ArrayRef<SymbolicExpr> ranges_of_b);
// Proves that each set of b lies inside a's.
llvm::Expected<std::string> CertifyCovers(const IndexingMap& a, const IndexingMap& b);
// Proves that the map writes each element of an array of this shape once, at all runtime variables.
llvm::Expected<std::string> CertifyBijection(const IndexingMap& m, llvm::ArrayRef<int64_t> shape);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_PROVER_CERTIFY_MAPS_H_
