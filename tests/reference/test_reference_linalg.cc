// fft, cholesky and triangular-solve, compared with the equations that define them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/reference/run.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;
using Complex = std::complex<double>;

Literal RandomMatrices(P type, std::vector<int64_t> dims) {
  Literal literal(Shape::Array(type, std::move(dims)));
  for (int64_t i = 0; i < literal.NumElements(); ++i) {
    const double re = *rc::gen::inRange(-8, 9) / 4.0, im = *rc::gen::inRange(-8, 9) / 4.0;
    if (IsComplex(type)) {
      literal.SetComplex(i, {re, im});
    } else {
      literal.SetFloat(i, re);
    }
  }
  return literal;
}

Complex At(const Literal& literal, int64_t i) {
  return IsComplex(literal.shape().type) ? literal.GetComplex(i) : Complex(literal.GetFloat(i));
}

bool Near(Complex a, Complex b, double scale) { return std::abs(a - b) <= 1e-12 * scale; }

std::string FftText(P in, const std::vector<int64_t>& from, P out, const std::vector<int64_t>& to,
                    const std::string& kind, const std::vector<int64_t>& lengths) {
  return "ENTRY e { x = " + Text(in, from) + " parameter(0) ROOT r = " + Text(out, to) +
         " fft(x), fft_type=" + kind + ", fft_length={" + Join(lengths) + "} }";
}

TEST(Fft, OfOneLine) {
  Literal x(Shape::Array(P::kC128, {4}));
  for (int64_t i = 0; i < 4; ++i) x.SetComplex(i, {static_cast<double>(i + 1), 0});
  const Literal y = RunHlo(FftText(P::kC128, {4}, P::kC128, {4}, "FFT", {4}), {x});
  const Complex expected[] = {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}};
  for (int64_t i = 0; i < 4; ++i) EXPECT_TRUE(Near(y.GetComplex(i), expected[i], 10));
}

// The sum that defines the transform of two dims, element by element.
RC_GTEST_PROP(Fft, IsItsSum, ()) {
  const int64_t b = *rc::gen::inRange(1, 3), n = *rc::gen::inRange(1, 5),
                m = *rc::gen::inRange(1, 6);
  const Literal x = RandomMatrices(P::kC128, {b, n, m});
  const Literal y = RunHlo(FftText(P::kC128, {b, n, m}, P::kC128, {b, n, m}, "FFT", {n, m}), {x});
  for (int64_t at = 0; at < b * n * m; ++at) {
    const int64_t batch = at / (n * m), k = at / m % n, l = at % m;
    Complex sum;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = 0; q < m; ++q) {
        const double turns = static_cast<double>(k * p) / n + static_cast<double>(l * q) / m;
        sum += x.GetComplex((batch * n + p) * m + q) * std::polar(1.0, -2 * M_PI * turns);
      }
    }
    RC_ASSERT(Near(y.GetComplex(at), sum, 100));
  }
}

// The four kinds belong together: a real transform is half of the complex one, and inverses lead
// back.
RC_GTEST_PROP(Fft, KindsAgree, ()) {
  const int64_t n = *rc::gen::inRange(1, 4), m = *rc::gen::inRange(1, 7), half = m / 2 + 1;
  const Literal x = RandomMatrices(P::kF64, {n, m});
  Literal z(Shape::Array(P::kC128, {n, m}));
  for (int64_t i = 0; i < n * m; ++i) z.SetComplex(i, {x.GetFloat(i), 0});
  const Literal whole = RunHlo(FftText(P::kC128, {n, m}, P::kC128, {n, m}, "FFT", {n, m}), {z});
  const Literal part = RunHlo(FftText(P::kF64, {n, m}, P::kC128, {n, half}, "RFFT", {n, m}), {x});
  for (int64_t i = 0; i < n * half; ++i) {
    RC_ASSERT(Near(part.GetComplex(i), whole.GetComplex(i / half * m + i % half), 100));
  }
  const Literal back = RunHlo(FftText(P::kC128, {n, m}, P::kC128, {n, m}, "IFFT", {n, m}), {whole});
  const Literal real =
      RunHlo(FftText(P::kC128, {n, half}, P::kF64, {n, m}, "IRFFT", {n, m}), {part});
  for (int64_t i = 0; i < n * m; ++i) {
    RC_ASSERT(Near(back.GetComplex(i), z.GetComplex(i), 100));
    RC_ASSERT(Near(real.GetFloat(i), x.GetFloat(i), 100));
  }
}

