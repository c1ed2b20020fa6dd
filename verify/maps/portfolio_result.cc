// A portfolio of engines: the first answer stands unless another contradicts it.
#include "verify/maps/portfolio_result.h"

#include <utility>

#include "verify/decide/engines.h"

namespace affirm {

bool PortfolioResult::Add(MapProofResult answer) {
  if (answer.verdict == Verdict::kUnknown) {
    if (!disagreement_) disagreement_ = answer.disagreement;
    AddReason(reasons_, answer.reason);
    return false;
  }
  if (settled_.verdict == Verdict::kUnknown) {
    settled_ = std::move(answer);
  } else if (settled_.verdict != answer.verdict && !disagreement_) {
    disagreement_ = {.first = settled_.engine,
                     .second = answer.engine,
                     .first_says = settled_.verdict,
                     .second_says = answer.verdict};
  }
  return !ask_all_;
}

MapProofResult PortfolioResult::Take() {
  if (disagreement_) return {.reason = disagreement_->ToString(), .disagreement = disagreement_};
  if (settled_.verdict == Verdict::kUnknown) settled_.reason = std::move(reasons_);
  return std::move(settled_);
}

}  // namespace affirm
