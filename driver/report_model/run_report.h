// The report of any run of affirm: one record for each claim, and renderers that turn these records
// into text, Markdown, SARIF, JUnit XML, HTML and JSON.
//
//   RunReport report = ToRunReport(Checker({}).Check(module, "m.hlo", ...));
//   PrintSummary(report, llvm::outs());            // fits a screen
//   RenderSarif({report}, llvm::outs());           // for a code host
//
// `check`, `xla`, `validate`, `audit`, `equiv` and `fuzz` each make such reports of what they know,
// and nothing else of them knows of formats.
#ifndef AFFIRM_DRIVER_REPORT_MODEL_RUN_REPORT_H_
#define AFFIRM_DRIVER_REPORT_MODEL_RUN_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/verdict.h"

namespace affirm::driver {

// The statement of a kind of claim: "map" -> "The map of an instruction is what it reads." Empty
// for a claim that is not in the table (claims.cc).
llvm::StringRef TextOfClaim(llvm::StringRef claim);

// A place in a file that was read. Line and column count from 1; 0: not known.
struct SourceRegion {
  std::string file = {};
  int64_t line = 0, column = 0;
};

// Whether it is one of the claims about a kernel's LLVM IR (docs/kernels.md). Several of them may
// be open for one reason.
bool IsClaimOfKernel(llvm::StringRef claim);

// How a finding stands to those of a baseline (baseline.h).
enum class BaselineState : uint8_t { kNoBaseline, kNew, kKnown, kVanished };
const char* Name(BaselineState state);  // "", "new", "known", "vanished"

struct ReportRecord {
  Verdict verdict = Verdict::kUnknown;
  std::string claim = {};    // of the table of claims: "map", "bounds", "pass"
  SourceRegion where = {};   // of the instruction, the rule, the kernel
  std::string scope = {};    // what it is in: the module and computation
  std::string subject = {};  // the name that the claim is about: "fusion.3", "algsimp"
  // Which of several claims about the subject, without values: "map of reverse 'r' for operand 0".
  std::string aspect = {};
  std::string title = {};  // "REFUTED", "MISMATCH"; empty: the verdict's name in capitals
  std::string text = {};   // a sentence: what is wrong, or why it is unknown
  std::vector<std::string> details = {};                 // lines: the arguments, the terms
  std::string element = {}, expected = {}, actual = {};  // of a value that is wrong
  std::string engine = {};                               // what decided
  double ms = 0;                                         // and in what time
  std::string replay = {};                               // a command line that shows it again
  BaselineState state = BaselineState::kNoBaseline;
  int64_t count = 1;  // of findings that stand for several inputs
  // False: it is named alone, such as a rule that claims no equality. It does not hold, and is no
  // finding.
  bool is_claimed = true;

  std::string Title() const;
  const char* VerdictName() const;  // "proved"; "no claim"
};

// A line of the summary: what was covered, and in what time.
struct CoverageRow {
  std::string name, text;
  std::optional<double> ms = std::nullopt;
};

// An open point that does not change the verdict: alike ones are one line of the summary.
struct ReportNote {
  std::string title, text;
  std::string scope = {};  // as that of a record
};

// Named numbers, of which those of the shards of a run add up to those of the whole run: rows of a
// summary are made from them, and `merge` makes them again.
class Counts {
 public:
  void Add(llvm::StringRef name, int64_t number = 1) { numbers_[name.str()] += number; }
  void Add(const Counts& other) {
    for (const auto& [name, number] : other.numbers_) numbers_[name] += number;
  }
  int64_t operator[](llvm::StringRef name) const {
    const auto found = numbers_.find(name.str());
    return found == numbers_.end() ? 0 : found->second;
  }
  // "4 proved, 1 executed", of the numbers with this prefix and a verdict behind it.
  std::string VerdictsOf(llvm::StringRef prefix) const;

  llvm::json::Object ToJson() const;
  static Counts From(const llvm::json::Object* json);  // null: none

