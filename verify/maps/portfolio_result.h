// The result of a portfolio of engines on one query about maps.
#ifndef AFFIRM_VERIFY_MAPS_PORTFOLIO_RESULT_H_
#define AFFIRM_VERIFY_MAPS_PORTFOLIO_RESULT_H_

#include <optional>
#include <string>

#include "verify/maps/maps.h"

namespace affirm {

class PortfolioResult {
 public:
  // With `ask_all` every way is to be asked, and what settles the query must agree.
  explicit PortfolioResult(bool ask_all) : ask_all_(ask_all) {}

  // Takes an answer. True: no other way needs to be asked.
  bool Add(MapProofResult answer);
  bool IsSettled() const { return settled_.verdict != Verdict::kUnknown; }
  // The first answer that settled the query. Unknown, with the reasons, when none did; unknown
  // with a `disagreement` when two engines contradict each other, here or in a part of the
  // query.
  MapProofResult Take();

 private:
  const bool ask_all_;
  MapProofResult settled_;
  std::string reasons_;
  std::optional<EngineDisagreement> disagreement_;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_PORTFOLIO_RESULT_H_
