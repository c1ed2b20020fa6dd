// parameter, constant and iota, which have no operands.
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

using hlo::PrimitiveType;

bool IsSplat(const hlo::Literal& literal) {
  llvm::ArrayRef<uint8_t> bytes = literal.bytes();
  size_t size = hlo::ByteWidth(literal.shape().type);
  return bytes.drop_front(std::min(size, bytes.size())) ==
         bytes.drop_back(std::min(size, bytes.size()));
}

// The type that elements of a constant array have where they are read: integers and floats of at
// most eight bits are the low bits of bytes.
PrimitiveType StoredType(PrimitiveType type) {
  const bool in_bytes = (hlo::IsInt(type) || hlo::IsFloat(type)) && hlo::BitWidth(type) <= 8;
  return in_bytes ? PrimitiveType::kS8 : type;
}

// The leaf of a literal that may be a tuple.
const hlo::Literal* LeafOf(const hlo::Literal& literal, int64_t& leaf) {
  if (!literal.shape().IsTuple()) return leaf-- == 0 ? &literal : nullptr;
  for (const hlo::Literal& element : literal.tuple()) {
    if (const hlo::Literal* found = LeafOf(element, leaf)) return found;
  }
  return nullptr;
}

}  // namespace

// An element is a literal where it is known which one it is, or where all are the same.
Value Constant(const Query& q) {
  int64_t leaf = q.leaf;
  const hlo::Literal* literal = q.op.literal ? LeafOf(*q.op.literal, leaf) : nullptr;
  if (!literal) return Fail(q.op, "constant " + llvm::Twine(q.op.name) + " has no value");
  if (literal->NumElements() == 0) return NoValueTerm(q.op);
  if (IsSplat(*literal)) return terms::ElementOfLiteral(q.pool(), *literal, 0);
  bool concrete = true;
  std::vector<int64_t> index;
  for (Term i : q.index) {
    terms::Range range = q.scope().RangeOf(i);
    concrete &= range.single();
    if (concrete) index.push_back(static_cast<int64_t>(range.lo));
  }
  if (concrete) return terms::ElementOfLiteral(q.pool(), *literal, literal->Linear(index));
  if (q.op.shape.IsTuple()) return NoValueTerm(q.op);
  Term linear = LinearElement(q.scope(), q.op.shape, q.index);
  const PrimitiveType type = literal->shape().type, stored = StoredType(type);
  Term element = q.pool().Apply(q.builder.OperationOf(q.op), terms::TermType(stored),
                                {q.pool().OfInteger(linear, PrimitiveType::kS64)});
  if (stored == type) return element;
  Term bits =
      q.pool().OfInteger(q.pool().IntegerOf(element), terms::IntegerType(hlo::BitWidth(type)));
  return terms::WithBits(q.pool(), bits, type);
}

terms::Operation Builder::OperationOf(const hlo::Instruction& constant) {
  terms::Operation& made = constants_[&constant];
  if (made.op() != terms::Op::kNone) return made;
  const hlo::Literal& literal = *constant.literal;
  const std::vector<int64_t>& sizes = constant.shape.dims;
  size_t width = hlo::ByteWidth(literal.shape().type);
  std::vector<int64_t> index(sizes.size(), 0), order = constant.shape.MinorToMajor();
  std::vector<uint8_t> bytes;
  bytes.reserve(literal.bytes().size());
  for (int64_t count = literal.NumElements(); count > 0; --count) {
    const uint8_t* element = literal.data() + literal.Linear(index) * width;
    bytes.insert(bytes.end(), element, element + width);
    for (int64_t d : order) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  made = scope_.pool().KeepConstant(StoredType(literal.shape().type), bytes);
  return made;
}

Value Parameter(const Query& q) {
  return q.frame.parameter(q.op.parameter_number, q.leaf, q.index);
}

// The coordinate, converted to the type.
Value Iota(const Query& q) {
  Term coordinate = q.index[q.op.attributes.dimensions[0]];
  Term value = q.pool().OfInteger(coordinate, hlo::PrimitiveType::kS64);
  Term converted = terms::Convert(q.scope(), value, hlo::PrimitiveType::kS64, q.op.shape.type);
  if (!converted) return NoValueTerm(q.op);
  return converted;
}

}  // namespace affirm::hlo_values
