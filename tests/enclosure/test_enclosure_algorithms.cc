// Other algorithms than the interpreter's, in f32, lie inside the enclosures of fft, cholesky and
// triangular-solve; results that are a little wrong lie outside.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "tests/parse_module.h"
#include "verify/enclosure/enclose.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {
namespace {

using Complex = std::complex<float>;
using Signal = std::vector<Complex>;
using hlo::Literal;
using hlo::PrimitiveType;

// Numbers of all sizes from the first case on.
int64_t AnyOf(int64_t low, int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}
float AnyFloat() { return static_cast<float>(AnyOf(-1000000, 1000000)) / 300000; }

Literal LiteralOf(PrimitiveType type, const std::vector<int64_t>& dims, const Signal& values) {
  Literal literal(hlo::Shape::Array(type, dims));
  for (size_t i = 0; i < values.size(); ++i)
    hlo::Store(literal, static_cast<int64_t>(i), {.re = values[i].real(), .im = values[i].imag()});
  return literal;
}

Enclosures Of(const std::string& entry, llvm::ArrayRef<Literal> arguments) {
  auto module = testing::ParseOrFail("HloModule m\nENTRY e { " + entry + " }\n");
  if (!module) return {};
  auto enclosures = Enclose(*module->entry, arguments);
  if (enclosures) return std::move(*enclosures);
  ADD_FAILURE() << llvm::toString(enclosures.takeError());
  return {};
}

bool Has(const Enclosures& of, size_t i, const Complex& value) {
  return Contains(of.result.value.shape().type, of.result.At(0, static_cast<int64_t>(i)),
                  {.re = value.real(), .im = value.imag()});
}
int64_t CountOutside(const Enclosures& of, const Signal& values) {
  int64_t outside = 0;
  for (size_t i = 0; i < values.size(); ++i) outside += Has(of, i, values[i]) ? 0 : 1;
  return outside;
}

Complex RootOf(double turns) { return Complex(std::polar(1.0, -2 * std::numbers::pi * turns)); }

// Radix 2, decimated in time.
Signal FastTransform(const Signal& x) {
  const size_t n = x.size();
  if (n == 1) return x;
  Signal even, odd, result(n);
  for (size_t k = 0; k < n; k += 2) {
    even.push_back(x[k]);
    odd.push_back(x[k + 1]);
  }
  even = FastTransform(even);
  odd = FastTransform(odd);
  for (size_t k = 0; k < n / 2; ++k) {
    const Complex turned = RootOf(static_cast<double>(k) / static_cast<double>(n)) * odd[k];
    result[k] = even[k] + turned;
    result[k + n / 2] = even[k] - turned;
  }
  return result;
}

Signal InverseTransform(Signal x) {
  for (Complex& each : x) each = std::conj(each);
  x = FastTransform(x);
  for (Complex& each : x) each = std::conj(each) / static_cast<float>(x.size());
  return x;
}

// A convolution with a chirp (Bluestein).
Signal ChirpTransform(const Signal& x) {
  const auto n = std::ssize(x);
  size_t padded = 1;
  while (padded < static_cast<size_t>(2 * n - 1)) padded *= 2;
  Signal chirp(n), a(padded), b(padded), result(n);
  for (int64_t k = 0; k < n; ++k)
    chirp[k] = RootOf(static_cast<double>(k * k % (2 * n)) / static_cast<double>(2 * n));
  for (int64_t k = 0; k < n; ++k) {
    a[k] = x[k] * chirp[k];
    b[k] = std::conj(chirp[k]);
    if (k > 0) b[padded - k] = b[k];
  }
  a = FastTransform(a);
  b = FastTransform(b);
  for (size_t k = 0; k < padded; ++k) a[k] *= b[k];
  a = InverseTransform(a);
  for (int64_t k = 0; k < n; ++k) result[k] = a[k] * chirp[k];
  return result;
}

Signal AnySignal(int64_t size) {
  Signal x;
  for (int64_t k = 0; k < size; ++k) x.emplace_back(AnyFloat(), AnyFloat());
  return x;
}

Enclosures FftOf(const Signal& x, const std::string& type) {
  const std::string n = std::to_string(x.size());
  return Of("p = c64[" + n + "] parameter(0) ROOT r = c64[" + n + "] fft(p), fft_type=" + type +
                ", fft_length={" + n + "}",
            LiteralOf(PrimitiveType::kC64, {std::ssize(x)}, x));
}

RC_GTEST_PROP(Transforms, HoldFastOnes, ()) {
  const Signal x = AnySignal(int64_t{1} << AnyOf(0, 11));
  const Enclosures of = FftOf(x, "FFT");
  RC_ASSERT(CountOutside(of, FastTransform(x)) == 0);
  RC_ASSERT(CountOutside(FftOf(x, "IFFT"), InverseTransform(x)) == 0);
  if (x.size() < 4) return;
  Signal wrong = FastTransform(x);
  for (Complex& each : wrong) each *= 1.001F;
  RC_ASSERT(CountOutside(of, wrong) > std::ssize(x) / 2);
}

RC_GTEST_PROP(Transforms, HoldConvolutionsWithChirps, ()) {
  const Signal x = AnySignal(*rc::gen::element(11, 13, 22, 37, 97, 211, 509));
  const Enclosures of = FftOf(x, "FFT");
  RC_ASSERT(CountOutside(of, ChirpTransform(x)) == 0);
  Signal wrong = ChirpTransform(x);
  for (Complex& each : wrong) each *= 1.01F;
  RC_ASSERT(CountOutside(of, wrong) > std::ssize(x) / 2);
}

// Half of the result of real numbers, and these from it.
RC_GTEST_PROP(Transforms, HoldThoseOfRealNumbers, ()) {
  const int64_t size = int64_t{1} << AnyOf(1, 9), half = size / 2 + 1;
  Signal x = AnySignal(size);
  for (Complex& each : x) each.imag(0);
  Signal transformed = FastTransform(x);
  transformed.resize(half);
  const std::string n = std::to_string(size), h = std::to_string(half);
  const Enclosures forth = Of("p = f32[" + n + "] parameter(0) ROOT r = c64[" + h +
                                  "] fft(p), fft_type=RFFT, fft_length={" + n + "}",
                              LiteralOf(PrimitiveType::kF32, {size}, x));
  RC_ASSERT(CountOutside(forth, transformed) == 0);
  const Enclosures back = Of("p = c64[" + h + "] parameter(0) ROOT r = f32[" + n +
                                 "] fft(p), fft_type=IRFFT, fft_length={" + n + "}",
                             LiteralOf(PrimitiveType::kC64, {half}, transformed));
  RC_ASSERT(CountOutside(back, x) == 0);
  for (Complex& each : x) each *= 1.001F;
  RC_ASSERT(CountOutside(back, x) > size / 4);
}

// Numbers that may be rounded to bf16 or not.
TEST(Transforms, CarryWidths) {
  const Signal x = {{1.5F, 0}, {2.26F, 0}, {3.1F, 0}, {0.1F, 0}};
  const Enclosures of =
      Of("p = f32[4] parameter(0) n = bf16[4] convert(p) t = f32[4] convert(n) ROOT r = c64[3] "
         "fft(t), fft_type=RFFT, fft_length={4}",
         LiteralOf(PrimitiveType::kF32, {4}, x));
  double kept = 0, rounded = 0;
  for (const Complex& each : x) {
    kept += static_cast<double>(each.real());
    rounded += hlo::RoundTo(PrimitiveType::kBF16, each.real());
  }
  EXPECT_NE(kept, rounded);
  EXPECT_TRUE(of.result.At(0, 0).real.Has(kept));
  EXPECT_TRUE(of.result.At(0, 0).real.Has(rounded));
  EXPECT_FALSE(of.result.At(0, 0).real.Has(1.01 * kept));
}

// Lower triangular matrices in f32.
class Triangle {
 public:
  explicit Triangle(int64_t n) : n_(n), elements_(n * n) {}
  float& operator()(int64_t i, int64_t j) { return elements_[i * n_ + j]; }
  float operator()(int64_t i, int64_t j) const { return elements_[i * n_ + j]; }

