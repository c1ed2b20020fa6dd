// Decompositions have the algebra that LAPACK says: their parts are what they should be, and their
// product is the matrix, also of matrices of less than full rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/hlo/text.h"
#include "tests/parse_module.h"
#include "verify/calls/expand.h"
#include "verify/reference/interpreter.h"

namespace affirm::calls {
namespace {

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> values;
  Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), values(rows * columns) {}
  double& operator()(int64_t i, int64_t j) { return values[i * columns + j]; }
  double operator()(int64_t i, int64_t j) const { return values[i * columns + j]; }
};

Matrix Times(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t j = 0; j < b.columns; ++j) product(i, j) += a(i, k) * b(k, j);
  return product;
}
Matrix Transposed(const Matrix& a) {
  Matrix result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  return result;
}
Matrix Identity(int64_t n) {
  Matrix result(n, n);
  for (int64_t i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}
void ExpectNear(const Matrix& a, const Matrix& b, double error = 1e-11) {
  ASSERT_EQ(a.values.size(), b.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    ASSERT_NEAR(a.values[i], b.values[i], error) << i / a.columns << ", " << i % a.columns;
  }
}
void ExpectOrthogonal(const Matrix& q) { ExpectNear(Times(Transposed(q), q), Identity(q.columns)); }

// A random matrix of a rank; some elements are zero, and some columns are alike.
Matrix Random(int64_t rows, int64_t columns, int64_t rank, uint32_t seed) {
  std::mt19937 random(seed);
  Matrix left(rows, rank), right(rank, columns);
  for (Matrix* factor : {&left, &right})
    for (double& value : factor->values) value = static_cast<double>(random() % 9) - 4;
  return Times(left, right);
}

std::string Shape(int64_t rows, int64_t columns) {
  return "f64[" + std::to_string(rows) + "," + std::to_string(columns) + "]{0,1}";
}
std::string Row(const char* type, int64_t size) {
  return std::string(type) + "[" + std::to_string(size) + "]{0}";
}

// The results of a call on matrices and rows; `kept` of them, from the first that has contents on.
std::vector<hlo::Literal> Call(const std::string& target, const std::string& config,
                               const std::vector<std::string>& operands,
                               const std::vector<std::string>& results, size_t first,
                               const std::vector<std::vector<double>>& values) {
  std::string text = "HloModule m\nENTRY e {\n", names, shapes, kept, kept_shapes;
  auto add = [](std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  for (size_t k = 0; k < operands.size(); ++k) {
    const std::string name = "p" + std::to_string(k);
    text += "  " + name + " = " + operands[k] + " parameter(" + std::to_string(k) + ")\n";
    add(names, name);
  }
  for (const std::string& shape : results) add(shapes, shape);
  const bool one = results.size() == 1;
  text += std::string(one ? "  ROOT c = " : "  c = ") + (one ? shapes : "(" + shapes + ")") +
          " custom-call(" + names + "), custom_call_target=\"" + target +
          "\", api_version=API_VERSION_TYPED_FFI, backend_config={" + config + "}\n";
  for (size_t k = first; k < results.size() && !one; ++k) {
    text += "  g" + std::to_string(k) + " = " + results[k] +
            " get-tuple-element(c), index=" + std::to_string(k) + "\n";
    add(kept, "g" + std::to_string(k));
    add(kept_shapes, results[k]);
  }
  if (!one) text += "  ROOT r = (" + kept_shapes + ") tuple(" + kept + ")\n";
  auto module = testing::ParseOrFail(text + "}\n");
  if (!module) return {};
  EXPECT_EQ(llvm::toString(ExpandCustomCalls(*module, "m")), "");
  std::vector<hlo::Literal> arguments;
  for (size_t k = 0; k < operands.size(); ++k) {
    arguments.emplace_back(module->entry->parameters[k]->shape);
    for (size_t i = 0; i < values[k].size(); ++i)
      arguments.back().SetFloat(static_cast<int64_t>(i), values[k][i]);
  }
  auto result = hlo::Interpret(*module->entry, arguments);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError()) << text;
    return {};
  }
  return one ? std::vector<hlo::Literal>{std::move(*result)} : result->tuple();
}

Matrix MatrixOf(const hlo::Literal& literal) {
  const auto& dims = literal.shape().dims;
  Matrix result(dims.size() < 2 ? 1 : dims[0], dims.back());
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = literal.GetFloat(static_cast<int64_t>(i));
  return result;
}

struct Case {
  int64_t rows, columns, rank;
};
constexpr Case kCases[] = {{1, 1, 1}, {5, 5, 5}, {6, 4, 4}, {4, 6, 4}, {7, 3, 2},
                           {3, 7, 1}, {6, 6, 4}, {8, 8, 8}, {1, 4, 1}, {4, 1, 1}};

