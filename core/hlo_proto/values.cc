// Shapes as text, and literals by their bits.
#include "core/hlo_proto/values.h"

#include <cstring>
#include <limits>
#include <optional>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/scanner.h"
#include "core/hlo/shape_text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo_proto {
namespace {

using hlo::PrimitiveType;

// Indexed by XLA's numbers of types.
constexpr PrimitiveType kTypes[] = {
    PrimitiveType::kInvalid,    PrimitiveType::kPred,       PrimitiveType::kS8,
    PrimitiveType::kS16,        PrimitiveType::kS32,        PrimitiveType::kS64,
    PrimitiveType::kU8,         PrimitiveType::kU16,        PrimitiveType::kU32,
    PrimitiveType::kU64,        PrimitiveType::kF16,        PrimitiveType::kF32,
    PrimitiveType::kF64,        PrimitiveType::kTuple,      PrimitiveType::kOpaque,
    PrimitiveType::kC64,        PrimitiveType::kBF16,       PrimitiveType::kToken,
    PrimitiveType::kC128,       PrimitiveType::kF8E5M2,     PrimitiveType::kF8E4M3FN,
    PrimitiveType::kS4,         PrimitiveType::kU4,         PrimitiveType::kF8E4M3B11FNUZ,
    PrimitiveType::kF8E5M2FNUZ, PrimitiveType::kF8E4M3FNUZ, PrimitiveType::kS2,
    PrimitiveType::kU2,         PrimitiveType::kF8E4M3,     PrimitiveType::kF8E3M4,
    PrimitiveType::kS1,         PrimitiveType::kU1,         PrimitiveType::kF4E2M1FN,
    PrimitiveType::kF8E8M0FNU,
};
constexpr int32_t kBuffer = 34;

PrimitiveType TypeOf(const Shape& shape) {
  const int32_t number = shape.element_type();
  const bool known = number >= 0 && number < static_cast<int32_t>(std::size(kTypes));
  return known ? kTypes[number] : PrimitiveType::kInvalid;
}

// The annotations behind the order of dimensions: "T(8,128)E(4)S(5)".
llvm::Expected<std::string> AnnotationsOf(const Layout& layout) {
  const bool sparse =
      llvm::any_of(layout.dim_level_types(), [](int32_t type) { return type != 0; }) ||
      llvm::is_contained(layout.dim_unique(), false) ||
      llvm::is_contained(layout.dim_ordered(), false) || layout.index_primitive_type() != 0 ||
      layout.pointer_primitive_type() != 0;
  if (sparse) return MakeError("expected the layout of a dense array, found a sparse one");
  if (layout.dynamic_shape_metadata_prefix_bytes() != 0) {
    return MakeError("expected a layout without metadata of dynamic sizes, found " +
                     llvm::Twine(layout.dynamic_shape_metadata_prefix_bytes()) + " bytes of it");
  }
  std::string text;
  for (const Tile& tile : layout.tiles()) {
    text += text.empty() ? "T(" : "(";
    llvm::ListSeparator separator(",");
    for (const int64_t size : tile.dimensions()) {
      // The least number stands for all dimensions together.
      const bool combined = size == std::numeric_limits<int64_t>::min();
      text += llvm::StringRef(separator).str() + (combined ? "*" : std::to_string(size));
    }
    text += ")";
  }
  auto add = [&](llvm::StringRef key, int64_t value, int64_t none) {
    if (value != 0 && value != none) text += (key + "(" + llvm::Twine(value) + ")").str();
  };
  add("L", layout.tail_padding_alignment_in_elements(), 1);
  add("E", layout.element_size_in_bits(), 0);
  add("S", layout.memory_space(), 0);
  for (const auto& [i, split] : llvm::enumerate(layout.split_configs())) {
    text += (llvm::Twine(i == 0 ? "SC" : "") + "(" + llvm::Twine(split.dimension()) + ":").str();
    llvm::ListSeparator separator(",");
    for (const int64_t at : split.split_indices())
      text += llvm::StringRef(separator).str() + std::to_string(at);
    text += ")";
  }
  return text;
}

llvm::Expected<std::string> LayoutText(const Shape& shape) {
  if (!shape.has_layout()) return std::string();
  auto annotations = AnnotationsOf(shape.layout());
  if (!annotations) return annotations;
  const auto& order = shape.layout().minor_to_major();
  if (order.size() != shape.dimensions_size()) {
    return MakeError("expected a layout that names each of the " +
                     llvm::Twine(shape.dimensions_size()) + " dimensions once, found " +
                     llvm::Twine(order.size()) + " of them");
  }
  if (order.empty() && annotations->empty()) return std::string();
  std::string text = "{";
  llvm::ListSeparator separator(",");
  for (const int64_t dim : order) text += llvm::StringRef(separator).str() + std::to_string(dim);
  return text + (annotations->empty() ? "" : ":" + *annotations) + "}";
}

llvm::Expected<std::string> TupleText(const Shape& shape) {
  std::string text = shape.element_type() == kBuffer ? "b(" : "(";
  if (shape.element_type() == kBuffer && shape.tuple_shapes_size() != 1)
    return MakeError("expected a buffer of one shape");
  for (const auto& [i, element] : llvm::enumerate(shape.tuple_shapes())) {
    auto inner = ShapeText(element);
    if (!inner) return inner;
    text += (i > 0 ? ", " : "") + *inner;
  }
  return text + ")";
}

}  // namespace

