// Exact values of rule terms: how every counterexample is checked.
#ifndef AFFIRM_VERIFY_RULES_EVALUATE_H_
#define AFFIRM_VERIFY_RULES_EVALUATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/simplify/rule.h"
#include "core/symbolic/checked.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::rules {

struct TermValue {
  enum State : uint8_t {
    kDefined,
    kUndefined,  // a division by zero, a modulus that is not positive
    kTooLarge,   // leaves 128 bits
  } state = kDefined;
  int128 value = 0;
  bool ok() const { return state == kDefined; }
};

// Whether the term mentions the metavariable.
bool Mentions(const Term& term, int metavariable);

// The value of `term` when metavariable i is values[i]. lower() and upper() are undefined.
TermValue Evaluate(const Term& term, llvm::ArrayRef<int128> values);

// Whether a condition holds; nullopt when it has no value. A `let` that defines its name is an
// equality; any other `let` holds always.
std::optional<bool> Holds(const Condition& condition, llvm::ArrayRef<int128> values);
std::optional<bool> Holds(const BoundPattern& fact, llvm::ArrayRef<int128> values);

// The decimal digits of v.
std::string ToDecimal(int128 v);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_EVALUATE_H_
