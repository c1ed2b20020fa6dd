// HloBody: one computation of a random module while it grows. Internal to the generator.
#ifndef AFFIRM_FUZZ_GENERATORS_HLO_BODY_H_
#define AFFIRM_FUZZ_GENERATORS_HLO_BODY_H_

#include <memory>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/generators/hlo_generator.h"
#include "fuzz/generators/op_builder.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::fuzz {

// The ops are those of the generators of single instructions; their operands are arrays that are
// there already, or new parameters and constants.
class HloBody : public OpBuilder {
 public:
  // Grows `computation`; all outlive the body.
  HloBody(Choices& choices, const HloLimits& limits, hlo::Computation& computation)
      : OpBuilder(choices, limits, computation), limits_(limits) {}

  hlo::Instruction* Operand(const hlo::Shape& shape) override;
  hlo::Instruction* MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types) override;
  using OpBuilder::MainOperand;
  hlo::PrimitiveType AnyType(TypeClass types) override;
  hlo::Opcode AnyOpcode(llvm::ArrayRef<hlo::Opcode> opcodes) override;
  void SetDevices(int64_t replicas, int64_t partitions) override;

  // One more op, or the given number of them, as far as the choices come to something: what the
  // verifier refuses or goes beyond the limits is taken back.
  bool Grow();
  void GrowBy(int64_t ops);
  // A fusion: its computation, the operands, and the arrays of its result.
  void AddFusion();
  // Chooses the root: the unused values, several of them as a tuple; without tuples the one that
  // most instructions lead to.
  void Finish();

 private:
  // The body of a computation that `caller` calls; its parameters may have shapes of the caller's
  // arrays.
  HloBody(HloBody& caller, hlo::Computation& computation);
  void Added(hlo::Instruction& instruction, bool is_valid) override;
  std::unique_ptr<OpBuilder> Inside(hlo::Computation& computation) override;

  hlo::Instruction* ArrayWhere(llvm::function_ref<bool(const hlo::Shape&)> fits,
                               llvm::function_ref<hlo::Shape()> otherwise);
  // An array of that shape whose elements are those of another one, at other indices or of another
  // type; null where no op that does so is allowed.
  hlo::Instruction* Moved(const hlo::Shape& shape);
  // Adds a normalization: several reductions of arrays of one shape along the same dims, and all
  // elements of the first array combined with their results.
  void AddNormalization();
  hlo::Literal AnyLiteral(const hlo::Shape& shape);
  // The arrays of a value, for others to use.
  void AddLeaves(hlo::Instruction* value);
  // Adds what `make` adds, or nothing when something of it is refused.
  bool Try(llvm::function_ref<void()> make);
  void Refuse();
  bool TooLarge(const hlo::Shape& shape, int64_t work) const;
  // Operations that an element of the result costs when nothing is kept.
  int64_t WorkOf(const hlo::Instruction& instruction) const;

  const HloLimits& limits_;
  HloBody* caller_ = nullptr;  // refuses what this one refuses
  std::vector<hlo::Shape> offered_;
  std::vector<hlo::Instruction*> arrays_;
  std::vector<int64_t> work_;  // for an element, by position in the computation
  bool refused_ = false;
};

// One of the allowed ops; kUnknown when the generators have none of them.
hlo::Opcode ChooseGraphOp(Choices& choices, llvm::ArrayRef<hlo::Opcode> allowed);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_HLO_BODY_H_
