// The words and exit statuses of verdicts.
#include "verify/verdict.h"

namespace affirm {

const char* Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kExecuted:
      return "executed";
    case Verdict::kProved:
      return "proved";
  }
  return "unknown";
}

std::optional<Verdict> VerdictFromName(llvm::StringRef name) {
  for (Verdict verdict :
       {Verdict::kRefuted, Verdict::kUnknown, Verdict::kExecuted, Verdict::kProved}) {
    if (name == Name(verdict)) return verdict;
  }
  return std::nullopt;
}

const char* EqualityName(Verdict verdict) {
  if (verdict == Verdict::kRefuted) return "different";
  return verdict == Verdict::kProved ? "equal" : "unknown";
}

int StatusOf(Verdict verdict, Verdict accepted) {
  if (verdict >= accepted) return 0;
  return verdict == Verdict::kRefuted ? 1 : 2;
}

}  // namespace affirm
