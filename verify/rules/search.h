// Counterexamples to rules: a deterministic search over small values, in exact arithmetic.
#ifndef AFFIRM_VERIFY_RULES_SEARCH_H_
#define AFFIRM_VERIFY_RULES_SEARCH_H_

#include <optional>
#include <string>
#include <vector>

#include "core/simplify/rule.h"
#include "core/symbolic/checked.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::rules {

// The state of a rule at one instance: values for all of its metavariables.
enum class InstanceState : uint8_t {
  kOutside,      // a condition fails, or the left side has no value
  kHolds,        // both sides agree
  kBroken,       // they don't, or the right side has no value
  kNotComputed,  // leaves 128 bits
};
InstanceState Check(const Rule& rule, llvm::ArrayRef<int128> values);

struct SearchLimits {
  int64_t small_instances = 60'000;  // smallest first
  int64_t random_instances = 40'000;
  uint64_t seed = 0x9e3779b97f4a7c15;
};

// Visits instances that satisfy the rule's conditions, the smallest (by the sum of the absolute
// values) first and then random ones with constants in [-6, 12] and expressions in [-20, 20],
// until `visit` returns false. The same sequence everywhere.
void ForEachInstance(const Rule& rule, const SearchLimits& limits,
                     llvm::function_ref<bool(llvm::ArrayRef<int128>)> visit);

struct SearchResult {
  std::optional<std::vector<int128>> broken;     // the first and smallest broken instance
  std::optional<std::vector<int128>> satisfied;  // some instance inside the conditions
};
SearchResult Search(const Rule& rule, const SearchLimits& limits);

// A broken instance made smaller, value by value, while it stays broken.
std::vector<int128> Shrink(const Rule& rule, std::vector<int128> values);

}  // namespace affirm::rules

#endif  // AFFIRM_VERIFY_RULES_SEARCH_H_
