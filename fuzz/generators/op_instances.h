// Random instances of single operations: every opcode, every attribute.
#ifndef AFFIRM_FUZZ_GENERATORS_OP_INSTANCES_H_
#define AFFIRM_FUZZ_GENERATORS_OP_INSTANCES_H_

#include <memory>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/generators/choices.h"
#include "fuzz/generators/op_builder.h"

namespace affirm::fuzz {

// The opcodes that have a generator.
std::vector<hlo::Opcode> GeneratedOpcodes();

// Adds an instruction of the opcode, its operands and the computations that it calls. Null for an
// opcode without a generator.
hlo::Instruction* GenerateOp(OpBuilder& builder, hlo::Opcode opcode);

// A module that the verifier accepts and whose entry root is an instruction of the opcode, on
// parameters, constants and, where an op takes nothing else (get-tuple-element, the done halves),
// what makes its operand. Attributes: of both signs where they may be, neutral and not; start
// indices inside and outside; layouts; zero sizes. Null for an opcode without a generator.
std::unique_ptr<hlo::Module> GenerateOpInstance(Choices& choices, hlo::Opcode opcode,
                                                const OpLimits& limits = {});

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_OP_INSTANCES_H_
