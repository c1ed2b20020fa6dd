// Modules of one elementwise operation on single elements: each operation, at each type that it
// exists at, with each attribute that says what it computes.
#ifndef AFFIRM_TESTS_COMPARE_SINGLE_OPERATIONS_H_
#define AFFIRM_TESTS_COMPARE_SINGLE_OPERATIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::compare {

std::vector<hlo::Opcode> ElementwiseOpcodes();
// "pred", "s2", ..., "c128".
llvm::ArrayRef<const char*> TypesOfElements();

// The floats of at most eight bits.
std::vector<hlo::PrimitiveType> SmallFloats();

// Operands are parameters of the type, all of rank 0. Empty where the operation does not exist at
// the type.
//
//   ModulesOf(Opcode::kConvert, "f32")   // to each type
std::vector<std::unique_ptr<hlo::Module>> ModulesOf(hlo::Opcode opcode, const std::string& type);

}  // namespace affirm::compare

#endif  // AFFIRM_TESTS_COMPARE_SINGLE_OPERATIONS_H_
