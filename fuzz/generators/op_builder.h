// The builder of the generators of instructions: random sizes, types and layouts within limits,
// operands, and instructions whose shapes are inferred.
#ifndef AFFIRM_FUZZ_GENERATORS_OP_BUILDER_H_
#define AFFIRM_FUZZ_GENERATORS_OP_BUILDER_H_

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/generators/choices.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::fuzz {

// The defaults make instances whose elements can all be enumerated.
struct OpLimits {
  int64_t max_rank = 3;
  int64_t max_size = 4;       // of one dimension
  int64_t max_elements = 40;  // of an operand; a padded, concatenated or broadcast result may be
                              // a few times as large
  int64_t max_window = 3;     // taps of one dimension; most strides, dilations and paddings
  int64_t max_stride = INT64_MAX;  // of slices and windows, dilations too
  bool zero_sizes = true;
  uint64_t one_in_empty = 16;  // with zero_sizes, one array in this many has no elements
  bool dynamic_sizes = false;  // operands of sizes known at run time only, in one instance of two
  bool layouts = true;         // other layouts than the default one, too
  bool all_types = true;       // every element type that the op takes; else f32, s32, pred and c64
  bool tuples = true;          // several arrays at once where an op takes one or more
  bool any_bitcast = true;     // to other types, and bitcast-convert to those of other widths
  bool portable = false;  // what every compiler reads alike: reductions from values that change
                          // nothing, as XLA wants it; nothing that HLO's text cannot write
};

using Sizes = std::vector<int64_t>;

// Sets of element types.
enum class TypeClass : unsigned {
  kPred = 1,
  kSigned = 2,
  kUnsigned = 4,
  kReal = 8,
  kComplex = 16,
  kInteger = kSigned | kUnsigned,
  kBits = kPred | kInteger,
  kSortable = kInteger | kReal,
  kOrdered = kPred | kSortable,
  kFloating = kReal | kComplex,
  kSignedNumber = kSigned | kFloating,
  kNumber = kInteger | kFloating,
  kAny = kPred | kNumber,
};
bool IsOf(hlo::PrimitiveType type, TypeClass types);

// Builds into one computation. The generator of whole graphs overrides what draws operands and
// types, to use instructions that are there already (hlo_body.h).
class OpBuilder {
 public:
  OpBuilder(Choices& choices, const OpLimits& limits, hlo::Computation& computation)
      : choices_(choices), limits_(limits), computation_(computation) {}
  virtual ~OpBuilder() = default;

  // A new one.
  hlo::Instruction* Parameter(const hlo::Shape& shape);
  // An instruction of this shape, but for the layout: a new parameter.
  virtual hlo::Instruction* Operand(const hlo::Shape& shape) { return Parameter(shape); }
  // An array of a rank in [min_rank, max_rank] (at most the limit) of some type of the class: a new
  // parameter.
  virtual hlo::Instruction* MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types);
  hlo::Instruction* MainOperand(int64_t min_rank = 0, TypeClass types = TypeClass::kAny) {
    return MainOperand(min_rank, limits_.max_rank, types);
  }
  // The array, or a new parameter when its bits are not defined: see HasDefinedBits.
  hlo::Instruction* WithDefinedBits(hlo::Instruction* array);

  // An integer scalar for a position in a dimension of that size: an operand, or a constant that
  // may lie outside.
  hlo::Instruction* Position(int64_t size, hlo::PrimitiveType type);

  // Random parts.
  Choices& choices() { return choices_; }
  const OpLimits& limits() const { return limits_; }
  bool Flip() { return choices_.Below(2) == 1; }
  int64_t Small(int64_t low, int64_t high) { return choices_.Between(low, high); }
  // A number in [0, limit] that is small, or `limit` itself, or close to it.
  int64_t UpTo(int64_t limit);
  // A size in [low, limits.max_size], at most `budget`: leans to primes, powers of two and their
  // neighbours.
  int64_t Size(int64_t low, int64_t budget);
  // At most limits.max_elements in all. Sizes of 0 and rank 0 are rare.
  Sizes AnySizes(int64_t min_rank, int64_t max_rank);
  // Sizes with this product: its factors, shuffled or not, in groups, with ones in between.
  Sizes SizesOfProduct(int64_t product);
  Sizes Permutation(int64_t n);
  Sizes Subset(int64_t n);  // rising
  virtual hlo::PrimitiveType AnyType(TypeClass types);
  // One of them; in graphs one that is allowed, or a copy.
  virtual hlo::Opcode AnyOpcode(llvm::ArrayRef<hlo::Opcode> opcodes);
  hlo::Shape Array(hlo::PrimitiveType type, Sizes sizes);  // with a random layout
  // Small, close to the size, or limits.max_stride.
  int64_t Stride(int64_t size);
  hlo::WindowDimension AnyWindow(int64_t size);

  // Appends. The shape is the inferred one; `written` is what inference starts from where the
  // operands leave the shape open (see hlo::InferShape). An array result gets a random layout
  // unless `written` has one.
  hlo::Instruction* Add(hlo::Opcode opcode, std::vector<hlo::Instruction*> operands,
                        hlo::Attributes attributes = {}, hlo::Shape written = {},
                        std::vector<std::pair<std::string, hlo::Computation*>> called = {});
  hlo::Instruction* AddConstant(hlo::Literal value);
  // Says in the module's header how many devices run it.
  virtual void SetDevices(int64_t replicas, int64_t partitions);

  // A computation that `body` builds and whose root `body` returns, placed before its callers.
  hlo::Computation* AddComputation(const std::string& name,
                                   llvm::function_ref<hlo::Instruction*(OpBuilder&)> body);
  // An op that combines scalars of the type in any order.
  hlo::Opcode CombiningOpcode(hlo::PrimitiveType type);
  // Combines 2n scalars of n types into n, by one op for each: for reduce and its kin.
  hlo::Computation* Combiner(llvm::ArrayRef<hlo::PrimitiveType> types,
                             llvm::ArrayRef<hlo::Opcode> opcodes);
  hlo::Computation* Combiner(hlo::PrimitiveType type) {
    return Combiner({type}, {CombiningOpcode(type)});
  }

 protected:
  hlo::Computation& computation() const { return computation_; }
  // An empty computation before this one, of that name or one like it.
  hlo::Computation* NewComputation(const std::string& name);

 private:
  // Called with each new instruction; `is_valid` when its shape could be inferred.
  virtual void Added(hlo::Instruction&, bool /*is_valid*/) {}
  virtual std::unique_ptr<OpBuilder> Inside(hlo::Computation& computation) {
    return std::make_unique<OpBuilder>(choices_, limits_, computation);
  }

  Choices& choices_;
  const OpLimits& limits_;
  hlo::Computation& computation_;
};

// Whether the bits of every element are defined: those of a NaN that was computed are not.
bool HasDefinedBits(const hlo::Instruction& instruction);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_OP_BUILDER_H_
