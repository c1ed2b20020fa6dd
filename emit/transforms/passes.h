// The passes of the dialect, each in a file of its name (docs/dialect.md). The name in front of
// each comment is the one on the command line of affirm-opt.
#ifndef AFFIRM_EMIT_TRANSFORMS_PASSES_H_
#define AFFIRM_EMIT_TRANSFORMS_PASSES_H_

#include <memory>

#include "mlir/Pass/Pass.h"

namespace affirm::emit {

// affirm-drop-arguments: private functions that are only called lose the arguments that they do not
// read.
std::unique_ptr<mlir::Pass> CreateDropArgumentsPass();
// affirm-propagate-slices: tensors that functions are given get the slices (kSliceAttribute) of
// what their callers pass, where all callers agree.
std::unique_ptr<mlir::Pass> CreatePropagateSlicesPass();
// affirm-merge-slices, behind affirm-lower-tensors: of a function's pointers to one slice the first
// stays and replaces the others. Pointers to different slices do not alias.
std::unique_ptr<mlir::Pass> CreateMergeSlicesPass();
// canonicalize: MLIR's, but that casts of index are folded where they are exact (exact_casts.h) and
// nowhere else. affirm-opt has no other pass of that name.
std::unique_ptr<mlir::Pass> CreateCanonicalizePass();
// affirm-inline-calls: a function with a single pure call is inlined there.
std::unique_ptr<mlir::Pass> CreateInlineCallsPass();
// affirm-flatten-tensors: every tensor gets one dimension; indices become row-major positions.
std::unique_ptr<mlir::Pass> CreateFlattenTensorsPass();
// affirm-unswitch-loops: where the body of an scf.for is one branch whose condition does not depend
// on the loop, the branch goes around the loop.
std::unique_ptr<mlir::Pass> CreateUnswitchLoopsPass();
// affirm-peel-loops: separates the last iteration of a loop where the others then need no test.
std::unique_ptr<mlir::Pass> CreatePeelLoopsPass();
// affirm-lower-loops: affirm.loop becomes scf.for. A constraint is tested as soon as its variables
// are known, outside of the loops that do not change it.
std::unique_ptr<mlir::Pass> CreateLowerLoopsPass();
// affirm-vectorize: the accesses of an scf.for of two or four iterations to consecutive elements
// become one access, where the first index is proved to be a multiple of that number.
std::unique_ptr<mlir::Pass> CreateVectorizePass();
// affirm-unroll-registers: an scf.for whose iterations take or replace different elements of a
// vector is unrolled, so that the vector lies in registers.
std::unique_ptr<mlir::Pass> CreateUnrollRegistersPass();
// affirm-lower-calls: pure calls become calls, and predicated accesses become branches.
std::unique_ptr<mlir::Pass> CreateLowerCallsPass();
// affirm-lower-indexing: affirm.apply_indexing becomes arith, after simplification. Divisions of
// what the domain proves nonnegative are unsigned, the others round as floordiv, ceildiv and mod
// do.
std::unique_ptr<mlir::Pass> CreateLowerIndexingPass();

// Makes the passes known by name, for affirm-opt.
void RegisterPasses();

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_PASSES_H_
