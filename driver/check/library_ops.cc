#include "driver/check/library_ops.h"

#include <limits>
#include <optional>

#include "core/hlo/attribute_values.h"
#include "core/hlo/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "verify/calls/matrix_text.h"
#include "verify/calls/meaning_text.h"
#include "verify/reference/arguments.h"
#include "verify/scalar/scalar.h"

// A namespace of its own: values of JSON have the names of those of HLO.
namespace affirm::driver::library {
namespace {

using calls::Lines;
using calls::MeaningText;
using calls::Value;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// In which triangle of its matrix, and from which end, an op works.
struct Form {
  explicit Form(const hlo::Instruction& op)
      : is_factor(op.opcode == Opcode::kCholesky),
        lower(hlo::BoolAttribute(op.attributes, "lower").value_or(false)) {
    if (is_factor) return;
    const llvm::StringRef transpose = hlo::WordAttribute(op.attributes, "transpose_a");
    left = hlo::BoolAttribute(op.attributes, "left_side").value_or(false);
    unit = hlo::BoolAttribute(op.attributes, "unit_diagonal").value_or(false);
    transposed = (transpose == "TRANSPOSE" || transpose == "ADJOINT") == left;
    conjugated = transpose == "ADJOINT";
  }
  bool forward() const { return lower != transposed; }

