// How many proofs rest on each oracle.
//
//   OracleTally tally;
//   tally.Add(theorem.oracles());
//   tally.Text();   // "ranges 12, folds 3"; "" without oracles
#ifndef AFFIRM_VERIFY_LOGIC_ORACLE_TALLY_H_
#define AFFIRM_VERIFY_LOGIC_ORACLE_TALLY_H_

#include <array>
#include <cstdint>
#include <string>

#include "verify/logic/oracle.h"

namespace affirm::logic {

class OracleTally {
 public:
  // Counts a proof for each of its oracles.
  void Add(const Oracles& oracles);
  void Add(const OracleTally& other);
  // In the order of Oracle.
  std::string Text() const;

 private:
  std::array<int64_t, static_cast<size_t>(Oracle::kNumOracles)> proofs_ = {};
};

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_ORACLE_TALLY_H_
