#include "verify/maps/tally.h"

#include <utility>

namespace affirm {

void AddReason(std::string& reasons, llvm::StringRef reason) {
  if (reason.empty() || llvm::StringRef(reasons).contains(reason)) return;
  if (!reasons.empty()) reasons += "; ";
  reasons += reason;
}

bool Tally::Add(MapAnswer answer) {
  constexpr llvm::StringLiteral kDisagree = "engines disagree";
  if (answer.verdict == Verdict::kUnknown) {
    size_t at = llvm::StringRef(answer.reason).find(kDisagree);
    if (at != llvm::StringRef::npos && clash_.empty()) clash_ = answer.reason.substr(at);
    AddReason(reasons_, answer.reason);
    return false;
  }
  if (settled_.verdict == Verdict::kUnknown) {
    settled_ = std::move(answer);
  } else if (settled_.verdict != answer.verdict && clash_.empty()) {
    clash_ = (kDisagree + ": " + Name(settled_.engine) + " says " + Name(settled_.verdict) + ", " +
              Name(answer.engine) + " says " + Name(answer.verdict))
                 .str();
  }
  return !ask_all_;
}

MapAnswer Tally::Take() {
  if (!clash_.empty()) return {.reason = std::move(clash_)};
  if (settled_.verdict == Verdict::kUnknown) settled_.reason = std::move(reasons_);
  return std::move(settled_);
}

}  // namespace affirm
