// The operations of folds of integers. Internal to verify/compare.
#ifndef AFFIRM_VERIFY_COMPARE_INTEGER_FOLDS_H_
#define AFFIRM_VERIFY_COMPARE_INTEGER_FOLDS_H_

#include "verify/terms/scope.h"

namespace affirm::compare {

// The combiner of a fold of integers, modulo 2^width; null for other operations.
using IntegerOperation = terms::Term (*)(terms::Scope&, terms::Term, terms::Term, int64_t);
IntegerOperation IntegerOperationOf(terms::Op op);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_INTEGER_FOLDS_H_
