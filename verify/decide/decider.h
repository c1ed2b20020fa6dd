// Deciders: Z3, isl and enumeration behind one interface. A verdict comes only from here.
#ifndef AFFIRM_VERIFY_DECIDE_DECIDER_H_
#define AFFIRM_VERIFY_DECIDE_DECIDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verify/decide/formula.h"

namespace affirm {

enum class Verdict : uint8_t { kProved, kRefuted, kUnknown };
const char* Name(Verdict v);  // "proved", "refuted", "unknown"

enum class Engine : uint8_t { kSyntactic, kEnumeration, kZ3, kIsl };
const char* Name(Engine e);

// Deterministic limits; time is a backstop only.
struct Budget {
  int64_t enumeration_points = 1 << 16;
  unsigned z3_rlimit = 20'000'000;
  unsigned long isl_operations = 2'000'000;
  unsigned isl_seconds = 4;  // of processor time
  unsigned wall_ms = 60'000;
};

struct Answer {
  Verdict verdict = Verdict::kUnknown;
  Engine engine = Engine::kSyntactic;
  // kRefuted: values of the question's variables (free ones; bound ones are 0) at which the claim
  // is false; it has been re-evaluated. kUnknown: why.
  std::vector<int64_t> counterexample = {};
  std::string reason = {};
  double ms = 0;
};

// Asks the engines in the order of DESIGN section 4: syntax, enumeration when the domain is small,
// Z3, isl. With `cross_check` every engine that can answer is asked, and a disagreement is reported
// as an unknown whose reason starts with "engines disagree".
struct DecideOptions {
  Budget budget;
  bool cross_check = false;
  std::optional<Engine> only;  // ask just this engine
  std::string smt2_directory;  // when set, each query is also written there as SMT-LIB
};
Answer Decide(const Question& question, const DecideOptions& options = {});

// The single engines (Decide calls these).
Answer DecideByEnumeration(const Question& question, const Budget& budget);
Answer DecideWithZ3(const Question& question, const Budget& budget);
Answer DecideWithIsl(const Question& question, const Budget& budget);

// The question as an SMT-LIB 2 script; `unsat` means proved.
std::string ToSmtLib(const Question& question);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_DECIDER_H_
