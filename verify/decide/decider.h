// Deciders: interval analysis, enumeration, Z3 and isl behind one interface.
//
// Whether x floordiv 4 <= 7 for all x in [0, 31]:
//
//   SolverQuery q{.context = &context, .variables = {{0, 31}}};
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
#include "verify/verdict.h"

namespace affirm {

class ProvedClaims;

enum class Engine : uint8_t { kIntervalAnalysis, kEnumeration, kZ3, kIsl };
const char* Name(Engine e);

// Deterministic limits; time is a backstop only.
struct Budget {
  int64_t enumeration_points = 1 << 16;
  unsigned z3_rlimit = 20'000'000;
  unsigned long isl_operations = 2'000'000;
  unsigned isl_seconds = 4;  // of processor time
  unsigned wall_ms = 60'000;
};

// Two engines contradict each other about one query. That is a bug of one of them, and nothing
// that either says is an answer.
struct EngineDisagreement {
  Engine first = Engine::kIntervalAnalysis, second = Engine::kIntervalAnalysis;
  Verdict first_says = Verdict::kUnknown, second_says = Verdict::kUnknown;
  // "engines disagree: z3 says proved, isl says refuted"
  std::string ToString() const;
};

struct SolverResult {
  Verdict verdict = Verdict::kUnknown;
  Engine engine = Engine::kIntervalAnalysis;
  // kRefuted: values of the query's variables (free ones; bound ones are 0) at which the claim
  // is false; it has been re-evaluated. kUnknown: why.
  std::vector<int64_t> counterexample = {};
  std::string reason = {};
  // kUnknown: present when that is why; the reason says it too.
  std::optional<EngineDisagreement> disagreement = {};
  double ms = 0;
};

// Asks the engines from the cheapest to the most powerful until one settles the query: interval
// analysis of normal forms, enumeration when the domain is small, Z3, isl. With `cross_check` every
// engine is asked, and two that contradict each other make an unknown with a `disagreement`.
struct DecideOptions {
  Budget budget;
  bool cross_check = false;
  std::optional<Engine> only;  // ask just this engine
  std::string smt2_directory;  // when set, each query is also written there as SMT-LIB
  // Keeps proved claims, to look them up (proved_claims.h); null: each query is asked anew. Not
  // used with `cross_check` or `only`, which need the engines to run.
  std::shared_ptr<ProvedClaims> proved = nullptr;
};
SolverResult Decide(const SolverQuery& query, const DecideOptions& options = {});

// The single engines (Decide calls these).
SolverResult DecideByEnumeration(const SolverQuery& query, const Budget& budget);
SolverResult DecideWithZ3(const SolverQuery& query, const Budget& budget);
SolverResult DecideWithIsl(const SolverQuery& query, const Budget& budget);

// The query as an SMT-LIB 2 script; `unsat` means proved.
std::string ToSmtLib(const SolverQuery& query);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_DECIDER_H_