  std::vector<float> Solve(std::vector<float> b) const {
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t k = 0; k < i; ++k) b[i] -= (*this)(i, k) * b[k];
      b[i] /= (*this)(i, i);
    }
    return b;
  }
  // By the product with the inverse.
  std::vector<float> SolveByInverse(const std::vector<float>& b) const {
    std::vector<float> x(n_);
    for (int64_t j = 0; j < n_; ++j) {
      std::vector<float> unit(n_);
      unit[j] = 1;
      const std::vector<float> column = Solve(unit);
      for (int64_t i = 0; i < n_; ++i) x[i] += column[i] * b[j];
    }
    return x;
  }
  Signal elements() const { return {elements_.begin(), elements_.end()}; }

 private:
  int64_t n_;
  std::vector<float> elements_;
};

Triangle AnyTriangle(int64_t n) {
  Triangle t(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) t(i, j) = AnyFloat() / 4;
    t(i, i) = 1 + std::fabs(AnyFloat());
  }
  return t;
}

RC_GTEST_PROP(TriangularSolves, HoldSubstitutionAndInverses, ()) {
  const int64_t n = AnyOf(1, 13);
  const Triangle t = AnyTriangle(n);
  std::vector<float> b(n);
  for (float& each : b) each = AnyFloat();
  const std::string size = std::to_string(n);
  const Enclosures of =
      Of("a = f32[" + size + "," + size + "] parameter(0) b = f32[" + size +
             ",1] parameter(1) ROOT r = f32[" + size +
             ",1] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, "
             "transpose_a=NO_TRANSPOSE",
         {LiteralOf(PrimitiveType::kF32, {n, n}, t.elements()),
          LiteralOf(PrimitiveType::kF32, {n, 1}, Signal(b.begin(), b.end()))});
  for (const std::vector<float>& x : {t.Solve(b), t.SolveByInverse(b)})
    RC_ASSERT(CountOutside(of, Signal(x.begin(), x.end())) == 0);
  const float first = b[0] / t(0, 0);
  if (first != 0) RC_ASSERT(!Has(of, 0, {1.001F * first, 0}));
}

