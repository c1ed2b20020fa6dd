// bitcast and bitcast-convert: elements of the result are made of the bits of the operand, low bits
// first, element after element: of bitcast in the order of the layouts, of bitcast-convert in
// row-major order.
#include "core/hlo/tiles.h"
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

using hlo::PrimitiveType;

int64_t WidthOf(PrimitiveType type) { return hlo::BitWidth(type); }

bool IsPlain(const hlo::Shape& shape) {
  auto tiles = hlo::Tiles(shape);
  return tiles && tiles->empty();
}

// The bits of a value as an unsigned integer: of a complex number the real part's are the low ones.
Term BitsOf(Scope& scope, Term value) {
  int64_t width = WidthOf(value->type);
  if (hlo::IsComplex(value->type)) {
    Term low = BitsOf(scope, terms::RealPart(scope.pool(), value));
    Term high = BitsOf(scope, terms::ImaginaryPart(scope.pool(), value));
    return scope.pool().Add(low, scope.pool().Scale(high, terms::Int128{1} << (width / 2)));
  }
  Term integer = terms::WithBits(scope.pool(), value, terms::IntegerType(width));
  return terms::Unsigned(scope, terms::CongruentInteger(scope.pool(), integer), width);
}

// The value of a type that has these bits.
Term OfBits(Scope& scope, Term bits, PrimitiveType type) {
  const int64_t width = WidthOf(type);
  if (hlo::IsComplex(type)) {
    const PrimitiveType part = hlo::PartType(type);
    Term high = terms::ShiftRightLogical(scope, bits, scope.pool().Number(width / 2), width);
    return terms::ComplexOf(scope.pool(), OfBits(scope, bits, part), OfBits(scope, high, part),
                            type);
  }
  Term integer = terms::ValueOfInteger(scope, bits, terms::IntegerType(width));
  return terms::WithBits(scope.pool(), integer, type);
}

// A value of the same width, read as another type.
Term Reinterpreted(Scope& scope, Term value, PrimitiveType type) {
  if (value->type == terms::TermType(type)) return value;
  if (!hlo::IsComplex(value->type) && !hlo::IsComplex(type))
    return terms::WithBits(scope.pool(), value, type);
  return OfBits(scope, BitsOf(scope, value), type);
}

// Element `position` of an array of another width, in the order of its bits.
Value OfOtherWidth(const Query& q, Term position, llvm::function_ref<Value(Term)> element_at) {
  Scope& scope = q.scope();
  Pool& pool = q.pool();
  const PrimitiveType to = q.op.shape.type;
  const int64_t from_width = WidthOf(q.operand(0).type), width = WidthOf(to);
  Term bits;
  if (width < from_width) {
    const int64_t parts = from_width / width;
    Value whole = element_at(scope.Quotient(position, parts));
    if (!whole) return whole;
    Term shift = pool.Scale(scope.Residue(position, parts), width);
    bits = terms::ShiftRightLogical(scope, BitsOf(scope, *whole), shift, from_width);
  } else {
    bits = pool.Number(0);
    for (int64_t part = 0; part < width / from_width; ++part) {
      Term at = pool.Add(pool.Scale(position, width / from_width), pool.Number(part));
      Value value = element_at(at);
      if (!value) return value;
      terms::Int128 weight = terms::Int128{1} << (part * from_width);
      bits = pool.Add(bits, pool.Scale(BitsOf(scope, *value), weight));
    }
  }
  return OfBits(scope, bits, to);
}

// Some values are moved as they are, but not taken for others: of predicates compilers disagree
// about the width, and of complex numbers of 128 bits there is no integer.
bool HasBits(PrimitiveType type) {
  return hlo::IsInt(type) || hlo::IsFloat(type) || (hlo::IsComplex(type) && WidthOf(type) <= 64);
}

bool CanReinterpret(const Query& q) {
  const PrimitiveType from = q.operand(0).type, to = q.op.shape.type;
  return from == to || (HasBits(from) && HasBits(to));
}

}  // namespace

Value Bitcast(const Query& q) {
  const hlo::Shape &from = q.operand(0), &to = q.op.shape;
  if (!from.IsArray() || !to.IsArray() || !IsPlain(from) || !IsPlain(to) || !CanReinterpret(q))
    return NoValueTerm(q.op);
  if (WidthOf(from.type) != WidthOf(to.type)) {
    return OfOtherWidth(q, LinearElement(q.scope(), to, q.index), [&](Term position) {
      return q.Operand(0, IndexOfElement(q.scope(), from, position));
    });
  }
  const std::vector<int64_t> from_order = from.MinorToMajor(), to_order = to.MinorToMajor();
  std::vector<int64_t> from_sizes, to_sizes;
  Index index;
  for (size_t k = from_order.size(); k-- > 0;) from_sizes.push_back(from.dims[from_order[k]]);
  for (size_t k = to_order.size(); k-- > 0;) {
    to_sizes.push_back(to.dims[to_order[k]]);
    index.push_back(q.index[to_order[k]]);
  }
  Index regrouped = Regroup(q.scope(), to_sizes, index, from_sizes), at(from_order.size());
  for (size_t k = 0; k < at.size(); ++k) at[from_order[k]] = regrouped[at.size() - 1 - k];
  Value value = q.Operand(0, at);
  if (!value) return value;
  return Reinterpreted(q.scope(), *value, to.type);
}

// A wider type is split along, or joined from, a new minor dimension.
Value BitcastConvert(const Query& q) {
  const hlo::Shape &from = q.operand(0), &to = q.op.shape;
  if (!CanReinterpret(q)) return NoValueTerm(q.op);
  if (WidthOf(from.type) == WidthOf(to.type)) {
    Value value = q.Operand(0, q.index);
    if (!value) return value;
    return Reinterpreted(q.scope(), *value, to.type);
  }
  const hlo::Shape row_major_to = hlo::Shape::Array(to.type, to.dims),
                   row_major_from = hlo::Shape::Array(from.type, from.dims);
  return OfOtherWidth(q, LinearElement(q.scope(), row_major_to, q.index), [&](Term position) {
    return q.Operand(0, IndexOfElement(q.scope(), row_major_from, position));
  });
}

}  // namespace affirm::hlo_values
