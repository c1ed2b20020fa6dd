#include "verify/kernel/claim.h"

namespace affirm::kernel {

const char* Name(Claim claim) {
  switch (claim) {
    case Claim::kBounds:
      return "bounds";
    case Claim::kIntegers:
      return "integers";
    case Claim::kBarriers:
      return "barriers";
    case Claim::kRaces:
      return "races";
    case Claim::kWrites:
      return "writes";
    case Claim::kElements:
      return "elements";
    case Claim::kValues:
      return "values";
  }
  return "?";
}

}  // namespace affirm::kernel
