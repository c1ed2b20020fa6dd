// Proves algebraic laws of combiners with several operations, such as an argmax, or the composition
// of affine maps.
//
//   (a, i), (b, j) -> a > b or a == b and i < j ? (a, i) : (b, j)   takes any order, on integers
//   (a, i), (b, j) -> a >= b ? (a, i) : (b, j)                      does not: ties
//   (a, b), (c, d) -> (a * c, a * d + b)                            does not: it does not commute
//
// A computation that takes any order is commutative and associative for all values, to the bit up
// to NaN payloads. Two mechanisms prove that: both sides of each law as terms, or execution.
// Execution on a sample of all order patterns suffices for a combiner that only compares and
// selects: it commutes with monotonic maps of the values, so only their order matters.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_COMBINER_LAWS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_COMBINER_LAWS_H_

#include <map>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "verify/hlo/values/values.h"

namespace affirm::equivalence {

// Whether a combiner of scalars is proved to take any order.
bool TakesAnyOrder(const hlo::Computation& combiner);

// Names combiners: those that are proved equal share a name, whose laws are proved once. The
// combiners must outlive this object.
class KnownCombiners {
 public:
  hlo_values::ComputationValues::NamedCombiner Named(const hlo::Computation& combiner);

 private:
  // Keyed by the structural name (hlo_values::NameOfCombiner).
  std::map<std::string, hlo_values::ComputationValues::NamedCombiner> known_;
  std::vector<const hlo::Computation*> first_;  // the first combiner of each name
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_COMBINER_LAWS_H_
