#include "core/stablehlo/constant.h"

#include <algorithm>
#include <cmath>

#include "core/hlo/float_format.h"
#include "core/hlo/scanner.h"
#include "core/stablehlo/attribute.h"
#include "core/stablehlo/tokens.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::hlo::stablehlo {

namespace {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

constexpr uint64_t kMostElements = uint64_t{1} << 40;  // more than a text can have

class Elements {
 public:
  Elements(StringRef text, const Type& type)
      : rest_(text.trim()), source_(type.Source()), type_(type.Primitive()), sizes_(type.sizes) {
    for (int64_t size : type.sizes)
      count_ = size == 0 ? 0
                         : std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(count_, size),
                                              kMostElements);
  }

  Expected<Literal> Read() {
    if (rest_.starts_with("\"")) return OfBytes();
    if (rest_.empty() && count_ != 0)
      return MakeError("expected elements of " + source_ + " in dense<>");
    const bool is_splat = !rest_.starts_with("[");
    if (!rest_.empty()) {
      if (Error error = is_splat ? Element() : Nested(0)) return error;
    }
    if (!rest_.trim().empty())
      return MakeError("expected the end of the constant before '" + rest_.take_front(20) + "'");
    if (count_ == 0) return Literal{IsFloat(type_) || IsInt(type_) ? "0" : "false", true};
    return Literal{std::move(out_), is_splat};
  }

