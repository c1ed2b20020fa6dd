// Element types, shapes and layouts (XLA's shapes document; HLO text).
#ifndef AFFIRM_CORE_HLO_SHAPE_H_
#define AFFIRM_CORE_HLO_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

enum class PrimitiveType : uint8_t {
  kInvalid,
  kPred,
  kS1,
  kS2,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU1,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kF8E5M2,
  kF8E4M3,
  kF8E4M3FN,
  kF8E4M3B11FNUZ,
  kF8E5M2FNUZ,
  kF8E4M3FNUZ,
  kF8E3M4,
  kF8E8M0FNU,
  kF4E2M1FN,
  kC64,
  kC128,
  kToken,
  kOpaque,
  kTuple,
};

// The HLO spelling ("f32"); kInvalid for an unknown name.
llvm::StringRef Name(PrimitiveType type);
PrimitiveType PrimitiveTypeFromName(llvm::StringRef name);
// Width of a value in bits (complex: both parts); 0 for token, opaque, tuple.
int BitWidth(PrimitiveType type);
// Bytes an element takes in a Literal and in a kernel's buffers: pred and everything narrower than
// a byte take one byte each.
int ByteWidth(PrimitiveType type);
bool IsArray(PrimitiveType type);  // not token, opaque, tuple, invalid
bool IsFloat(PrimitiveType type);
bool IsComplex(PrimitiveType type);
bool IsSignedInt(PrimitiveType type);
bool IsUnsignedInt(PrimitiveType type);  // without pred
inline bool IsInt(PrimitiveType t) { return IsSignedInt(t) || IsUnsignedInt(t); }
// The type of the parts of a complex type: f32 of c64, f64 of c128. Other types have one part,
// themselves.
PrimitiveType PartType(PrimitiveType type);

// The size that stands for `?`, a dimension without a bound ("f32[?]"). Such a shape has no element
// count; its `dynamic` flag is set.
inline constexpr int64_t kUnboundedSize = -1;

struct Layout {
  std::vector<int64_t> minor_to_major;
  // Everything behind the order, as written: tiles, memory space, element size ("T(8,128)S(5)").
  std::string annotations;
  friend bool operator==(const Layout&, const Layout&) = default;
};

struct Shape {
  PrimitiveType type = PrimitiveType::kInvalid;
  std::vector<int64_t> dims;     // sizes; the bound for a dynamic dimension
  std::vector<bool> dynamic;     // empty, or one flag a dimension
  std::optional<Layout> layout;  // absent: the default, minor_to_major = rank-1, ..., 0
  // The elements when type is kTuple. A buffer, "b(f32[4])", is kOpaque with its one element here.
  std::vector<Shape> tuple;

  static Shape Array(PrimitiveType type, std::vector<int64_t> dims);
  static Shape Tuple(std::vector<Shape> elements);

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  bool IsTuple() const { return type == PrimitiveType::kTuple; }
  bool IsArray() const { return hlo::IsArray(type); }
  bool IsScalar() const { return IsArray() && dims.empty(); }
  bool IsBuffer() const { return type == PrimitiveType::kOpaque && !tuple.empty(); }
  bool IsDynamic(int64_t dim) const {
    return dim < static_cast<int64_t>(dynamic.size()) && dynamic[dim];
  }
  // True when a size, here or in a tuple element, is kUnboundedSize.
  bool HasUnboundedSize() const;
  // Number of elements of an array; the HLO verifier guarantees that it fits int64. 0 where a size
  // has no bound, and where the product leaves int64 (possible only in a shape that was never
  // verified).
  int64_t NumElements() const;
  // minor_to_major with the default filled in.
  std::vector<int64_t> MinorToMajor() const;
  // Same type and sizes; layouts (and dynamic flags) are not compared.
  bool SameIgnoringLayout(const Shape& o) const;
  friend bool operator==(const Shape&, const Shape&) = default;
  // HLO text: "f32[2,3]{1,0}", "(f32[], s32[4])". Layouts print only when they were given.
  std::string ToString(bool with_layout = true) const;
};

// Bytes of a dense array of this shape, counting a size of 0 as 1, so that every stride of every
// layout is bounded by it too; nullopt when that leaves int64. Tuples, tokens: 0.
std::optional<int64_t> CheckedByteSize(const Shape& shape);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_SHAPE_H_
