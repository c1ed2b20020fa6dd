// The passes of the dialect, each in a file of its name (docs/dialect.md). The name in front of
// each comment is the one on the command line of affirm-opt.
#ifndef AFFIRM_EMIT_PASSES_PASSES_H_
#define AFFIRM_EMIT_PASSES_PASSES_H_

#include <memory>

#include "mlir/Pass/Pass.h"

namespace affirm::emit {

// affirm-propagate-slices: tensors that functions are given get the slices (kSliceAttribute) of
// what their callers pass, where all callers agree.
std::unique_ptr<mlir::Pass> CreatePropagateSlicesPass();
// affirm-merge-slices, behind affirm-lower-tensors: of a function's pointers to one slice the first
// stays and replaces the others. Pointers to different slices do not alias.
std::unique_ptr<mlir::Pass> CreateMergeSlicesPass();
// affirm-inline-calls: functions that one pure call uses go where they are called.
std::unique_ptr<mlir::Pass> CreateInlineCallsPass();
// affirm-flatten-tensors: every tensor gets one dimension; indices become row-major positions.
std::unique_ptr<mlir::Pass> CreateFlattenTensorsPass();
// affirm-unswitch-loops: a branch that makes up an scf.for and does not depend on it goes around
// it.
std::unique_ptr<mlir::Pass> CreateUnswitchLoopsPass();
// affirm-peel-loops: the last iteration of a loop apart, where the others need no test without it.
std::unique_ptr<mlir::Pass> CreatePeelLoopsPass();
// affirm-lower-loops: affirm.loop to scf.for. A constraint is tested as soon as the variables that
// it speaks of are known, outside of the loops that don't change it.
std::unique_ptr<mlir::Pass> CreateLowerLoopsPass();
// affirm-vectorize: consecutive accesses of an scf.for of two or four iterations as one, where the
// first is proved to lie at a multiple of that.
std::unique_ptr<mlir::Pass> CreateVectorizePass();
// affirm-lower-calls: pure calls to calls, predicated accesses to branches.
std::unique_ptr<mlir::Pass> CreateLowerCallsPass();
// affirm-lower-indexing: affirm.apply_indexing to arith, after simplification. Divisions of what
// the domain proves nonnegative are unsigned, the others round as floordiv, ceildiv and mod do.
std::unique_ptr<mlir::Pass> CreateLowerIndexingPass();

// Makes the passes known by name, for affirm-opt.
void RegisterPasses();

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PASSES_PASSES_H_