 private:
  // "0x0000803F": the bytes of all elements, or of one for all.
  Expected<Literal> OfBytes() {
    StringRef digits = rest_.drop_front();
    std::string bytes;
    if (!digits.consume_back("\"") || !digits.consume_front("0x") || digits.size() % 2 != 0 ||
        !llvm::tryGetFromHex(digits, bytes))
      return MakeError("expected bytes in hexadecimal digits, such as \"0x00FF\"");
    const size_t width = static_cast<size_t>(ByteWidth(type_));
    const bool is_splat = bytes.size() == width && count_ > 1;
    if (!is_splat && bytes.size() != width * count_)
      return MakeError("expected " + llvm::Twine(width * count_) + " bytes, found " +
                       llvm::Twine(bytes.size()));
    if (type_ == PrimitiveType::kPred &&
        llvm::any_of(bytes, [](char c) { return c != 0 && c != 1; }))
      return MakeError(
          "expected a byte 00 or 01 for each i1; bits that are packed, as jaxlib "
          "printed them before 0.10, are not read");
    if (count_ == 0) return Literal{"0", true};
    if (is_splat) return Literal{OfElement(bytes, 0), true};
    size_t next = 0;
    Nest(0, [&] { out_ += OfElement(bytes, next++); });
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

  std::string OfElement(StringRef bytes, size_t k) const {
    if (type_ == PrimitiveType::kPred) return bytes[k] != 0 ? "true" : "false";
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
    const int unused = 64 - BitWidth(type);
    if (!IsSignedInt(type)) return std::to_string(bits << unused >> unused);
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }

  // The list of dimension `dim`: as many items as its size.
  Error Nested(size_t dim) {
    rest_ = rest_.ltrim();
    if (dim == sizes_.size()) return Element();
    if (!rest_.consume_front("["))
      return MakeError("expected '[' before the elements of a dimension of " + source_ +
                       ", found '" + rest_.take_front(20) + "'");
    out_ += "{";
    for (int64_t k = 0; k < sizes_[dim]; ++k) {
      rest_ = rest_.ltrim();
      if (k > 0 && !rest_.consume_front(",")) return WrongCount(dim, k);
      if (k > 0) out_ += ", ";
      if (rest_.ltrim().starts_with("]")) return WrongCount(dim, k);
      if (Error error = Nested(dim + 1)) return error;
    }
    rest_ = rest_.ltrim();
    if (!rest_.consume_front("]")) return WrongCount(dim, -1);
    out_ += "}";
    return Error::success();
  }

  Error WrongCount(size_t dim, int64_t found) const {
    return MakeError("expected " + llvm::Twine(sizes_[dim]) + " elements in dimension " +
                     llvm::Twine(dim) + " of " + source_ + ", found " +
                     (found < 0 ? "more" : std::to_string(found)) + " before '" +
                     rest_.take_front(20) + "'");
  }

  Error Element() {
    rest_ = rest_.ltrim();
    if (!IsComplex(type_)) return Number(type_);
    if (!rest_.consume_front("("))
      return MakeError("expected two parts in parentheses of an element of " + source_);
    out_ += "(";
    if (Error error = Number(PartType(type_))) return error;
    rest_ = rest_.ltrim();
    if (!rest_.consume_front(",")) return MakeError("expected ',' between the parts");
    out_ += ", ";
    if (Error error = Number(PartType(type_))) return error;
    rest_ = rest_.ltrim();
    if (!rest_.consume_front(")")) return MakeError("expected ')' after the parts");
    out_ += ")";
    return Error::success();
  }

  // As LLVM's APFloat has it, by which MLIR reads: f8E8M0FNU has no zero and no sign. What would be
  // zero is the least number, and a sign is dropped, but -1.0 is NaN. HLO's own conversions
  // (EncodeFloat) make NaN of all of these.
  static uint64_t Encoded(PrimitiveType type, double value) {
    if (type != PrimitiveType::kF8E8M0FNU) return EncodeFloat(type, value);
    llvm::APFloat number(value);
    bool inexact = false;
    number.convert(llvm::APFloat::Float8E8M0FNU(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return number.bitcastToAPInt().getZExtValue();
  }

  // A decimal, or the bits of one in hexadecimal digits.
  Error Float(PrimitiveType type, StringRef token) {
    uint64_t bits = 0;
    StringRef hex = token;
    if (hex.consume_front("0x")) {
      const int width = BitWidth(type);
      if (hex.getAsInteger(16, bits) || (width < 64 && bits >> width != 0))
        return MakeError("'" + token + "' has more than the " + llvm::Twine(width) +
                         " bits of an element of " + source_);
      out_ += FloatToText(type, bits);
      return Error::success();
    }
    double value = 0;
    const StringRef magnitude = token.ltrim('-');
    if (magnitude.empty() || DecimalAtFront(magnitude) != magnitude || token.getAsDouble(value))
      return MakeError("expected a number with a '.', or its bits as 0x.., for an element of " +
                       source_ + ", found '" + token + "'");
    out_ += FloatToText(type, Encoded(type, value));
    return Error::success();
  }

  Error Number(PrimitiveType type) {
    rest_ = rest_.ltrim();
    const char* begin = rest_.data();
    const bool negative = rest_.consume_front("-");
    char last = 0;
    StringRef digits = rest_.take_while([&](char c) {
      const bool sign = (c == '-' || c == '+') && (last == 'e' || last == 'E');
      last = c;
      return llvm::isAlnum(c) || c == '.' || sign;
    });
    if (digits.empty()) return MakeError("expected a number, found '" + rest_.take_front(20) + "'");
    rest_ = rest_.drop_front(digits.size());
    const StringRef token(begin, static_cast<size_t>(digits.end() - begin));
    if (IsFloat(type)) return Float(type, token);
    const bool pred = type == PrimitiveType::kPred;
    if (pred && !negative && (digits == "true" || digits == "false")) {
      out_ += digits;
      return Error::success();
    }
    uint64_t magnitude = 0;
    const bool hex = digits.starts_with("0x");
    if (digits.drop_front(hex ? 2 : 0).getAsInteger(hex ? 16 : 10, magnitude))
      return MakeError("expected an integer for an element of " + source_ + ", found '" + token +
                       "'");
    const int width = pred ? 1 : BitWidth(type);
    const uint64_t most = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    const uint64_t least = IsUnsignedInt(type) ? 0 : uint64_t{1} << (width - 1);
    if (magnitude > (negative ? least : most))
      return MakeError("'" + token + "' is out of range for an element of " + source_);
    if (pred)
      out_ += magnitude != 0 ? "true" : "false";
    else
      out_ += OfBits(type, negative ? 0 - magnitude : magnitude);
    return Error::success();
  }

  StringRef rest_;
  std::string source_;
  PrimitiveType type_;
  std::vector<int64_t> sizes_;
  uint64_t count_ = 1;
  std::string out_;
};

}  // namespace

Expected<Literal> LiteralOf(StringRef dense, const Type& type) {
  return Elements(dense, type).Read();
}

Expected<std::vector<int64_t>> IntegersOf(const Attribute& attribute) {
  std::vector<int64_t> values;
  if (attribute.kind != Attribute::Kind::kDense) {
    for (const Attribute& item : attribute.list) values.push_back(item.integer);
    return values;
  }
  Type type = attribute.type;
  type.element = "s64";
  auto literal = LiteralOf(attribute.text, type);
  if (!literal) return literal.takeError();
  llvm::SmallVector<StringRef> numbers;
  llvm::SplitString(literal->text, numbers, "{}, ");
  for (StringRef number : numbers) {
    values.emplace_back();
    if (number.getAsInteger(10, values.back())) return MakeError("expected integers");
  }
  uint64_t count = 1;
  for (int64_t size : type.sizes)
    count = std::min(llvm::SaturatingMultiply<uint64_t>(count, size), kMostElements);
  if (literal->is_splat) {
    if (count > 1000) return MakeError("expected a list of fewer than 1,000 integers");
    values.assign(count, values.front());
  }
  return values;
}

}  // namespace affirm::hlo::stablehlo
