// The type of a value of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_TYPE_H_
#define AFFIRM_CORE_STABLEHLO_TYPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/shape.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo::stablehlo {

// tensor<2x3xf32>, its element type by its name in HLO; "index" where an attribute has that.
struct Type {
  std::string element = {};
  std::vector<int64_t> sizes = {};
  std::string layout = {};  // "{0,1}" where a call of a library wants another than the usual one

  std::string Text() const;    // f32[2,3]
  std::string Source() const;  // tensor<2x3xf32>
  PrimitiveType Primitive() const { return PrimitiveTypeFromName(element); }
  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  // Layouts are not compared.
  friend bool operator==(const Type& a, const Type& b) {
    return a.element == b.element && a.sizes == b.sizes;
  }
};

// The name of an element type in HLO, "s32" of "i32"; empty for a text that is none of MLIR's.
llvm::StringRef ElementInHlo(llvm::StringRef mlir);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_TYPE_H_
