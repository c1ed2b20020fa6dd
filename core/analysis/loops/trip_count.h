// How often a `while` runs, and what its counters are in each trip. Internal to core/analysis.
//
//   i = 3; while (i < 10) { ...; i += 2; }       // i is 3, 5, 7, 9 in the trips 0 to 3, then 11
//
// has the counter 3 + 2 * t and runs 4 times.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_TRIP_COUNT_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_TRIP_COUNT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/loops/call_sites.h"
#include "core/symbolic/context.h"

namespace affirm::analysis {

// A carried integer that is `first + step * t` modulo 2^width when trip t begins. With a step of 0
// it is loop-invariant.
struct Counter {
  int64_t leaf = 0;
  int64_t first = 0;
  int64_t step = 0;
  hlo::PrimitiveType type = hlo::PrimitiveType::kS32;
};

// The carried integers that start from a constant and have the same constant added in every trip,
// whatever path the trip takes.
std::vector<Counter> CountersOf(const hlo::Instruction& loop, Context& context);

// How often the loop runs, where the condition compares linear expressions of one counter or
// several, and no counter that it uses wraps before the end.
std::optional<int64_t> TripsByCondition(const hlo::Instruction& loop,
                                        llvm::ArrayRef<Counter> counters, Context& context);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_TRIP_COUNT_H_