TEST(Decompositions, LU) {
  for (const Case& c : kCases) {
    const int64_t least = std::min(c.rows, c.columns);
    const Matrix a = Random(c.rows, c.columns, c.rank, 1);
    const auto parts = Call("lapack_dgetrf_ffi", "", {Shape(c.rows, c.columns)},
                            {Shape(c.rows, c.columns), Row("s32", least), "s32[]"}, 0, {a.values});
    ASSERT_EQ(parts.size(), 3u);
    const Matrix both = MatrixOf(parts[0]);
    Matrix l(c.rows, least), u(least, c.columns), rows = a;
    int64_t info = 0;
    for (int64_t i = 0; i < c.rows; ++i)
      for (int64_t j = 0; j < least; ++j) l(i, j) = i == j ? 1 : i > j ? both(i, j) : 0;
    for (int64_t i = 0; i < least; ++i)
      for (int64_t j = i; j < c.columns; ++j) u(i, j) = both(i, j);
    for (int64_t i = 0; i < least; ++i) {
      const int64_t pivot = parts[1].GetInt(i) - 1;
      ASSERT_GE(pivot, i);
      ASSERT_LT(pivot, c.rows);
      for (int64_t j = 0; j < c.columns; ++j) std::swap(rows(i, j), rows(pivot, j));
      if (u(i, i) == 0 && info == 0) info = i + 1;
    }
    for (double value : l.values) EXPECT_LE(std::fabs(value), 1);
    EXPECT_EQ(parts[2].GetInt(0), info);
    ExpectNear(Times(l, u), rows);
  }
}

TEST(Decompositions, PermutationsOfPivots) {
  auto module = testing::ParseOrFail(R"(HloModule m
ENTRY e { p = s32[3]{0} constant({4, 1, 4})
  ROOT c = s32[5]{0} custom-call(p), custom_call_target="cu_lu_pivots_to_permutation" })");
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(llvm::toString(ExpandCustomCalls(*module, "m")), "");
  auto result = hlo::Interpret(*module->entry, {});
  ASSERT_TRUE(!!result) << llvm::toString(result.takeError());
  // 4 1 2 3 0, then 1 with itself, then 2 with the last.
  const std::vector<int64_t> expected = {4, 1, 0, 3, 2};
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(result->GetInt(i), expected[i]) << i;
}

TEST(Decompositions, QR) {
  for (const Case& c : kCases) {
    const int64_t least = std::min(c.rows, c.columns);
    const Matrix a = Random(c.rows, c.columns, c.rank, 2);
    const auto parts = Call("lapack_dgeqrf_ffi", "", {Shape(c.rows, c.columns)},
                            {Shape(c.rows, c.columns), Row("f64", least)}, 0, {a.values});
    ASSERT_EQ(parts.size(), 2u);
    const Matrix both = MatrixOf(parts[0]), factors = MatrixOf(parts[1]);
    Matrix r = both, reflectors(c.rows, least);
    for (int64_t i = 0; i < c.rows; ++i) {
      for (int64_t j = 0; j < std::min(i, c.columns); ++j) r(i, j) = 0;
      for (int64_t j = 0; j < least; ++j) reflectors(i, j) = both(i, j);
    }
    // Q of all columns: that of the reflectors beside columns of zeros.
    Matrix square(c.rows, c.rows);
    for (int64_t i = 0; i < c.rows; ++i)
      for (int64_t j = 0; j < least; ++j) square(i, j) = reflectors(i, j);
    const auto q = Call("lapack_dorgqr_ffi", "", {Shape(c.rows, c.rows), Row("f64", least)},
                        {Shape(c.rows, c.rows)}, 0, {square.values, factors.values});
    ASSERT_EQ(q.size(), 1u);
    ExpectOrthogonal(MatrixOf(q[0]));
    ExpectNear(Times(MatrixOf(q[0]), r), a);
    const auto thin = Call("cusolver_orgqr_ffi", "", {Shape(c.rows, least), Row("f64", least)},
                           {Shape(c.rows, least)}, 0, {reflectors.values, factors.values});
    ASSERT_EQ(thin.size(), 1u);
    ExpectOrthogonal(MatrixOf(thin[0]));
  }
}

