// Element access with conversion, and the text of literals.
#include "core/hlo/literal.h"

#include "core/hlo/float_format.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::hlo {
namespace {

uint64_t LoadBits(const uint8_t* from, int width) {
  uint64_t bits = 0;
  switch (width) {
    case 1:
      return *from;
    case 2: {
      uint16_t v;
      std::memcpy(&v, from, sizeof(v));
      return v;
    }
    case 4: {
      uint32_t v;
      std::memcpy(&v, from, sizeof(v));
      return v;
    }
    case 8:
      std::memcpy(&bits, from, sizeof(bits));
      return bits;
    default:
      return 0;
  }
}

void StoreBits(uint8_t* to, int width, uint64_t bits) {
  switch (width) {
    case 1:
      *to = static_cast<uint8_t>(bits);
      return;
    case 2: {
      const auto v = static_cast<uint16_t>(bits);
      std::memcpy(to, &v, sizeof(v));
      return;
    }
    case 4: {
      const auto v = static_cast<uint32_t>(bits);
      std::memcpy(to, &v, sizeof(v));
      return;
    }
    case 8:
      std::memcpy(to, &bits, sizeof(bits));
      return;
    default:
      return;
  }
}

// The low `width` bits as a number of the type.
int64_t ExtendInt(PrimitiveType type, uint64_t bits) {
  const int width = BitWidth(type);
  if (width >= 64) return static_cast<int64_t>(bits);
  const uint64_t mask = (uint64_t{1} << width) - 1;
  bits &= mask;
  const bool negative = IsSignedInt(type) && (bits >> (width - 1)) != 0;
  return static_cast<int64_t>(negative ? bits | ~mask : bits);
}

bool IsIntOrPred(PrimitiveType type) { return IsInt(type) || type == PrimitiveType::kPred; }

void PrintElement(const Literal& literal, int64_t linear, llvm::raw_ostream& os) {
  const PrimitiveType type = literal.shape().type;
  const uint8_t* at = literal.data() + linear * ByteWidth(type);
  if (type == PrimitiveType::kPred) {
    os << (*at != 0 ? "true" : "false");
  } else if (IsUnsignedInt(type)) {
    os << static_cast<uint64_t>(literal.GetInt(linear));
  } else if (IsSignedInt(type)) {
    os << literal.GetInt(linear);
  } else if (IsFloat(type)) {
    os << FloatToText(type, LoadBits(at, ByteWidth(type)));
  } else if (IsComplex(type)) {
    const int part = ByteWidth(type) / 2;
    os << "(" << FloatToText(PartType(type), LoadBits(at, part)) << ", "
       << FloatToText(PartType(type), LoadBits(at + part, part)) << ")";
  }
}

void PrintEmptyRows(llvm::ArrayRef<int64_t> sizes, llvm::raw_ostream& os) {
  os << "{";
  for (int64_t i = 0; i < sizes.front(); ++i) {
    if (i > 0) os << ", ";
    PrintEmptyRows(sizes.drop_front(), os);
  }
  os << "}";
}

// Rows down to the first size of 0, which is what XLA's reader takes. Beyond kMaxRows there would
// be more braces than anyone wants: "{}" is the same value to ours.
void PrintNoElements(llvm::ArrayRef<int64_t> sizes, llvm::raw_ostream& os) {
  constexpr int64_t kMaxRows = 1 << 16;
  int64_t rows = 1;
  for (int64_t size : sizes.take_until([](int64_t n) { return n == 0; })) {
    rows = rows > kMaxRows / size ? kMaxRows + 1 : rows * size;
  }
  if (sizes.empty() || rows > kMaxRows) {
    os << "{}";
  } else {
    PrintEmptyRows(sizes, os);
  }
}

void Print(const Literal& literal, llvm::raw_ostream& os) {
  const Shape& shape = literal.shape();
  if (shape.IsTuple()) {
    os << "(";
    for (size_t i = 0; i < literal.tuple().size(); ++i) {
      if (i > 0) os << ", ";
      Print(literal.tuple()[i], os);
    }
    os << ")";
    return;
  }
  const int64_t count = literal.bytes().empty() ? 0 : shape.NumElements();
  if (count == 0) {
    PrintNoElements(shape.dims, os);
    return;
  }
  // The sizes of one element of each dimension, so that a brace opens wherever a row starts.
  std::vector<int64_t> row(shape.dims.size());
  int64_t size = 1;
  for (int64_t d = shape.rank() - 1; d >= 0; --d) row[d] = size *= shape.dims[d];
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) os << ", ";
    for (int64_t length : row) {
      if (i % length == 0) os << "{";
    }
    PrintElement(literal, i, os);
    for (int64_t length : row) {
      if ((i + 1) % length == 0) os << "}";
    }
  }
}

}  // namespace

