// Whether a network of compare-exchanges sorts.
//
//   {0, 1}, {2, 3}, {0, 3}, {1, 2}, {0, 1}, {2, 3}   sorts four wires
//
// By the 0-1 principle: a network sorts every input, by any strict weak order, when it sorts every
// input of zeros and ones. Of these it suffices to look at what reaches a part of the network:
// wires that some exchanges have joined are a component, and while another exchange joins two
// components, what is on their wires are the pairs of what leaves the one and what leaves the
// other. Of a component of m wires that is sorted, m + 1 inputs leave. So networks that merge
// sorted parts, Batcher's among them, are decided for thousands of wires, and small ones of any
// form.
#ifndef AFFIRM_VERIFY_COMPARE_SORTING_NETWORK_H_
#define AFFIRM_VERIFY_COMPARE_SORTING_NETWORK_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"

namespace affirm::compare {

// Afterwards wire `low` has the smaller of the two values, wire `high` the other one.
struct CompareExchange {
  int64_t low = 0, high = 0;
};

// Whether after the exchanges, one after the other, the wires 0, 1, ..., wires - 1 are in order
// whatever they were before. nullopt where more than `steps` words of 64 inputs would have to be
// computed.
std::optional<bool> Sorts(int64_t wires, llvm::ArrayRef<CompareExchange> exchanges,
                          int64_t steps = int64_t{1} << 30);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_SORTING_NETWORK_H_
