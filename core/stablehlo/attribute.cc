#include "core/stablehlo/attribute.h"

#include "core/stablehlo/tokens.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using Kind = Attribute::Kind;

namespace {

// The types of MLIR and of HLO that have other names.
struct ElementName {
  llvm::StringLiteral mlir, hlo;
};
constexpr ElementName kElements[] = {{"i1", "pred"},
                                     {"i2", "s2"},
                                     {"i4", "s4"},
                                     {"i8", "s8"},
                                     {"i16", "s16"},
                                     {"i32", "s32"},
                                     {"i64", "s64"},
                                     {"ui2", "u2"},
                                     {"ui4", "u4"},
                                     {"ui8", "u8"},
                                     {"ui16", "u16"},
                                     {"ui32", "u32"},
                                     {"ui64", "u64"},
                                     {"f16", "f16"},
                                     {"bf16", "bf16"},
                                     {"f32", "f32"},
                                     {"f64", "f64"},
                                     {"f8E5M2", "f8e5m2"},
                                     {"f8E4M3", "f8e4m3"},
                                     {"f8E4M3FN", "f8e4m3fn"},
                                     {"f8E3M4", "f8e3m4"},
                                     {"f8E4M3B11FNUZ", "f8e4m3b11fnuz"},
                                     {"f8E5M2FNUZ", "f8e5m2fnuz"},
                                     {"f8E4M3FNUZ", "f8e4m3fnuz"},
                                     {"f8E8M0FNU", "f8e8m0fnu"},
                                     {"f4E2M1FN", "f4e2m1fn"},
                                     {"complex<f32>", "c64"},
                                     {"complex<f64>", "c128"},
                                     {"index", "index"}};

// An integer as written as one of the type: a type without a sign has the bits of both, 255 of i8
// is -1. Whether it has one.
bool FitInto(StringRef type, bool negative, int64_t& integer) {
  unsigned width = 64;
  if (type.ltrim("uis").getAsInteger(10, width) || width >= 64)
    return negative || integer >= 0 || !(type.starts_with("si") || type == "index");
  const int64_t least = -(int64_t{1} << (width - 1)), all = int64_t{1} << width;
  const bool is_signed = type.starts_with("si");
  if (negative ? integer < least : integer < 0 || integer >= (is_signed ? -least : all))
    return false;
  if (!type.starts_with("u") && width > 1 && integer >= -least) integer -= all;
  return true;
}

}  // namespace

StringRef ElementInHlo(StringRef mlir) {
  for (const ElementName& name : kElements) {
    if (name.mlir == mlir) return name.hlo;
  }
  return {};
}

std::string Type::Text() const {
  std::string text = element + "[";
  for (size_t k = 0; k < sizes.size(); ++k) text += (k ? "," : "") + std::to_string(sizes[k]);
  return text + "]" + layout;
}

std::string Type::Source() const {
  std::string text = "tensor<";
  for (int64_t size : sizes) text += std::to_string(size) + "x";
  for (const ElementName& name : kElements) {
    if (name.hlo == element) return (text + name.mlir + ">").str();
  }
  return text + element + ">";
}

Expected<Attribute> AttributeReader::ReadAttribute(bool pretty) {
  scanner_.SkipSpace();
  const size_t at = scanner_.pos();
  if (++depth_ > kMaxNesting) return scanner_.FailHere("attributes are nested too deeply");
  const char next = scanner_.Peek();
  Expected<Attribute> read = Attribute();
  if (next == '#') {
    read = ReadHash();
  } else if (next == '"') {
    auto text = ReadString(scanner_);
    if (!text) return text.takeError();
    read->kind = Kind::kString;
    read->text = std::move(*text);
  } else if (next == '@') {
    scanner_.Consume('@');
    auto text = ReadSymbol(scanner_);
    if (!text) return text.takeError();
    read->kind = Kind::kSymbol;
    read->text = std::move(*text);
  } else if (scanner_.Consume('[')) {
    auto items = ReadItems(']', pretty);
    if (!items) return items.takeError();
    read->kind = Kind::kList;
    read->list = std::move(*items);
  } else if (scanner_.Consume('{')) {
    auto fields = ReadDictionary();
    if (!fields) return fields.takeError();
    read->kind = Kind::kDictionary;
    read->fields = std::move(*fields);
  } else if (pretty && scanner_.Consume('<')) {
    read->kind = Kind::kStruct;
    if (Error error = ReadFields(*read)) return error;
  } else if (next == '-' || llvm::isDigit(next)) {
    read = ReadNumber();
  } else {
    read = ReadNamed(pretty);
  }
  --depth_;
  if (read) read->at = at;
  return read;
}

