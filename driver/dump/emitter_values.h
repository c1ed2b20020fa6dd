// Symbolic values of an emitter's MLIR, and the walk's context: open loops and conditions. Used by
// emitter_accesses.cc.
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_VALUES_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_VALUES_H_

#include <optional>
#include <string>
#include <vector>

#include "driver/dump/emitter_accesses.h"

namespace affirm::driver {

// A conjunction of bounds on expressions. Opaque: it depends on more than IDs and loops.
struct EmitterCondition {
  bool opaque = false, never = false;
  bool assumes = false;  // see EmitterAccess
  std::vector<Constraint> all = {};
};

struct EmitterTensorType {
  std::vector<int64_t> shape, order;
  std::string element;
};
// "tensor<4x5xf32, dense<[0, 1]> : tensor<2xi64>>"; empty for anything else.
EmitterTensorType TensorType(llvm::StringRef text);

struct EmitterValue {
  enum Kind : uint8_t { kOther, kIndex, kCondition, kTensor, kPointer };
  Kind kind = kOther;
  SymbolicExpr expr;     // kIndex; kPointer: the element, null if unknown
  bool assumes = false;  // kIndex, kPointer
  EmitterCondition condition = {.opaque = true};
  std::string tensor;  // kTensor, kPointer: which
  EmitterTensorType type;

  static EmitterValue Index(SymbolicExpr expr);
  static EmitterValue Of(EmitterCondition condition);
  std::optional<int64_t> Constant() const;
  bool SameAs(const EmitterValue& other) const;
};

class EmitterScope {
 public:
  EmitterScope(Context& context, const LaunchBounds& launch);

  // Opens an innermost loop; returns its variable, whose bounds hold until it is closed.
  SymbolicExpr OpenLoop(Interval bounds);
  void CloseLoop();
  // Enters a condition, which holds until it is left.
  void Enter(EmitterCondition condition);
  void Leave() { conditions_.pop_back(); }
  bool opaque() const;
  bool assumes() const;
  std::vector<int64_t> loops() const;

  // The map of an access in the current context.
  IndexingMap MapOf(llvm::ArrayRef<SymbolicExpr> results) const;

  // Evaluates an operation of arith; kOther if the result is not tracked.
  EmitterValue Integer(const EmitterOp& op, llvm::ArrayRef<EmitterValue> operands,
                       int64_t index_bits) const;
  // The results of a map on arguments, of which the first `dims` are dims.
  std::vector<EmitterValue> Applied(const IndexingMap& map, llvm::ArrayRef<EmitterValue> arguments,
                                    size_t dims) const;
  // The condition that arguments lie in the domain of a map.
  EmitterCondition DomainOf(const IndexingMap& map, llvm::ArrayRef<EmitterValue> arguments,
                            size_t dims) const;
  EmitterCondition Not(const EmitterCondition& condition) const;

 private:
  struct OpenedLoop {
    int64_t number, range;
    Interval bounds;
  };

  Interval RangeOf(SymbolicExpr e) const;
  EmitterValue Compared(const EmitterOp& op, const EmitterValue& a, const EmitterValue& b) const;
  // The condition that e is in bounds; decided if ranges suffice.
  EmitterCondition Within(SymbolicExpr e, Interval bounds) const;

  Context& context_;
  std::vector<Variable> ids_;
  std::vector<OpenedLoop> loops_;
  std::vector<EmitterCondition> conditions_;
  int64_t next_loop_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_VALUES_H_
