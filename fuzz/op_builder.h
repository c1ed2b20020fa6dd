// What the generators of single instructions build with: random sizes, types and layouts within
// limits, and instructions whose shapes are inferred.
#ifndef AFFIRM_FUZZ_OP_BUILDER_H_
#define AFFIRM_FUZZ_OP_BUILDER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/choices.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::fuzz {

// The defaults make instances whose elements can all be enumerated.
struct OpLimits {
  int64_t max_rank = 3;
  int64_t max_size = 4;       // of one dimension
  int64_t max_elements = 40;  // of an operand; a padded, concatenated or broadcast result may be
                              // a few times as large
  int64_t max_window = 3;     // taps, strides, dilations and paddings of one dimension
  bool zero_sizes = true;
  bool layouts = true;    // other layouts than the default one, too
  bool all_types = true;  // every element type that the op takes; else f32, s32, pred and c64
};

using Sizes = std::vector<int64_t>;

// The classes of element types.
enum class TypeClass : uint8_t { kAny, kReal, kInteger, kFloating, kNumber, kBits, kSortable };

// Builds into one computation. The generator of whole graphs overrides what draws operands and
// types, to use instructions that are there already (hlo_ops_single.cc).
class OpBuilder {
 public:
  OpBuilder(Choices& choices, const OpLimits& limits, hlo::Computation& computation)
      : choices_(choices), limits_(limits), computation_(computation) {}
  virtual ~OpBuilder() = default;

  // An instruction of this shape: a new parameter.
  virtual hlo::Instruction* Operand(const hlo::Shape& shape);
  // An array of a rank in [min_rank, max_rank] (at most the limit) of some type of the class: a new
  // parameter.
  virtual hlo::Instruction* MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types);
  hlo::Instruction* MainOperand(int64_t min_rank = 0, TypeClass types = TypeClass::kAny) {
    return MainOperand(min_rank, limits_.max_rank, types);
  }

  // An integer scalar for a position in a dimension of that size: a parameter, or a constant that
  // may lie outside.
  hlo::Instruction* Position(int64_t size, hlo::PrimitiveType type);

  // Random parts.
  Choices& choices() { return choices_; }
  const OpLimits& limits() const { return limits_; }
  bool Flip() { return choices_.Below(2) == 1; }
  int64_t Small(int64_t low, int64_t high) { return choices_.Between(low, high); }
  // A size in [low, limits.max_size], at most `budget`; large limits favour powers of two.
  int64_t Size(int64_t low, int64_t budget);
  // At most limits.max_elements in all. Sizes of 0 are rare.
  Sizes AnySizes(int64_t min_rank, int64_t max_rank);
  Sizes Permutation(int64_t n);
  Sizes Subset(int64_t n);  // rising
  virtual hlo::PrimitiveType AnyType(TypeClass types);
  hlo::Shape Array(hlo::PrimitiveType type, Sizes sizes);  // with a random layout
  hlo::WindowDimension AnyWindow(int64_t size);

  // Appends. The shape is the inferred one; `written` is what inference starts from where the
  // operands leave the shape open (see hlo::InferShape). An array result gets a random layout
  // unless `written` has one.
  virtual hlo::Instruction* Add(hlo::Opcode opcode, std::vector<hlo::Instruction*> operands,
                                hlo::Attributes attributes = {}, hlo::Shape written = {},
                                std::vector<std::pair<std::string, hlo::Computation*>> called = {});
  hlo::Instruction* AddConstant(hlo::Literal value);
  // Says in the module's header how many devices run it.
  void SetDevices(int64_t replicas, int64_t partitions);

  // A computation that `body` builds and whose root `body` returns, placed before its callers. Its
  // operands are its parameters.
  hlo::Computation* AddComputation(llvm::function_ref<hlo::Instruction*(OpBuilder&)> body);
  // Combines 2n scalars of n types into n: for reduce and its kin.
  hlo::Computation* Combiner(llvm::ArrayRef<hlo::PrimitiveType> types);

 private:
  Choices& choices_;
  const OpLimits& limits_;
  hlo::Computation& computation_;
};

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_OP_BUILDER_H_
