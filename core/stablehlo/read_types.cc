// Reads the types and constants of StableHLO.
#include "core/stablehlo/read_types.h"

#include <algorithm>

#include "core/hlo/float_format.h"
#include "core/hlo/shape.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::hlo::stablehlo {

namespace {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

constexpr uint64_t kMostElements = uint64_t{1} << 40;  // more than a text can have

// "i32" as "s32", "f8E4M3FN" as "f8e4m3fn"; empty for what HLO does not have.
std::string ElementType(StringRef text) {
  std::string name = text.lower();
  if (name == "i1") return "pred";
  if (name == "complex<f32>") return "c64";
  if (name == "complex<f64>") return "c128";
  if (StringRef(name).starts_with("ui")) {
    name = name.substr(1).replace(0, 1, "u");
  } else if (StringRef(name).starts_with("i")) {
    name[0] = 's';
  }
  return IsArray(PrimitiveTypeFromName(name)) ? name : std::string();
}

// The elements of a literal, each as HLO writes it.
class Elements {
 public:
  Elements(StringRef text, const Type& type)
      : rest_(text.trim()), type_(PrimitiveTypeFromName(type.element)), count_(1) {
    for (int64_t size : type.sizes)
      count_ = size == 0 ? 0
                         : std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(count_, size),
                                              kMostElements);
    sizes_ = type.sizes;
  }

  Expected<Literal> Read() {
    if (rest_.empty() || count_ == 0)
      return Literal{IsFloat(type_) || IsInt(type_) ? "0" : "false", true};
    if (rest_.starts_with("\"")) return OfBytes();
    const bool is_splat = !rest_.starts_with("[");
    if (Error error = Nested()) return error;
    if (!rest_.trim().empty())
      return MakeError("expected the end of the constant before '" + rest_.take_front(20) + "'");
    return Literal{std::move(out_), is_splat};
  }

 private:
  // "0x0000803F": the bytes of all elements, or of one for all.
  Expected<Literal> OfBytes() {
    StringRef digits = rest_.trim('"');
    std::string bytes;
    if (!digits.consume_front("0x") || !llvm::tryGetFromHex(digits, bytes))
      return MakeError("expected bytes in hexadecimal digits");
    const bool packed = type_ == PrimitiveType::kPred;
    const size_t width = static_cast<size_t>(ByteWidth(type_));
    const bool is_splat = bytes.size() == (packed ? 1 : width) && count_ > (packed ? 8 : 1);
    const size_t wanted = packed ? static_cast<size_t>(count_ + 7) / 8 : width * count_;
    if (!is_splat && bytes.size() != wanted)
      return MakeError("expected " + llvm::Twine(wanted) + " bytes, found " +
                       llvm::Twine(bytes.size()));
    if (is_splat) return Literal{OfElement(bytes, 0, packed), true};
    size_t next = 0;
    Nest(0, [&] { out_ += OfElement(bytes, next++, packed); });
    return Literal{std::move(out_), sizes_.empty()};
  }

  template <typename Leaf>
  void Nest(size_t dim, const Leaf& leaf) {
    if (dim == sizes_.size()) return leaf();
    out_ += "{";
    for (int64_t k = 0; k < sizes_[dim]; ++k) {
      if (k > 0) out_ += ", ";
      Nest(dim + 1, leaf);
    }
    out_ += "}";
  }

