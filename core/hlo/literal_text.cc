// Reads the nested braces of literals.
#include "core/hlo/literal_text.h"

#include <limits>
#include <utility>

#include "core/hlo/float_format.h"
#include "core/hlo/shape_text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

std::string Quoted(llvm::StringRef token) {
  constexpr size_t kLongestShown = 24;
  std::string text = "'" + token.take_front(kLongestShown).str();
  return text + (token.size() > kLongestShown ? "...'" : "'");
}

// The longest run of characters that can be one number or word: "-1.5e+3", "nan(0x1)", "true".
llvm::StringRef TakeToken(Scanner& scanner) {
  scanner.SkipSpace();
  const llvm::StringRef rest = scanner.Rest();
  size_t n = 0;
  while (n < rest.size() && (llvm::isAlnum(rest[n]) || rest[n] == '.' || rest[n] == '-' ||
                             rest[n] == '+' || rest[n] == '_')) {
    ++n;
  }
  if (rest.take_front(n).ends_with("nan") && n < rest.size() && rest[n] == '(') {
    const size_t close = rest.find_first_not_of("0123456789abcdefABCDEFx", n + 1);
    if (close != llvm::StringRef::npos && rest[close] == ')') n = close + 1;
  }
  scanner.set_pos(scanner.pos() + n);
  return rest.take_front(n);
}

llvm::Error WrongElement(Scanner& scanner, size_t begin, llvm::StringRef token,
                         const llvm::Twine& expected) {
  scanner.set_pos(begin);
  return scanner.Fail(begin, expected + (token.empty() ? scanner.Found() : Quoted(token)));
}

// Reads the elements of one array literal, in order, into bytes.
class ElementReader {
 public:
  ElementReader(Scanner& scanner, PrimitiveType type) : scanner_(scanner), type_(type) {}

  llvm::Error Read();
  std::vector<uint8_t> TakeBytes() { return std::move(bytes_); }

 private:
  llvm::Error ReadPred();
  llvm::Error ReadInt();
  llvm::Error ReadFloat(PrimitiveType type);
  // The low bytes of a pattern, host endian.
  void AppendBits(uint64_t bits, int width);
  void Append(const void* value, size_t width) {
    const auto* bytes = static_cast<const uint8_t*>(value);
    bytes_.insert(bytes_.end(), bytes, bytes + width);
  }

  Scanner& scanner_;
  PrimitiveType type_;
  std::vector<uint8_t> bytes_;
};

llvm::Error ElementReader::Read() {
  if (IsComplex(type_)) {
    const PrimitiveType part =
        type_ == PrimitiveType::kC64 ? PrimitiveType::kF32 : PrimitiveType::kF64;
    if (scanner_.Peek() != '(') {  // a real number
      if (llvm::Error error = ReadFloat(part)) return error;
      bytes_.resize(bytes_.size() + ByteWidth(part), 0);
      return llvm::Error::success();
    }
    scanner_.Consume('(');
    if (llvm::Error error = ReadFloat(part)) return error;
    if (llvm::Error error = scanner_.Expect(',', "between the parts of a complex number")) {
      return error;
    }
    if (llvm::Error error = ReadFloat(part)) return error;
    return scanner_.Expect(')', "behind a complex number");
  }
  if (IsFloat(type_)) return ReadFloat(type_);
  return type_ == PrimitiveType::kPred ? ReadPred() : ReadInt();
}

void ElementReader::AppendBits(uint64_t bits, int width) {
  switch (width) {
    case 1:
      bytes_.push_back(static_cast<uint8_t>(bits));
      return;
    case 2: {
      const auto v = static_cast<uint16_t>(bits);
      return Append(&v, sizeof(v));
    }
    case 4: {
      const auto v = static_cast<uint32_t>(bits);
      return Append(&v, sizeof(v));
    }
    default:
      Append(&bits, sizeof(bits));
  }
}

llvm::Error ElementReader::ReadPred() {
  scanner_.SkipSpace();
  const size_t begin = scanner_.pos();
  const llvm::StringRef token = TakeToken(scanner_);
  int64_t value = 0;
  if (token == "true" || token == "false") {
    value = token == "true";
  } else if (token.getAsInteger(10, value)) {
    return WrongElement(scanner_, begin, token, "expected true or false, found ");
  }
  AppendBits(value != 0, 1);
  return llvm::Error::success();
}

llvm::Error ElementReader::ReadInt() {
  scanner_.SkipSpace();
  const size_t begin = scanner_.pos();
  llvm::StringRef token = TakeToken(scanner_);
  if (token == "true" || token == "false") token = token == "true" ? "1" : "0";
  const int bits = BitWidth(type_);
  int64_t value = 0;
  uint64_t wide = 0;
  bool fits = false;
  if (!token.getAsInteger(10, value)) {
    const int64_t highest = bits == 64           ? std::numeric_limits<int64_t>::max()
                            : IsSignedInt(type_) ? (int64_t{1} << (bits - 1)) - 1
                                                 : (int64_t{1} << bits) - 1;
    const int64_t lowest = IsSignedInt(type_) ? -highest - 1 : 0;
    fits = value >= lowest && value <= highest;
  } else if (type_ == PrimitiveType::kU64 && !token.getAsInteger(10, wide)) {
    value = static_cast<int64_t>(wide);
    fits = true;
  }
  if (!fits) {
    return WrongElement(scanner_, begin, token,
                        "expected a number that " + Name(type_) + " holds, found ");
  }
  AppendBits(static_cast<uint64_t>(value), ByteWidth(type_));
  return llvm::Error::success();
}

