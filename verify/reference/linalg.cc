// cholesky and triangular-solve, recurrences over the last two dimensions, computed in f64 and
// rounded once. An element is computed from other elements of the result; it reads what these were
// computed from.
#include <cmath>
#include <complex>

#include "core/hlo/attribute_values.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

using Complex = std::complex<double>;

// A view of one matrix of a batch, row-major from `first` on, transposed or conjugated if so said.
struct Matrix {
  const Literal& literal;
  int64_t first, columns;
  bool transposed = false, conjugated = false;

  int64_t Position(int64_t row, int64_t column) const {
    return first + (transposed ? column * columns + row : row * columns + column);
  }
  Complex operator()(int64_t row, int64_t column) const {
    const Scalar value = Load(literal, Position(row, column));
    return {value.re, conjugated ? -value.im : value.im};
  }
};

// The rows and columns of the last two dimensions, and the number of matrices.
struct Batch {
  int64_t count = 1, rows = 0, columns = 0;
  explicit Batch(const Shape& shape)
      : rows(shape.dims[shape.rank() - 2]), columns(shape.dims[shape.rank() - 1]) {
    for (int64_t d = 0; d + 2 < shape.rank(); ++d) count *= shape.dims[d];
  }
};

// a times the conjugate of b. Real numbers have no other part, not one of zeros.
Complex TimesConjugate(const Complex& a, const Complex& b, bool is_complex) {
  if (!is_complex) return a.real() * b.real();
  return {a.real() * b.real() + a.imag() * b.imag(), a.imag() * b.real() - a.real() * b.imag()};
}

bool IsMatrixType(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }

// Marks what XLA's operation semantics ("Cholesky") leave open of one matrix: the
// triangle that is not asked for, and all of it where it has no factor.
void NoteOpenFactor(const OpInvocation& call, const Matrix& factor, int64_t n, bool exists) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = exists ? i + 1 : 0; j < n; ++j) {
      call.NoteOpen(0, factor.Position(i, j), OpInvocation::Openness::kChoice,
                    exists ? "leaves the other triangle open"
                           : "leaves the factor of a matrix open that is not positive definite");
    }
  }
}

}  // namespace

// The factor L of A = L L*, or U = L* of A = U* U; only one triangle of A is read, and the other
// one of the result is zero.
Result EvaluateCholesky(const OpInvocation& call) {
  const Shape& shape = call.operand(0).shape();
  if (shape.rank() < 2 || !IsMatrixType(shape.type)) return Fail(call.instruction, "of no matrix");
  const bool lower = BoolAttribute(call.attributes(), "lower").value_or(false);
  const Batch batch(shape);
  const int64_t n = batch.rows;
  const bool is_complex = IsComplex(shape.type);
  if (n != batch.columns) return Fail(call.instruction, "of matrices that are not square");
  if (auto error = CheckWork(call.instruction, {shape.dims, n})) return error;
  Result result = NewLiteral(call);
  if (!result) return result;
  for (int64_t b = 0; b < batch.count; ++b) {
    const Matrix a{call.operand(0), b * n * n, n, !lower, !lower};
    std::vector<Complex> l(n * n);
    bool exists = true;
    for (int64_t j = 0; j < n; ++j) {
      double rest = a(j, j).real();
      for (int64_t k = 0; k < j; ++k) {
        const Complex& x = l[j * n + k];
        rest -= TimesConjugate(x, x, is_complex).real();
      }
      exists &= rest > 0;  // and is no NaN
      l[j * n + j] = std::sqrt(rest);
      for (int64_t i = j; i < n; ++i) {
        Complex& element = l[i * n + j];
        if (i > j) {
          element = a(i, j);
          for (int64_t k = 0; k < j; ++k)
            element -= TimesConjugate(l[i * n + k], l[j * n + k], is_complex);
          const double root = l[j * n + j].real();
          element = {element.real() / root, is_complex ? element.imag() / root : 0};
        }
        const int64_t at = a.Position(i, j);
        Store(*result, at, {.re = element.real(), .im = lower ? element.imag() : -element.imag()});
        // L(i, j) depends on row i up to column j, and on all that L(j, j) depends on.
        for (int64_t p = 0; p <= j && call.observer != nullptr; ++p) {
          call.Read(0, at, 0, 0, a.Position(i, p));
          for (int64_t q = 0; q <= p; ++q) call.Read(0, at, 0, 0, a.Position(p, q));
        }
      }
    }
    if (call.notes_open()) NoteOpenFactor(call, a, n, exists);
  }
  return result;
}

