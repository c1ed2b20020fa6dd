// Whether two HLO computations compute the same values, element by element, for all arguments.
//
//   a: ROOT t = f32[3,2] transpose(p), dimensions={1,0}
//   b: r = f32[3,2] reshape(p), ROOT ...
//
// Each array leaf of the results is evaluated at a symbolic index, one variable for each dimension.
// Both sides become terms over the elements of the parameters (verify/hlo/values), are rewritten by
// the laws (laws.h), and are compared (verify/compare/same_value.h). The proof is incomplete: a
// failure does not say that the computations differ.
//
// Equality follows XLA: the order of reductions is open, and the bits of NaNs and the sign of a
// zero initial value of a reduction are ignored. Results that may depend on undefined contents
// (undefined.h) are not proved.
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

// Both computations must have the same signature, and be from modules that the verifier accepts.
EquivalenceProof ProveEquivalent(const hlo::Computation& a, const hlo::Computation& b,
                                 ProveOptions options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PROVE_H_