llvm::Expected<std::string> ShapeText(const Shape& shape) {
  const PrimitiveType type = TypeOf(shape);
  const bool is_tuple = type == PrimitiveType::kTuple || shape.element_type() == kBuffer;
  if (type == PrimitiveType::kInvalid && !is_tuple)
    return MakeError("expected a known element type, found number " +
                     llvm::Twine(shape.element_type()));
  const int64_t rank = shape.dimensions_size();
  if (!hlo::IsArray(type) && (rank > 0 || shape.is_dynamic_dimension_size() > 0))
    return MakeError("expected sizes of arrays alone, found a tuple, token or opaque with them");
  if (type == PrimitiveType::kTuple && shape.has_layout())
    return MakeError("expected no layout of a tuple");
  if (is_tuple) return TupleText(shape);
  if (shape.tuple_shapes_size() > 0)
    return MakeError("expected elements of tuples alone, found them in an array");
  if (shape.is_dynamic_dimension_size() != 0 && shape.is_dynamic_dimension_size() != rank)
    return MakeError("expected is_dynamic_dimension to be empty or to have " + llvm::Twine(rank) +
                     " values, found " + llvm::Twine(shape.is_dynamic_dimension_size()));
  std::string text = (hlo::Name(type) + "[").str();
  for (int64_t d = 0; d < rank; ++d) {
    const bool dynamic = shape.is_dynamic_dimension_size() > 0 && shape.is_dynamic_dimension(d);
    const int64_t size = shape.dimensions(d);
    const bool unbounded = dynamic && size == std::numeric_limits<int64_t>::min();
    if (size < 0 && !unbounded)
      return MakeError("expected a size of at least 0, found " + llvm::Twine(size));
    text += (d > 0 ? "," : "");
    text += unbounded ? "?" : (dynamic ? "<=" : "") + std::to_string(size);
  }
  auto layout = LayoutText(shape);
  if (!layout) return layout;
  return text + "]" + *layout;
}

bool SameSizes(const Shape& a, const Shape& b) {
  return a.element_type() == b.element_type() && llvm::equal(a.dimensions(), b.dimensions()) &&
         llvm::equal(a.tuple_shapes(), b.tuple_shapes(), SameSizes);
}

namespace {

using Bytes = std::vector<uint8_t>;

template <typename Numbers>
Bytes BytesOf(const Numbers& numbers) {
  using Number = typename Numbers::value_type;
  Bytes bytes(numbers.size() * sizeof(Number));
  // Bits are copied: a conversion might quiet a NaN.
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}
Bytes BytesOf(const std::string& text) { return {text.begin(), text.end()}; }

// The field of the elements of this type.
std::optional<Bytes> ElementsOf(const Literal& proto, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
      return Bytes(proto.preds().begin(), proto.preds().end());  // preds
    case PrimitiveType::kS32:
      return BytesOf(proto.s32s());
    case PrimitiveType::kS64:
      return BytesOf(proto.s64s());
    case PrimitiveType::kU32:
      return BytesOf(proto.u32s());
    case PrimitiveType::kU64:
      return BytesOf(proto.u64s());
    case PrimitiveType::kF32:
      return BytesOf(proto.f32s());
    case PrimitiveType::kF64:
      return BytesOf(proto.f64s());
    case PrimitiveType::kC64:
      return BytesOf(proto.c64s());
    case PrimitiveType::kC128:
      return BytesOf(proto.c128s());
    default: {
      // The other fields are named after the type, in bytes: "bf16s".
      const auto* field = proto.GetDescriptor()->FindFieldByName((hlo::Name(type) + "s").str());
      if (field == nullptr || field->is_repeated()) return std::nullopt;
      return BytesOf(proto.GetReflection()->GetString(proto, field));
    }
  }
}

