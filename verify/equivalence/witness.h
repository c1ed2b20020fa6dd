// Arguments at which two computations are likely to differ, from the terms of a result that was not
// proved to be the same.
//
//   a: x[clamp(s, 0, 5)]        b: x[clamp(s + 2, 0, 5)]      s in an s32[] parameter
//   a and b read the same element of x?      not where s = 4: x[4] and x[5]
//
// The deciders are asked for loaded integers at which the two read different elements, or at which
// integers that they compute differ. What they find is no verdict: the two have to be executed.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_WITNESS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_WITNESS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "verify/terms/query.h"
#include "verify/terms/scope.h"

namespace affirm::equivalence {

// An element of a parameter.
struct ParameterElement {
  int64_t leaf = 0;      // among all leaves of all parameters
  int64_t position = 0;  // row-major
  friend bool operator==(const ParameterElement&, const ParameterElement&) = default;
};

struct Witness {
  std::vector<int64_t> index;  // of the element of the result
  // What loaded integers and predicates are.
  std::vector<std::pair<ParameterElement, int64_t>> integers;
  // What each of the two reads there, if one element is the difference; a constant otherwise.
  std::optional<ParameterElement> a, b;
};

// `a` and `b` are the values of one element of the result, whose index consists of variables and
// numbers; loads from buffers below `num_leaves` are elements of parameters, others are unknown.
// nullopt where no difference is found, or it has another form than those above.
std::optional<Witness> FindWitness(terms::Scope& scope, terms::TermDecider& decider, terms::Term a,
                                   terms::Term b, llvm::ArrayRef<terms::Term> index,
                                   int64_t num_leaves);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_WITNESS_H_