  std::string OfElement(StringRef bytes, size_t k, bool packed) const {
    if (packed) return (static_cast<uint8_t>(bytes[k / 8]) >> (k % 8)) & 1 ? "true" : "false";
    const size_t width = static_cast<size_t>(ByteWidth(type_));
    auto part = [&](size_t begin, size_t size) {
      uint64_t bits = 0;
      for (size_t i = 0; i < size; ++i)
        bits |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[begin + i])) << (8 * i);
      return bits;
    };
    if (!IsComplex(type_)) return OfBits(type_, part(k * width, width));
    const PrimitiveType half = PartType(type_);
    return "(" + OfBits(half, part(k * width, width / 2)) + ", " +
           OfBits(half, part(k * width + width / 2, width / 2)) + ")";
  }

  static std::string OfBits(PrimitiveType type, uint64_t bits) {
    if (IsFloat(type)) return FloatToText(type, bits);
    if (!IsSignedInt(type)) return std::to_string(bits);
    const int unused = 64 - BitWidth(type);
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }

  // A number, a list of them, or the two parts of a complex number.
  Error Nested(int depth = 0) {
    if (depth > kMaxNesting) return MakeError("lists are nested too deeply");
    rest_ = rest_.ltrim();
    const bool list = rest_.consume_front("["), pair = !list && rest_.consume_front("(");
    if (!list && !pair) return Number();
    out_ += list ? "{" : "(";
    const StringRef end = list ? "]" : ")";
    for (bool first = true; !rest_.ltrim().starts_with(end); first = false) {
      rest_ = rest_.ltrim();
      if (!first && !rest_.consume_front(",")) return MakeError("expected ',' or '" + end + "'");
      if (!first) out_ += ", ";
      if (rest_.empty()) return MakeError("expected '" + end + "' before the end of the constant");
      if (Error error = Nested(depth + 1)) return error;
    }
    rest_ = rest_.ltrim().drop_front();
    out_ += list ? "}" : ")";
    return Error::success();
  }

  Error Number() {
    const StringRef token = rest_.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '-' || c == '+' || c == '.'; });
    rest_ = rest_.drop_front(token.size());
    const PrimitiveType type = IsComplex(type_) ? PartType(type_) : type_;
    uint64_t bits = 0;
    if (token.empty()) return MakeError("expected a number, found '" + rest_.take_front(20) + "'");
    if (!IsFloat(type) || !token.starts_with("0x")) {
      out_ += token;
    } else if (token.drop_front(2).getAsInteger(16, bits)) {
      return MakeError("'" + token + "' has more than 64 bits");
    } else {
      out_ += FloatToText(type, bits);
    }
    return Error::success();
  }

  StringRef rest_;
  PrimitiveType type_;
  int64_t count_;
  std::vector<int64_t> sizes_;
  std::string out_;
};

}  // namespace

std::string Type::Text() const {
  std::string text = element + "[";
  for (size_t k = 0; k < sizes.size(); ++k) text += (k ? "," : "") + std::to_string(sizes[k]);
  return text + "]" + layout;
}

Expected<Type> ReadType(Scanner& scanner) {
  scanner.SkipSpace();
  const size_t at = scanner.pos();
  const StringRef word = scanner.Identifier();
  StringRef rest = scanner.Rest();
  if (word != "tensor" || !rest.consume_front("<"))
    return scanner.Fail(at, "expected tensor<..>; other types of StableHLO are not read");
  Type type;
  while (true) {
    const StringRef digits = rest.take_while(llvm::isDigit);
    if (rest.starts_with("?")) return scanner.Fail(at, "a size that is not known is not read");
    int64_t size = 0;
    if (digits.empty() || !rest.drop_front(digits.size()).starts_with("x")) break;
    if (digits.getAsInteger(10, size)) return scanner.Fail(at, "a size leaves 64 bits");
    type.sizes.push_back(size);
    rest = rest.drop_front(digits.size() + 1);
  }
  const bool complex = rest.starts_with("complex<");
  const size_t end = complex ? rest.find('>') + 1 : rest.find_first_of(">,");
  type.element = ElementType(rest.take_front(end));
  if (type.element.empty())
    return scanner.Fail(at,
                        "HLO has no element type '" + rest.take_front(end).take_front(40) + "'");
  rest = rest.drop_front(end);
  if (!rest.consume_front(">")) return scanner.Fail(at, "encodings of a tensor are not read");
  scanner.set_pos(scanner.pos() + (scanner.Rest().size() - rest.size()));
  return type;
}

Expected<Literal> LiteralOf(StringRef dense, const Type& type) {
  if (!dense.consume_front("dense<") || !dense.consume_back(">"))
    return MakeError("expected dense<..>, found '" + dense.take_front(30) +
                     "'; print the module with all of its constants");
  return Elements(dense, type).Read();
}

}  // namespace affirm::hlo::stablehlo
