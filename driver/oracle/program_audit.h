// Holds another implementation's simplifier against the oracle: maps go in, each answer is proved
// equal to its map, and what is not is made small and reported.
//
//   ProgramAuditOptions options{.command = "other-simplify", .runs = 1000};
//   auto report = AuditProgram(options);
//   PrintReport(*report, llvm::outs());
//
// The same options give the same report on every machine and with any number of threads, as far as
// the program always does the same, unless `max_seconds` ends the audit early.
#ifndef AFFIRM_DRIVER_ORACLE_PROGRAM_AUDIT_H_
#define AFFIRM_DRIVER_ORACLE_PROGRAM_AUDIT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/oracle/judge.h"
#include "driver/report_model/run_report.h"
#include "fuzz/generators/simplifier_inputs.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

struct ProgramAuditOptions {
  std::string command = {};
  uint64_t seed = 0;
  std::vector<std::string> maps = {};  // texts of maps to ask about before the generated ones
  uint64_t runs = 10000;               // generated maps
  RunnerLimits limits = {};
  fuzz::TermLanguage language = fuzz::TermLanguage::kAffine;
  bool idempotence = true;  // ask the program about its own answers, too
  unsigned jobs = 1;
  size_t batch = 256;  // maps for one start of the program
  // Findings of a kind are reduced until this many in a row brought no new cause; the others are
  // counted.
  int64_t reductions_without_news = 4;
  int64_t max_reductions = INT64_MAX;  // of all kinds
  std::function<void(const std::string& what)> progress = {};
};

// Findings that reduce to one map, up to its numbers.
struct Cause {
  FaultKind kind = FaultKind::kResultWrong;  // on the reduced map
  int64_t count = 0;     // of the findings that were reduced, how many came to this
  std::string map;       // reduced
  std::string original;  // of the first of them
  std::string answer, detail;
  std::optional<MapCounterexample> witness;
  std::string file;  // where it was saved
};

struct UnknownAnswer {
  std::string map, answer, reason;
};

struct ProgramAuditReport {
  std::string command;
  uint64_t seed = 0;
  int64_t tried = 0, equal = 0, reduced = 0, starts = 0;
  std::array<int64_t, kNumFaultKinds> kinds = {};  // findings, by kind as they were found
  std::vector<Cause> causes;                       // by kind, in the order of FaultKind
  std::vector<UnknownAnswer> unknown;
  std::string stopped;  // why it ended before its end; empty when it did not

  int64_t NumFindings() const;
  Verdict outcome() const;
  int status() const;  // exit status: 1 with findings, else 2 with unknown answers or none at all
};

// An error when the program cannot be started at all.
llvm::Expected<ProgramAuditReport> AuditProgram(const ProgramAuditOptions& options);

// The generated map of this number.
std::string GeneratedMap(uint64_t seed, uint64_t number, fuzz::TermLanguage language);

// The texts of the maps of a file's content, each of which is legal.
llvm::Expected<std::vector<std::string>> MapTexts(llvm::StringRef text, llvm::StringRef name);

// report.cc: as text, as JSON, and as markdown that can be filed as an issue.
void PrintReport(const ProgramAuditReport& report, llvm::raw_ostream& os);
void PrintMarkdown(const ProgramAuditReport& report, llvm::raw_ostream& os);
// The attributes of an open object.
void WriteAttributes(llvm::json::OStream& json, const ProgramAuditReport& report);
// The model of all output formats; Markdown has a form of its own, for the program's bug tracker.
RunReport ToRunReport(const ProgramAuditReport& report);
// Writes each cause, and each unknown answer, into a file of the folder, which is made; it can be
// given to --maps again.
llvm::Error SaveFindings(ProgramAuditReport& report, const std::string& folder);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ORACLE_PROGRAM_AUDIT_H_
