// Compares the checker of sorting networks with all inputs of zeros and ones.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "verify/compare/sorting_network.h"

namespace affirm::compare {
namespace {

using Exchanges = std::vector<CompareExchange>;

// Whether every input of zeros and ones comes out in order.
bool SortsAllInputs(int64_t wires, const Exchanges& exchanges) {
  for (uint64_t input = 0; input < uint64_t{1} << wires; ++input) {
    uint64_t bits = input;
    for (CompareExchange e : exchanges) {
      const bool exchanged = (bits >> e.low & 1) != 0 && (bits >> e.high & 1) == 0;
      if (exchanged) bits ^= uint64_t{1} << e.low | uint64_t{1} << e.high;
    }
    for (int64_t w = 0; w + 1 < wires; ++w) {
      if ((bits >> w & 1) != 0 && (bits >> (w + 1) & 1) == 0) return false;
    }
  }
  return true;
}

// Batcher's bitonic sorter whose exchanges all have one direction, of any number of wires.
Exchanges Bitonic(int64_t wires) {
  Exchanges exchanges;
  auto step = [&](int64_t mask) {
    for (int64_t w = 0; w < wires; ++w) {
      if ((w ^ mask) > w && (w ^ mask) < wires) exchanges.push_back({w, w ^ mask});
    }
  };
  for (int64_t size = 2; size < 2 * wires; size *= 2) {
    step(size - 1);
    for (int64_t mask = size / 4; mask > 0; mask /= 2) step(mask);
  }
  return exchanges;
}

// Exchanges of neighbors, in as many rounds as there are wires.
Exchanges Bricks(int64_t wires) {
  Exchanges exchanges;
  for (int64_t round = 0; round < wires; ++round) {
    for (int64_t w = round % 2; w + 1 < wires; w += 2) exchanges.push_back({w, w + 1});
  }
  return exchanges;
}

TEST(SortingNetwork, BitonicSortersOfAnySizeSort) {
  for (int64_t wires : {1, 2, 3, 7, 8, 20, 100, 256, 300, 1000})
    EXPECT_EQ(Sorts(wires, Bitonic(wires)), true) << wires;
}

TEST(SortingNetwork, NoExchangeOfABitonicSorterMayBeMissing) {
  for (int64_t wires : {4, 8, 16}) {
    const Exchanges all = Bitonic(wires);
    for (size_t k = 0; k < all.size(); ++k) {
      Exchanges others = all;
      others.erase(others.begin() + static_cast<int64_t>(k));
      EXPECT_EQ(Sorts(wires, others), false) << wires << " without " << k;
    }
  }
}

TEST(SortingNetwork, OneExchangeTheOtherWayIsSeenAmongThousands) {
  Exchanges exchanges = Bitonic(256);
  CompareExchange& last = exchanges[exchanges.size() - 100];
  std::swap(last.low, last.high);
  EXPECT_EQ(Sorts(256, exchanges), false);
}

TEST(SortingNetwork, OtherNetworks) {
  for (int64_t wires : {2, 5, 12}) EXPECT_EQ(Sorts(wires, Bricks(wires)), true) << wires;
  Exchanges few = Bricks(9);
  few.erase(few.end() - 4, few.end());
  EXPECT_EQ(Sorts(9, few), SortsAllInputs(9, few));
}

TEST(SortingNetwork, TooMuchWorkIsUnknown) {
  EXPECT_EQ(Sorts(300, Bitonic(300), /*steps=*/1000), std::nullopt);
}

RC_GTEST_PROP(SortingNetwork, AgreesWithAllInputs, ()) {
  const auto wires = *rc::gen::inRange<int64_t>(2, 8);
  auto wire = rc::gen::inRange<int64_t>(0, wires);
  Exchanges exchanges;
  const auto count = *rc::gen::inRange(0, 20);
  for (int k = 0; k < count; ++k) {
    const int64_t low = *wire, high = *wire;
    if (low != high) exchanges.push_back({low, high});
  }
  // Most of these do not sort; before a sorter, they all do.
  if (*rc::gen::arbitrary<bool>()) {
    for (CompareExchange e : Bitonic(wires)) exchanges.push_back(e);
  }
  RC_ASSERT(Sorts(wires, exchanges) == SortsAllInputs(wires, exchanges));
}

}  // namespace
}  // namespace affirm::compare