// `#alias`, `#stablehlo<precision HIGH>`, `#stablehlo.gather<..>`, `#other.dialect<..>`.
Expected<Attribute> AttributeReader::ReadHash() {
  const size_t begin = scanner_.pos();
  scanner_.Consume('#');
  const StringRef name = TakeWord(scanner_);
  Attribute read;
  if (!scanner_.Rest().starts_with("<")) {
    auto found = aliases_.find(name.str());
    if (found != aliases_.end()) return found->second;
    if (!name.contains('.'))
      return scanner_.Fail(begin, "no attribute has the name '#" + name + "' before this");
    read.kind = Kind::kOpaque;
    read.text = scanner_.Since(begin).str();
    return read;
  }
  scanner_.Consume('<');
  read.name = name.str();
  if (name == "stablehlo") {
    read.kind = Kind::kWord;
    read.name = TakeWord(scanner_).str();
    read.text = TakeWord(scanner_).str();
    if (read.text.empty()) return Unexpected(scanner_, "expected a word of '" + read.name + "'");
    if (Error error = scanner_.Expect('>', "after the word")) return error;
    return read;
  }
  if (name == "stablehlo.result_accuracy_mode") {
    read.kind = Kind::kWord;
    read.text = TakeWord(scanner_).str();
    if (Error error = scanner_.Expect('>', "after the mode")) return error;
    return read;
  }
  if (name.starts_with("stablehlo.") && name != "stablehlo.conv" && name != "stablehlo.mesh") {
    read.kind = Kind::kStruct;
    if (Error error = ReadFields(read)) return error;
    return read;
  }
  auto inside = ReadBracketed(scanner_, '>');
  if (!inside) return inside.takeError();
  read.kind = Kind::kOpaque;
  read.text = name == "stablehlo.conv" ? *inside : "#" + name.str() + "<" + *inside + ">";
  return read;
}

Expected<Attribute> AttributeReader::ReadNumber() {
  const size_t begin = scanner_.pos();
  const bool negative = scanner_.Consume('-');
  const StringRef rest = scanner_.Rest();
  const bool hex = rest.starts_with("0x") && rest.size() > 2 && llvm::isHexDigit(rest[2]);
  StringRef digits =
      hex ? rest.substr(2).take_while(llvm::isHexDigit) : rest.take_while(llvm::isDigit);
  Attribute read;
  read.kind = Kind::kInteger;
  size_t length = digits.size() + (hex ? 2 : 0);
  if (const StringRef decimal = DecimalAtFront(rest); !decimal.empty()) {
    read.kind = Kind::kFloat;
    length = decimal.size();
    read.text = (negative ? "-" : "") + rest.take_front(length).str();
  } else {
    uint64_t magnitude = 0;
    if (digits.getAsInteger(hex ? 16 : 10, magnitude) ||
        (negative && magnitude > uint64_t{1} << 63))
      return Unexpected(scanner_, "expected a number of 64 bits");
    read.integer = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  }
  scanner_.set_pos(scanner_.pos() + length);
  // `[0:2]` and `dense<..> : type` have a colon too; a type of a number is a word.
  const size_t before = scanner_.pos();
  if (!scanner_.Consume(':')) return read;
  const StringRef type = TakeWord(scanner_);
  if (ElementInHlo(type).empty() && !type.starts_with("si")) {
    scanner_.set_pos(before);
    return read;
  }
  read.name = type.str();
  const bool floating = IsFloat(PrimitiveTypeFromName(ElementInHlo(type)));
  const bool is_hex_float = floating && hex && !negative;
  if ((read.kind == Kind::kInteger && floating && !is_hex_float) ||
      (read.kind == Kind::kFloat && !floating) || (negative && type.starts_with("ui")))
    return scanner_.Fail(begin, "the number " + scanner_.Since(begin).split(':').first.trim() +
                                    " is not one of " + type);
  if (read.kind == Kind::kInteger && !is_hex_float && !FitInto(type, negative, read.integer))
    return scanner_.Fail(begin, "the number " + scanner_.Since(begin).split(':').first.trim() +
                                    " is out of range for " + type);
  return read;
}

