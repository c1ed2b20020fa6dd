#include "verify/calls/matrix_text.h"

#include <string>

namespace affirm::calls {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// The part of [batch, rows, columns] that is one element wide in `dimension`, at `at`.
Value Part(Lines& lines, const Value& x, int64_t dimension, const Value& at) {
  std::vector<int64_t> sizes = x.shape.dims;
  sizes[dimension] = 1;
  std::vector<Value> operands = {x};
  const Value zero = lines.Constant(at.shape, 0);
  for (int64_t d = 0; d < x.shape.rank(); ++d) operands.push_back(d == dimension ? at : zero);
  const Value part = lines.Op(Shape::Array(x.shape.type, sizes), Opcode::kDynamicSlice, operands,
                              "dynamic_slice_sizes=" + Braces(sizes));
  sizes.erase(sizes.begin() + dimension);
  return lines.Reshape(part, sizes);
}

}  // namespace

Shape Like(const Value& x, std::vector<int64_t> dims) {
  return Shape::Array(x.shape.type, std::move(dims));
}

Shape NumbersOf(std::vector<int64_t> dims) {
  return Shape::Array(PrimitiveType::kS32, std::move(dims));
}

bool IsReal(PrimitiveType type) {
  return type == PrimitiveType::kF32 || type == PrimitiveType::kF64;
}

Value Matrices(Lines& lines, const Value& x) {
  const auto& dims = x.shape.dims;
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  return lines.Reshape(x, {x.shape.NumElements() / (rows * columns), rows, columns});
}

Value RowOf(Lines& lines, const Value& a, const Value& at) { return Part(lines, a, 1, at); }
Value ColumnOf(Lines& lines, const Value& a, const Value& at) { return Part(lines, a, 2, at); }

Value ElementOf(Lines& lines, const Value& x, const Value& at, const Shape& shape) {
  return lines.Broadcast(Part(lines, x, 1, at), Shape::Array(x.shape.type, shape.dims), {0});
}

Value Where(Lines& lines, const Shape& shape, int64_t dimension, llvm::StringRef direction,
            const Value& at) {
  const Shape numbers = Shape::Array(PrimitiveType::kS32, shape.dims);
  const Value indices =
      lines.Op(numbers, Opcode::kIota, {}, "iota_dimension=" + std::to_string(dimension));
  const Value limit = at.shape.rank() == 0 ? lines.Broadcast(at, numbers, {}) : at;
  return lines.Compare(indices, limit, direction);
}

Value Sum(Lines& lines, const Value& x, int64_t dimension, hlo::Opcode combine, double from) {
  const Shape scalar = Shape::Array(x.shape.type, {});
  const std::string type = hlo::Name(x.shape.type).str(),
                    name = hlo::Name(combine).str() + "_" + type;
  lines.AddComputation(name + " {\n  a = " + type + "[] parameter(0)\n  b = " + type +
                       "[] parameter(1)\n  ROOT c = " + type + "[] " + hlo::Name(combine).str() +
                       "(a, b)\n}");
  std::vector<int64_t> dims = x.shape.dims;
  dims.erase(dims.begin() + dimension);
  return lines.Op(Shape::Array(x.shape.type, dims), Opcode::kReduce,
                  {x, lines.Constant(scalar, from)},
                  "dimensions=" + Braces({dimension}) + ", to_apply=" + name);
}

Value Product(Lines& lines, const Value& a, const Value& b) {
  const Shape shape =
      Shape::Array(a.shape.type, {a.shape.dims[0], a.shape.dims[1], b.shape.dims[2]});
  return lines.Op(shape, Opcode::kDot, {a, b},
                  "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                  "rhs_contracting_dims={1}");
}

Value IsDiagonal(Lines& text, const Shape& shape) {
  const Shape numbers = NumbersOf(shape.dims);
  return Where(text, shape, 1, "EQ", text.Op(numbers, Opcode::kIota, {}, "iota_dimension=2"));
}

Value Identity(Lines& text, const Shape& shape) {
  return text.Select(IsDiagonal(text, shape), text.Constant(shape, 1), text.Constant(shape, 0));
}

}  // namespace affirm::calls
