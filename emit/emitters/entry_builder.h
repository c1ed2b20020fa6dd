// The entry function of a kernel: loops over thread maps, calls of the partition's functions, and
// writes of outputs. As MLIR, the entry for f32[256] -> f32[256] with one element a thread is
//
//   func.func @name(%p0: tensor<256xf32>, %r0: tensor<256xf32>) -> tensor<256xf32> {
//     %th_x = gpu.thread_id x ...
//     %bl_x = gpu.block_id x ...
//     %r = affirm.loop #map(%th_x, %bl_x)[...] -> (%i) iter_args(%out = %r0) ... {
//       %e = affirm.pure_call @name_0_output(%p0, %i) ...
//       %next = tensor.insert %e into %out[%i]
//       affirm.yield %next
//     }
//     return %r
//   }
#ifndef AFFIRM_EMIT_EMITTERS_ENTRY_BUILDER_H_
#define AFFIRM_EMIT_EMITTERS_ENTRY_BUILDER_H_

#include "emit/elements/function_emitter.h"
#include "emit/elements/scalar.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/hero.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::emit {

// Adds, as the first function of the module,
//   @name(%p0: tensor<...>, ..., %r0: tensor<...>, ...) -> (tensor<...>, ...)
// which inserts the outputs' elements into the result tensors. An output that is updated in place
// has the attribute affirm.alias, the number of the input that it starts as a copy of. Each buffer
// has affirm.slice (ir/dialect.h).
class EntryBuilder {
 public:
  using Values = llvm::SmallVector<mlir::Value>;

  EntryBuilder(KernelParts& parts, llvm::StringRef name, const EmissionPlan& plan);
  // Whether the functions, which must be complete, read anything of an input, which each gets as
  // its argument of that number.
  bool IsRead(size_t i);
  // Adds the return and the slices of the buffers, inputs first (slices.h).
  void Finish(llvm::ArrayRef<int64_t> slices);

  Builder& b() { return b_; }
  KernelParts& parts() { return parts_; }
  // Thread and block: the dims of thread maps.
  llvm::ArrayRef<mlir::Value> ids() const { return ids_; }
  Values& outputs() { return outputs_; }

  // The elements of a group's roots at an index; `injected`: one value per injected node.
  Values Call(size_t group, mlir::ValueRange index, mlir::ValueRange injected = {});
  // The results of a map without range variables.
  Values Apply(const IndexingMap& map, mlir::ValueRange variables);
  // `lower <= value <= upper`.
  mlir::Value Within(mlir::Value value, int64_t lower, int64_t upper);

  // A loop over the points of a thread map. `body` gets the map's results and the carried values
  // and answers the next ones.
  using LoopBody = llvm::function_ref<Values(mlir::ValueRange results, mlir::ValueRange carried)>;
  Values Loop(const IndexingMap& thread_map, mlir::ValueRange inits, LoopBody body);
  // The same with the outputs as what is carried.
  void WriteLoop(const IndexingMap& thread_map,
                 llvm::function_ref<void(mlir::ValueRange results)> body);

  // A loop over `count` elements of an array of sizes `shape`: that at `first` and those that
  // follow it along dimension `dim`, all of which the array has. `body` gets an element's number
  // from 0 on, its index, and the carried values.
  using AlongBody = llvm::function_ref<Values(mlir::Value number, mlir::ValueRange index,
                                              mlir::ValueRange carried)>;
  Values LoopAlong(llvm::ArrayRef<int64_t> shape, mlir::ValueRange first, size_t dim, int64_t count,
                   mlir::ValueRange inits, AlongBody body);

  // Calls the group at `index` and inserts its roots into the output leaves there.
  void Write(size_t group, llvm::ArrayRef<int64_t> leaves, mlir::ValueRange index,
             mlir::ValueRange injected = {}) {
    WriteAt(group, leaves, index, index, injected);
  }
  // The same, where the index in the output is not the group's index.
  void WriteAt(size_t group, llvm::ArrayRef<int64_t> leaves, mlir::ValueRange index,
               mlir::ValueRange output_index, mlir::ValueRange injected = {});
  // Inserts an element, as it is stored, into an output.
  void Store(int64_t leaf, mlir::Value stored, mlir::ValueRange index);
  // Writes every output that follows from the heroes' elements at `hero_index`.
  void WriteFromHero(const HeroFusion& fusion, mlir::ValueRange hero_index,
                     mlir::ValueRange injected);
  // Writes the outputs that need no hero.
  void WriteSideOutputs(const HeroFusion& fusion, LaunchShape launch);

  // A new block-wide tensor of values of a type as they are stored.
  mlir::Value AllocateShared(hlo::PrimitiveType type, llvm::ArrayRef<int64_t> dims);

 private:
  // When no constant took the fault: the first stored index, or the value of a scalar output.
  void InjectFault(mlir::Value& stored, llvm::SmallVectorImpl<mlir::Value>& at);

  KernelParts& parts_;
  Builder b_;
  llvm::SmallVector<mlir::Value, 2> ids_;
  Values inputs_, outputs_;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_ENTRY_BUILDER_H_
