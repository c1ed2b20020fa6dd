// Sums of constants in a computation, as the constants that the interpreter computes of them:
//
//   (place = k ? add(-1, 0) : 0)    is    (place = k ? -1 : 0)
//
// as compilers write them, so that what a kernel combines has the form of the computation's
// elements. In a kernel they stay: what it adds up is looked for in its sums, and so terms have
// them (terms/float_operations.cc, which does this to all other operations). None that is a NaN.
#ifndef AFFIRM_VERIFY_COMPARE_CONSTANT_SUMS_H_
#define AFFIRM_VERIFY_COMPARE_CONSTANT_SUMS_H_

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "verify/compare/scalar_operations.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

class ConstantSums {
 public:
  explicit ConstantSums(terms::Scope& scope) : scope_(scope) {}

  terms::Term Replaced(terms::Term value);

 private:
  // The constant that a term is; null where it is none.
  terms::Term ConstantOf(terms::Term term);
  std::optional<TypedScalar> Computed(terms::Term sum);
  bool HasSum(terms::Term term);

  terms::Scope& scope_;
  ScalarOperations operations_;
  // By term, of all that were asked about.
  llvm::DenseMap<terms::Term, terms::Term> constants_;
  llvm::DenseMap<terms::Term, bool> has_sum_;
};

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_CONSTANT_SUMS_H_
