// The generators of instructions, one function for each op or family. Internal to the generators of
// instances and of graphs.
#ifndef AFFIRM_FUZZ_GENERATORS_OPS_FAMILIES_H_
#define AFFIRM_FUZZ_GENERATORS_OPS_FAMILIES_H_

#include <string>
#include <vector>

#include "fuzz/generators/op_builder.h"

namespace affirm::fuzz {

// Names that the generators use in every line.
using hlo::Attributes;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// Adds an instruction of the opcode with everything that it needs; returns the instruction.
using OpGenerator = Instruction* (*)(OpBuilder&, Opcode);

// Whether an op stands in random graphs.
enum class InGraphs : uint8_t {
  kAffirmed,   // yes, and `check` has maps, semantics and kernels for it
  kGenerated,  // yes, but `check` answers UNKNOWN for it
  kNever,      // no: half of a pair, for a host, or without one value that everybody computes
};

// One op of a family, and how it is made.
struct OpEntry {
  Opcode opcode;
  OpGenerator generate;
  InGraphs in_graphs = InGraphs::kAffirmed;
  // How often among its group in random graphs: an op whose value turns on the edges of its type,
  // such as a divisor of zero, needs more tries than another.
  int weight = 1;
};

// The families, by the names that the files of every layer have.
llvm::ArrayRef<OpEntry> ElementwiseFamily();
llvm::ArrayRef<OpEntry> MovementFamily();
llvm::ArrayRef<OpEntry> SlicingFamily();
llvm::ArrayRef<OpEntry> GatherScatterFamily();
llvm::ArrayRef<OpEntry> ReductionFamily();
llvm::ArrayRef<OpEntry> SortingFamily();
llvm::ArrayRef<OpEntry> WindowFamily();
llvm::ArrayRef<OpEntry> ContractionFamily();
llvm::ArrayRef<OpEntry> LinalgFamily();
llvm::ArrayRef<OpEntry> ControlFamily();
llvm::ArrayRef<OpEntry> CollectiveFamily();
llvm::ArrayRef<OpEntry> NormalizationFamily();
llvm::ArrayRef<OpEntry> NullaryFamily();
llvm::ArrayRef<OpEntry> RandomFamily();

// An array of any element type and any sizes.
Shape AnyArray(OpBuilder& b, TypeClass types = TypeClass::kAny);

// The operands of a reduction: arrays of one size, then what each starts from; and the computation
// that combines two elements.
struct Combining {
  std::vector<Instruction*> operands;
  Computation* combiner = nullptr;
};
// One to three arrays.
Combining AnyCombining(OpBuilder& b);

// A reduction of the array along the dims.
hlo::Instruction* ReduceAlong(OpBuilder& b, hlo::Instruction* array, Sizes dims);

// A computation that compares the first two of its parameters, which are two for each of the types;
// `is_total`: in the total order of floats.
Computation* Comparator(OpBuilder& b, llvm::ArrayRef<PrimitiveType> types, const char* direction,
                        bool is_total = false);

// Attributes with `dimensions` alone.
Attributes WithDimensions(Sizes dimensions);

// "{1,0}"
std::string Braced(llvm::ArrayRef<int64_t> numbers);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_OPS_FAMILIES_H_
