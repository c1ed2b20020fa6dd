// cholesky and triangular-solve, by substitution in any order and in blocks of any size, with the
// diagonal blocks inverted or not.
//
// Substitution in any order satisfies each equation up to the roundings of a sum (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd edition, sections 8.1 and 10.1), so it is one of
// intervals. A block T of the diagonal that is inverted gives x off by at most c u |X||T||X||b|,
// where X is its inverse, c grows like its size, and b is what is left of the right side (section
// 14.2): its equations hold up to |T| times that. |X| is at most the inverse of the matrix whose
// diagonal is |T|'s and whose other elements are -|T|'s (section 8.2), for every block.
#include <cmath>
#include <optional>

#include "core/hlo/attribute_values.h"
#include "verify/enclosure/arithmetic.h"
#include "verify/enclosure/complex_functions.h"
#include "verify/enclosure/rules.h"

namespace affirm::enclosure {

using hlo::PrimitiveType;

namespace {

// A real number has an imaginary part that is zero.
Enclosure Conjugate(const Enclosure& a) {
  return {.real = a.real, .imaginary = Negated(a.imaginary)};
}
double UpperOf(const Enclosure& a) {
  auto largest = [](const Interval& part) {
    return part.HasNumbers() && !part.nan ? Magnitude(part).hi : kInfinity;
  };
  return std::nextafter(std::hypot(largest(a.real), largest(a.imaginary)), kInfinity);
}
double LowerOf(const Enclosure& a) {
  return std::nextafter(std::hypot(Magnitude(a.real).lo, Magnitude(a.imaginary).lo), 0);
}

// A view of one matrix of a batch, row-major from `first` on.
struct Matrix {
  const EnclosedValue* value;
  int64_t first, columns;
  bool is_transposed = false, is_conjugated = false, is_complex = false;

  int64_t Position(int64_t row, int64_t column) const {
    return first + (is_transposed ? column * columns + row : row * columns + column);
  }
  Enclosure operator()(int64_t row, int64_t column) const {
    Enclosure element = value->At(0, Position(row, column));
    if (!is_complex) element.imaginary = Interval::Of(0);
    return is_conjugated ? Conjugate(element) : element;
  }
};

// A sum of products in any order.
class Products {
 public:
  explicit Products(PrimitiveType part) : real_(part), imaginary_(part) {}
  void Add(const Enclosure& a) {
    real_.Add(a.real);
    imaginary_.Add(a.imaginary);
  }
  // Less a times b.
  void Subtract(const Enclosure& a, const Enclosure& b) {
    real_.Add(Negated(Product(a.real, b.real)), 1);
    real_.Add(Product(a.imaginary, b.imaginary), 1);
    imaginary_.Add(Negated(Product(a.real, b.imaginary)), 1);
    imaginary_.Add(Negated(Product(a.imaginary, b.real)), 1);
  }
  Enclosure Result() const { return {.real = real_.Result(), .imaginary = imaginary_.Result()}; }

 private:
  AnyOrderSum real_, imaginary_;
};

// The unknowns of lower triangular equations, one after the other.
class Substitution {
 public:
  Substitution(PrimitiveType type, Freedom freedom, int64_t size)
      : in_(hlo::PartType(type), freedom),
        is_complex_(hlo::IsComplex(type)),
        of_inverses_((4 * static_cast<double>(size) + 16) * UnitRoundoff(in_.type())) {}

  int64_t size() const { return std::ssize(x_); }
  const Enclosure& operator[](int64_t k) const { return x_[k]; }
  // The next unknown: `row` has the coefficients of those before it and its own one, which is not
  // read where it is 1; `right` is the right side.
  void Solve(llvm::ArrayRef<Enclosure> row, const Enclosure& right, bool is_unit) {
    Products rest(in_.type());
    rest.Add(right);
    double size = UpperOf(right), passed = 0, passed_twice = 0;
    for (size_t k = 0; k < x_.size(); ++k) {
      rest.Subtract(row[k], x_[k]);
      const double factor = UpperOf(row[k]);
      size += factor * UpperOf(x_[k]);
      passed += factor * once_[k];
      passed_twice += factor * twice_[k];
    }
    const Enclosure one = {.real = Interval::Of(1), .imaginary = Interval::Of(0)};
    const Enclosure divisor = is_unit ? one : row.back();
    // |b| + |T||x|, then two times the inverse and T.
    const double least = LowerOf(divisor), most = UpperOf(divisor);
    once_.push_back((3 * size + passed) / least);
    twice_.push_back((most * once_.back() + passed + passed_twice) / least);
    const double error = of_inverses_ * (most * twice_.back() + passed_twice);
    const Interval spread = {.lo = -error, .hi = error};
    Enclosure sum = rest.Result();
    if (!is_first()) {
      sum.real = Sum(sum.real, spread);
      if (is_complex_) sum.imaginary = Sum(sum.imaginary, spread);
    }
    x_.push_back(is_unit ? sum : Quotient(sum, divisor));
  }

 private:
  // The first unknown is a quotient.
  bool is_first() const { return x_.empty(); }
  Enclosure Quotient(const Enclosure& a, const Enclosure& b) const {
    if (is_complex_) return ComplexQuotient(in_.type(), a, b);
    return {.real = in_.Divide(a.real, b.real), .imaginary = a.imaginary};
  }

