// The claims as judged by runs on the emulator: refuted, or unknown. Whole executions and samples
// fill one.
#ifndef AFFIRM_DRIVER_VALIDATE_EXECUTED_CLAIMS_H_
#define AFFIRM_DRIVER_VALIDATE_EXECUTED_CLAIMS_H_

#include <chrono>
#include <optional>
#include <string>

#include "driver/validate/validate.h"
#include "verify/reference/compare.h"

namespace affirm::driver {

// The loops of a kernel go round less often than there are bytes, unless they hang.
int64_t MostJumps(const kernel::Launch& launch);

class ExecutedClaims {
 public:
  ExecutedClaims();

  ExecutionSummary& summary() { return validation_.executed; }
  bool refuted() const;
  // Refutes the claim, or leaves it unknown, as the kind of the finding is. The first refutation of
  // a claim stands.
  void Judge(const kernel::Finding& finding);
  // A wrong element of the result that a parameter is, and who wrote it.
  void RefuteValue(const kernel::Param& param, const hlo::Mismatch& wrong,
                   std::optional<kernel::Accessor> writer);
  // The verdicts, and why the claims that nothing refuted are unknown.
  Validation Finish(const std::string& reason);

 private:
  ClaimResult& Of(kernel::Claim claim) { return validation_.claims[static_cast<size_t>(claim)]; }

  void Refute(const kernel::Finding& finding);

  Validation validation_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_EXECUTED_CLAIMS_H_
