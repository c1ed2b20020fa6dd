// How many bits `index` has, as a module's data layout (DLTI) declares it.
//
//   #dlti.dl_spec<index = 32 : i32>                        32 bits
//   #dlti.dl_spec<"affirm_index.least" = 16 : i32,
//                 "affirm_index.most" = 64 : i32>          16 to 64 bits
//   #dlti.dl_spec<"affirm_index.least" = 32 : i32>         32 bits or more
//   no entry of these                                      any number of bits, so not 64
//
// The same three numbers are options of affirm-declare-index-width, with the same rule: each is 1
// to kMaxIndexBits, least is at most most, and a width lies between them and decides.
#ifndef AFFIRM_EMIT_TRANSFORMS_INDEX_LAYOUT_H_
#define AFFIRM_EMIT_TRANSFORMS_INDEX_LAYOUT_H_

#include <optional>

#include "llvm/Support/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace affirm::emit {

// Keys of data layout entries: bounds of the bits of index.
inline constexpr llvm::StringLiteral kLeastIndexBits = "affirm_index.least";
inline constexpr llvm::StringLiteral kMostIndexBits = "affirm_index.most";

// The most bits of an integer type in MLIR. A module that uses index as an integer of infinite
// precision declares this many.
inline constexpr unsigned kMaxIndexBits = mlir::IntegerType::kMaxWidth;

// The bits that `index` may have; what is proved holds at each width from least to most.
struct IndexWidthBounds {
  unsigned least = 1, most = kMaxIndexBits;
  friend bool operator==(const IndexWidthBounds&, const IndexWidthBounds&) = default;
};

// The parts of the width's statement, in any form; absent if there is none.
struct IndexWidthParts {
  std::optional<int64_t> width = std::nullopt, least = std::nullopt, most = std::nullopt;
};

// The bounds that the parts give together; nullopt if all are absent. An error names the part
// that is wrong: {width 32, least 64} is "width 32 is less than least 64".
llvm::Expected<std::optional<IndexWidthBounds>> IndexWidthOf(const IndexWidthParts& parts);

// The width (or bounds) that the module declares; nullopt when it declares none. Fails with an
// error at the module when what it declares breaks the rule above.
llvm::FailureOr<std::optional<IndexWidthBounds>> DeclaredIndexWidth(mlir::ModuleOp module);

// Declares the width in the module's data layout, in the place of what is declared there.
void SetDeclaredIndexWidth(mlir::ModuleOp module, IndexWidthBounds width);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_INDEX_LAYOUT_H_
