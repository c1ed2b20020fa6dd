// What a portfolio of engines says about one question about maps, taken together.
#ifndef AFFIRM_VERIFY_MAPS_TALLY_H_
#define AFFIRM_VERIFY_MAPS_TALLY_H_

#include <optional>
#include <string>

#include "verify/maps/maps.h"

namespace affirm {

class Tally {
 public:
  // With `ask_all` every way is to be asked, and what settles the question must agree.
  explicit Tally(bool ask_all) : ask_all_(ask_all) {}

  // Takes an answer. True: no other way needs to be asked.
  bool Add(MapAnswer answer);
  // The first answer that settled the question. Unknown, with the reasons, when none did; unknown
  // with a `disagreement` when two engines contradict each other, here or in a part of the
  // question.
  MapAnswer Take();

 private:
  const bool ask_all_;
  MapAnswer settled_;
  std::string reasons_;
  std::optional<EngineDisagreement> disagreement_;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_TALLY_H_
