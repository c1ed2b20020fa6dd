// The results of two computations that are proved to be equal, and why others are not.
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
  std::string reason = {};              // why not
  std::optional<Witness> witness = {};  // not proved: where it may differ, to be executed
  double ms = 0;
};

struct EquivalenceProof {
  std::vector<ResultProof> results;  // one for each array leaf, in order
  std::vector<std::string> laws;     // that were applied
  bool proved() const {
    return std::all_of(results.begin(), results.end(), [](const auto& r) { return r.proved; });
  }
  bool any_proved() const {
    return std::any_of(results.begin(), results.end(), [](const auto& r) { return r.proved; });
  }
  // Leaves have not been proved for which there is a reason, by leaf.
  void Reject(const std::vector<std::string>& reasons);
  // The first result that is not proved, and why: "result 1: other values: ..."; "" of none.
  std::string WhyNot() const;
};

// Adds the results that another proof of the same computations proves, and its reasons. One proof
// has one order for each reduction of A; two may have two, so that of results that depend on what A
// leaves open those of one proof are taken.
void Complete(EquivalenceProof& proof, EquivalenceProof other, const hlo::Computation& a);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_EQUIVALENCE_PROOF_H_
