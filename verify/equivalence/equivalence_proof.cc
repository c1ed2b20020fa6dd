#include "verify/equivalence/equivalence_proof.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace affirm::equivalence {

std::string EquivalenceProof::WhyNot() const {
  const auto open = std::find_if_not(results.begin(), results.end(),
                                     [](const ResultProof& result) { return result.proved; });
  return open == results.end() ? "" : "result " + std::to_string(open->leaf) + ": " + open->reason;
}

void Complete(EquivalenceProof& proof, EquivalenceProof other) {
  for (size_t k = 0; k < proof.results.size(); ++k) {
    if (proof.results[k].proved) continue;
    // The reason about the difference says more than the one about all.
    std::string of_difference = std::move(proof.results[k].reason);
    proof.results[k] = std::move(other.results[k]);
    if (!proof.results[k].proved && !proof.results[k].witness)
      proof.results[k].reason = std::move(of_difference);
  }
  for (std::string& law : other.laws) {
    if (!llvm::is_contained(proof.laws, law)) proof.laws.push_back(std::move(law));
  }
}

}  // namespace affirm::equivalence
