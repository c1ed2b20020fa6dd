// Extracts the elements that each thread of a kernel reads and writes from an emitter's MLIR. Walks
// a snapshot's entry function with symbolic thread and block IDs, follows calls, and turns each
// access into an indexing map
//
//   (th_x, th_y, th_z, bl_x, bl_y, bl_z)[loops around it] -> (index), domain: ids, loops,
//   conditions
//
// Integers are tracked as functions of IDs and loop variables, as long as they do not overflow. An
// access with a loaded index, or a condition on one, has no map, but a reason.
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
  std::vector<int64_t> shape;      // the tensor's shape at this point
  std::vector<int64_t> order;      // its layout, minor to major; empty: row-major
  std::string element;             // "f32"
  std::vector<int64_t> loops;      // numbers of the enclosing loops, outermost first
  std::optional<IndexingMap> map;  // with one range variable for each loop, in order
  bool assumes = false;            // a map may have been applied outside of its domain
  std::string reason;              // why there is no map
  int64_t line = 0;
};

struct EmitterAccesses {
  std::vector<EmitterAccess> accesses;
  // Tensors with an unsupported use, and that use.
  std::map<std::string, std::string> not_followed;
  std::vector<std::string> results;       // the tensors that the entry returns
  std::map<std::string, int64_t> slices;  // xla.slice_index of arguments that have one
  int64_t arguments = 0;
  bool exchanges = false;  // threads exchange values: shared memory, shuffles
  std::string reason;      // why the walk failed; empty: all of the function was walked
};

const char* Name(EmitterAccess::Kind kind);  // "read", "write", "atomic update"

// The bounds of IDs that the snapshot states; other IDs are 0.
LaunchBounds LaunchOf(const EmitterSnapshot& snapshot);

// The accesses of the entry, in the order of the text.
EmitterAccesses FindAccesses(const EmitterSnapshot& snapshot, const LaunchBounds& launch,
                             Context& context);

// The access with a linear index, by the tensor's layout.
IndexingMap Linearized(const EmitterAccess& access);
// Turns loops into dims behind the IDs, and drops loops of one iteration. Equal maps of this kind
// agree at each iteration.
IndexingMap AtEachIteration(const IndexingMap& map);
// Turns the outermost `depth` loops into dims behind the IDs; the others stay range variables.
IndexingMap WithLoopsAsDims(const IndexingMap& map, size_t depth);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_ACCESSES_H_
