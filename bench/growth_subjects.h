// Inputs that grow along one axis: HLO modules and maps of a given size, for the benchmark of
// growth.
//
//   for (const GrowthAxis& axis : GrowthAxes())
//     GrowthInput input = axis.make(axis.sizes.front());   // files, and the verb that reads them
//
// Every input is one that the tool proves: exit status 0 at every size.
#ifndef AFFIRM_BENCH_GROWTH_SUBJECTS_H_
#define AFFIRM_BENCH_GROWTH_SUBJECTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace affirm::bench {

struct GrowthInput {
  std::vector<std::string> verb;   // of the command line, before the files
  std::vector<std::string> files;  // texts of the files
};

struct GrowthAxis {
  std::string name;            // verb and axis, as in check/terms
  std::vector<int64_t> sizes;  // a geometric series, ascending
  GrowthInput (*make)(int64_t size);
};

// All axes. The sizes are such that the largest takes some tenths of a second or more.
std::vector<GrowthAxis> GrowthAxes();

// The same verb's smallest input: what a run costs at any size.
GrowthInput SmallestInput(const GrowthInput& input);

}  // namespace affirm::bench

#endif  // AFFIRM_BENCH_GROWTH_SUBJECTS_H_
