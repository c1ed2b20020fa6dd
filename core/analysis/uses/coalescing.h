// Coalescing: how well the threads of a warp share memory transactions.
//
// With 32 threads and sectors of 32 bytes, f32 at address th_x touches 4 sectors per warp, which is
// ideal; at address th_x * 8 it touches 32.
#ifndef AFFIRM_CORE_ANALYSIS_USES_COALESCING_H_
#define AFFIRM_CORE_ANALYSIS_USES_COALESCING_H_

#include <cstdint>
#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/shape.h"
#include "core/indexing/indexing_map.h"

namespace affirm {

// The units in which a warp accesses memory.
struct MemoryModel {
  int64_t warp_threads = 32;
  int64_t sector_bytes = 32;
};

// The memory that a warp touches by one instruction of a kernel. An *access* is one execution of
// the instruction by one warp: its threads, at one point of the range variables.
struct Coalescing {
  enum class Evidence : uint8_t {
    kVisited,    // every access was looked at
    kStructure,  // by the form of the map: holds for warps whose threads all take part; for the
                 // others the numbers of sectors are upper bounds
    kUnknown,
  };
  Evidence evidence = Evidence::kUnknown;
  std::string reason;  // why it is not kVisited

  // Sums over all accesses in which a thread takes part; kVisited only.
  int64_t accesses = 0;
  int64_t sectors = 0;        // touched
  int64_t ideal_sectors = 0;  // if the bytes of each access were packed and aligned
  // Maxima over single accesses.
  int64_t max_sectors = 0;
  int64_t max_ideal_sectors = 0;
  // Every access touches a contiguous run of elements.
  bool is_contiguous = false;
};
const char* Name(Coalescing::Evidence evidence);  // "visited", "structure", "unknown"

// The accesses of `addresses`: (threads, blocks)[..]{..} -> position in memory, in elements of
// `bits` each, from an aligned start. The dim named th_x, or the first one, is the thread's index
// in its block; the other dims pick the block. Warps are runs of threads of one block. Threads
// outside the domain take no part.
//
// Maps of at most kMaxVisitedPoints points without runtime variables are visited. For others the
// address must be the sum of a part that depends on the lane only and a part that does not depend
// on it; all alignments that the second part can have are tried.
Coalescing CoalescingOf(const IndexingMap& addresses, int64_t bits, const MemoryModel& model = {});
inline constexpr int64_t kMaxVisitedPoints = int64_t{1} << 21;

// Threads to positions in memory, where `elements` leads from threads to indices of an array of
// `shape`, in the order of its layout. Simplified.
IndexingMap ToMemory(const IndexingMap& elements, const hlo::Shape& shape);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_USES_COALESCING_H_