TEST(Decompositions, Eigenvalues) {
  for (const Case& c : kCases) {
    for (const char* triangle : {"76", "85"}) {
      const int64_t n = c.rows;
      Matrix a = Random(n, n, std::min(c.rank, n), 3);
      const auto parts =
          Call("lapack_dsyevd_ffi", std::string("mode = 86 : ui8, uplo = ") + triangle + " : ui8",
               {Shape(n, n)}, {Shape(n, n), Row("f64", n), "s32[]"}, 0, {a.values});
      ASSERT_EQ(parts.size(), 3u);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j)
          (triangle[0] == '7' ? a(j, i) : a(i, j)) = (triangle[0] == '7' ? a(i, j) : a(j, i));
      const Matrix vectors = MatrixOf(parts[0]), values = MatrixOf(parts[1]);
      Matrix scaled = vectors;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) scaled(i, j) *= values(0, j);
      ExpectOrthogonal(vectors);
      ExpectNear(Times(a, vectors), scaled);
      EXPECT_TRUE(std::is_sorted(values.values.begin(), values.values.end()));
    }
  }
}

TEST(Decompositions, SingularValues) {
  for (const Case& c : kCases) {
    for (bool full : {true, false}) {
      for (bool jacobi : {true, false}) {
        const int64_t least = std::min(c.rows, c.columns);
        const int64_t of_u = full ? c.rows : least, of_v = full ? c.columns : least;
        const Matrix a = Random(c.rows, c.columns, c.rank, 4);
        const auto parts = Call(
            jacobi ? "cusolver_gesvdj_ffi" : "lapack_dgesdd_ffi",
            jacobi ? std::string("compute_uv = true, full_matrices = ") + (full ? "true" : "false")
                   : std::string("mode = ") + (full ? "65" : "83") + " : ui8",
            {Shape(c.rows, c.columns)},
            {Shape(c.rows, c.columns), Row("f64", least), Shape(c.rows, of_u),
             jacobi ? Shape(c.columns, of_v) : Shape(of_v, c.columns), "s32[]"},
            1, {a.values});
        ASSERT_EQ(parts.size(), 4u);
        const Matrix values = MatrixOf(parts[0]), u = MatrixOf(parts[1]);
        const Matrix v = jacobi ? MatrixOf(parts[2]) : Transposed(MatrixOf(parts[2]));
        ExpectOrthogonal(u);
        ExpectOrthogonal(v);
        Matrix middle(of_u, of_v);
        for (int64_t k = 0; k < least; ++k) {
          middle(k, k) = values(0, k);
          EXPECT_GE(values(0, k), k + 1 < least ? values(0, k + 1) : 0);
        }
        ExpectNear(Times(Times(u, middle), Transposed(v)), a, 1e-10);
      }
    }
  }
}

// Signs that two libraries need not have in common are not the same.
TEST(Decompositions, LibrariesHaveSignsOfTheirOwn) {
  const Matrix a = Random(4, 4, 4, 5);
  const std::vector<std::string> results = {Shape(4, 4), Row("f64", 4), "s32[]"};
  const auto lapack = Call("lapack_dsyevd_ffi", "mode = 86 : ui8, uplo = 76 : ui8", {Shape(4, 4)},
                           results, 0, {a.values});
  const auto cusolver = Call("cusolver_syevd_ffi", "algorithm = 0 : ui8, lower = true",
                             {Shape(4, 4)}, results, 0, {a.values});
  ASSERT_EQ(lapack.size(), 3u);
  ASSERT_EQ(cusolver.size(), 3u);
  for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(lapack[0].GetFloat(i), -cusolver[0].GetFloat(i));
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(lapack[1].GetFloat(i), cusolver[1].GetFloat(i));
}

// A call with an unknown request stays as it is.
TEST(Decompositions, WhatIsNotKnownStays) {
  for (
      const char* call :
      {R"((f64[40,40]{0,1}, f64[40]{0}, s32[]) custom-call(p), custom_call_target="lapack_dsyevd_ffi", backend_config={mode = 86 : ui8, uplo = 76 : ui8})",
       R"((f64[40,40]{1,0}, s32[40]{0}, s32[]) custom-call(p), custom_call_target="lapack_dgetrf_ffi", backend_config={})",
       R"((f64[40,40]{0,1}, f64[40]{0}, f64[40,40]{0,1}, f64[40,40]{0,1}, s32[]) custom-call(p), custom_call_target="lapack_dgesdd_ffi", backend_config={mode = 79 : ui8})"}) {
    auto module = testing::ParseOrFail(
        std::string("HloModule m\nENTRY e { p = f64[40,40]{0,1} parameter(0)\n  ROOT c = ") + call +
        " }\n");
    ASSERT_NE(module, nullptr);
    ASSERT_EQ(llvm::toString(ExpandCustomCalls(*module, "m")), "");
    EXPECT_EQ(module->entry->root->opcode, hlo::Opcode::kCustomCall) << call;
  }
}

}  // namespace
}  // namespace affirm::calls
