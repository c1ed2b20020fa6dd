// Maps in XLA's text form: `(d0)[s0]{rt0} -> (d0 mod 4 + s0), domain: d0 in [0, 3], ...`.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_MAP_TEXT_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_MAP_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/certificate/twin/polynomial.h"

namespace twin {

enum class Op {
  kNumber,
  kVariable,
  kAdd,
  kSubtract,
  kMultiply,
  kFloor,
  kCeiling,
  kModulo,
  kMin,
  kMax
};
// A number, a variable, or an operator, which stands after its operands.
struct Item {
  Op op = Op::kNumber;
  size_t variable = 0;
  Integer number;

  bool operator==(const Item&) const = default;
};
// A term in postfix order: `d0 mod 4` is d0, 4, mod.
using Term = std::vector<Item>;
using Names = std::vector<std::string>;

// `subject in [lower, upper]`; an end that is absent is infinite.
struct Constraint {
  Term subject;
  std::optional<Integer> lower, upper;
};

// Variables are numbered: runtime variables, dims, range variables.
struct Map {
  size_t runtime = 0, dims = 0, ranges = 0;
  std::vector<Term> results;
  std::vector<Constraint> domain;
  Names names;

  size_t variables() const { return runtime + dims + ranges; }
};

// Nothing for KNOWN EMPTY.
std::optional<Map> ReadMap(std::string_view text);
// Terms between commas. Of two variables with one name the last is meant.
std::vector<Term> ReadTerms(std::string_view text, const Names& names);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_MAP_TEXT_H_