namespace {

// T x = b for one matrix and one vector of unknowns.
struct TriangularSystem {
  Matrix t;
  int64_t n;
  bool forward;  // T is lower triangular
  bool unit;     // its diagonal is taken for ones, unread
  bool is_complex;

  // The k-th unknown that is solved for.
  int64_t Unknown(int64_t k) const { return forward ? k : n - 1 - k; }
  std::vector<Complex> Solve(std::vector<Complex> b) const {
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = Unknown(k);
      // Real numbers have no other part, not one of zeros.
      for (int64_t m = 0; m < k; ++m) {
        const Complex a = t(i, Unknown(m)), x = b[Unknown(m)];
        b[i] -= is_complex ? a * x : Complex(a.real() * x.real());
      }
      if (unit) continue;
      b[i] = is_complex ? b[i] / t(i, i) : Complex(b[i].real() / t(i, i).real());
    }
    return b;
  }
};

}  // namespace

// Solves op(A) X = B, or X op(A) = B, which is op(A)' X' = B'.
Result EvaluateTriangularSolve(const OpInvocation& call) {
  const Shape &matrix = call.operand(0).shape(), &sides = call.operand(1).shape();
  const Attributes& attributes = call.attributes();
  const bool left = BoolAttribute(attributes, "left_side").value_or(false);
  const bool lower = BoolAttribute(attributes, "lower").value_or(false);
  const bool unit = BoolAttribute(attributes, "unit_diagonal").value_or(false);
  const llvm::StringRef transpose = WordAttribute(attributes, "transpose_a");
  const bool transposed = (transpose == "TRANSPOSE" || transpose == "ADJOINT") == left;
  if (matrix.rank() < 2 || sides.rank() != matrix.rank() || !IsMatrixType(matrix.type)) {
    return Fail(call.instruction, "needs matrices");
  }
  const Batch a(matrix), b(sides);
  const int64_t n = a.rows, vectors = left ? b.columns : b.rows;
  if (n != a.columns || n != (left ? b.rows : b.columns) || a.count != b.count) {
    return Fail(call.instruction, "does not fit its operands");
  }
  if (auto error = CheckWork(call.instruction, {sides.dims, n})) return error;
  Result result = NewLiteral(call);
  if (!result) return result;
  for (int64_t v = 0; v < b.count * vectors; ++v) {
    const int64_t which = v / vectors, vector = v % vectors;
    const TriangularSystem system{
        {call.operand(0), which * n * n, n, transposed, transpose == "ADJOINT"},
        n,
        lower != transposed,
        unit,
        IsComplex(matrix.type)};
    // Vector by vector: the columns of B, or its rows.
    const Matrix side{call.operand(1), which * n * vectors, b.columns, !left, false};
    std::vector<Complex> x;
    x.reserve(n);
    for (int64_t i = 0; i < n; ++i) x.push_back(side(i, vector));
    x = system.Solve(std::move(x));
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = side.Position(system.Unknown(k), vector);
      const Complex value = x[system.Unknown(k)];
      Store(*result, at, {.re = value.real(), .im = value.imag()});
      // An unknown depends on those that are solved before it.
      for (int64_t p = 0; p <= k && call.observer != nullptr; ++p) {
        call.Read(0, at, 1, 0, side.Position(system.Unknown(p), vector));
        for (int64_t q = 0; q < p + (unit ? 0 : 1); ++q) {
          call.Read(0, at, 0, 0, system.t.Position(system.Unknown(p), system.Unknown(q)));
        }
      }
    }
  }
  return result;
}

}  // namespace affirm::hlo
