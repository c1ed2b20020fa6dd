// Guesses arguments at which two computations differ, from the terms of a result that was not
// proved equal.
//
//   a: x[clamp(s, 0, 5)]        b: x[clamp(s + 2, 0, 5)]      s in an s32[] parameter
//   a and b read the same element of x?      not where s = 4: x[4] and x[5]
//
// The deciders search for loaded integers at which the two read different elements, or compute
// different integers. A witness is not a verdict: both computations must be executed on it.
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
  std::vector<int64_t> index;  // the result's element
  // Values of loaded integers and predicates.
  std::vector<std::pair<ParameterElement, int64_t>> integers;
  // The elements that the two read there, if they differ in one; nullopt stands for a constant.
  std::optional<ParameterElement> a, b;
};

// `a` and `b` are the values of one element of the result, whose index consists of variables and
// constants. Loads from buffers below `num_leaves` are elements of parameters, others are unknown.
// nullopt if no difference of the forms above is found.
std::optional<Witness> FindWitness(terms::Scope& scope, terms::TermDecider& decider, terms::Term a,
                                   terms::Term b, llvm::ArrayRef<terms::Term> index,
                                   int64_t num_leaves);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_WITNESS_H_
