// Two HLO modules: do they compute the same values for all arguments?
//
//   auto options = EquivalenceOptions();
//   ModuleEquivalence e = CompareModules(*before, *after, options);
//   e.verdict;       // proved: equal, every result; refuted: e.difference has been executed
//
// First the two graphs are compared, then results are proved equal element by element
// (verify/equivalence); then both modules are executed by the interpreter on directed sets of
// arguments. A result that is executed without a difference is not proved.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_EQUIVALENCE_H_
#define AFFIRM_DRIVER_EQUIVALENCE_EQUIVALENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "core/hlo/operand_promises.h"
#include "driver/report_model/run_report.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/equivalence/witness.h"
#include "verify/verdict.h"

namespace affirm::driver {

struct EquivalenceOptions {
  uint64_t seed = 0;
  std::vector<std::string> allowed_laws;  // of verify/equivalence/laws.h, beside the exact ones
  // How far executed floats may lie apart: this many units in the last place; and where `rounding`
  // is set, as far as the roundings of both modules may bring them (enclosed_pair.h).
  int64_t ulp = 0;
  bool rounding = false;
  // Of these: narrow floats may be kept in f32.
  bool excess_precision = true;
  // Else results are proved or unknown. What is proved is executed on a few sets all the same: a
  // difference refutes, and is a fault of affirm.
  bool execute = true;
};

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
  // Where terms gave the arguments, why: "the first reads x[5], the second reads x[3]".
  std::string terms = {};
  std::string note = {};  // what else is to say, such as that a proof says otherwise
};

struct ResultEquivalence {
  int64_t leaf = 0;
  std::string shape;
  Verdict verdict = Verdict::kUnknown;
  bool same_graph = false;  // proved since both modules are one graph
  std::string reason = {};  // why it is not proved
  // Where it may differ, by the terms: arguments that are executed first.
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
  std::string effect = {};        // what is done beside the results, and not compared
  // What B says of its operands and A does not, and nothing proves: "scatter s of B, that ...".
  std::string promise = {};
  // The promises that B's executions must keep, on arguments on which A keeps it.
  hlo::OperandPromises held = {};
  // The counts of devices, where they differ and values depend on them: "A runs on 2 replicas ...".
  std::string devices = {};
  // Targets of custom calls that are taken for functions of their operands, since nobody defines
  // them and results depend on them.
  std::vector<std::string> assumed = {};
};

// The meet of its results, proved where there is none; at most unknown where an effect or a promise
// was not compared.
Verdict VerdictOf(const ModuleEquivalence& equivalence);

// An error for another signature, or a law that does not exist.
llvm::Expected<ModuleEquivalence> CompareModules(const hlo::Module& a, const hlo::Module& b,
                                                 const EquivalenceOptions& options);

// The verdict, and what it rests on: "equal, assuming my_lib is a function".
std::string VerdictLine(const ModuleEquivalence& equivalence);

// Executes both modules, whose proofs `result` has, and concludes anew: all sets where something is
// not proved, else a few. Where a law that changes roundings was used, these are sets on which such
// laws change nothing of note: small numbers, zeros and ones.
void ExecuteModules(const hlo::Module& a, const hlo::Module& b, const EquivalenceOptions& options,
                    ModuleEquivalence& result);

// "on set 3 (small) of the arguments", "on arguments that terms gave".
std::string OriginOfArguments(const ExecutedDifference& difference);
// The attributes of a difference, in an open object; the two values have these names.
void WriteCounterexample(llvm::json::OStream& json, const ExecutedDifference& difference,
                         const char* a, const char* b);
// {"verdict", "results": [...], "counterexample"?, "executed": {...}, "laws": [...], "effect"?,
// "promise"?, "devices"?, "assumed"?, "replay"}
void WriteJson(llvm::json::OStream& json, const ModuleEquivalence& equivalence,
               const std::string& replay);
// Without the braces.
void WriteAttributes(llvm::json::OStream& json, const ModuleEquivalence& equivalence,
                     const std::string& replay);
// What every format is made from (driver/report_model), of these two files.
RunReport ToRunReport(const ModuleEquivalence& equivalence, const std::string& file_a,
                      const std::string& file_b, const std::string& replay);
// A line for each result, the difference, the verdict.
void PrintReport(llvm::raw_ostream& os, const ModuleEquivalence& equivalence,
                 const std::string& replay);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_EQUIVALENCE_H_
