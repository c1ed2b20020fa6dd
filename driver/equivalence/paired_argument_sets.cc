#include "driver/equivalence/paired_argument_sets.h"

#include <algorithm>
#include <numeric>

#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using hlo::Literal;

namespace {

constexpr int64_t kFurtherSeeds = 4;
// After all others: kinds of arguments, and how many sets there are of each.
struct DirectedSets {
  hlo::ArgumentKind kind;
  int64_t count;
  bool of_b = false;  // of the constants of B
};
constexpr DirectedSets kDirected[] = {{hlo::ArgumentKind::kUniform, 16},
                                      {hlo::ArgumentKind::kEnds, 8},
                                      {hlo::ArgumentKind::kRows, 14},
                                      {hlo::ArgumentKind::kConstants, 16},
                                      {hlo::ArgumentKind::kConstants, 16, true},
                                      {hlo::ArgumentKind::kEdges, 2}};
constexpr int64_t NumDirected() {
  int64_t count = 0;
  for (const DirectedSets& sets : kDirected) count += sets.count;
  return count;
}
// The sets that number `number` is one of, which becomes the number among these.
const DirectedSets& DirectedAt(int64_t& number) {
  const DirectedSets* sets = kDirected;
  for (; number >= sets->count; ++sets) number -= sets->count;
  return *sets;
}

// Sets of these kinds show passes that are wrong on infinities, NaN or ends of types alone.
bool IsRare(const std::string& kind) {
  return llvm::is_contained({"special", "wide", "rows", "uniform"}, kind);
}

}  // namespace

PairedArgumentSets::PairedArgumentSets(const hlo::Computation& a, const hlo::Computation& b,
                                       uint64_t seed)
    : a_(a), b_(b), seed_(seed), of_a_(a, seed), of_b_(b, seed) {}

int64_t PairedArgumentSets::size() const {
  return of_a_.size() + of_b_.size() - kNumKinds + kFurtherSeeds * kNumKinds + NumDirected();
}

std::vector<Literal> PairedArgumentSets::Make(int64_t number) const {
  if (number < of_a_.size()) return of_a_.Make(number);
  number -= of_a_.size() - kNumKinds;
  if (number < of_b_.size()) return of_b_.Make(number);
  number -= of_b_.size();
  if (int64_t directed = number - kFurtherSeeds * kNumKinds; directed >= 0) {
    const DirectedSets& sets = DirectedAt(directed);
    return hlo::MakeArguments(sets.of_b ? b_ : a_, seed_ + static_cast<uint64_t>(directed),
                              sets.kind);
  }
  const auto further = static_cast<uint64_t>(1 + number / kNumKinds);
  return hlo::MakeArguments(a_, seed_ + further * 1'000'003,
                            hlo::kArgumentKinds[number % kNumKinds]);
}

std::string PairedArgumentSets::KindOf(int64_t number) const {
  const int64_t constants = of_a_.size() + of_b_.size() - kNumKinds;
  if (number >= kNumKinds && number < constants) return "constants";
  if (number >= constants) number -= constants;
  if (int64_t directed = number - kFurtherSeeds * kNumKinds; directed >= 0)
    return hlo::Name(DirectedAt(directed).kind);
  return hlo::Name(hlo::kArgumentKinds[number % kNumKinds]);
}

std::vector<int64_t> PairedArgumentSets::Order(bool rare_first) const {
  std::vector<int64_t> order(static_cast<size_t>(size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  auto is_rare = [&](int64_t set) { return rare_first && IsRare(KindOf(set)); };
  std::stable_partition(order.begin() + 1, order.begin() + kNumKinds, is_rare);
  std::stable_partition(order.begin() + kNumKinds, order.end(), is_rare);
  return order;
}

}  // namespace affirm::driver
