// Properties that the suites and the fuzz targets share. Each returns what went wrong; empty when
// all is well.
#ifndef AFFIRM_FUZZ_PROPERTIES_H_
#define AFFIRM_FUZZ_PROPERTIES_H_

#include <string>

#include "core/indexing/indexing_map.h"

namespace affirm::fuzz {

// Simplifying keeps the enumerated meaning, and doing it twice changes nothing. A map that can't be
// enumerated is fine.
std::string CheckSimplify(const IndexingMap& map);

// What is printed, on one line or on many, reads back into `context`, the map's own, as the same
// map with the same hash.
std::string CheckText(const IndexingMap& map, Context& context);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_H_
