// cholesky and triangular-solve of small matrices: column after column, or unknown after unknown,
// each a vector that is computed by a kernel of its own, in f64 and rounded once
// (verify/reference/linalg.cc has the same order).
#include "core/hlo/attribute_values.h"
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// Each column has a kernel, of as many products as there are columns before it.
constexpr int64_t kMostColumns = 32;

bool IsMatrix(const Shape& shape) {
  return shape.IsArray() && shape.dims.size() >= 2 && shape.NumElements() > 0 &&
         (hlo::IsFloat(shape.type) || hlo::IsComplex(shape.type)) &&
         !llvm::is_contained(shape.dynamic, true);
}

std::vector<int64_t> Counting(int64_t count) {
  std::vector<int64_t> numbers(count);
  for (int64_t k = 0; k < count; ++k) numbers[k] = k;
  return numbers;
}

// A value of f64; of complex numbers both parts.
struct Wide {
  Instruction *re = nullptr, *im = nullptr;
};

// Vectors are [batch..., n].
class Vectors {
 public:
  Vectors(HloBuilder& b, const Shape& matrix, int64_t n)
      : b_(b), batch_(matrix.dims.begin(), matrix.dims.end() - 2), dims_(batch_) {
    dims_.push_back(n);
  }
  HloBuilder& b() { return b_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t last() const { return std::ssize(batch_); }

  Wide Of(Instruction* x) {
    if (!hlo::IsComplex(x->shape.type)) return {b_.Convert(x, PrimitiveType::kF64)};
    const PrimitiveType type =
        x->shape.type == PrimitiveType::kC128 ? PrimitiveType::kF64 : PrimitiveType::kF32;
    const Shape shape = Shape::Array(type, x->shape.dims);
    return {b_.Convert(b_.Add(Opcode::kReal, "re", shape, {x}), PrimitiveType::kF64),
            b_.Convert(b_.Add(Opcode::kImag, "im", shape, {x}), PrimitiveType::kF64)};
  }
  template <typename F>
  Wide Each(const Wide& x, const F& f) {
    return {f(x.re), x.im == nullptr ? nullptr : f(x.im)};
  }
  // Row or column `at` of matrices, as vectors.
  Wide Line(const Wide& matrix, int64_t dimension, int64_t at) {
    return Each(matrix, [&](Instruction* x) {
      std::vector<int64_t> dims = x->shape.dims;
      dims.erase(dims.begin() + dimension);
      return b_.Reshape(b_.Part(x, dimension, at, at + 1), std::move(dims));
    });
  }
  // Element `at` of each vector.
  Wide Element(const Wide& vector, int64_t at) {
    return Each(vector,
                [&](Instruction* x) { return b_.Reshape(b_.Part(x, last(), at, at + 1), batch_); });
  }
  // One number a vector, in all elements.
  Wide Spread(const Wide& x, const std::vector<int64_t>& dims) {
    return Each(x, [&](Instruction* y) { return b_.BroadcastInto(y, dims, Counting(last())); });
  }
  Instruction* Zero() { return b_.Broadcast(b_.Doubles({}, 0.0), dims_); }
  Instruction* Two(Opcode opcode, Instruction* x, Instruction* y) { return b_.Op(opcode, {x, y}); }

 private:
  HloBuilder& b_;
  std::vector<int64_t> batch_, dims_;
};

Instruction* Narrow(HloBuilder& b, const Wide& x, PrimitiveType type) {
  if (x.im == nullptr) return b.Convert(x.re, type);
  const PrimitiveType part =
      type == PrimitiveType::kC128 ? PrimitiveType::kF64 : PrimitiveType::kF32;
  return b.Add(Opcode::kComplex, "both", Shape::Array(type, x.re->shape.dims),
               {b.Convert(x.re, part), b.Convert(x.im, part)});
}

// Column j of the factor L, given those before it, of column j of A.
Wide ColumnOf(Vectors& v, const Wide& a, llvm::ArrayRef<Wide> before, int64_t j) {
  Instruction* rest = v.Element(a, j).re;
  Wide sum = a;
  for (const Wide& column : before) {
    const Wide at_j = v.Element(column, j), y = v.Spread(at_j, v.dims());
    Instruction* norm = v.Two(Opcode::kMultiply, at_j.re, at_j.re);
    Instruction* re = v.Two(Opcode::kMultiply, column.re, y.re);
    if (column.im != nullptr) {
      norm = v.Two(Opcode::kAdd, norm, v.Two(Opcode::kMultiply, at_j.im, at_j.im));
      re = v.Two(Opcode::kAdd, re, v.Two(Opcode::kMultiply, column.im, y.im));
      Instruction* im = v.Two(Opcode::kSubtract, v.Two(Opcode::kMultiply, column.im, y.re),
                              v.Two(Opcode::kMultiply, column.re, y.im));
      sum.im = v.Two(Opcode::kSubtract, sum.im, im);
    }
    rest = v.Two(Opcode::kSubtract, rest, norm);
    sum.re = v.Two(Opcode::kSubtract, sum.re, re);
  }
  Instruction* root = v.Spread({v.b().Op(Opcode::kSqrt, {rest})}, v.dims()).re;
  Instruction* row = v.b().Iota(PrimitiveType::kS32, v.dims(), v.last());
  Instruction* diagonal = v.b().Broadcast(v.b().Scalar("column", PrimitiveType::kS32, j), v.dims());
  Instruction* is_diagonal = v.b().Compare("EQ", row, diagonal);
  Wide column;
  column.re = v.b().Select(is_diagonal, root, v.Two(Opcode::kDivide, sum.re, root));
  if (a.im != nullptr)
    column.im = v.b().Select(is_diagonal, v.Zero(), v.Two(Opcode::kDivide, sum.im, root));
  return column;
}

}  // namespace

