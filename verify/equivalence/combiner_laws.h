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
#include <vector>

#include "core/hlo/module.h"
#include "verify/hlo/values/values.h"

namespace affirm::equivalence {

// Whether a combiner of scalars takes any order. False where that is not proved.
bool TakesAnyOrder(const hlo::Computation& combiner);

// Combiners that are proved to compute the same have one name, whose laws are proved once. Those
// that were named outlive this.
class KnownCombiners {
 public:
  hlo_values::ComputationValues::NamedCombiner Named(const hlo::Computation& combiner);

 private:
  // By the name of the form (hlo_values::NameOfCombiner).
  std::map<std::string, hlo_values::ComputationValues::NamedCombiner> known_;
  std::vector<const hlo::Computation*> first_;  // of each name
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_COMBINER_LAWS_H_
