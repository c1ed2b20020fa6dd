#include "tests/certificate/twin/hlo_op.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/certificate/twin/op_reader.h"

namespace twin {
namespace {

bool IsElementwise(std::string_view name) {
  static const std::set<std::string_view> names = {"abs",
                                                   "acos",
                                                   "acosh",
                                                   "add",
                                                   "and",
                                                   "asin",
                                                   "asinh",
                                                   "atan2",
                                                   "atanh",
                                                   "cbrt",
                                                   "ceil",
                                                   "clamp",
                                                   "compare",
                                                   "complex",
                                                   "convert",
                                                   "copy",
                                                   "cosh",
                                                   "cosine",
                                                   "count-leading-zeros",
                                                   "divide",
                                                   "erf",
                                                   "exponential",
                                                   "exponential-minus-one",
                                                   "floor",
                                                   "imag",
                                                   "is-finite",
                                                   "log",
                                                   "log-plus-one",
                                                   "logistic",
                                                   "map",
                                                   "maximum",
                                                   "minimum",
                                                   "multiply",
                                                   "negate",
                                                   "not",
                                                   "or",
                                                   "popcnt",
                                                   "power",
                                                   "real",
                                                   "reduce-precision",
                                                   "remainder",
                                                   "round-nearest-afz",
                                                   "round-nearest-even",
                                                   "rsqrt",
                                                   "select",
                                                   "shift-left",
                                                   "shift-right-arithmetic",
                                                   "shift-right-logical",
                                                   "sign",
                                                   "sine",
                                                   "sinh",
                                                   "sqrt",
                                                   "stochastic-convert",
                                                   "subtract",
                                                   "tan",
                                                   "tanh",
                                                   "xor"};
  return names.contains(name);
}

Integer Bits(const ArrayType& type) {
  static const std::map<std::string_view, int> bits = {
      {"pred", 8}, {"s8", 8},    {"u8", 8},   {"s16", 16}, {"u16", 16},
      {"f16", 16}, {"bf16", 16}, {"s32", 32}, {"u32", 32}, {"f32", 32},
      {"s64", 64}, {"u64", 64},  {"f64", 64}, {"c64", 64}, {"c128", 128}};
  const auto at = bits.find(type.element);
  Expect(at != bits.end(), "the bits of a type are not stated");
  return at->second;
}

Dims FirstDims(size_t count) {
  Dims dims;
  for (size_t d = 0; d < count; ++d) dims.push_back(d);
  return dims;
}
// The number of elements, which has at most 62 bits.
Integer Elements(const Sizes& sizes) {
  Integer product = 1;
  for (const Integer& size : sizes) product *= size;
  Expect(product < Integer("4611686018427387904"), "an array has too many elements");
  return product;
}

}  // namespace

bool OpReader::AreArraysAndScalars() const {
  const size_t arrays = operands_.size() / 2;
  for (size_t k = 0; k < operands_.size(); ++k)
    if (Of(k) != (k < arrays ? Of(0) : Sizes())) return false;
  return operands_.size() % 2 == 0;
}

bool OpReader::AreStarts(size_t first) const {
  const size_t count = operands_.size();
  if (count == first + 1 && Of(first) == Sizes{Integer(Rank())}) return true;
  if (count != first + Rank()) return false;
  for (size_t k = first; k < count; ++k)
    if (!Of(k).empty()) return false;
  return true;
}

void OpReader::ReadElementwise() {
  op_.kind = Kind::kElementwise;
  if (name_ == "map") {
    if (const Words* value = Find("dimensions"))
      for (std::string_view item : ItemsOf(*value)) {
        const Integer dimension = ReadSmallInteger(item);
        Expect(dimension >= 0 && dimension <= 1000, "expected the number of a dimension");
      }
  }
  for (size_t k = 0; k < operands_.size(); ++k) {
    const bool may_be_scalar = (name_ == "select" && k == 0) || (name_ == "clamp" && k != 1);
    ExpectFits(Of(k) == Out() || (may_be_scalar && Of(k).empty()));
  }
}

// Elements stand in other places.
void OpReader::ReadMoved() {
  ExpectCount(1);
  const Sizes& in = Of(0);
  if (name_ == "reshape") {
    op_.kind = Kind::kReshape;
    ExpectFits(Elements(in) == Elements(Out()));
    return;
  }
  Dims& dims = op_.dimensions;
  dims = name_ == "broadcast" ? DimsAt("dimensions") : NeededDims("dimensions");
  ExpectFits(AreBelow(dims, Rank()) && AreOnce(dims));
  if (name_ == "broadcast") {
    op_.kind = Kind::kBroadcast;
    ExpectFits(AtAll(Out(), dims) == in);
  } else if (name_ == "transpose") {
    op_.kind = Kind::kTranspose;
    ExpectFits(dims.size() == Rank() && in.size() == Rank() && AtAll(in, dims) == Out());
  } else {
    op_.kind = Kind::kReverse;
    ExpectFits(in == Out());
  }
}

void OpReader::ReadBits() {
  ExpectCount(1);
  const Integer in = Bits(operands_[0]), out = Bits(out_);
  if (name_ == "bitcast") {
    Expect(operands_[0].row_major && out_.row_major && in == out, "a bitcast has no meaning");
    op_.kind = Kind::kReshape;
    ExpectFits(Elements(Of(0)) == Elements(Out()));
    return;
  }
  Sizes longer = in >= out ? Of(0) : Out();
  if (in == out) {
    op_.kind = Kind::kElementwise;
    ExpectFits(longer == Out());
  } else if (in > out) {
    op_.kind = Kind::kBroadcast;
    op_.dimensions = FirstDims(Of(0).size());
    longer.emplace_back(in / out);
    ExpectFits(longer == Out() && in % out == 0);
  } else {
    op_.kind = Kind::kDot;
    op_.left_contracted = {Rank()};
    longer.emplace_back(out / in);
    ExpectFits(longer == Of(0) && out % in == 0);
  }
}

// Ops along one dimension, or along all.
void OpReader::ReadLast() {
  if (name_ == "rng-bit-generator") {
    ExpectCount(1);
    op_.kind = Kind::kDot;
    op_.left_contracted = FirstDims(Of(0).size());
    return;
  }
  op_.kind = Kind::kSort;
  if (name_ == "sort") {
    op_.dimensions = {OneDim()};
    for (const ArrayType& type : operands_) ExpectFits(type.sizes == Out());
    return;
  }
  ExpectCount(1);
  const Integer k = ReadPlainInteger(Word("k"));
  Sizes in = Of(0);
  ExpectFits(!in.empty() && k <= in.back());
  op_.dimensions = {in.size() - 1};
  in.back() = k;
  ExpectFits(in == Out());
}

// `{[0:4], [2:8:2]}`.
void OpReader::ReadSlice() {
  ExpectCount(1);
  op_.kind = Kind::kSlice;
  const Words& value = Needed("slice");
  Expect(value.size() >= 2 && value.front() == "{" && value.back() == "}", "expected a slice");
  const auto word = [&](size_t k) { return k < value.size() ? value[k] : std::string_view(); };
  size_t at = 1;
  for (; at + 1 < value.size();) {
    if (!op_.starts.empty()) Expect(word(at++) == ",", "expected a comma in a slice");
    Expect(word(at) == "[" && word(at + 2) == ":", "expected a range in a slice");
    const Integer start = ReadPlainInteger(word(at + 1)), end = ReadSmallInteger(word(at + 3));
    at += 4;
    const bool has_stride = word(at) == ":";
    const Integer stride = has_stride ? ReadPlainInteger(word(at + 1)) : Integer(1);
    at += has_stride ? 2 : 0;
    Expect(word(at++) == "]" && start >= 0 && stride >= 1, "expected a range in a slice");
    Integer size = end - start + stride - 1;
    size = size < 0 ? Integer(0) : Integer(size / stride);
    Expect(op_.starts.size() < Rank() && size == Out()[op_.starts.size()],
           "a range and a size differ");
    op_.starts.push_back(start);
    op_.strides.push_back(stride);
  }
  ExpectFits(op_.starts.size() == Rank() && Of(0).size() == Rank());
  for (size_t d = 0; d < Rank(); ++d)
    ExpectFits(Out()[d] == 0 || op_.starts[d] + (Out()[d] - 1) * op_.strides[d] < Of(0)[d]);
}

// `0_1x0_1_2`: low, high and interior padding.
void OpReader::ReadPad() {
  ExpectCount(2);
  op_.kind = Kind::kPad;
  for (std::string_view dimension : Split(Word("padding"), 'x')) {
    const Words parts = Split(dimension, '_');
    Expect(parts.size() == 2 || parts.size() == 3, "expected a padding as 0_1 or 0_1_2");
    op_.low.push_back(ReadPlainInteger(parts[0]));
    op_.high.push_back(ReadPlainInteger(parts[1]));
    op_.interior.push_back(parts.size() == 3 ? ReadPlainInteger(parts[2]) : Integer(0));
    Expect(op_.interior.back() >= 0, "a padding is negative");
  }
  ExpectFits(op_.low.size() == Rank() && Of(0).size() == Rank() && Of(1).empty());
  for (size_t d = 0; d < Rank(); ++d) {
    const Integer& in = Of(0)[d];
    const Integer between = in > 1 ? Integer((in - 1) * op_.interior[d]) : Integer(0);
    const Integer size = op_.low[d] + op_.high[d] + in + between;
    ExpectFits(Out()[d] == (size < 0 ? Integer(0) : size));
  }
}

void OpReader::ReadConcatenate() {
  op_.kind = Kind::kConcatenate;
  op_.dimensions = {OneDim()};
  Integer sum = 0;
  for (const ArrayType& type : operands_) {
    ExpectFits(type.sizes.size() == Rank() &&
               Without(type.sizes, op_.dimensions) == Without(Out(), op_.dimensions));
    sum += type.sizes[op_.dimensions[0]];
  }
  ExpectFits(sum == Out()[op_.dimensions[0]]);
}

void OpReader::ReadReduce() {
  op_.kind = Kind::kReduce;
  op_.dimensions = NeededDims("dimensions");
  ExpectFits(AreBelow(op_.dimensions, Of(0).size()) && AreOnce(op_.dimensions) &&
             AreArraysAndScalars() && Without(Of(0), op_.dimensions) == Out());
}

HloOp OpReader::Read() {
  using Reader = void (OpReader::*)();
  static const std::map<std::string_view, Reader> readers = {
      {"broadcast", &OpReader::ReadMoved},
      {"transpose", &OpReader::ReadMoved},
      {"reverse", &OpReader::ReadMoved},
      {"reshape", &OpReader::ReadMoved},
      {"bitcast", &OpReader::ReadBits},
      {"bitcast-convert", &OpReader::ReadBits},
      {"rng-bit-generator", &OpReader::ReadLast},
      {"topk", &OpReader::ReadLast},
      {"sort", &OpReader::ReadLast},
      {"slice", &OpReader::ReadSlice},
      {"pad", &OpReader::ReadPad},
      {"concatenate", &OpReader::ReadConcatenate},
      {"reduce", &OpReader::ReadReduce},
      {"reduce-window", &OpReader::ReadWindowed},
      {"select-and-scatter", &OpReader::ReadWindowed},
      {"dot", &OpReader::ReadDot},
      {"convolution", &OpReader::ReadConvolution},
      {"dynamic-slice", &OpReader::ReadDynamic},
      {"dynamic-update-slice", &OpReader::ReadDynamic},
      {"gather", &OpReader::ReadGather},
      {"scatter", &OpReader::ReadScatter}};
  const auto reader = readers.find(name_);
  if (IsElementwise(name_)) {
    ReadElementwise();
  } else if (reader != readers.end()) {
    (this->*reader->second)();
  } else {
    Refuse("the meaning of '" + std::string(name_) + "' is not stated");
  }
  Expect(used_ == attributes_.size(), "an attribute is not known");
  return std::move(op_);
}

HloOp ReadOp(std::string_view name, const Attributes& attributes,
             const std::vector<ArrayType>& operands, const ArrayType& out) {
  return OpReader(name, attributes, operands, out).Read();
}

}  // namespace twin
