// Tables of element types; sizes and text of shapes.
#include "core/hlo/shape.h"

#include <numeric>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::hlo {
namespace {

enum class Kind : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex };

struct TypeInfo {
  llvm::StringLiteral name;
  int bits;
  Kind kind;
};

// Indexed by PrimitiveType.
constexpr TypeInfo kTypes[] = {
    {"invalid", 0, Kind::kNone},     {"pred", 1, Kind::kPred},
    {"s1", 1, Kind::kSigned},        {"s2", 2, Kind::kSigned},
    {"s4", 4, Kind::kSigned},        {"s8", 8, Kind::kSigned},
    {"s16", 16, Kind::kSigned},      {"s32", 32, Kind::kSigned},
    {"s64", 64, Kind::kSigned},      {"u1", 1, Kind::kUnsigned},
    {"u2", 2, Kind::kUnsigned},      {"u4", 4, Kind::kUnsigned},
    {"u8", 8, Kind::kUnsigned},      {"u16", 16, Kind::kUnsigned},
    {"u32", 32, Kind::kUnsigned},    {"u64", 64, Kind::kUnsigned},
    {"f16", 16, Kind::kFloat},       {"bf16", 16, Kind::kFloat},
    {"f32", 32, Kind::kFloat},       {"f64", 64, Kind::kFloat},
    {"f8e5m2", 8, Kind::kFloat},     {"f8e4m3", 8, Kind::kFloat},
    {"f8e4m3fn", 8, Kind::kFloat},   {"f8e4m3b11fnuz", 8, Kind::kFloat},
    {"f8e5m2fnuz", 8, Kind::kFloat}, {"f8e4m3fnuz", 8, Kind::kFloat},
    {"f8e3m4", 8, Kind::kFloat},     {"f8e8m0fnu", 8, Kind::kFloat},
    {"f4e2m1fn", 4, Kind::kFloat},   {"c64", 64, Kind::kComplex},
    {"c128", 128, Kind::kComplex},   {"token", 0, Kind::kNone},
    {"opaque", 0, Kind::kNone},      {"tuple", 0, Kind::kNone},
};
constexpr size_t kNumTypes = std::size(kTypes);
static_assert(kNumTypes == static_cast<size_t>(PrimitiveType::kTuple) + 1);

const TypeInfo& Info(PrimitiveType type) { return kTypes[static_cast<size_t>(type)]; }

void Print(const Shape& shape, bool with_layout, llvm::raw_ostream& os) {
  if (shape.IsTuple() || shape.IsBuffer()) {
    os << (shape.IsTuple() ? "(" : "b(");
    llvm::ListSeparator separator;
    for (const Shape& element : shape.tuple) {
      os << separator;
      Print(element, with_layout, os);
    }
    os << ")";
    return;
  }
  os << Name(shape.type) << "[";
  llvm::ListSeparator separator(",");
  for (int64_t d = 0; d < shape.rank(); ++d) {
    os << separator;
    if (shape.dims[d] == kUnboundedSize) {
      os << "?";
    } else {
      os << (shape.IsDynamic(d) ? "<=" : "") << shape.dims[d];
    }
  }
  os << "]";
  if (!with_layout || !shape.layout) return;
  os << "{";
  llvm::ListSeparator order_separator(",");
  for (int64_t d : shape.layout->minor_to_major) os << order_separator << d;
  // "{:S(5)}", even "{:}", leaves the order to the default, where "{}" would order no dimensions.
  const bool leaves_order = shape.layout->minor_to_major.empty() && shape.rank() > 0;
  if (leaves_order || !shape.layout->annotations.empty()) os << ":" << shape.layout->annotations;
  os << "}";
}

}  // namespace

llvm::StringRef Name(PrimitiveType type) { return Info(type).name; }

PrimitiveType PrimitiveTypeFromName(llvm::StringRef name) {
  for (size_t i = 1; i < kNumTypes; ++i) {
    // "tuple" names no type in HLO text: tuples are written in parentheses.
    if (kTypes[i].name == name && i != static_cast<size_t>(PrimitiveType::kTuple)) {
      return static_cast<PrimitiveType>(i);
    }
  }
  return PrimitiveType::kInvalid;
}

int BitWidth(PrimitiveType type) { return Info(type).bits; }

int ByteWidth(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

bool IsArray(PrimitiveType type) { return Info(type).kind != Kind::kNone; }
bool IsFloat(PrimitiveType type) { return Info(type).kind == Kind::kFloat; }
bool IsComplex(PrimitiveType type) { return Info(type).kind == Kind::kComplex; }
bool IsSignedInt(PrimitiveType type) { return Info(type).kind == Kind::kSigned; }
bool IsUnsignedInt(PrimitiveType type) { return Info(type).kind == Kind::kUnsigned; }

PrimitiveType PartType(PrimitiveType type) {
  if (type == PrimitiveType::kC64) return PrimitiveType::kF32;
  return type == PrimitiveType::kC128 ? PrimitiveType::kF64 : type;
}

Shape Shape::Array(PrimitiveType type, std::vector<int64_t> dims) {
  Shape shape;
  shape.type = type;
  shape.dims = std::move(dims);
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.type = PrimitiveType::kTuple;
  shape.tuple = std::move(elements);
  return shape;
}

bool Shape::HasUnboundedSize() const {
  for (int64_t size : dims) {
    if (size == kUnboundedSize) return true;
  }
  for (const Shape& element : tuple) {
    if (element.HasUnboundedSize()) return true;
  }
  return false;
}

int64_t Shape::NumElements() const {
  int64_t product = 1;
  for (int64_t size : dims) {
    if (size <= 0) return 0;
    if (llvm::MulOverflow(product, size, product)) return 0;
  }
  return product;
}

std::optional<int64_t> CheckedByteSize(const Shape& shape) {
  int64_t product = ByteWidth(shape.type);
  for (int64_t size : shape.dims) {
    if (size > 0 && llvm::MulOverflow(product, size, product)) return std::nullopt;
  }
  return product;
}

std::vector<int64_t> Shape::MinorToMajor() const {
  if (layout && layout->minor_to_major.size() == dims.size()) return layout->minor_to_major;
  std::vector<int64_t> order(dims.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

bool Shape::SameIgnoringLayout(const Shape& o) const {
  if (type != o.type || dims != o.dims || tuple.size() != o.tuple.size()) return false;
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (!tuple[i].SameIgnoringLayout(o.tuple[i])) return false;
  }
  return true;
}

std::string Shape::ToString(bool with_layout) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  Print(*this, with_layout, os);
  return text;
}

}  // namespace affirm::hlo
