// The interface of the engines. Only for engines, and for code that puts their answers together.
#ifndef AFFIRM_VERIFY_DECIDE_ENGINES_H_
#define AFFIRM_VERIFY_DECIDE_ENGINES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "verify/decide/decider.h"
#include "verify/decide/formula.h"

namespace affirm {

// The variables of a claim.
struct UsedVariables {
  std::vector<int64_t> free;   // in increasing order
  std::vector<int64_t> bound;  // outer quantifiers first
  bool vacuous = false;        // a variable that isn't bound ranges over nothing: the claim holds
};
UsedVariables FindVariables(const SolverQuery& query);

// Where every engine starts. The answer when there is nothing to search for: a query with a
// problem is unknown, and a claim about no values holds. Else nullopt, with `used` filled in.
std::optional<SolverResult> DecideWithoutSearch(const SolverQuery& query, Engine engine,
                                                UsedVariables& used);

// Sets what a counterexample leaves open: variables that do not occur to the value of their bounds
// nearest to zero, bound ones to 0.
void CompleteCounterexample(const SolverQuery& query, const UsedVariables& used,
                            std::vector<int64_t>& point);

// Appends a reason to others, after a semicolon, unless it is among them.
void AddReason(std::string& reasons, llvm::StringRef reason);

// Proves (never refutes) a claim whose normal form is true by the bounds of its variables.
SolverResult DecideByIntervalAnalysis(const SolverQuery& query);

// Refutes (never proves) a claim that fails at a corner of the bounds or at one of a few fixed
// points.
SolverResult DecideBySampling(const SolverQuery& query);

// Writes the query as an SMT-LIB script, with the answer as its (set-info :status ..), into a
// folder, which is created. The name of the file is the hash of the query: one query has one file.
// A file that cannot be written is left out. Nothing is written where `directory` is empty.
void WriteSmtLib(const SolverQuery& query, Verdict answer, const std::string& directory);

// Evaluates a claimed counterexample: the same answer if the claim is false there, kUnknown with a
// reason otherwise.
SolverResult Confirm(const SolverQuery& query, SolverResult answer, const Budget& budget);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_ENGINES_H_