llvm::Error ElementReader::ReadFloat(PrimitiveType type) {
  scanner_.SkipSpace();
  const size_t begin = scanner_.pos();
  llvm::StringRef token = TakeToken(scanner_);
  if (token == "true" || token == "false") token = token == "true" ? "1" : "0";
  const std::optional<uint64_t> bits = FloatFromText(type, token);
  if (!bits) {
    return WrongElement(scanner_, begin, token,
                        "expected a number that " + Name(type) + " holds, found ");
  }
  AppendBits(*bits, ByteWidth(type));
  return llvm::Error::success();
}

// The nested braces of an array. `dim` counts the braces that are open.
llvm::Error ReadRows(Scanner& scanner, const Shape& shape, int64_t dim, ElementReader& elements) {
  if (dim == shape.rank()) {
    if (scanner.Peek() == '{') {
      return scanner.FailHere("expected an element of " + shape.ToString(false) +
                              ", found a further '{'");
    }
    return elements.Read();
  }
  // The messages are put together only when they are needed: this runs for every element.
  auto describe = [&] {
    return (llvm::Twine(shape.dims[dim]) + " elements of dimension " + llvm::Twine(dim) + " of " +
            shape.ToString(false))
        .str();
  };
  if (!scanner.Consume('{')) return scanner.Expect('{', "before the " + describe());
  for (int64_t i = 0; i < shape.dims[dim]; ++i) {
    if (i > 0 && !scanner.Consume(',')) {
      return scanner.Expect(',', "behind element " + llvm::Twine(i - 1) + " of the " + describe());
    }
    if (llvm::Error error = ReadRows(scanner, shape, dim + 1, elements)) return error;
  }
  if (!scanner.Consume('}')) return scanner.Expect('}', "behind the " + describe());
  return llvm::Error::success();
}

// Braces, commas and comments: "{ { /*i0=0*/ } }".
bool IsBracesAlone(llvm::StringRef text) {
  while (!text.empty()) {
    text = text.ltrim("{}, \t\r\n");
    if (!text.consume_front("/*")) return text.empty();
    text = text.split("*/").second;
  }
  return true;
}

llvm::Expected<std::optional<Literal>> ParseArray(Scanner& scanner, const Shape& shape,
                                                  int64_t& fill_budget) {
  const size_t begin = scanner.pos();
  if (!shape.IsArray()) {
    return scanner.FailHere("expected a literal of an array or tuple shape, not of " +
                            shape.ToString(false));
  }
  if (shape.HasUnboundedSize()) {
    return scanner.FailHere("expected a literal of a bounded shape, not of " +
                            shape.ToString(false));
  }
  ElementReader elements(scanner, shape.type);
  const int64_t count = shape.NumElements();
  const bool fills = shape.rank() > 0 && scanner.Peek() != '{';
  if (fills) {
    if (count > fill_budget) {
      return scanner.Fail(begin, "expected the elements of " + shape.ToString(false) +
                                     " one by one: it is too large for one number to fill");
    }
    fill_budget -= count;
    if (llvm::Error error = elements.Read()) return error;
  } else if (count == 0) {
    // Every way to nest no elements is the same value: "{}", "{{}, {}}".
    llvm::Expected<llvm::StringRef> braces = scanner.RawValue();
    if (!braces) return braces.takeError();
    if (!IsBracesAlone(*braces)) {
      return scanner.Fail(begin, "expected no elements, for " + shape.ToString(false));
    }
  } else if (llvm::Error error = ReadRows(scanner, shape, 0, elements)) {
    return error;
  }
  const std::vector<uint8_t> bytes = elements.TakeBytes();
  Literal literal(shape);
  if (fills) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(literal.data() + i * bytes.size(), bytes.data(), bytes.size());
    }
  } else if (!bytes.empty()) {
    std::memcpy(literal.data(), bytes.data(), bytes.size());
  }
  return literal;
}

bool ConsumeElided(Scanner& scanner) {
  const size_t begin = scanner.pos();
  if (scanner.Consume('{') && scanner.ConsumeText("...") && scanner.Consume('}')) return true;
  scanner.set_pos(begin);
  return false;
}

}  // namespace

llvm::Expected<std::optional<Literal>> ParseLiteral(Scanner& scanner, const Shape& shape,
                                                    int64_t& fill_budget) {
  if (ConsumeElided(scanner)) return std::nullopt;
  if (LooksAtShape(scanner) && scanner.Peek() != '(') {
    // Older printers repeat the shape in front of the values.
    llvm::Expected<Shape> repeated = ParseShape(scanner);
    if (!repeated) return repeated.takeError();
  }
  if (!shape.IsTuple()) return ParseArray(scanner, shape, fill_budget);
  if (llvm::Error error = scanner.Expect('(', "of a tuple literal")) return error;
  std::vector<Literal> elements;
  bool elided = false;
  for (size_t i = 0; i < shape.tuple.size(); ++i) {
    if (i > 0) {
      if (llvm::Error error = scanner.Expect(',', "between the elements of a tuple literal")) {
        return error;
      }
    }
    llvm::Expected<std::optional<Literal>> element =
        ParseLiteral(scanner, shape.tuple[i], fill_budget);
    if (!element) return element.takeError();
    if (*element) {
      elements.push_back(std::move(**element));
    } else {
      elided = true;
    }
  }
  if (llvm::Error error = scanner.Expect(')', "behind a tuple literal")) return error;
  if (elided) return std::nullopt;
  return Literal::MakeTuple(std::move(elements));
}

}  // namespace affirm::hlo
