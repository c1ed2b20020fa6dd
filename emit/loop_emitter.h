// The loop emitter: one thread computes one element of each output (seed 002).
#ifndef AFFIRM_EMIT_LOOP_EMITTER_H_
#define AFFIRM_EMIT_LOOP_EMITTER_H_

#include "emit/function_emitter.h"
#include "emit/kernel_impl.h"

namespace affirm::emit {

// How many blocks of `threads` give every element of the largest output a thread; at least one. An
// error when that is beyond what a grid can have.
llvm::Expected<LaunchShape> LoopLaunch(const FlatGraph& graph, int64_t threads);

// (th_x, bl_x) -> the index of the element of `shape` that the thread writes.
IndexingMap LoopThreadMap(Context& context, llvm::ArrayRef<int64_t> shape, LaunchShape launch);

// Adds the entry function
//   @name(%p0: tensor<...>, ..., %r0: tensor<...>, ...) -> (tensor<...>, ...)
// which inserts the outputs' elements into the result tensors at `thread_maps`, one map per output
// leaf.
llvm::Error EmitLoopEntry(KernelParts& parts, llvm::StringRef name, LaunchShape launch,
                          llvm::ArrayRef<IndexingMap> thread_maps);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_LOOP_EMITTER_H_
