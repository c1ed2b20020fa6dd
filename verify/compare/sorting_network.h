// Whether a network of compare-exchanges sorts.
//
//   {0, 1}, {2, 3}, {0, 3}, {1, 2}, {0, 1}, {2, 3}   sorts four wires
//
// By the 0-1 principle (Knuth, TAOCP 3, 5.3.4), a network sorts every input, by any strict weak
// order, if it sorts every input of zeros and ones. Wires that exchanges have connected form a
// component. Components are independent: when an exchange joins two of them, the possible inputs
// are the pairs of an output of the one and an output of the other. A sorted component of m wires
// has only m + 1 outputs. So merging networks, Batcher's among them, are decided for thousands of
// wires, and small ones of any form.
#ifndef AFFIRM_VERIFY_COMPARE_SORTING_NETWORK_H_
#define AFFIRM_VERIFY_COMPARE_SORTING_NETWORK_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"

namespace affirm::compare {

// Moves the smaller of the two values to wire `low`, the other one to wire `high`.
struct CompareExchange {
  int64_t low = 0, high = 0;
};

// Whether the exchanges, one after the other, sort wires 0, 1, ..., wires - 1 for every input.
// `steps` is the fuel, in words of 64 inputs; nullopt when it is used up.
std::optional<bool> Sorts(int64_t wires, llvm::ArrayRef<CompareExchange> exchanges,
                          int64_t steps = int64_t{1} << 30);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_SORTING_NETWORK_H_