RC_GTEST_PROP(Choleskys, HoldFactorsByRowsAndByInverses, ()) {
  const int64_t n = AnyOf(1, 13);
  const Triangle made = AnyTriangle(n);
  Triangle a(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      for (int64_t k = 0; k <= j; ++k) a(i, j) += made(i, k) * made(j, k);
    }
  }
  const std::string size = std::to_string(n);
  const Enclosures of = Of("a = f32[" + size + "," + size + "] parameter(0) ROOT r = f32[" + size +
                               "," + size + "] cholesky(a), lower=true",
                           LiteralOf(PrimitiveType::kF32, {n, n}, a.elements()));
  for (const bool inverts : {false, true}) {
    Triangle l(n);
    for (int64_t i = 0; i < n; ++i) {
      // The rows before this one, in one block.
      Triangle block(i);
      std::vector<float> row(i);
      for (int64_t j = 0; j < i; ++j) {
        row[j] = a(i, j);
        for (int64_t k = 0; k <= j; ++k) block(j, k) = l(j, k);
      }
      row = inverts ? block.SolveByInverse(row) : block.Solve(row);
      float rest = a(i, i);
      for (int64_t j = 0; j < i; ++j) {
        l(i, j) = row[j];
        rest -= row[j] * row[j];
      }
      l(i, i) = std::sqrt(rest);
    }
    RC_ASSERT(CountOutside(of, l.elements()) == 0);
  }
  RC_ASSERT(!Has(of, 0, {1.001F * std::sqrt(a(0, 0)), 0}));
}

TEST(Choleskys, AreNarrow) {
  const Signal a = {{4, 0}, {0, 0}, {0, 0}, {2, 0}, {10, 0}, {0, 0}, {1, 0}, {3, 0}, {6, 0}};
  const Enclosures of = Of("a = f32[3,3] parameter(0) ROOT r = f32[3,3] cholesky(a), lower=true",
                           LiteralOf(PrimitiveType::kF32, {3, 3}, a));
  EXPECT_EQ(of.not_known, "");
  for (const auto& [i, value] : {std::pair(0, 2.0), {3, 1.0}, {4, 3.0}, {6, 0.5}, {7, 2.5 / 3}}) {
    EXPECT_TRUE(of.result.At(0, i).real.Has(value)) << i;
    EXPECT_FALSE(of.result.At(0, i).real.Has(1.001 * value)) << i;
  }
}

TEST(Choleskys, OfWhatMayNotBePositiveAreWhole) {
  const Signal a = {{1, 0}, {0, 0}, {1, 0}, {1, 0}};
  const Enclosures of = Of("a = f32[2,2] parameter(0) ROOT r = f32[2,2] cholesky(a), lower=true",
                           LiteralOf(PrimitiveType::kF32, {2, 2}, a));
  EXPECT_EQ(of.result.At(0, 3).real, Interval::Whole());
}

}  // namespace
}  // namespace affirm::enclosure
