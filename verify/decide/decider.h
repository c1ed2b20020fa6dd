// Deciders: interval analysis, enumeration, Z3 and isl behind one interface.
//
// Whether x floordiv 4 <= 7 for all x in [0, 31]:
//
//   Question q{.context = &context, .variables = {{0, 31}}};
//   q.claim = Formula::Le(context.Dim(0).FloorDiv(4), context.Constant(7));
//   Decide(q).verdict;  // kProved; with x in [0, 32] kRefuted, and the counterexample is {32}
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

// Two engines contradict each other about one question. That is a bug of one of them, and nothing
// that either says is an answer.
struct EngineDisagreement {
  Engine first = Engine::kSyntactic, second = Engine::kSyntactic;
  Verdict first_says = Verdict::kUnknown, second_says = Verdict::kUnknown;
  // "engines disagree: z3 says proved, isl says refuted"
  std::string ToString() const;
};

struct Answer {
  Verdict verdict = Verdict::kUnknown;
  Engine engine = Engine::kSyntactic;
  // kRefuted: values of the question's variables (free ones; bound ones are 0) at which the claim
  // is false; it has been re-evaluated. kUnknown: why.
  std::vector<int64_t> counterexample = {};
  std::string reason = {};
  // kUnknown: present when that is why; the reason says it too.
  std::optional<EngineDisagreement> disagreement = {};
  double ms = 0;
};

// Asks the engines from the cheapest to the most powerful until one settles the question: interval
// analysis of normal forms, enumeration when the domain is small, Z3, isl. With `cross_check` every
// engine is asked, and two that contradict each other make an unknown with a `disagreement`.
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
