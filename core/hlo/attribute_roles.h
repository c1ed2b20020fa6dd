// The role of each instruction attribute, in one table.
//
//   add(a, b), metadata={...}                        a note: no value depends on it
//   scatter(...), unique_indices=true                a promise: no value where it holds
//   transpose(a), dimensions={1,0}                   a meaning
//   custom-call(a), backend_config="..."             a meaning, since HLO does not define the op
#ifndef AFFIRM_CORE_HLO_ATTRIBUTE_ROLES_H_
#define AFFIRM_CORE_HLO_ATTRIBUTE_ROLES_H_

#include <cstdint>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

enum class AttributeRole : uint8_t {
  kNote,     // no value: instructions that differ in it alone compute the same
  kPromise,  // no value where it holds: without it, the results are open
  kMeaning,  // values, or which values are computed
};
// An attribute that is in no table has an unknown meaning.
AttributeRole RoleOf(const Instruction& instruction, llvm::StringRef key);
// Whether the attribute is in the table.
bool HasRole(llvm::StringRef key);
// Whether any instruction may have it.
bool EveryOpHasAttribute(llvm::StringRef key);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_ATTRIBUTE_ROLES_H_
