// The parts of `affirm equiv`.
#ifndef AFFIRM_DRIVER_REPORTS_EQUIV_H_
#define AFFIRM_DRIVER_REPORTS_EQUIV_H_

#include <string>
#include <vector>

#include "driver/shard.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/maps/maps.h"

namespace affirm::driver {

// What is asked of each pair of maps, and how it is answered.
struct EquivQuery {
  std::string relation = "equal";  // or "covers"
  DecideOptions decide;
  unsigned jobs = 1;
  Shard shard;  // of a stream

  MapProofResult Ask(const IndexingMap& a, const IndexingMap& b) const;
  // "equal" (or "covers"), "different", "unknown".
  const char* VerdictName(Verdict verdict) const;
};

// A line {id, verdict, counterexample?, reason?, engine, ms, line?}, or {id, error, line?}. `line`
// is that of the query, for `affirm merge`; 0: there is none.
std::string AnswerLine(const llvm::json::Value& id, const EquivQuery& query,
                       const MapProofResult& answer, int64_t line = 0);
std::string ErrorLine(const llvm::json::Value& id, llvm::StringRef message, int64_t line = 0);

// Lines {id, lhs, rhs} of standard input, answered in order as they come; the exit status.
int EquivStream(const EquivQuery& query);
// The maps of two MLIR files, in order; or those before and after each pass of one dump. Prints a
// line a pair; the exit status.
int EquivMlir(const EquivQuery& query, const std::vector<std::string>& files, bool json);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_EQUIV_H_