// An attribute that begins with a word: true, unit, array<..>, dense<..>, a type, or a word of an
// operation.
Expected<Attribute> AttributeReader::ReadNamed(bool pretty) {
  const size_t begin = scanner_.pos();
  Attribute read;
  if (scanner_.Peek() == '!' || scanner_.LooksAt("tensor<")) {
    auto type = ReadType();
    if (!type) return type.takeError();
    read.kind = Kind::kType;
    read.type = std::move(*type);
    return read;
  }
  const StringRef word = TakeWord(scanner_);
  if (word.empty()) return Unexpected(scanner_, "expected an attribute");
  if (word == "true" || word == "false") {
    read.kind = Kind::kBool;
    read.integer = word == "true" ? 1 : 0;
  } else if (word == "array" && scanner_.Consume('<')) {
    read.kind = Kind::kList;
    read.name = TakeWord(scanner_).str();
    if (!scanner_.Consume(':')) {
      if (Error error = scanner_.Expect('>', "after the type of an array")) return error;
      return read;
    }
    auto items = ReadItems('>', false);
    if (!items) return items.takeError();
    read.list = std::move(*items);
    for (const Attribute& item : read.list) {
      const bool number = item.kind == Kind::kInteger || item.kind == Kind::kFloat;
      if (item.kind != Kind::kBool && (!number || !item.name.empty()))
        return scanner_.Fail(item.at, "expected a number without a type in array<" + read.name +
                                          ": ..>, found " + PrintAttribute(item));
    }
  } else if ((word == "dense" || word == "dense_resource") && scanner_.Consume('<')) {
    auto inside = ReadBracketed(scanner_, '>');
    if (!inside) return inside.takeError();
    if (word != "dense")
      return scanner_.Fail(begin, "expected dense<..>, found '" +
                                      scanner_.Since(begin).take_front(30) +
                                      "'; print the module with all of its constants");
    if (Error error = scanner_.Expect(':', "before the type of a constant")) return error;
    auto type = ReadType();
    if (!type) return type.takeError();
    read.kind = Kind::kDense;
    read.text = std::move(*inside);
    read.type = std::move(*type);
  } else if (word != "unit") {
    if (!pretty && ElementInHlo(word).empty())
      return scanner_.Fail(begin, "expected an attribute, found '" + word + "'");
    read.kind = Kind::kWord;
    read.text = word.str();
  }
  return read;
}

Expected<std::vector<Attribute>> AttributeReader::ReadItems(char close, bool pretty) {
  std::vector<Attribute> items;
  if (scanner_.Consume(close)) return items;
  do {
    auto item = ReadAttribute(pretty);
    if (!item) return item.takeError();
    items.push_back(std::move(*item));
  } while (scanner_.Consume(','));
  if (Error error = scanner_.Expect(close, "after a list")) return error;
  return items;
}

Expected<Attributes> AttributeReader::ReadDictionary() {
  Attributes fields;
  if (scanner_.Consume('}')) return fields;
  do {
    scanner_.SkipSpace();
    const size_t at = scanner_.pos();
    std::string name = TakeWord(scanner_).str();
    if (name.empty() && scanner_.Peek() == '"') {
      auto quoted = ReadString(scanner_);
      if (!quoted) return quoted.takeError();
      name = std::move(*quoted);
    }
    if (name.empty()) return Unexpected(scanner_, "expected the name of an attribute");
    Attribute value;
    value.at = at;
    if (scanner_.Consume('=')) {
      auto read = ReadAttribute();
      if (!read) return read.takeError();
      value = std::move(*read);
    }
    if (!fields.try_emplace(name, std::move(value)).second)
      return scanner_.Fail(at, "the attribute '" + name + "' is given twice");
  } while (scanner_.Consume(','));
  if (Error error = scanner_.Expect('}', "after the attributes")) return error;
  return fields;
}

// `a = [1], b = 2>`.
Error AttributeReader::ReadFields(Attribute& into) {
  if (scanner_.Consume('>')) return Error::success();
  do {
    scanner_.SkipSpace();
    const size_t at = scanner_.pos();
    const std::string name = TakeWord(scanner_).str();
    if (name.empty()) return Unexpected(scanner_, "expected the name of a field");
    if (Error error = scanner_.Expect('=', "after '" + name + "'")) return error;
    auto value = ReadAttribute(/*pretty=*/true);
    if (!value) return value.takeError();
    if (!into.fields.try_emplace(name, std::move(*value)).second)
      return scanner_.Fail(at, "the field '" + name + "' is given twice");
  } while (scanner_.Consume(','));
  return scanner_.Expect('>', "after the fields");
}

