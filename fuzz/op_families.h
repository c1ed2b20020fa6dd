// The generators of instructions, one function for each op or family. Internal to the generators of
// instances and of graphs.
#ifndef AFFIRM_FUZZ_OP_FAMILIES_H_
#define AFFIRM_FUZZ_OP_FAMILIES_H_

#include "fuzz/op_builder.h"

namespace affirm::fuzz {

// Adds an instruction of the opcode with everything that it needs; returns the instruction.
using OpGenerator = hlo::Instruction* (*)(OpBuilder&, hlo::Opcode);

// Whether an op stands in random graphs.
enum class InGraphs : uint8_t {
  kAffirmed,   // yes, and `check` has maps, meanings and kernels for it
  kGenerated,  // yes
  kNever,      // no: half of a pair, for a host, or without one value that everybody computes
};

struct OpFamily {
  hlo::Opcode opcode;
  OpGenerator generate;
  InGraphs in_graphs = InGraphs::kAffirmed;
};

llvm::ArrayRef<OpFamily> ElementwiseFamilies();
llvm::ArrayRef<OpFamily> MovementFamilies();
llvm::ArrayRef<OpFamily> SliceFamilies();
llvm::ArrayRef<OpFamily> GatherFamilies();
llvm::ArrayRef<OpFamily> ReductionFamilies();
llvm::ArrayRef<OpFamily> ContractionFamilies();
llvm::ArrayRef<OpFamily> ControlFamilies();
llvm::ArrayRef<OpFamily> CollectiveFamilies();
llvm::ArrayRef<OpFamily> SourceFamilies();

// "{1,0}"
std::string Braced(llvm::ArrayRef<int64_t> numbers);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_OP_FAMILIES_H_