  bool is_factor, lower, left = true, unit = false, transposed = false, conjugated = false;
};

// Arrays of f64: numbers, or both parts of complex ones.
struct Wide {
  Value re;
  std::optional<Value> im;
};

Wide Each(const Wide& x, llvm::function_ref<Value(const Value&)> change) {
  Wide result{change(x.re), std::nullopt};
  if (x.im) result.im = change(*x.im);
  return result;
}

// The parts of several arrays one after the other, as a loop carries them, and back.
std::vector<Value> Flat(llvm::ArrayRef<Wide> arrays) {
  std::vector<Value> flat;
  for (const Wide& x : arrays) {
    flat.push_back(x.re);
    if (x.im) flat.push_back(*x.im);
  }
  return flat;
}
std::vector<Wide> Grouped(llvm::ArrayRef<Value> flat, bool complex) {
  std::vector<Wide> arrays;
  for (size_t k = 0; k < flat.size(); k += complex ? 2 : 1) {
    arrays.push_back({flat[k], std::nullopt});
    if (complex) arrays.back().im = flat[k + 1];
  }
  return arrays;
}

Wide Widened(Lines& lines, const Value& x) {
  auto wide = [&](const Value& part) { return lines.Convert(part, PrimitiveType::kF64); };
  if (!hlo::IsComplex(x.shape.type)) return {wide(x), std::nullopt};
  const Shape part = Shape::Array(PartType(x.shape.type), x.shape.dims);
  const Value re = lines.Op(part, Opcode::kReal, {x}), im = lines.Op(part, Opcode::kImag, {x});
  return {wide(re), wide(im)};
}

Value Narrowed(Lines& lines, const Wide& x, const Shape& shape) {
  const Wide flat = Each(x, [&](const Value& part) { return lines.Reshape(part, shape.dims); });
  const Shape result = Shape::Array(shape.type, shape.dims);
  if (!x.im) return lines.Convert(flat.re, shape.type);
  const PrimitiveType type = PartType(shape.type);
  const Value re = lines.Convert(flat.re, type), im = lines.Convert(*flat.im, type);
  return lines.Op(result, Opcode::kComplex, {re, im});
}

Wide Transposed(Lines& lines, const Wide& x) {
  return Each(x, [&](const Value& part) { return lines.Transpose(part, {0, 2, 1}); });
}
Wide Reversed(Lines& lines, const Wide& x, llvm::ArrayRef<int64_t> dims) {
  return Each(x, [&](const Value& part) {
    return lines.Op(part.shape, Opcode::kReverse, {part}, "dimensions=" + calls::Braces(dims));
  });
}
Wide Conjugated(Lines& lines, Wide x) {
  if (x.im) x.im = lines.Unary(Opcode::kNegate, *x.im);
  return x;
}
// [batch, n] along a dimension of [batch, ...].
Wide Along(Lines& lines, const Wide& x, const Shape& shape, int64_t dimension) {
  return Each(x, [&](const Value& part) { return lines.Broadcast(part, shape, {0, dimension}); });
}
// The value of one trip is in memory before all other elements read it: kernels compute it once.
Wide Kept(Lines& lines, const Wide& x) {
  return Each(x,
              [&](const Value& part) { return lines.Unary(Opcode::kOptimizationBarrier, part); });
}
Wide Select(Lines& lines, const Value& condition, const Wide& x, const Wide& y) {
  Wide result{lines.Select(condition, x.re, y.re), std::nullopt};
  if (x.im) result.im = lines.Select(condition, *x.im, *y.im);
  return result;
}

// x - a * b; of a factor a times the conjugate of b.
Wide Less(Lines& lines, const Wide& x, const Wide& a, const Wide& b, bool conjugate) {
  auto times = [&](const Value& s, const Value& t) {
    return lines.Binary(Opcode::kMultiply, s, t);
  };
  if (!x.im) return {lines.Binary(Opcode::kSubtract, x.re, times(a.re, b.re)), std::nullopt};
  const Value re = times(a.re, b.re), im = times(*a.im, *b.im), mixed = times(*a.im, b.re),
              other = times(a.re, *b.im);
  const Value product_re = lines.Binary(conjugate ? Opcode::kAdd : Opcode::kSubtract, re, im);
  const Value product_im = conjugate ? lines.Binary(Opcode::kSubtract, mixed, other)
                                     : lines.Binary(Opcode::kAdd, other, mixed);
  return {lines.Binary(Opcode::kSubtract, x.re, product_re),
          lines.Binary(Opcode::kSubtract, *x.im, product_im)};
}

// Column j of the factor of what is left of the matrix, zero above row j.
Wide FactorColumn(Lines& lines, const Wide& a, const Value& j) {
  const Wide column = Each(a, [&](const Value& part) { return calls::ColumnOf(lines, part, j); });
  const Shape& shape = column.re.shape;
  const Value root = lines.Unary(Opcode::kSqrt, calls::ElementOf(lines, column.re, j, shape));
  const Value zero = lines.Constant(shape, 0);
  const Wide below =
      Each(column, [&](const Value& part) { return lines.Binary(Opcode::kDivide, part, root); });
  const Wide diagonal{root, a.im ? std::optional(zero) : std::nullopt};
  return Kept(lines, Select(lines, calls::Where(lines, shape, 1, "EQ", j), diagonal, below));
}

std::string Factor(const hlo::Instruction& op) {
  const Form form(op);
  MeaningText text(op);
  // An upper factor is computed as its conjugate transpose.
  Wide a = Widened(text, calls::Matrices(text, text.Parameter(0)));
  if (!form.lower) a = Conjugated(text, Transposed(text, a));
  const Shape shape = a.re.shape;
  const bool complex = a.im.has_value();
  const auto made = text.Loop("columns", shape.dims[1], Flat({a}),
                              [&](Lines& lines, const Value& j, llvm::ArrayRef<Value> values) {
                                const Wide a = Grouped(values, complex)[0];
                                const Wide column = FactorColumn(lines, a, j);
                                const Wide by_row = Along(lines, column, shape, 1),
                                           by_column = Along(lines, column, shape, 2);
                                // The elements of column j are those of the factor; those behind it
                                // lose a product.
                                const Value is_column = calls::Where(lines, shape, 2, "EQ", j),
                                            is_behind = calls::Where(lines, shape, 2, "GT", j);
                                const Wide rest = Select(
                                    lines, is_behind, Less(lines, a, by_row, by_column, true), a);
                                return Flat({Select(lines, is_column, by_row, rest)});
                              });
  Wide factor = Grouped(made, complex)[0];
  const Shape numbers = Shape::Array(PrimitiveType::kS32, shape.dims);
  const Value column = text.Op(numbers, Opcode::kIota, {}, "iota_dimension=2");
  const Value above = calls::Where(text, shape, 1, "LT", column);
  const Value zero = text.Constant(shape, 0);
  factor = Each(factor, [&](const Value& part) { return text.Select(above, zero, part); });
  if (!form.lower) factor = Conjugated(text, Transposed(text, factor));
  return text.Module({text.Op(op.shape, Opcode::kCopy, {Narrowed(text, factor, op.shape)})});
}

// Every system is brought to the form of a lower triangle and columns of unknowns, which are solved
// for from the first row on.
std::string Solution(const hlo::Instruction& op) {
  const Form form(op);
  MeaningText text(op);
  Wide t = Widened(text, calls::Matrices(text, text.Parameter(0))),
       x = Widened(text, calls::Matrices(text, text.Parameter(1)));
  if (form.conjugated) t = Conjugated(text, t);
  if (form.transposed) t = Transposed(text, t);
  if (!form.left) x = Transposed(text, x);
  if (!form.forward()) {
    t = Reversed(text, t, {1, 2});
    x = Reversed(text, x, {1});
  }
  const Shape shape = x.re.shape;
  const bool complex = x.im.has_value();
  const auto made = text.Loop(
      "unknowns", shape.dims[1], Flat({t, x}),
      [&](Lines& lines, const Value& j, llvm::ArrayRef<Value> values) {
        const auto arrays = Grouped(values, complex);
        const Wide &t = arrays[0], &x = arrays[1];
        Wide known = Each(x, [&](const Value& part) { return calls::RowOf(lines, part, j); });
        const Wide column =
            Each(t, [&](const Value& part) { return calls::ColumnOf(lines, part, j); });
        if (!form.unit) {
          const Wide pivot = Each(column, [&](const Value& part) {
            return calls::ElementOf(lines, part, j, known.re.shape);
          });
          known = {lines.Binary(Opcode::kDivide, known.re, pivot.re), std::nullopt};
        }
        known = Kept(lines, known);
        const Wide solved = Along(lines, known, shape, 2);
        const Wide rest = Less(lines, x, Along(lines, column, shape, 1), solved, false);
        const Value is_behind = calls::Where(lines, shape, 1, "GT", j),
                    is_solved = calls::Where(lines, shape, 1, "EQ", j);
        return Flat({t, Select(lines, is_solved, solved, Select(lines, is_behind, rest, x))});
      });
  x = Grouped(made, complex)[1];
  if (!form.forward()) x = Reversed(text, x, {1});
  if (!form.left) x = Transposed(text, x);
  return text.Module({text.Op(op.shape, Opcode::kCopy, {Narrowed(text, x, op.shape)})});
}

bool IsMatrix(const Shape& shape) {
  return shape.IsArray() && shape.rank() >= 2 && shape.NumElements() > 0 &&
         (hlo::IsFloat(shape.type) || hlo::IsComplex(shape.type)) &&
         !llvm::is_contained(shape.dynamic, true);
}

// Whether the op reads that element of its matrix.
bool Reads(const Form& form, int64_t row, int64_t column) {
  if (row == column) return form.is_factor || !form.unit;
  return (row > column) == form.lower;
}

}  // namespace
}  // namespace affirm::driver::library

