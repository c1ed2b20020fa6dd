// Thread maps over whole shapes. For f32[4, 64] and blocks of 128 threads LoopThreadMap makes
//
//   (th_x, bl_x) -> (bl_x * 2 + th_x floordiv 64, th_x mod 64),
//   domain: th_x in [0, 127], bl_x in [0, 1]
#ifndef AFFIRM_EMIT_EMITTERS_THREAD_MAP_H_
#define AFFIRM_EMIT_EMITTERS_THREAD_MAP_H_

#include <vector>

#include "emit/plan/launch.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm::emit {

// The lanes of a warp.
inline constexpr int64_t kWarp = 32;

// The threads of a block of a kernel that could have any number of them.
inline constexpr int64_t kThreadsPerBlock = 128;

// From this many elements on, threads take several consecutive ones of an array, which are read and
// written as one vector where that is possible (affirm-vectorize). Smaller arrays need all the
// threads that they can have.
inline constexpr int64_t kMinVectorElements = int64_t{1} << 15;
inline constexpr int64_t kVector = 4;

// The most blocks of a grid in x.
inline constexpr int64_t kMaxBlocks = (int64_t{1} << 31) - 1;

// The variables th_x and bl_x of a launch.
std::vector<Variable> LaunchVariables(LaunchShape launch);
inline SymbolicExpr ThreadX(Context& context) { return context.Dim(0); }
inline SymbolicExpr BlockX(Context& context) { return context.Dim(1); }

// A simplified map over a launch. `loops` are the sizes of its range variables.
IndexingMap MakeThreadMap(Context& context, LaunchShape launch, llvm::ArrayRef<int64_t> loops,
                          llvm::ArrayRef<SymbolicExpr> results,
                          llvm::ArrayRef<Constraint> constraints);

// One thread for each `consecutive` elements, in row-major order; more than one are its range
// variable and divide the shape. Known to be empty for a shape without elements.
IndexingMap LoopThreadMap(Context& context, llvm::ArrayRef<int64_t> shape, LaunchShape launch,
                          int64_t consecutive = 1);
// The same for any launch: when it has too few threads, each takes every (threads * blocks)th.
IndexingMap StridedThreadMap(Context& context, llvm::ArrayRef<int64_t> shape, LaunchShape launch);

// The map without its last range variable, at the first value of that: to the first of consecutive
// elements that are in the domain all or none.
IndexingMap FirstOfConsecutive(const IndexingMap& map);

inline int64_t CeilOf(int64_t a, int64_t b) { return a / b + (a % b != 0); }
int64_t ProductOf(llvm::ArrayRef<int64_t> sizes);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_THREAD_MAP_H_
