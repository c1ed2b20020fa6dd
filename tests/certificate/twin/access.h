// Accesses of an instruction to an array: maps whose runtime variables are elements of other
// arrays.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_ACCESS_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_ACCESS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/certificate/twin/map_text.h"

namespace twin {

// Element `at` of an array, as an integer: clamped to [0, limit], or as it is.
struct Producer {
  size_t from = 0;
  std::vector<Term> at;
  std::optional<Integer> limit;

  bool operator==(const Producer&) const = default;
};
// Dims are the index of the result; runtime variable i is what producer i says.
struct Access {
  Map map;
  std::vector<Producer> producers;
};

Term Number(const Integer& value);
Term Variable(size_t number);
Term Join(Op op, const Term& left, const Term& right);

// rt0, d0, s0, ...
Names DefaultNames(size_t runtime, size_t dims, size_t ranges);
// Constraints of variables, from this one on: each is an index below a size.
std::vector<Constraint> Indices(size_t first, const std::vector<Integer>& sizes);
std::vector<Constraint> Clamped(const std::vector<Producer>& producers);

// Variables below this number, and divisors that are positive numbers.
bool IsPlain(const Term& term, size_t variables);
bool IsPlain(const Access& access);
// Whether each variable is a dim, with `runtime` runtime variables and `dims` dims.
bool IsOfDims(const std::vector<Term>& terms, size_t runtime, size_t dims);

// First `outer`, then `inner` at its result.
Access Compose(const Access& outer, const Access& inner);
// The map whose range variables are the runtime variables, then the range variables.
Map Forget(const Access& access);
// The map over the runtime variables that are known.
Map Aligned(const Access& access, const std::vector<Producer>& known, size_t dims);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_ACCESS_H_
