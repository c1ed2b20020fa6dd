// Which results of two computations are proved equal, and why others are not.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_EQUIVALENCE_PROOF_H_
#define AFFIRM_VERIFY_EQUIVALENCE_EQUIVALENCE_PROOF_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "verify/equivalence/witness.h"

namespace affirm::equivalence {

struct ResultProof {
  int64_t leaf = 0;  // among all leaves of the result
  bool proved = false;
  std::string reason = {};              // why it is not proved
  std::optional<Witness> witness = {};  // if not proved: arguments where it may differ, to execute
  double ms = 0;
};

struct EquivalenceProof {
  std::vector<ResultProof> results;  // one for each array leaf, in order
  std::vector<std::string> laws;     // the applied laws
  bool proved() const {
    return std::all_of(results.begin(), results.end(), [](const auto& r) { return r.proved; });
  }
  bool any_proved() const {
    return std::any_of(results.begin(), results.end(), [](const auto& r) { return r.proved; });
  }
  // Marks leaves with a nonempty reason as not proved; `reasons` is by leaf.
  void Reject(const std::vector<std::string>& reasons);
  // The first result that is not proved, and why: "result 1: other values: ..."; "" if there is
  // none.
  std::string WhyNot() const;
};

// Merges another proof of the same computations. Each proof fixes one order for each reduction of
// A, and two proofs may fix different ones. So all results that depend on open orders of A are
// taken from one of the proofs.
void Complete(EquivalenceProof& proof, EquivalenceProof other, const hlo::Computation& a);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_EQUIVALENCE_PROOF_H_
