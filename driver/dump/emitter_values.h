// Values of an emitter's MLIR as symbols, and where the walk stands: the loops that are open and
// the conditions that hold. Used by emitter_accesses.cc.
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_VALUES_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_VALUES_H_

#include <optional>
#include <string>
#include <vector>

#include "driver/dump/emitter_accesses.h"

namespace affirm::driver {

// A conjunction of bounds on terms. Opaque: it is not one of ids and loops.
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
  SymbolicExpr expr;     // kIndex; kPointer: the element, null where it is not known
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

  // Loops: the variable of a new innermost one. Its bounds hold until it is closed.
  SymbolicExpr OpenLoop(Interval bounds);
  void CloseLoop();
  // Conditions: those entered hold until they are left.
  void Enter(EmitterCondition condition);
  void Leave() { conditions_.pop_back(); }
  bool opaque() const;
  bool assumes() const;
  std::vector<int64_t> loops() const;

  // The map of an access here.
  IndexingMap MapOf(llvm::ArrayRef<SymbolicExpr> results) const;

  // Operations of arith on operands; kOther where the result is not followed.
  EmitterValue Integer(const EmitterOp& op, llvm::ArrayRef<EmitterValue> operands,
                       int64_t index_bits) const;
  // The results of a map at arguments, the first `dims` of which are dims.
  std::vector<EmitterValue> Applied(const IndexingMap& map, llvm::ArrayRef<EmitterValue> arguments,
                                    size_t dims) const;
  // That arguments lie in the domain of a map.
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
  // e in bounds, decided where the ranges say so.
  EmitterCondition Within(SymbolicExpr e, Interval bounds) const;

  Context& context_;
  std::vector<Variable> ids_;
  std::vector<OpenedLoop> loops_;
  std::vector<EmitterCondition> conditions_;
  int64_t next_loop_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_VALUES_H_