namespace affirm::driver {

bool IsLibraryOp(const hlo::Instruction& op) {
  using library::IsMatrix;
  const bool is_factor = op.opcode == hlo::Opcode::kCholesky && op.operands.size() == 1;
  const bool is_solution = op.opcode == hlo::Opcode::kTriangularSolve && op.operands.size() == 2;
  if ((!is_factor && !is_solution) || !IsMatrix(op.shape)) return false;
  const hlo::Shape &matrix = op.operands[0]->shape, &sides = op.operands.back()->shape;
  if (!IsMatrix(matrix) || !IsMatrix(sides) || sides.dims != op.shape.dims ||
      matrix.rank() != sides.rank() || matrix.type != op.shape.type ||
      sides.type != op.shape.type) {
    return false;
  }
  const int64_t rank = matrix.rank(), n = matrix.dims.back();
  const bool same_batch = llvm::equal(llvm::ArrayRef(matrix.dims).drop_back(2),
                                      llvm::ArrayRef(sides.dims).drop_back(2));
  if (!same_batch || matrix.dims[rank - 2] != n) return false;
  if (is_factor) return true;
  const bool left = library::Form(op).left;
  return sides.dims[left ? rank - 2 : rank - 1] == n && !hlo::IsComplex(op.shape.type);
}

bool HasLibraryOp(const hlo::Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    return IsLibraryOp(*op) || llvm::any_of(op->called, [](const hlo::Computation* callee) {
             return HasLibraryOp(*callee);
           });
  });
}

std::unique_ptr<hlo::Module> LoopModuleOf(const hlo::Instruction& op) {
  const std::string text =
      op.opcode == hlo::Opcode::kCholesky ? library::Factor(op) : library::Solution(op);
  return llvm::cantFail(hlo::ParseModule(text, op.name));
}

std::vector<hlo::Literal> WellConditionedArguments(const hlo::Computation& computation,
                                                   uint64_t seed) {
  auto arguments = hlo::MakeArguments(computation, seed, hlo::ArgumentKind::kSmall);
  const library::Form form(*computation.root);
  hlo::Literal& matrices = arguments[0];
  const int64_t n = matrices.shape().dims.back();
  for (int64_t i = 0; i < matrices.NumElements(); ++i) {
    const int64_t row = i / n % n, column = i % n;
    if (!library::Reads(form, row, column)) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      hlo::Store(matrices, i, {.re = nan, .im = nan});
    } else if (row == column) {
      hlo::Store(matrices, i, {.re = static_cast<double>(2 * n + 1 + row)});
    }
  }
  return arguments;
}

}  // namespace affirm::driver
