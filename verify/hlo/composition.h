// Composition of maps from its definition, by substitution alone: what affirm::Compose and the
// simplifier are checked against.
#ifndef AFFIRM_VERIFY_HLO_COMPOSITION_H_
#define AFFIRM_VERIFY_HLO_COMPOSITION_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "verify/maps/maps.h"

namespace affirm {

// {(x, z): there is an m in first(x), inside second's dims, with z in second(m)}, unsimplified.
// Ranges and runtime variables of `second` come first, then those of `first`. Undefined when the
// ranks do not fit.
IndexingMap ComposeByDefinition(const IndexingMap& first, const IndexingMap& second);

// Is `claimed` the composition? Runtime variables are matched by what produces them.
MapAnswer ProveComposition(const IndexingMap& first, const IndexingMap& second,
                           const IndexingMap& claimed, const DecideOptions& options = {});

// Gives maps over the same dims one common list of runtime variables: those with the same producer
// and the same place in it become one (the n-th such of one map the n-th of another). Maps get
// variables that they do not use. Known-empty and undefined maps stay as they are.
void AlignRuntime(std::vector<IndexingMap>& maps, const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_COMPOSITION_H_
