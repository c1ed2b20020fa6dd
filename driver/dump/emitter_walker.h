// Walks the entry of a snapshot with symbolic IDs and loop variables, for FindAccesses of
// emitter_accesses.h. emitter_walker.cc has calls, loops and conditions; emitter_accesses.cc has
// tensors and pointers.
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_WALKER_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_WALKER_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/dump/emitter_accesses.h"
#include "driver/dump/emitter_log.h"
#include "driver/dump/emitter_values.h"

namespace affirm::driver {

class EmitterWalker {
 public:
  EmitterWalker(const EmitterSnapshot& snapshot, const LaunchBounds& launch, Context& context)
      : snapshot_(snapshot), launch_(launch), context_(context), scope_(context, launch) {}

  EmitterAccesses Run();

 private:
  static constexpr int64_t kMostOps = 200'000;
  static constexpr int kDeepest = 100;

  // The values of one call of a function. A later region may reuse the names of a closed one; then
  // the last definition is the visible one.
  struct Frame {
    std::map<std::string, EmitterValue> values;
    std::vector<EmitterValue> yielded;  // by the last yield or return
  };

  EmitterAccesses Fail(const std::string& reason);
  void GiveUp(const std::string& reason);
  EmitterValue ValueOf(const std::string& name, const Frame& frame) const;
  std::vector<EmitterValue> ValuesOf(llvm::StringRef text, const Frame& frame) const;
  void Set(const EmitterOp& op, std::vector<EmitterValue> values, Frame& frame);
  void WalkBody(const std::vector<EmitterOp>& body, Frame& frame);
  void Walk(const EmitterOp& op, Frame& frame);
  // Records the tensor operands of an unknown operation as not followed.
  void NoteTensors(const EmitterOp& op, const Frame& frame);
  // Parses the map "#indexing_map1" or "#xla.indexing_map<"...">" at the start of `text`.
  std::optional<IndexingMap> TakeMap(llvm::StringRef& text);
  // Evaluates "#map(%a, %b)[%c]", for a map with one result.
  void Apply(const EmitterOp& op, Frame& frame);
  // Walks operations with regions, and calls.
  bool WalkControl(const EmitterOp& op, Frame& frame);
  void Call(const EmitterOp& op, Frame& frame);
  void If(const EmitterOp& op, Frame& frame);
  // Binds "iter_args(%a = %b, %c = %d)". Only tensors are known in later iterations, since each
  // iteration must yield the tensors that it got.
  void BindIterations(llvm::StringRef text, llvm::StringRef keyword, Frame& frame,
                      std::vector<EmitterValue>& results);
  // Checks that an iteration yields the tensors that it got.
  void CheckYield(const EmitterOp& op, const Frame& frame, std::vector<EmitterValue>& results);
  void For(const EmitterOp& op, Frame& frame);
  // (%a, %b)[%i, %j] -> (%ra, %rb) in #map iter_args(%t = %u) -> (...)
  void Loop(const EmitterOp& op, Frame& frame);
  // Threads as a loop nest, before they become IDs. Dims of size 1 may have been dropped.
  void Forall(const EmitterOp& op, Frame& frame);
  // Operations that pass on a tensor or a pointer.
  bool WalkTensor(const EmitterOp& op, Frame& frame);
  // inbounds %p[0, %i] : (...) -> !llvm.ptr, !llvm.array<9 x f32>
  EmitterValue Element(llvm::StringRef text, EmitterValue base, const Frame& frame);
  bool WalkAccess(const EmitterOp& op, Frame& frame);
  bool PointerAccess(const EmitterOp& op, Frame& frame);
  // 4 for "vector<4xf32>" in a text, 0 for one with more dims, else 1.
  static int64_t VectorWidth(llvm::StringRef text);
  void Add(const EmitterOp& op, EmitterAccess::Kind kind, const EmitterValue& tensor,
           llvm::ArrayRef<EmitterValue> indices, const EmitterCondition& condition, int64_t width);

  const EmitterSnapshot& snapshot_;
  const LaunchBounds& launch_;
  Context& context_;
  EmitterScope scope_;
  EmitterAccesses found_;
  int64_t ops_ = 0, shared_ = 0;
  int depth_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_WALKER_H_
