// The answer to whether two HLO modules are equal: for each result, and what was executed.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_MODULE_EQUIVALENCE_H_
#define AFFIRM_DRIVER_EQUIVALENCE_MODULE_EQUIVALENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/operand_promises.h"
#include "verify/equivalence/witness.h"
#include "verify/verdict.h"

namespace affirm::driver {

// Numbers of sets of arguments that are none of those by kind.
inline constexpr int64_t kSolverSet = -1, kEnumeratedSet = -2;

// An element of the results that differs, as executed.
struct ExecutedDifference {
  int64_t leaf = 0;  // among all leaves of the result
  std::vector<int64_t> index;
  std::string a, b;
  // The number of the set of arguments; -1 of those that terms gave; -2 where all are enumerated.
  int64_t set = 0;
  std::string kind;  // of its numbers: "special", "constants", "solver", "enumeration"
  // The names and values of the parameters, long ones cut off.
  std::vector<std::pair<std::string, std::string>> arguments = {};
  // Why, if terms gave the arguments: "the first reads x[5], the second reads x[3]".
  std::string terms = {};
  std::string note = {};  // what else is to say, such as that a proof says otherwise
};

struct ResultEquivalence {
  int64_t leaf = 0;
  std::string shape;
  Verdict verdict = Verdict::kUnknown;
  bool same_graph = false;  // proved since both modules are one graph
  std::string reason = {};  // why it is not proved
  // Arguments at which terms say that it may differ: these are executed first.
  std::optional<equivalence::Witness> witness = {};
  double ms = 0;                 // of the proof
  const char* engine = "terms";  // or "enumeration", of all arguments
};
// "same graph", or the verdict: "proved", "executed", "different", "unknown".
const char* HowName(const ResultEquivalence& of);

struct ModuleEquivalence {
  // Proved: equal for all arguments. Executed: some result is not proved, and no set of arguments
  // showed a difference.
  Verdict verdict = Verdict::kUnknown;
  std::vector<ResultEquivalence> results;  // array leaves in order
  std::optional<ExecutedDifference> difference;
  int64_t sets = 0, elements = 0;  // that were executed and compared
  int64_t largest_ulp = 0;         // between elements that agree
  std::string not_executed = {};   // why no set was executed, or not all
  // Leaves with elements that differ and that HLO leaves open, and why it does.
  std::map<int64_t, std::string> left_open = {};
  // Leaves with an element that no set of arguments tests, and why: roundings move it too far.
  std::map<int64_t, std::string> not_tested = {};
  // An element that is another special value in B, where neither module has a number: no
  // difference.
  std::string special = {};
  double widest = 0;  // relative width of the enclosures of elements that differ and agree
  // All arguments were executed, and the results are the same to the bit, of operations that HLO
  // defines to the bit; NaNs are one value.
  bool same_on_all_arguments = false;
  std::vector<std::string> laws;  // that proofs have used
  std::string rests_on = {};      // what else they have: "exhaustion over 2^16 values"
  std::string oracles = {};       // of proved results: "ranges 12, folds 3" (docs/trust.md)
  std::string effect = {};        // what is done beside the results, and not compared
  // A promise that B makes about its operands, A does not, and nothing proves: "scatter s of B,
  // that
  // ...".
  std::string promise = {};
  // Whether a loop claims a number of trips that is not seen to be the one that its condition
  // gives: XLA runs as many, and an execution runs those of the condition.
  bool claims_trips = false;
  // The promises that B's executions must keep, on arguments on which A keeps it.
  hlo::OperandPromises held = {};
  // The counts of devices, where they differ and values depend on them: "A runs on 2 replicas ...".
  std::string devices = {};
  // Targets of custom calls that are taken for functions of their operands, since nothing defines
  // them and results depend on them.
  std::vector<std::string> assumed = {};
};

// The meet of its results, proved where there is none; at most unknown where an effect or a promise
// was not compared.
Verdict VerdictOf(const ModuleEquivalence& equivalence);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_MODULE_EQUIVALENCE_H_