  Arithmetic in_;
  bool is_complex_;
  double of_inverses_;
  std::vector<Enclosure> x_;
  std::vector<double> once_, twice_;  // bounds of the inverse times magnitudes
};

bool IsMatrixType(PrimitiveType type) { return hlo::IsFloat(type) || hlo::IsComplex(type); }

// The lower triangle of the factor, by rows; nullopt where a pivot may not be positive.
std::optional<std::vector<std::vector<Enclosure>>> FactorOf(const Matrix& a, int64_t n,
                                                            PrimitiveType type, Freedom freedom) {
  const PrimitiveType part = hlo::PartType(type);
  std::vector<std::vector<Enclosure>> rows;
  for (int64_t i = 0; i < n; ++i) {
    // The conjugates of a row satisfy the equations of the rows before it.
    Substitution row(type, freedom, n);
    for (int64_t j = 0; j < i; ++j) row.Solve(rows[j], Conjugate(a(i, j)), false);
    Products rest(part);
    rest.Add({.real = a(i, i).real, .imaginary = Interval::Of(0)});
    rows.emplace_back();
    for (int64_t j = 0; j < i; ++j) {
      rest.Subtract({.real = row[j].real, .imaginary = Interval::Of(0)},
                    {.real = row[j].real, .imaginary = Interval::Of(0)});
      rest.Subtract({.real = row[j].imaginary, .imaginary = Interval::Of(0)},
                    {.real = row[j].imaginary, .imaginary = Interval::Of(0)});
      rows.back().push_back(Conjugate(row[j]));
    }
    const Interval pivot = rest.Result().real;
    if (!(pivot.lo > 0) || pivot.nan) return std::nullopt;
    // A root may be a product with the reciprocal of one.
    const Interval root =
        Monotone([](double x) { return std::sqrt(x); }, pivot, Direction::kRises, 0, kInfinity, 1);
    rows.back().push_back({.real = Rounded(root, part, {.ulp = 4}), .imaginary = Interval::Of(0)});
  }
  return rows;
}

}  // namespace

void EncloseCholesky(Evaluation& of) {
  const hlo::Shape& shape = of.op.shape;
  const PrimitiveType type = shape.type;
  if (!IsMatrixType(type)) return of.MakeWhole();
  const bool is_lower = hlo::BoolAttribute(of.op.attributes, "lower").value_or(false);
  const int64_t n = shape.dims.back();
  LeafEnclosures& leaf = of.result.leaves[0];
  // The other triangle is not defined, and the interpreter has zeros there.
  for (int64_t i = 0; i < shape.NumElements(); ++i)
    leaf.push_back(Enclosure::Of(type, hlo::Load(of.result.value, i)));
  for (int64_t first = 0; n > 0 && first < shape.NumElements(); first += n * n) {
    const Matrix a{of.operands[0], first, n, !is_lower, !is_lower, hlo::IsComplex(type)};
    const auto rows = FactorOf(a, n, type, of.freedom);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        Enclosure& element = leaf[a.Position(i, j)];
        element = !rows      ? Enclosure::Whole(type)
                  : is_lower ? (*rows)[i][j]
                             : Conjugate((*rows)[i][j]);
      }
    }
  }
}

void EncloseTriangularSolve(Evaluation& of) {
  const hlo::Shape &matrix = of.operands[0]->value.shape(), &sides = of.operands[1]->value.shape();
  const PrimitiveType type = of.op.shape.type;
  if (!IsMatrixType(type) || matrix.type != type || sides.type != type) return of.MakeWhole();
  const hlo::Attributes& attributes = of.op.attributes;
  const bool is_left = hlo::BoolAttribute(attributes, "left_side").value_or(false);
  const bool is_lower = hlo::BoolAttribute(attributes, "lower").value_or(false);
  const bool is_unit = hlo::BoolAttribute(attributes, "unit_diagonal").value_or(false);
  const llvm::StringRef transpose = hlo::WordAttribute(attributes, "transpose_a");
  // X op(A) = B is op(A)' X' = B'.
  const bool is_transposed = (transpose == "TRANSPOSE" || transpose == "ADJOINT") == is_left;
  const bool is_complex = hlo::IsComplex(type), is_forward = is_lower != is_transposed;
  const int64_t n = matrix.dims.back(), columns = sides.dims.back();
  const int64_t vectors = is_left ? columns : sides.dims[sides.rank() - 2];
  of.result.leaves[0].resize(CountOf(of.result.value));
  if (of.result.leaves[0].empty()) return;
  auto unknown = [&](int64_t k) { return is_forward ? k : n - 1 - k; };
  for (int64_t which = 0; which < matrix.NumElements() / (n * n); ++which) {
    const Matrix t{of.operands[0], which * n * n,          n,
                   is_transposed,  transpose == "ADJOINT", is_complex};
    const Matrix side{of.operands[1], which * n * vectors, columns, !is_left, false, is_complex};
    std::vector<std::vector<Enclosure>> rows(n);
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t m = 0; m <= k; ++m) rows[k].push_back(t(unknown(k), unknown(m)));
    }
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Substitution x(type, of.freedom, n);
      for (int64_t k = 0; k < n; ++k) {
        x.Solve(rows[k], side(unknown(k), vector), is_unit);
        of.result.leaves[0][side.Position(unknown(k), vector)] = x[k];
      }
    }
  }
}

}  // namespace affirm::enclosure
