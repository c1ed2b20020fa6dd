// Is an answer of a simplifier right? And if it is not, what kind of fault is it?
//
//   Judgment j = Judge("(d0) -> (d0), domain: d0 in [0, 9], d0 mod 4 in [3, 9]",
//                      "(d0) -> (d0), domain: d0 in [0, 9]", {});
//   j.verdict;             // kFault, j.kind is kConstraintDropped
//   j.witness->dims[0];    // 0: there the map has no results, and the answer has (0)
#ifndef AFFIRM_DRIVER_ORACLE_JUDGE_H_
#define AFFIRM_DRIVER_ORACLE_JUDGE_H_

#include <optional>
#include <string>

#include "driver/oracle/simplifier_program.h"
#include "verify/maps/maps.h"

namespace affirm::driver {

// From faults of meaning to faults of conduct; the last one is the weakest.
enum class FaultKind : uint8_t {
  kResultWrong,
  kResultsLost,
  kResultsAdded,
  kDomainGrown,
  kDomainShrunk,
  kConstraintDropped,
  kDeclaredEmpty,
  kVariablesChanged,
  kNumberOfResults,
  kUndefined,
  kCrash,
  kHang,
  kTooMuch,
  kMissing,
  kSurplus,
  kUnreadable,
  kDependsOnBatch,
  kNotIdempotent,
};
inline constexpr int kNumFaultKinds = static_cast<int>(FaultKind::kNotIdempotent) + 1;
const char* Name(FaultKind kind);     // "result wrong"
const char* Explain(FaultKind kind);  // "at a point of the domain the answer gives other results"

// Whether both are faults of meaning, or the same fault of conduct.
bool AreAlike(FaultKind a, FaultKind b);

struct Judgment {
  enum class Kind : uint8_t { kEqual, kFault, kUnknown, kNotAsked };
  Kind verdict = Kind::kNotAsked;
  FaultKind kind = FaultKind::kResultWrong;  // kFault
  std::string answer;                        // what the program printed
  std::string detail;  // kUnknown: why; kFault: how it failed, where there is no witness
  std::optional<MapCounterexample> witness;  // lhs: of the map, rhs: of the answer
};

// Whether the answer means what the map means. Both are functions from dims and runtime variables
// to sets, so that names, range variables (which, how many) and how the domain is written are the
// answer's own. Dims must be as many and in the same order. An answer may have fewer runtime
// variables: it is right when it is for some choice of those that were left out, the others in
// order, at all values that the map allows for them.
Judgment Judge(const std::string& map, const std::string& answer, const DecideOptions& decide);
// The same of whatever the program did.
Judgment Judge(const std::string& map, const Answer& answer, const DecideOptions& decide);

// Whether both texts are the same up to space and comments.
bool SameText(llvm::StringRef a, llvm::StringRef b);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ORACLE_JUDGE_H_
