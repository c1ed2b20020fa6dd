// What several ways of answering one question say, taken together.
#ifndef AFFIRM_VERIFY_MAPS_TALLY_H_
#define AFFIRM_VERIFY_MAPS_TALLY_H_

#include <string>

#include "llvm/ADT/StringRef.h"
#include "verify/maps/maps.h"

namespace affirm {

// Adds a reason to others, unless it is among them.
void AddReason(std::string& reasons, llvm::StringRef reason);

class Tally {
 public:
  // With `ask_all` every way is to be asked, and what settles the question must agree.
  explicit Tally(bool ask_all) : ask_all_(ask_all) {}

  // Takes an answer. True: no other way needs to be asked.
  bool Add(MapAnswer answer);
  // The first answer that settled the question. Unknown, with the reasons, when none did; unknown
  // with a reason that starts with "engines disagree" when two contradict each other.
  MapAnswer Take();

 private:
  const bool ask_all_;
  MapAnswer settled_;
  std::string reasons_, clash_;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_TALLY_H_
