// The parts of `affirm equiv`.
#ifndef AFFIRM_DRIVER_REPORTS_EQUIV_H_
#define AFFIRM_DRIVER_REPORTS_EQUIV_H_

#include <functional>
#include <string>
#include <vector>

#include "driver/report_model/run_report.h"
#include "driver/report_output.h"
#include "driver/shard.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/maps/maps.h"

namespace affirm::driver {

// The question about each pair of maps, and the form of the answer.
struct EquivQuery {
  std::string relation = "equal";  // or "covers"
  DecideOptions decide;
  unsigned jobs = 1;
  Shard shard;                    // of a stream
  std::string certificates = {};  // the folder for certificates of proved claims; empty: none

  MapProofResult Ask(const IndexingMap& a, const IndexingMap& b) const;
  // "equal" (or "covers"), "different", "unknown".
  const char* VerdictName(Verdict verdict) const;
};

// An error at `where` ("file:line:column") where one map has other numbers of dims or runtime
// variables than the other: then they are of other points, and neither the same nor different. A
// map that is KNOWN EMPTY or undefined has no variables.
llvm::Error CheckSamePoints(const IndexingMap& a, const IndexingMap& b, const llvm::Twine& where);

// Writes the certificate of the claim, if it is proved and the query has a folder.
llvm::Error WriteCertificate(const EquivQuery& query, llvm::StringRef name,
                             const MapProofResult& answer, const IndexingMap& a,
                             const IndexingMap& b);

// A line {id, verdict, reading?, counterexample?, reason?, engine, ms, line?}, or
// {id, error, line?}. `line` is that of the query, for `affirm merge`; 0: there is none. `reading`
// says how affine maps were read (affine_text.h).
std::string AnswerLine(const llvm::json::Value& id, const EquivQuery& query,
                       const MapProofResult& answer, int64_t line = 0,
                       llvm::StringRef reading = "");
std::string ErrorLine(const llvm::json::Value& id, llvm::StringRef message, int64_t line = 0);

// An answer about maps as what every format is made from. `subject` names them; the record's text
// is the counterexample, of `lhs`, or the reason.
ReportRecord RecordOf(const std::string& claim, const MapProofResult& answer,
                      const IndexingMap& lhs, const std::string& subject, SourceRegion where);
// A report of such records: what was asked about, its headline, and as verdict the worst.
RunReport ReportOfPairs(const EquivQuery& query, const std::string& file,
                        std::vector<ReportRecord> records);

// Hears of each pair, in order.
using OnPair = std::function<void(ReportRecord record)>;
// Lines {id, lhs, rhs} of standard input, answered in order as they come, by lines on standard
// output where `print` says so; the exit status.
int EquivStream(const EquivQuery& query, bool print, const OnPair& on_pair);
// The maps of two MLIR files, in order; or those before and after each pass of one dump. Prints
// what is wanted a pair; the exit status.
int EquivMlir(const EquivQuery& query, const std::vector<std::string>& files, ReportOutput output,
              const OnPair& on_pair);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_EQUIV_H_