Expected<Type> AttributeReader::ReadType() {
  scanner_.SkipSpace();
  const size_t at = scanner_.pos();
  if (scanner_.Rest().starts_with("!")) {
    scanner_.Consume('!');
    const StringRef name = TakeWord(scanner_);
    auto found = types_.find(name.str());
    if (found != types_.end()) return found->second;
    return scanner_.Fail(
        at, "expected tensor<..>; other types of StableHLO, such as !" + name + ", are not read");
  }
  const StringRef word = TakeWord(scanner_);
  StringRef rest = scanner_.Rest();
  if (word != "tensor" || !rest.consume_front("<"))
    return scanner_.Fail(at, "expected tensor<..>; other types of StableHLO are not read");
  Type type;
  while (true) {
    const StringRef digits = rest.take_while(llvm::isDigit);
    if (rest.starts_with("?")) return scanner_.Fail(at, "a size that is not known is not read");
    int64_t size = 0;
    if (digits.empty() || !rest.drop_front(digits.size()).starts_with("x")) break;
    if (digits.getAsInteger(10, size)) return scanner_.Fail(at, "a size leaves 64 bits");
    type.sizes.push_back(size);
    rest = rest.drop_front(digits.size() + 1);
  }
  const bool complex = rest.starts_with("complex<");
  const size_t end = complex ? rest.find('>') + 1 : rest.find_first_of(">,");
  type.element = ElementInHlo(rest.take_front(end)).str();
  if (type.element.empty())
    return scanner_.Fail(at,
                         "HLO has no element type '" + rest.take_front(end).take_front(40) + "'");
  rest = rest.drop_front(end);
  if (!rest.consume_front(">")) return scanner_.Fail(at, "encodings of a tensor are not read");
  scanner_.set_pos(scanner_.pos() + (scanner_.Rest().size() - rest.size()));
  return type;
}

Error AttributeReader::ReadAliases() {
  while (true) {
    const char sign = scanner_.Peek();
    if (sign != '#' && sign != '!') return Error::success();
    scanner_.Consume(sign);
    scanner_.SkipSpace();
    const size_t at = scanner_.pos();
    const std::string name = TakeWord(scanner_).str();
    if (Error error = scanner_.Expect('=', "after the name of an alias")) return error;
    bool fresh = true;
    if (sign == '!') {
      auto type = ReadType();
      if (!type) return type.takeError();
      fresh = types_.try_emplace(name, std::move(*type)).second;
    } else if (scanner_.LooksAt("loc(")) {
      if (Error error = SkipLocation(scanner_)) return error;
    } else {
      auto value = ReadAttribute();
      if (!value) return value.takeError();
      fresh = aliases_.try_emplace(name, std::move(*value)).second;
    }
    if (!fresh) return scanner_.Fail(at, "the alias '" + name + "' is given twice");
  }
}

std::string PrintAttribute(const Attribute& attribute) {
  auto join = [](const auto& items, const auto& print) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + print(item);
    return text;
  };
  auto typed = [&](const std::string& text) {
    return attribute.name.empty() ? text : text + " : " + attribute.name;
  };
  auto named = [](const auto& field) {
    const std::string name = IsWord(field.first) ? field.first : QuoteString(field.first);
    return field.second.kind == Kind::kUnit ? name : name + " = " + PrintAttribute(field.second);
  };
  switch (attribute.kind) {
    case Kind::kUnit:
      return "unit";
    case Kind::kBool:
      return attribute.integer ? "true" : "false";
    case Kind::kInteger: {
      const bool is_unsigned = StringRef(attribute.name).starts_with("ui");
      return (is_unsigned ? std::to_string(static_cast<uint64_t>(attribute.integer))
                          : std::to_string(attribute.integer)) +
             " : " + (attribute.name.empty() ? "i64" : attribute.name);
    }
    case Kind::kFloat:
      return typed(attribute.text);
    case Kind::kString:
      return QuoteString(attribute.text);
    case Kind::kSymbol:
      return "@" + attribute.text;
    case Kind::kDense:
      return "dense<" + attribute.text + "> : " + attribute.type.Source();
    case Kind::kType:
      return attribute.type.Source();
    case Kind::kWord:
      return attribute.name.empty() ? attribute.text
                                    : "#stablehlo<" + attribute.name + " " + attribute.text + ">";
    case Kind::kOpaque:
      return attribute.text;
    case Kind::kStruct:
      return "#" + attribute.name + "<" + join(attribute.fields, named) + ">";
    case Kind::kList: {
      const bool array = !attribute.name.empty();
      const std::string items = join(attribute.list, [&](const Attribute& item) {
        return array && item.kind == Kind::kInteger ? std::to_string(item.integer)
                                                    : PrintAttribute(item);
      });
      if (!array) return "[" + items + "]";
      return "array<" + attribute.name + (items.empty() ? "" : ": ") + items + ">";
    }
    case Kind::kDictionary:
      return "{" + join(attribute.fields, named) + "}";
  }
  return {};
}

}  // namespace affirm::hlo::stablehlo
