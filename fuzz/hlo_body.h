// HloBody: one computation of a random module while it grows. Internal to the generator.
#ifndef AFFIRM_FUZZ_HLO_BODY_H_
#define AFFIRM_FUZZ_HLO_BODY_H_

#include <map>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/hlo_generator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::fuzz {

using Sizes = std::vector<int64_t>;

// The classes of element types that an op takes.
enum TypeSet : unsigned { kPred = 1, kSigned = 2, kUnsigned = 4, kFloat = 8, kComplex = 16 };
inline constexpr unsigned kInteger = kSigned | kUnsigned;
inline constexpr unsigned kNumber = kInteger | kFloat | kComplex;
inline constexpr unsigned kAnyType = kPred | kNumber;
unsigned SetOf(hlo::PrimitiveType type);

// Whether the bits of every element are defined: those of a NaN that was computed are not.
bool HasDefinedBits(const hlo::Instruction& instruction);

class HloBody {
 public:
  // Grows `computation` of `module`; both outlive the body. Parameters that are asked for take a
  // shape of `offered` now and then.
  HloBody(Choices& choices, const HloLimits& limits, hlo::Module& module,
          hlo::Computation& computation, std::vector<hlo::Shape> offered = {});

  Choices& choices() { return choices_; }
  const HloLimits& limits() const { return limits_; }
  hlo::Module& module() { return module_; }
  hlo::Computation& computation() { return computation_; }

  // An instruction with the shape that its operands give it, or `written` where they leave it open;
  // null when an operand is null, the verifier refuses it, or it goes beyond the limits.
  hlo::Instruction* Add(hlo::Opcode opcode, std::vector<hlo::Instruction*> operands,
                        hlo::Attributes attributes = {}, hlo::Shape written = {},
                        std::vector<hlo::Computation*> called = {},
                        std::vector<std::string> called_as = {"to_apply"});
  // Takes over the instruction that the computation got last, made by somebody else.
  hlo::Instruction* Adopt();
  hlo::Instruction* Parameter(hlo::Shape shape);
  hlo::Instruction* Constant(hlo::Literal literal);

  // Arrays that are there already, or new parameters and constants.
  hlo::Instruction* Array(unsigned classes);  // null when no allowed type is of these classes
  hlo::Instruction* ArrayWhere(llvm::function_ref<bool(const hlo::Shape&)> fits,
                               llvm::function_ref<hlo::Shape()> otherwise);
  hlo::Instruction* ArrayOf(hlo::PrimitiveType type, const Sizes& sizes);
  hlo::Instruction* Scalar(hlo::PrimitiveType type) { return ArrayOf(type, {}); }

  // kInvalid when no allowed type is of these classes.
  hlo::PrimitiveType Type(unsigned classes);
  // A size in [0, limit]; 0 about once in 30 times.
  int64_t Size(int64_t limit);
  // Sizes of a rank with at most `budget` elements.
  Sizes SizesOf(int64_t rank, int64_t budget);
  Sizes AnySizes();
  Sizes Permutation(int64_t n);
  Sizes Subset(int64_t n);                 // increasing, of 0 .. n-1
  hlo::Shape AnyLayout(hlo::Shape shape);  // the shape, with another order now and then
  // A number in [0, limit] that is small, or `limit` itself, or close to it.
  int64_t UpTo(int64_t limit);

  // The named scalar computation "(a, b) -> op(a, b)" of the module; made when it isn't there.
  hlo::Computation* Combiner(hlo::Opcode opcode, hlo::PrimitiveType type);
  hlo::Computation* NewComputation(const std::string& stem);

  // One more op of the allowed ones; null when the choice came to nothing.
  hlo::Instruction* Grow();
  // Chooses the root: what nobody uses, several of them as a tuple.
  void Finish();

  llvm::ArrayRef<hlo::Instruction*> arrays() const { return arrays_; }

 private:
  hlo::Literal AnyLiteral(const hlo::Shape& shape);
  bool TooLarge(const hlo::Shape& shape, int64_t work) const;
  // Operations that an element of the result costs when nothing is kept.
  int64_t WorkOf(const hlo::Instruction& instruction) const;

  Choices& choices_;
  const HloLimits& limits_;
  hlo::Module& module_;
  hlo::Computation& computation_;
  std::vector<hlo::Shape> offered_;
  std::vector<hlo::Instruction*> arrays_;
  std::vector<int64_t> work_;  // for an element, by position in the computation
};

// How an op is built; the opcode is one of the family's.
using MakeOp = hlo::Instruction* (*)(HloBody&, hlo::Opcode);
struct GraphOp {
  hlo::Opcode opcode;
  MakeOp make;
  bool affirmed = true;  // `check` has maps, meanings and kernels for it
};
llvm::ArrayRef<GraphOp> ElementwiseGraphOps();
llvm::ArrayRef<GraphOp> MovementGraphOps();
llvm::ArrayRef<GraphOp> ReductionGraphOps();
llvm::ArrayRef<GraphOp> ContractionGraphOps();
llvm::ArrayRef<GraphOp> IndexedGraphOps();
llvm::ArrayRef<GraphOp> ControlGraphOps();
llvm::ArrayRef<GraphOp> SingleGraphOps();  // by the generators of single instructions

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_HLO_BODY_H_
