// A value rule at its types as a question for Z3, in bit-vectors and floats of IEEE 754. Internal
// to prove.cc.
#ifndef AFFIRM_VERIFY_VALUE_RULES_SMT_H_
#define AFFIRM_VERIFY_VALUE_RULES_SMT_H_

#include <string>
#include <vector>

#include "verify/value_rules/instance.h"

namespace affirm::value_rules {

struct SmtAnswer {
  enum class Kind : uint8_t { kEqual, kDifferent, kOpen } kind = Kind::kOpen;
  std::vector<uint64_t> bits = {};  // kDifferent: of each variable
  std::string reason = {};          // kOpen: an operation that is not said, or why Z3 gave up
};
// Whether the sides are equal wherever the condition holds. Sums, products, quotients and roots of
// f16 and bf16 are said to be rounded once: of f32, in which HLO computes them, the 24 bits are
// enough that the second rounding changes nothing (Figueroa, "When is double rounding innocuous?").
SmtAnswer AskZ3(const Instance& instance, unsigned rlimit, unsigned wall_ms);

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_SMT_H_
