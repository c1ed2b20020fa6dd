// Properties that the suites and the fuzz targets share. Each returns what went wrong; empty when
// all is well. A map that can't be enumerated is fine.
#ifndef AFFIRM_FUZZ_PROPERTIES_MAP_OPERATIONS_H_
#define AFFIRM_FUZZ_PROPERTIES_MAP_OPERATIONS_H_

#include <string>

#include "core/indexing/indexing_map.h"
#include "fuzz/generators/choices.h"
#include "fuzz/properties/enumerated_map.h"

namespace affirm::fuzz {

// Simplifying twice is simplifying once.
std::string CheckIdempotent(const IndexingMap& map);
// The same, and the simplified map has the sets of the map.
std::string CheckSimplify(const IndexingMap& map);
std::string CheckSimplify(const IndexingMap& map, const EnumeratedMap& point_sets);

// Checks that the printed map, on one line or on many, reads back into `context`, the map's own, as
// the same map with the same hash; read into another context it has the same text and hash.
std::string CheckText(const IndexingMap& map, Context& context);

// The order of constraints and names don't matter to equality and hash; a change of any part does
// matter to equality.
std::string CheckIdentity(const IndexingMap& map, Choices& choices);

// Without unused variables the sets are the same, at whatever values of the runtime variables that
// are gone.
std::string CheckRemoveUnused(const IndexingMap& map, const EnumeratedMap& point_sets);
// Reparametrizing keeps the sets: rescaled, with points replaced, with a range variable as a dim,
// with some of the results only.
std::string CheckReparametrized(const IndexingMap& map, const EnumeratedMap& point_sets,
                                Choices& choices);

// The composition, simplified or not, is `second` of every result of `first`.
std::string CheckCompose(const IndexingMap& first, const IndexingMap& second);

// All of the above but the composition, and whether the map could be enumerated.
std::string CheckOperations(const IndexingMap& map, Choices& choices, bool* enumerated = nullptr);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_MAP_OPERATIONS_H_
