// Random maps with domains small enough to enumerate.
#ifndef AFFIRM_FUZZ_GENERATORS_MAP_GENERATOR_H_
#define AFFIRM_FUZZ_GENERATORS_MAP_GENERATOR_H_

#include "core/indexing/indexing_map.h"
#include "fuzz/generators/choices.h"

namespace affirm::fuzz {

struct MapLimits {
  int64_t max_dims = 4, max_ranges = 3, max_runtime = 2, max_constraints = 4, max_results = 3;
  int max_depth = 4;
  int64_t max_points = 3000;  // bounds are narrowed until the box has no more points than this
  bool extreme = false;       // constants, bounds and divisors near the limits of int64 too
};

// A legal map: bounds of either sign, multipliers and divisors of either sign, min, max, ceildiv,
// nested mods; moduli and divisors are constants that are not zero (positive for mod). It may be
// known-empty.
IndexingMap GenerateMap(Choices& choices, Context& context, const MapLimits& limits = {});
// A map whose dims are the results of `first`, with bounds that overlap what they reach.
IndexingMap GenerateFollower(Choices& choices, const IndexingMap& first,
                             const MapLimits& limits = {});

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_MAP_GENERATOR_H_
