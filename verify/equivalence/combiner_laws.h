// Laws of reductions by computations of several operations: of an argmax, of a composition of
// affine maps.
//
//   (a, i), (b, j) -> a > b or a == b and i < j ? (a, i) : (b, j)   takes any order, of integers
//   (a, i), (b, j) -> a >= b ? (a, i) : (b, j)                      does not: ties
//   (a, b), (c, d) -> (a * c, a * d + b)                            does not: it does not commute
//
// A computation that takes any order commutes and associates, for all values, to the bit (NaNs are
// one). Two mechanisms prove that: both sides of each law as terms (verify/kernel/proof), or
// execution on all values, or on as many as tell apart what the computation can: one that compares
// and chooses values, and computes nothing, does the same on values in the same order.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_COMBINER_LAWS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_COMBINER_LAWS_H_

#include <map>
#include <string>

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Whether a combiner of scalars takes any order. False where that is not proved.
bool TakesAnyOrder(const hlo::Computation& combiner);

// The same, proved once for all combiners that compute the same (hlo_values::NameOfCombiner).
class CombinerLaws {
 public:
  bool TakesAnyOrder(const hlo::Computation& combiner);

 private:
  std::map<std::string, bool> known_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_COMBINER_LAWS_H_
