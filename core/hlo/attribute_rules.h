// Which attributes instructions, computations and modules have, and what those that are kept as
// text may say.
//
// An attribute may change what an instruction means, so the reader passes over none. It refuses
// what is not listed here, and what stands at an op that has no such attribute:
//   add(a, b), dimensions={0}          an attribute of other ops
//   transpose(a), changes_meaning=true an attribute of none
#ifndef AFFIRM_CORE_HLO_ATTRIBUTE_RULES_H_
#define AFFIRM_CORE_HLO_ATTRIBUTE_RULES_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

// Whether the instruction may have the attribute. An instruction of unknown opcode may have
// any, as its semantics are unknown anyway.
bool HasAttribute(const Instruction& instruction, llvm::StringRef key);
// Whether it is one of the op's own, which not every op has.
bool OpHasAttribute(Opcode opcode, llvm::StringRef key);
bool ComputationHasAttribute(llvm::StringRef key);
bool ModuleHasAttribute(llvm::StringRef key);

// The first attribute without which the op means nothing and XLA's reader refuses it, however empty
// its value is, that is not among the given ones: "index" of a get-tuple-element that has none.
// Empty where all are there. A broadcast of a scalar and an iota of one
// need none.
llvm::StringRef MissingAttribute(const Instruction& instruction,
                                 llvm::function_ref<bool(llvm::StringRef)> is_given);
// Whether the op needs the attribute.
bool NeedsAttribute(Opcode opcode, llvm::StringRef key);

// All that some op has of its own, with repetitions; attribute_roles.h says what they decide.
std::vector<llvm::StringRef> AttributesOfOps();

// The expected form of the attribute's text ("true or false"); empty if the text has it. For
// attributes that are kept as text (Attributes::extra, Module::extra_attributes).
llvm::StringRef ExpectedText(llvm::StringRef key, llvm::StringRef text);

// The attribute on which the instruction's values depend in a way that is not modeled, as text:
// "algorithm=dot_tf32_tf32_f32". Empty where there is none. Which elements are read does not depend
// on it.
std::string UnmodeledAttribute(const Instruction& instruction);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_ATTRIBUTE_RULES_H_