Literal::Literal(Shape shape) : shape_(std::move(shape)) {
  if (shape_.IsTuple()) {
    tuple_.reserve(shape_.tuple.size());
    for (const Shape& element : shape_.tuple) tuple_.emplace_back(element);
  } else if (shape_.IsArray()) {
    bytes_.resize(static_cast<size_t>(shape_.NumElements()) * ByteWidth(shape_.type));
  }
}

Literal Literal::MakeTuple(std::vector<Literal> elements) {
  Literal result;
  result.shape_.type = PrimitiveType::kTuple;
  for (const Literal& element : elements) result.shape_.tuple.push_back(element.shape());
  result.tuple_ = std::move(elements);
  return result;
}

int64_t Literal::GetInt(int64_t linear) const {
  if (!IsIntOrPred(shape_.type)) return 0;
  const int width = ByteWidth(shape_.type);
  const uint64_t bits = LoadBits(bytes_.data() + linear * width, width);
  return ExtendInt(shape_.type, bits);
}

void Literal::SetInt(int64_t linear, int64_t v) {
  if (!IsIntOrPred(shape_.type)) return SetFloat(linear, static_cast<double>(v));
  if (shape_.type == PrimitiveType::kPred) v = v != 0;
  const int width = ByteWidth(shape_.type);
  const auto bits = static_cast<uint64_t>(ExtendInt(shape_.type, static_cast<uint64_t>(v)));
  StoreBits(bytes_.data() + linear * width, width, bits);
}

double Literal::GetFloat(int64_t linear) const {
  if (IsComplex(shape_.type)) return GetComplex(linear).real();
  if (IsIntOrPred(shape_.type)) {
    const int64_t v = GetInt(linear);
    return shape_.type == PrimitiveType::kU64 ? static_cast<double>(static_cast<uint64_t>(v))
                                              : static_cast<double>(v);
  }
  const int width = ByteWidth(shape_.type);
  return DecodeFloat(shape_.type, LoadBits(bytes_.data() + linear * width, width));
}

void Literal::SetFloat(int64_t linear, double v) {
  if (IsComplex(shape_.type)) return SetComplex(linear, v);
  if (!IsFloat(shape_.type)) return;
  const int width = ByteWidth(shape_.type);
  StoreBits(bytes_.data() + linear * width, width, EncodeFloat(shape_.type, v));
}

std::complex<double> Literal::GetComplex(int64_t linear) const {
  if (!IsComplex(shape_.type)) return GetFloat(linear);
  const int part = ByteWidth(shape_.type) / 2;
  const uint8_t* at = bytes_.data() + linear * part * 2;
  return {DecodeFloat(PartType(shape_.type), LoadBits(at, part)),
          DecodeFloat(PartType(shape_.type), LoadBits(at + part, part))};
}

void Literal::SetComplex(int64_t linear, std::complex<double> v) {
  if (!IsComplex(shape_.type)) return SetFloat(linear, v.real());
  const int part = ByteWidth(shape_.type) / 2;
  uint8_t* at = bytes_.data() + linear * part * 2;
  StoreBits(at, part, EncodeFloat(PartType(shape_.type), v.real()));
  StoreBits(at + part, part, EncodeFloat(PartType(shape_.type), v.imag()));
}

int64_t Literal::Linear(llvm::ArrayRef<int64_t> index) const {
  int64_t linear = 0;
  for (size_t d = 0; d < index.size(); ++d) linear = linear * shape_.dims[d] + index[d];
  return linear;
}

std::string Literal::ToString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  Print(*this, os);
  return text;
}

std::string Literal::ElementToString(int64_t linear) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintElement(*this, linear, os);
  return text;
}

bool operator==(const Literal& a, const Literal& b) {
  return a.shape_.SameIgnoringLayout(b.shape_) && a.bytes_ == b.bytes_ && a.tuple_ == b.tuple_;
}

}  // namespace affirm::hlo
