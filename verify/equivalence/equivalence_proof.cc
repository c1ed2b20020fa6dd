#include "verify/equivalence/equivalence_proof.h"

#include <utility>

#include "core/hlo/choices.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/undefined.h"

namespace affirm::equivalence {

std::string EquivalenceProof::WhyNot() const {
  const auto open = std::find_if_not(results.begin(), results.end(),
                                     [](const ResultProof& result) { return result.proved; });
  return open == results.end() ? "" : "result " + std::to_string(open->leaf) + ": " + open->reason;
}

void EquivalenceProof::Reject(const std::vector<std::string>& reasons) {
  for (ResultProof& result : results) {
    const std::string& reason = reasons[static_cast<size_t>(result.leaf)];
    if (!reason.empty()) result = {.leaf = result.leaf, .reason = reason, .ms = result.ms};
  }
}

void Complete(EquivalenceProof& proof, EquivalenceProof other, const hlo::Computation& a) {
  if (other.proved()) std::swap(proof, other);
  if (proof.proved()) return;
  const std::vector<const hlo::Instruction*> choices = OriginsOfResults(a, hlo::MayChoose);
  auto has_choice = [&](const ResultProof& result) {
    return result.proved && choices[static_cast<size_t>(result.leaf)] != nullptr;
  };
  const bool chooses = llvm::any_of(proof.results, has_choice);
  for (size_t k = 0; k < proof.results.size(); ++k) {
    if (proof.results[k].proved) continue;
    if (chooses && has_choice(other.results[k])) {
      proof.results[k].reason = "it is proved alone, and not with the others, in which " +
                                choices[static_cast<size_t>(other.results[k].leaf)]->name +
                                " may have another order";
      continue;
    }
    // The reason from the reduced proof is more specific than that of the whole one.
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
