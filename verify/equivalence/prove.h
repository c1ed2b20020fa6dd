// Whether two HLO computations compute the same values, element by element, for all arguments.
//
//   a: ROOT t = f32[3,2] transpose(p), dimensions={1,0}
//   b: r = f32[3,2] reshape(p), ROOT ...
//
// Each array leaf of the results is taken at an index of one variable for each dimension; both
// sides become terms over the elements of the parameters (verify/hlo/values), are rewritten by the
// laws that hold (laws.h), and are compared (verify/compare/same_value.h). What is not seen to
// be the same is not proved; that says nothing about being different.
//
// Equality is of values as XLA defines them: reductions have no order, and bits of NaNs and the
// sign of a zero that a reduction starts from do not count. What may depend on contents that nobody
// defines (undefined.h) is not proved.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_PROVE_H_
#define AFFIRM_VERIFY_EQUIVALENCE_PROVE_H_

#include <vector>

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "verify/compare/same_value.h"
#include "verify/equivalence/equivalence_proof.h"
#include "verify/equivalence/laws.h"

namespace affirm::equivalence {

struct ProveOptions {
  std::vector<const Law*> laws;
  compare::SameValueOptions same_value = {.fold_elements = 1 << 16,
                                          .pairs = 1 << 16,
                                          .definitions = false,
                                          .folds_in_form = true,
                                          .exact_quotients = compare::ExactQuotients::kOfOpenSide};
};

// Both computations have the same signature, and are of modules that the verifier accepts.
EquivalenceProof ProveEquivalent(const hlo::Computation& a, const hlo::Computation& b,
                                 ProveOptions options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PROVE_H_
