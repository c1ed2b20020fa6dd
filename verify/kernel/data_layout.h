// The data layout of a module whose text gives none: that of its triple, as LLVM's tools have it
// (LLVM LangRef, "Data Layout"). By itself LLVM's reader takes a default one, in which i64 is
// aligned to 4.
#ifndef AFFIRM_VERIFY_KERNEL_DATA_LAYOUT_H_
#define AFFIRM_VERIFY_KERNEL_DATA_LAYOUT_H_

#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

namespace affirm::kernel {

// For llvm::parseAssembly: nullopt keeps what the text says. A triple that LLVM does not know has
// no layout of its own.
inline std::optional<std::string> LayoutOfModule(llvm::StringRef triple, llvm::StringRef layout) {
  if (!layout.empty() || triple.empty()) return std::nullopt;
  std::string of_triple = llvm::Triple(triple).computeDataLayout();
  if (of_triple.empty()) return std::nullopt;
  return of_triple;
}

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_DATA_LAYOUT_H_