// L L* equals the matrix, of which cholesky reads one triangle.
RC_GTEST_PROP(Cholesky, SquaresToTheMatrix, ()) {
  const P type = *rc::gen::element(P::kF64, P::kC128);
  const bool lower = *rc::gen::arbitrary<bool>();
  const int64_t b = *rc::gen::inRange(1, 3), n = *rc::gen::inRange(1, 5);
  const Literal g = RandomMatrices(type, {b, n, n});
  // G G* + n, with other numbers in the triangle that is not read.
  Literal a(g.shape());
  for (int64_t m = 0; m < b; ++m) {
    for (int64_t i = 0; i < n * n; ++i) {
      const int64_t row = i / n, column = i % n, first = m * n * n;
      Complex sum = row == column ? n : 0;
      for (int64_t k = 0; k < n; ++k) {
        sum += At(g, first + row * n + k) * std::conj(At(g, first + column * n + k));
      }
      if (lower ? column > row : column < row) sum = 77;
      if (IsComplex(type)) {
        a.SetComplex(first + i, sum);
      } else {
        a.SetFloat(first + i, sum.real());
      }
    }
  }
  const Literal l = RunHlo("ENTRY e { x = " + Text(type, {b, n, n}) +
                               " parameter(0) ROOT r = " + Text(type, {b, n, n}) +
                               " cholesky(x), lower=" + (lower ? "true }" : "false }"),
                           {a});
  for (int64_t at = 0; at < b * n * n; ++at) {
    const int64_t first = at / (n * n) * n * n, row = at / n % n, column = at % n;
    if (lower ? column > row : column < row) {
      RC_ASSERT(At(l, at) == Complex(0));
      continue;
    }
    Complex sum;
    for (int64_t k = 0; k < n; ++k) {
      sum += lower ? At(l, first + row * n + k) * std::conj(At(l, first + column * n + k))
                   : std::conj(At(l, first + k * n + row)) * At(l, first + k * n + column);
    }
    RC_ASSERT(Near(sum, At(a, at), 1000));
  }
}

// The result solves op(A) X = B, or X op(A) = B.
RC_GTEST_PROP(TriangularSolve, Solves, ()) {
  const P type = *rc::gen::element(P::kF64, P::kC128);
  const bool lower = *rc::gen::arbitrary<bool>(), left = *rc::gen::arbitrary<bool>(),
             unit = *rc::gen::arbitrary<bool>();
  const std::string op = *rc::gen::element<std::string>("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT");
  const int64_t n = *rc::gen::inRange(1, 5), m = *rc::gen::inRange(1, 4);
  Literal a = RandomMatrices(type, {n, n});
  for (int64_t i = 0; i < n; ++i) {
    // Away from zero, so that no digits are lost.
    if (IsComplex(type)) {
      a.SetComplex(i * n + i, {8, 1});
    } else {
      a.SetFloat(i * n + i, 8);
    }
  }
  const std::vector<int64_t> sides = left ? std::vector<int64_t>{n, m} : std::vector<int64_t>{m, n};
  const Literal b = RandomMatrices(type, sides);
  auto yes = [](bool value) { return value ? "true" : "false"; };
  const Literal x =
      RunHlo("ENTRY e { a = " + Text(type, {n, n}) + " parameter(0) b = " + Text(type, sides) +
                 " parameter(1) ROOT r = " + Text(type, sides) +
                 " triangular-solve(a, b), left_side=" + yes(left) + ", lower=" + yes(lower) +
                 ", unit_diagonal=" + yes(unit) + ", transpose_a=" + op + " }",
             {a, b});
  // op(A) as the solver reads it: ones on a unit diagonal, and zeros in the other triangle.
  auto element = [&](int64_t i, int64_t j) -> Complex {
    if (op != "NO_TRANSPOSE") std::swap(i, j);
    if (i == j && unit) return 1;
    if (lower ? j > i : j < i) return 0;
    const Complex value = At(a, i * n + j);
    return op == "ADJOINT" ? std::conj(value) : value;
  };
  for (int64_t at = 0; at < n * m; ++at) {
    const int64_t columns = sides[1], row = at / columns, column = at % columns;
    Complex sum;
    for (int64_t k = 0; k < n; ++k) {
      sum += left ? element(row, k) * At(x, k * columns + column)
                  : At(x, row * columns + k) * element(k, column);
    }
    RC_ASSERT(Near(sum, At(b, at), 10000));
  }
}

}  // namespace
}  // namespace affirm::hlo
