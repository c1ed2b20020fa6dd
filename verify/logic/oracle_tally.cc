#include "verify/logic/oracle_tally.h"

namespace affirm::logic {

void OracleTally::Add(const Oracles& oracles) {
  for (size_t k = 0; k < proofs_.size(); ++k) {
    if (oracles.Has(static_cast<Oracle>(k))) ++proofs_[k];
  }
}

void OracleTally::Add(const OracleTally& other) {
  for (size_t k = 0; k < proofs_.size(); ++k) proofs_[k] += other.proofs_[k];
}

std::string OracleTally::Text() const {
  std::string text;
  for (size_t k = 0; k < proofs_.size(); ++k) {
    if (proofs_[k] == 0) continue;
    text += text.empty() ? "" : ", ";
    text += Name(static_cast<Oracle>(k)).str() + " " + std::to_string(proofs_[k]);
  }
  return text;
}

}  // namespace affirm::logic
