// The arguments on which two modules are executed.
//
//   PairedArgumentSets sets(*a->entry, *b->entry, seed);
//   for (int64_t set : sets.Order(/*rare_first=*/true)) Interpret(*a->entry, sets.Make(set));
//   sets.KindOf(2);   // "special"
#ifndef AFFIRM_DRIVER_EQUIVALENCE_PAIRED_ARGUMENT_SETS_H_
#define AFFIRM_DRIVER_EQUIVALENCE_PAIRED_ARGUMENT_SETS_H_

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "driver/validate/argument_sets.h"
#include "verify/reference/arguments.h"

namespace affirm::driver {

// The first sets are one of each kind.
inline constexpr int64_t kNumKinds = std::size(hlo::kArgumentKinds);

// Sets of arguments for two computations of one signature, from a seed: those of a kernel's runs
// (driver/validate/argument_sets.h) for the constants of either, then one of each kind from each of
// some further seeds, then sets of kinds that show single terms and initial values of folds,
// constants, and roundings (kUniform, kEnds, kConstants, kEdges of verify/reference/arguments.h).
class PairedArgumentSets {
 public:
  PairedArgumentSets(const hlo::Computation& a, const hlo::Computation& b, uint64_t seed);

  int64_t size() const;
  std::vector<hlo::Literal> Make(int64_t number) const;
  std::string KindOf(int64_t number) const;  // "small", ..., "constants"
  // All of them: one of each kind, then the others. Of both, those with rare values (infinities,
  // NaN, the ends of types, indices out of their bounds) come first where that is asked for, but
  // for set 0: small numbers, on which a difference is read most easily.
  std::vector<int64_t> Order(bool rare_first) const;

 private:
  const hlo::Computation &a_, &b_;
  uint64_t seed_;
  ArgumentSets of_a_, of_b_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_PAIRED_ARGUMENT_SETS_H_