 private:
  std::map<std::string, int64_t> numbers_;
};

struct RunReport {
  std::string verb;  // "check"
  std::string file;  // what was read: a file or a folder
  // Options that are part of each claim, without seeds and limits: "--shape 4,8". The same words
  // about the same subject are another finding where other options asked for it.
  std::string asked = {};
  std::string headline;  // "m.hlo: module softmax, 4 computations, 18 instructions"
  std::vector<CoverageRow> coverage = {};
  std::vector<ReportNote> notes = {};
  std::vector<ReportRecord> records = {};
  std::string verdict = {};             // "affirmed", "refuted", ...
  std::string verdict_line = {};        // with what was covered; what the summary says last
  Verdict outcome = Verdict::kUnknown;  // of the whole
  // The weakest verdict that is no finding and exits with 0: `proved`; `executed` with --accept
  // executed, and for verbs whose claim is an execution (`check`, `fuzz`).
  Verdict accepted = Verdict::kProved;
  // Some of what was asked about could not be read: the status is that of bad input, whatever is
  // known.
  bool bad_input = false;

  int status() const;  // the exit status
  // Whether the record is a claim, and weaker than what is accepted; and whether it is as strong.
  bool IsFinding(const ReportRecord& record) const {
    return record.is_claimed && record.verdict < accepted;
  }
  bool Holds(const ReportRecord& record) const { return record.is_claimed && !IsFinding(record); }
  // The finding that decides: the first of the weakest verdict; null where there is none. Findings
  // that a baseline knows, and that have vanished, do not count.
  const ReportRecord* Worst() const;
  int64_t Count(Verdict verdict) const;
};

// The report of work on `file` that was ended before it could say anything: unknown, and why.
RunReport GivenUpReport(const std::string& verb, const std::string& file, const std::string& why);

// The claim that something can be read; where it cannot, a record of it is unknown, and no baseline
// knows it.
inline constexpr char kRead[] = "read";
// The report of a file that cannot be read; `error` may begin with its place.
RunReport BadInputReport(const std::string& verb, const std::string& file, std::string error);

// The outcome by the records alone: the meet of the findings; proved where there is none. Known and
// vanished findings do not count.
Verdict OutcomeOf(const RunReport& report);
// The exit status of several reports: the worst.
int StatusOf(llvm::ArrayRef<RunReport> reports);

// The most lines of a summary.
inline constexpr int64_t kScreenLines = 40;

// At most kScreenLines lines: what was covered and in what time, all kinds of things that are wrong
// or unknown, alike ones in one line, and how to see the worst one again. Colors are those of the
// stream, where it has them enabled.
void PrintSummary(const RunReport& report, llvm::raw_ostream& os);
// "verdict: ...", in color.
void PrintVerdictLine(const RunReport& report, llvm::raw_ostream& os);
// Every record, a line each; and of findings everything.
void PrintRecords(const RunReport& report, llvm::raw_ostream& os);

// Formats for others. Each writes a whole document.
void RenderMarkdown(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os);
void RenderSarif(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os);  // SARIF 2.1.0
void RenderJunit(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os);  // JUnit XML
void RenderHtml(llvm::ArrayRef<RunReport> reports, llvm::raw_ostream& os);   // needs nothing else

// The same as JSON, and back. The error names what is missing.
llvm::json::Object ToJson(const RunReport& report);
llvm::Expected<RunReport> RunReportFrom(const llvm::json::Object& json);
// The attribute "reports" of an open object: what `merge`, `--baseline` and other tools read.
void WriteReports(llvm::ArrayRef<RunReport> reports, llvm::json::OStream& json);
// The reports of a document that has this attribute.
llvm::Expected<std::vector<RunReport>> ReportsFrom(const llvm::json::Object& document);

// The same for the same finding, whatever its line, its values and the time: of the verb, the file,
// what was asked, the claim, the names and the verdict. Where records of one report have it in
// common, all but the first have a number behind it.
std::vector<std::string> FingerprintsOf(const RunReport& report);
// The file that a record is told apart by: where it is, or what was read. None in a dump.
std::string FileOf(const RunReport& report, const ReportRecord& record);

// "file:line:column: text" in two parts, where the text begins with that file's name.
SourceRegion TakeSourceRegion(llvm::StringRef file, std::string& text);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORT_MODEL_RUN_REPORT_H_
