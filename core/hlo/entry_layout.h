// The header's entry_computation_layout: the shapes, with their layouts, of what a caller passes to
// the entry and gets from it.
//
//   entry_computation_layout={(f32[2,3]{0,1}, f32[])->f32[2,3]{1,0}}
#ifndef AFFIRM_CORE_HLO_ENTRY_LAYOUT_H_
#define AFFIRM_CORE_HLO_ENTRY_LAYOUT_H_

#include <optional>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

struct EntryLayout {
  Shape operands;  // as a tuple
  Shape result;
};

// Reads the attribute's text; nullopt for other text.
std::optional<EntryLayout> ParseEntryLayout(llvm::StringRef text);
// Reads it from the header of a module; nullopt where the header has none.
std::optional<EntryLayout> EntryLayoutOf(const Module& module);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_ENTRY_LAYOUT_H_