bool ExpandsCholesky(const Instruction& op) {
  if (op.operands.size() != 1 || !IsMatrix(op.shape)) return false;
  const Shape& shape = op.operands[0]->shape;
  return IsMatrix(shape) && shape.dims.back() <= kMostColumns &&
         shape.dims.back() == shape.dims[shape.dims.size() - 2];
}

Instruction* ExpandCholesky(Expander& expander, const Instruction& op,
                            llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const bool lower = hlo::BoolAttribute(op.attributes, "lower").value_or(false);
  const int64_t n = op.shape.dims.back();
  Vectors v(b, op.shape, n);
  const Wide a = v.Of(operands[0]);
  std::vector<Wide> columns;
  for (int64_t j = 0; j < n; ++j) {
    // Of an upper factor its conjugate transpose is computed.
    Wide given = v.Line(a, lower ? v.last() + 1 : v.last(), j);
    if (!lower && given.im != nullptr) given.im = b.Op(Opcode::kNegate, {given.im});
    columns.push_back(ColumnOf(v, given, columns, j));
    std::vector<Instruction*> kept = {columns.back().re};
    if (columns.back().im != nullptr) kept.push_back(columns.back().im);
    expander.Materialize(kept);
  }
  // Side by side, zeros above the diagonal.
  const std::vector<int64_t>& dims = op.shape.dims;
  Instruction* above = b.Compare("LT", b.Iota(PrimitiveType::kS32, dims, v.last()),
                                 b.Iota(PrimitiveType::kS32, dims, v.last() + 1));
  Instruction* zero = b.Broadcast(b.Doubles({}, 0.0), dims);
  std::vector<int64_t> order = Counting(std::ssize(dims));
  if (!lower) std::swap(order[v.last()], order[v.last() + 1]);
  auto together = [&](Instruction* Wide::* part) -> Instruction* {
    if (columns[0].*part == nullptr) return nullptr;
    std::vector<int64_t> column = v.dims();
    column.push_back(1);
    std::vector<Instruction*> parts;
    parts.reserve(columns.size());
    for (const Wide& x : columns) parts.push_back(b.Reshape(x.*part, column));
    Instruction* whole = b.Concatenate(parts, v.last() + 1);
    if (part == &Wide::im && !lower) whole = b.Op(Opcode::kNegate, {whole});
    return b.Transpose(b.Select(above, zero, whole), order);
  };
  return Narrow(b, {together(&Wide::re), together(&Wide::im)}, op.shape.type);
}

bool ExpandsTriangularSolve(const Instruction& op) {
  if (op.operands.size() != 2) return false;
  const Shape &matrix = op.operands[0]->shape, &sides = op.operands[1]->shape;
  return IsMatrix(matrix) && IsMatrix(sides) && hlo::IsFloat(matrix.type) &&
         hlo::IsFloat(sides.type) && IsMatrix(op.shape) &&
         matrix.dims.size() == sides.dims.size() && matrix.dims.back() <= kMostColumns;
}

Instruction* ExpandTriangularSolve(Expander& expander, const Instruction& op,
                                   llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const bool left = hlo::BoolAttribute(op.attributes, "left_side").value_or(false);
  const bool lower = hlo::BoolAttribute(op.attributes, "lower").value_or(false);
  const bool unit = hlo::BoolAttribute(op.attributes, "unit_diagonal").value_or(false);
  const llvm::StringRef transpose = hlo::WordAttribute(op.attributes, "transpose_a");
  const bool transposed = (transpose == "TRANSPOSE" || transpose == "ADJOINT") == left;
  const bool forward = lower != transposed;
  const int64_t n = operands[0]->shape.dims.back();
  const std::vector<int64_t>& sides = operands[1]->shape.dims;
  Vectors v(b, op.shape, left ? sides.back() : sides[sides.size() - 2]);
  const Wide t = v.Of(operands[0]), given = v.Of(operands[1]);
  auto element = [&](int64_t i, int64_t j) {
    const Wide row = v.Line(t, v.last(), transposed ? j : i);
    return v.Spread(v.Element(row, transposed ? i : j), v.dims()).re;
  };
  std::vector<Instruction*> unknowns(n);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = forward ? k : n - 1 - k;
    Instruction* x = v.Line(given, left ? v.last() : v.last() + 1, i).re;
    for (int64_t m = 0; m < k; ++m) {
      const int64_t j = forward ? m : n - 1 - m;
      x = v.Two(Opcode::kSubtract, x, v.Two(Opcode::kMultiply, element(i, j), unknowns[j]));
    }
    if (!unit) x = v.Two(Opcode::kDivide, x, element(i, i));
    unknowns[i] = x;
    expander.Materialize({x});
  }
  std::vector<int64_t> line = v.dims();
  line.insert(left ? line.end() - 1 : line.end(), 1);
  std::vector<Instruction*> parts;
  parts.reserve(unknowns.size());
  for (Instruction* x : unknowns) parts.push_back(b.Reshape(x, line));
  return b.Convert(b.Concatenate(parts, left ? v.last() : v.last() + 1), op.shape.type);
}

}  // namespace affirm::emit
