// Constant folding of float additions in a computation, by the interpreter's arithmetic:
//
//   (place = k ? add(-1, 0) : 0)    is    (place = k ? -1 : 0)
//
// Compilers fold these too, so afterwards the computation's elements have the kernel's form. Sums
// of a kernel stay unfolded, since its summands are matched one by one; hence the term constructor
// (terms/float_operations.cc) folds every operation but add. A NaN result is not folded.
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
  // The literal that the term folds to, or null.
  terms::Term ConstantOf(terms::Term term);
  std::optional<TypedScalar> Computed(terms::Term sum);
  bool HasSum(terms::Term term);

  terms::Scope& scope_;
  ScalarOperations operations_;
  // Memo of ConstantOf.
  llvm::DenseMap<terms::Term, terms::Term> constants_;
  llvm::DenseMap<terms::Term, bool> has_sum_;
};

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_CONSTANT_SUMS_H_
