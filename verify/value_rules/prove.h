// Proves a value rule for each choice of its types, for all values of its variables; or finds
// values at which its sides differ.
//
//   rule wrong: x + 0.0  =>  x   with x : T for T in {f32} ...
//     T = f32: refuted: x = -0.0 (0x80000000): left is 0.0 (0x00000000), right is -0.0 (0x80000000)
//
// Equal is equal to the bit, where all NaNs are one. By enumeration of all values where the
// variables have few bits together; else by what operations on narrow floats are by definition
// (definition.h), or by Z3's theories of bit-vectors and floats. What is refuted was computed by
// the interpreter.
#ifndef AFFIRM_VERIFY_VALUE_RULES_PROVE_H_
#define AFFIRM_VERIFY_VALUE_RULES_PROVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/value_rules/instance.h"
#include "verify/verdict.h"

namespace affirm::value_rules {

struct ProofOptions {
  int64_t enumerated_bits = 18;  // of the variables together, whose values are all tried
  unsigned z3_rlimit = 1'000'000'000;
  uint64_t seed = 1;  // of the values that are tried before Z3 is asked
  unsigned wall_ms = 120'000;
};

struct Counterexample {
  std::vector<std::pair<std::string, std::string>> values;  // variable, "-0.0 (0x80000000)"
  std::string left, right;
  std::string ToString() const;  // "x = 1 (0x3c00): left is ..., right is ..."
};

struct InstanceProof {
  Types types;
  Verdict verdict = Verdict::kUnknown;
  std::optional<Counterexample> counterexample;
  std::string reason;    // of unknown
  std::string by;        // of proved: "enumeration of 65536 values", "z3", a definition
  bool vacuous = false;  // no values satisfy the condition
  double ms = 0;
};

// An error where an operation does not exist on the types.
llvm::Expected<InstanceProof> Prove(const ValueRule& rule, const Types& types,
                                    const ProofOptions& options = {});

struct RuleProof {
  ValueRule rule;
  std::vector<InstanceProof> instances;
  // The meet; a rule that no values satisfy is of no use, and refuted. Defined and licensed rules
  // are not proved: they claim no equality, and are unknown, with values at which the sides differ
  // where there are some.
  Verdict verdict() const;
};
llvm::Expected<RuleProof> Prove(const ValueRule& rule, const ProofOptions& options = {});

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_PROVE_H_
