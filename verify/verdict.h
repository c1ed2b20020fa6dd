// How far a claim is settled: the one order of verdicts, their meet, and their words.
//
//   Meet(Verdict::kProved, Verdict::kExecuted);  // kExecuted
//   MeetOfAll(claims, [](const ClaimResult& claim) { return claim.verdict; });
//
// Every layer uses this type.
#ifndef AFFIRM_VERIFY_VERDICT_H_
#define AFFIRM_VERIFY_VERDICT_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/StringRef.h"

namespace affirm {

// From the weakest to the strongest. A claim about several things is as strong as its weakest part.
enum class Verdict : uint8_t {
  kRefuted,   // a counterexample exists, and was evaluated again
  kUnknown,   // neither proved nor refuted, or not covered
  kExecuted,  // not proved; executed on some inputs without a difference
  kProved,    // for all inputs
};

constexpr Verdict Meet(Verdict a, Verdict b) { return a < b ? a : b; }

// The meet over a range. An empty range is unknown: nothing was covered.
template <typename Range, typename VerdictOf>
Verdict MeetOfAll(const Range& range, VerdictOf verdict_of) {
  std::optional<Verdict> meet;
  for (const auto& part : range) {
    const Verdict verdict = verdict_of(part);
    meet = meet ? Meet(*meet, verdict) : verdict;
  }
  return meet.value_or(Verdict::kUnknown);
}

const char* Name(Verdict verdict);  // "refuted", "unknown", "executed", "proved"
std::optional<Verdict> VerdictFromName(llvm::StringRef name);
// For claims of equality: "different", "unknown", "unknown", "equal". Execution without a
// difference settles no equality.
const char* EqualityName(Verdict verdict);

// The exit status of the command line: 0 where the verdict is at least `accepted`, else 1 where it
// is refuted, else 2. `accepted` is kProved, or kExecuted where the caller takes execution on
// trust.
int StatusOf(Verdict verdict, Verdict accepted = Verdict::kProved);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_VERDICT_H_