// Integers and floats of fewer than 8 bits stand in the low bits of a byte. XLA leaves the high
// ones 0; older ones repeat the sign.
bool NormalizeNarrow(PrimitiveType type, Bytes& bytes) {
  const int bits = hlo::BitWidth(type);
  if (bits >= 8 || type == PrimitiveType::kPred) return true;
  const auto mask = static_cast<uint8_t>((1 << bits) - 1);
  for (uint8_t& byte : bytes) {
    const bool negative = (byte >> (bits - 1) & 1) != 0 && hlo::IsSignedInt(type);
    const auto high = static_cast<uint8_t>(byte & ~mask);
    if (high != 0 && !(negative && high == static_cast<uint8_t>(~mask))) return false;
    byte = static_cast<uint8_t>((byte & mask) | (negative ? ~mask : 0));
  }
  return true;
}

// Row-major elements from those in the order of the layout.
void Relayout(const Bytes& from, const hlo::Shape& shape, uint8_t* to) {
  const size_t width = hlo::ByteWidth(shape.type), count = from.size() / width;
  const std::vector<int64_t> minor_to_major = shape.MinorToMajor();
  llvm::SmallVector<int64_t> index(shape.dims.size(), 0), strides(shape.dims.size(), 1);
  for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * shape.dims[d];
  int64_t place = 0;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(to + place * width, from.data() + i * width, width);
    for (const int64_t d : minor_to_major) {
      place += strides[d];
      if (++index[d] < shape.dims[d]) break;
      place -= strides[d] * shape.dims[d];
      index[d] = 0;
    }
  }
}

// The shape that the proto states is the one expected, up to tiles and memory spaces.
bool SameLiteralShape(const hlo::Shape& a, const hlo::Shape& b) {
  return a.type == b.type && a.dims == b.dims && a.dynamic.empty() && b.dynamic.empty() &&
         a.MinorToMajor() == b.MinorToMajor() && llvm::equal(a.tuple, b.tuple, SameLiteralShape);
}

bool LacksLayout(const Shape& shape) {
  return (shape.dimensions_size() > 1 && !shape.has_layout()) ||
         llvm::any_of(shape.tuple_shapes(), LacksLayout);
}

llvm::Error CheckShape(const Literal& proto, const hlo::Shape& expected) {
  auto text = ShapeText(proto.shape());
  if (!text) return text.takeError();
  hlo::Scanner scanner(*text, "", 0, text->size());
  auto shape = hlo::ParseShape(scanner);
  if (!shape) return shape.takeError();
  if (LacksLayout(proto.shape())) return MakeError("expected a literal with a layout");
  if (hlo::HasDynamicSize(expected)) return MakeError("expected a literal without dynamic sizes");
  if (SameLiteralShape(*shape, expected)) return llvm::Error::success();
  return MakeError("expected a literal of shape " + expected.ToString() + ", found one of " +
                   *text);
}

// The proto has its shape and elements of the one type alone. XLA passes over others.
llvm::Error CheckFields(const Literal& proto, llvm::StringRef elements) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  proto.GetReflection()->ListFields(proto, &fields);
  for (const auto* field : fields) {
    if (field->name() != "shape" && field->name() != elements)
      return MakeError("expected no field but " + elements + " in a literal, found " +
                       field->name());
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<hlo::Literal> LiteralOf(const Literal& proto, const hlo::Shape& shape) {
  if (llvm::Error error = CheckShape(proto, shape)) return error;
  if (shape.IsTuple()) {
    if (llvm::Error error = CheckFields(proto, "tuple_literals")) return error;
    if (proto.tuple_literals_size() != static_cast<int>(shape.tuple.size()))
      return MakeError("expected " + llvm::Twine(shape.tuple.size()) +
                       " literals in a tuple, found " + llvm::Twine(proto.tuple_literals_size()));
    std::vector<hlo::Literal> elements;
    for (const auto& [element, of] : llvm::zip_equal(proto.tuple_literals(), shape.tuple)) {
      auto literal = LiteralOf(element, of);
      if (!literal) return literal;
      elements.push_back(std::move(*literal));
    }
    return hlo::Literal::MakeTuple(std::move(elements));
  }
  std::optional<Bytes> bytes = ElementsOf(proto, shape.type);
  if (!bytes) return MakeError("expected a literal of arrays, found one of " + shape.ToString());
  if (llvm::Error error = CheckFields(proto, (hlo::Name(shape.type) + "s").str())) return error;
  const int64_t expected = shape.NumElements() * hlo::ByteWidth(shape.type);
  if (static_cast<int64_t>(bytes->size()) != expected)
    return MakeError("expected " + llvm::Twine(expected) + " bytes for " + shape.ToString() +
                     ", found " + llvm::Twine(bytes->size()));
  if (!NormalizeNarrow(shape.type, *bytes))
    return MakeError("expected elements that " + hlo::Name(shape.type) + " holds");
  hlo::Literal literal(shape);
  Relayout(*bytes, shape, literal.data());
  return literal;
}

}  // namespace affirm::hlo_proto
