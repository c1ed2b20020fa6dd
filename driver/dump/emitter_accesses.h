// Which elements each thread of a kernel reads and writes, from the MLIR of an emitter: a
// snapshot's entry function is walked with thread and block ids as variables, calls are followed,
// and each access becomes an indexing map
//
//   (th_x, th_y, th_z, bl_x, bl_y, bl_z)[loops around it] -> (index), domain: ids, loops,
//   conditions
//
// Integers are followed while they are functions of ids and loop variables and stay inside of their
// types; an index that is loaded, or a condition on one, leaves the access without a map, with the
// reason.
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_ACCESSES_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_ACCESSES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "driver/dump/emitter_log.h"

namespace affirm::driver {

// The bounds of th_x, th_y, th_z, bl_x, bl_y, bl_z, in this order.
using LaunchBounds = std::array<Interval, 6>;
extern const char* const kLaunchNames[6];

struct EmitterAccess {
  enum Kind : uint8_t { kRead, kWrite, kAtomic };
  Kind kind = kRead;
  std::string tensor;              // "arg0", argument 0 of the entry; "shared1", shared memory
  std::vector<int64_t> shape;      // of the tensor at this point
  std::vector<int64_t> order;      // its layout, minor to major; empty: row-major
  std::string element;             // "f32"
  std::vector<int64_t> loops;      // which loops are around it, outermost first; a number each
  std::optional<IndexingMap> map;  // one range variable for each loop, in their order
  bool assumes = false;            // a value lies where the map that gives it may claim nothing
  std::string reason;              // why there is no map
  int64_t line = 0;
};

struct EmitterAccesses {
  std::vector<EmitterAccess> accesses;
  // Tensors that something is done with that is not followed, and what.
  std::map<std::string, std::string> not_followed;
  std::vector<std::string> results;       // the tensors that the entry returns
  std::map<std::string, int64_t> slices;  // xla.slice_index of arguments that have one
  int64_t arguments = 0;
  bool exchanges = false;  // threads give values to each other: shared memory, shuffles
  std::string reason;      // why nothing can be said; empty: all of the function was walked
};

const char* Name(EmitterAccess::Kind kind);  // "read", "write", "atomic update"

// The ids' bounds, of what the snapshot says about them; ids it lacks are 0.
LaunchBounds LaunchOf(const EmitterSnapshot& snapshot);

// The accesses of the entry, in the order of the text.
EmitterAccesses FindAccesses(const EmitterSnapshot& snapshot, const LaunchBounds& launch,
                             Context& context);

// The access with other results: the index in a row-major array of as many elements, by the
// tensor's layout.
IndexingMap Linearized(const EmitterAccess& access);
// Loops as dims behind the ids, those of one iteration gone: equal maps of this kind agree at each
// iteration.
IndexingMap AtEachIteration(const IndexingMap& map);
// The outermost `depth` loops as dims behind the ids; the others stay range variables.
IndexingMap WithLoopsAsDims(const IndexingMap& map, size_t depth);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_ACCESSES_H_
