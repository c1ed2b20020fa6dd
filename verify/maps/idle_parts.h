// Parts of a flattened map that say nothing. Internal to verify/maps.
#ifndef AFFIRM_VERIFY_MAPS_IDLE_PARTS_H_
#define AFFIRM_VERIFY_MAPS_IDLE_PARTS_H_

#include "verify/maps/flattened_map.h"

namespace affirm {

// Leaves out operands, constraints and then range variables that say nothing: constraints that hold
// throughout the bounds, and variables that nothing uses, each of which has a value.
// False where the map is not known to be the same: a variable has no value, or an expression leaves
// what can be said.
bool DropIdleParts(FlattenedMap& map);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_IDLE_PARTS_H_
