// Decompositions of matrices by LAPACK and cuSOLVER, by their algebra: loops of rank-1 updates and
// of rotations.
//
// The results are unique up to rounding where LAPACK specifies them (LU with the first largest
// pivot of a column, QR by its reflectors). Otherwise they are one possible choice: the signs of
// eigenvectors and singular vectors, and the bases of equal values, are free. Two calls of one
// library are assumed to choose alike on the same operands. LAPACK and cuSOLVER are not: the
// vectors of cuSOLVER have the other sign here, so that a result that depends on the sign is not
// taken for the same.
#include "core/symbolic/error.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"
#include "verify/calls/lapack.h"
#include "verify/calls/matrix_text.h"
#include "verify/calls/reflections.h"

namespace affirm::calls {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// For larger matrices, the rotations would take too long to interpret.
constexpr int64_t kMostRotated = 32;
constexpr int64_t kSweeps =
    12;  // off the diagonal the rest of each is about the square of the one before

// A value in the shape and layout of a result.
Value As(Lines& text, const Value& x, const Shape& shape) {
  const Value shaped = text.Reshape(x, shape.dims);
  return shaped.shape.ToString() == shape.ToString() ? shaped
                                                     : text.Op(shape, Opcode::kCopy, {shaped});
}

// The partner of each index for the rotation in a trip: another index, or itself if their number is
// odd. Over all trips, each pair of indices occurs once.
Value Partners(Lines& lines, const Value& trip, int64_t n) {
  const int64_t trips = n - 1 + n % 2;
  const Shape each = NumbersOf({n});
  auto number = [&](int64_t value) {
    return lines.Constant(trip.shape, static_cast<double>(value));
  };
  auto all = [&](const Value& x) { return lines.Broadcast(x, each, {}); };
  const Value round = lines.Binary(Opcode::kRemainder, trip, number(trips));
  const Value own = lines.Op(each, Opcode::kIota, {}, "iota_dimension=0");
  const Value from = all(lines.Binary(Opcode::kAdd, round, number(trips)));
  Value other = lines.Binary(Opcode::kRemainder, lines.Binary(Opcode::kSubtract, from, own),
                             all(number(trips)));
  if (n % 2 == 1) return other;
  // The last one is with whom would be alone.
  const Value last = all(number(n - 1));
  const Value alone = lines.Binary(
      Opcode::kRemainder, lines.Binary(Opcode::kMultiply, round, number(n / 2)), number(trips));
  const Value with_last = lines.Select(lines.Compare(other, own, "EQ"), last, other);
  return lines.Select(lines.Compare(own, last, "EQ"), all(alone), with_last);
}

// The rotations of such pairs that make the elements of a symmetric matrix zero where they meet, as
// one matrix of columns.
Value Rotations(Lines& lines, const Value& symmetric, const Value& partners) {
  const Shape all = symmetric.shape, rows = Like(symmetric, {all.dims[0], all.dims[1]});
  const Value is_diagonal = IsDiagonal(lines, all);
  // To the last bit symmetric.
  const Value is_lower = Where(
      lines, all, 1, "GE", lines.Op(NumbersOf(all.dims), Opcode::kIota, {}, "iota_dimension=2"));
  const Value a = lines.Select(is_lower, symmetric, lines.Transpose(symmetric, {0, 2, 1}));
  const Value is_pair =
      Where(lines, all, 2, "EQ", lines.Broadcast(partners, NumbersOf(all.dims), {1}));
  const Value nothing = lines.Constant(all, 0), zero = lines.Constant(rows, 0),
              one = lines.Constant(rows, 1), minus_one = lines.Constant(rows, -1);
  const Value own = Sum(lines, lines.Select(is_diagonal, a, nothing), 2);
  const Value between = Sum(lines, lines.Select(is_pair, a, nothing), 2);
  const Value others =
      Sum(lines, lines.Select(is_pair, lines.Broadcast(own, all, {0, 2}), nothing), 2);
  const Value of_row = lines.Broadcast(partners, NumbersOf(rows.dims), {1});
  const Value stays =
      lines.Op(WithType(rows, PrimitiveType::kPred), Opcode::kOr,
               {Where(lines, rows, 1, "EQ", of_row), lines.Compare(between, zero, "EQ")});
  const Value twice = lines.Select(stays, one, lines.Binary(Opcode::kAdd, between, between));
  const Value ratio =
      lines.Binary(Opcode::kDivide, lines.Binary(Opcode::kSubtract, others, own), twice);
  const Value is_first = Where(lines, rows, 1, "LT", of_row);
  const Value sign = lines.Select(lines.Compare(ratio, zero, "GT"), one,
                                  lines.Select(lines.Compare(ratio, zero, "LT"), minus_one,
                                               lines.Select(is_first, one, minus_one)));
  auto root = [&](const Value& x) {
    return lines.Unary(Opcode::kSqrt,
                       lines.Binary(Opcode::kAdd, lines.Binary(Opcode::kMultiply, x, x), one));
  };
  const Value size = lines.Binary(Opcode::kAdd, lines.Unary(Opcode::kAbs, ratio), root(ratio));
  const Value tangent = lines.Binary(Opcode::kDivide, sign, size);
  const Value cosine = lines.Binary(Opcode::kDivide, one, root(tangent));
  const Value sine = lines.Binary(Opcode::kMultiply, tangent, cosine);
  const Value off_diagonal =
      lines.Select(is_pair, lines.Broadcast(lines.Select(stays, zero, sine), all, {0, 1}), nothing);
  return lines.Select(is_diagonal, lines.Broadcast(lines.Select(stays, one, cosine), all, {0, 1}),
                      off_diagonal);
}

int64_t TripsOfRotations(int64_t n) { return n == 1 ? 0 : kSweeps * (n - 1 + n % 2); }

// Numbers by size, and the columns of matrices that belong to them in the same order.
struct Sorted {
  Value numbers;
  std::vector<Value> matrices;
};
Sorted SortColumns(Lines& text, const Value& numbers, llvm::ArrayRef<Value> matrices,
                   llvm::StringRef direction) {
  const std::string type = hlo::Name(numbers.shape.type).str(), name = "order_" + direction.str();
  text.AddComputation(
      name + " {\n  a = " + type + "[] parameter(0)\n  b = " + type +
      "[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n  ROOT l = "
      "pred[] compare(a, b), direction=" +
      direction.str() + ", type=TOTALORDER\n}");
  const Shape places = NumbersOf(numbers.shape.dims);
  const Shape both = Shape::Tuple({numbers.shape, places});
  const Value sorted = text.Op(both, Opcode::kSort,
                               {numbers, text.Op(places, Opcode::kIota, {}, "iota_dimension=1")},
                               "dimensions={1}, is_stable=true, to_apply=" + name);
  const Value order = text.Op(places, Opcode::kGetTupleElement, {sorted}, "index=1");
  Sorted result{text.Op(numbers.shape, Opcode::kGetTupleElement, {sorted}, "index=0"), {}};
  const int64_t n = numbers.shape.dims[1];
  const Shape square = Like(numbers, {numbers.shape.dims[0], n, n});
  const Value is_from =
      Where(text, square, 1, "EQ", text.Broadcast(order, NumbersOf(square.dims), {0, 2}));
  const Value moves = text.Select(is_from, text.Constant(square, 1), text.Constant(square, 0));
  for (const Value& matrix : matrices) result.matrices.push_back(Product(text, matrix, moves));
  return result;
}

// U, the singular values from the largest on, and V, of matrices with no more columns than rows: by
// rotations of pairs of columns until all are orthogonal. U has `columns` columns.
struct Singular {
  Value u, values, v;
};
Singular Decompose(Lines& text, const Value& a, int64_t columns) {
  const int64_t batch = a.shape.dims[0], n = a.shape.dims[2];
  const Value start = Identity(text, Like(a, {batch, n, n}));
  const auto rotated = text.Loop(
      "rotate", TripsOfRotations(n), {a, start},
      [&](Lines& lines, const Value& trip, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value products = Product(lines, lines.Transpose(values[0], {0, 2, 1}), values[0]);
        const Value turn = Rotations(lines, products, Partners(lines, trip, n));
        return {Product(lines, values[0], turn), Product(lines, values[1], turn)};
      });
  const Value sizes = text.Unary(
      Opcode::kSqrt, Sum(text, text.Binary(Opcode::kMultiply, rotated[0], rotated[0]), 1));
  const Sorted sorted = SortColumns(text, sizes, {rotated[0], rotated[1]}, "GT");
  // Columns that are zero are completed by those of the reflections.
  const Reflectors reflectors = Reflect(text, "reflect", sorted.matrices[0]);
  const Value q = Orthogonal(text, "expand", reflectors, columns);
  const Shape wide = Like(a, {batch, a.shape.dims[1], n});
  const Value diagonal =
      Sum(text, text.Select(IsDiagonal(text, wide), reflectors.matrix, text.Constant(wide, 0)), 1);
  const Value is_turned = text.Compare(diagonal, text.Constant(diagonal.shape, 0), "LT");
  const Value signs =
      text.Select(is_turned, text.Constant(diagonal.shape, -1), text.Constant(diagonal.shape, 1));
  // Columns behind the last singular value keep their signs.
  Value of_columns = signs;
  if (columns > n) {
    const Value more = text.Constant(Like(a, {batch, columns - n}), 1);
    of_columns =
        text.Op(Like(a, {batch, columns}), Opcode::kConcatenate, {signs, more}, "dimensions={1}");
  }
  const Value u = text.Binary(Opcode::kMultiply, q, text.Broadcast(of_columns, q.shape, {0, 2}));
  return {u, sorted.numbers, sorted.matrices[1]};
}

// Checks that the call has a real matrix, and a tuple of `results` results.
llvm::Error CheckCall(const hlo::Instruction& call, size_t operands, size_t results) {
  if (llvm::Error error = CheckColumnMajor(call)) return error;
  const bool is_tuple = call.shape.IsTuple();
  if (call.operands.size() != operands || (is_tuple ? call.shape.tuple.size() : 1) != results ||
      !IsMatrix(call.operands[0]->shape)) {
    return MakeError("expected a matrix, and its parts");
  }
  if (!IsReal(call.operands[0]->shape.type) || call.operands[0]->shape.NumElements() == 0)
    return MakeError("expected matrices of f32 or f64, with elements");
  return llvm::Error::success();
}

}  // namespace

// The permutation that exchanges row i with row pivots[i], one after the other.
Meaning PivotsToPermutation(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  const bool fits = call.operands.size() == 1 && call.shape.IsArray() && call.shape.rank() > 0 &&
                    call.shape.type == PrimitiveType::kS32 &&
                    call.operands[0]->shape.type == PrimitiveType::kS32 &&
                    call.operands[0]->shape.rank() == call.shape.rank() &&
                    call.shape.NumElements() > 0 && call.operands[0]->shape.NumElements() > 0;
  if (!fits) return MakeError("expected pivots");
  MeaningText text(call);
  const int64_t n = call.shape.dims.back(), batch = call.shape.NumElements() / n;
  const int64_t count = call.operands[0]->shape.dims.back();
  const Shape all = NumbersOf({batch, n});
  const Value pivots = text.Reshape(text.Parameter(0), {batch, count});
  const Value start = text.Op(all, Opcode::kIota, {}, "iota_dimension=1");
  const Value permutation = text.Loop(
      "exchange", count, {pivots, start},
      [&](Lines& lines, const Value& i, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value &pivots = values[0], &order = values[1];
        const Value with = ElementOf(lines, pivots, i, all);
        const Value is_own = Where(lines, all, 1, "EQ", i),
                    is_other = Where(lines, all, 1, "EQ", with);
        const Value other = Sum(lines, lines.Select(is_other, order, lines.Constant(all, 0)), 1);
        const Value to_own = lines.Broadcast(other, all, {0});
        const Value to_other = lines.Select(is_other, ElementOf(lines, order, i, all), order);
        return {pivots, lines.Select(is_own, to_own, to_other)};
      })[1];
  return text.Module({As(text, permutation, call.shape)});
}

// L without its ones and U in one matrix, the rows that were exchanged (from 1 on), and the number
// of the first pivot that is zero. The pivot is the first of the largest elements of its column;
// where there is a NaN, the one that stands there.
Meaning Getrf(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  if (llvm::Error error = CheckCall(call, 1, 3)) return error;
  MeaningText text(call);
  const Value a = Matrices(text, text.Parameter(0));
  const int64_t batch = a.shape.dims[0], m = a.shape.dims[1], n = a.shape.dims[2];
  const Shape pivots = NumbersOf({batch, std::min(m, n)}), infos = NumbersOf({batch});
  const auto made = text.Loop(
      "eliminate", std::min(m, n), {a, text.Constant(pivots, 0), text.Constant(infos, 0)},
      [&](Lines& lines, const Value& j, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value &a = values[0], &pivots = values[1], &info = values[2];
        const Value x = ColumnOf(lines, a, j);
        const Shape numbers = NumbersOf(x.shape.dims);
        const Value size = lines.Select(Where(lines, x.shape, 1, "GE", j),
                                        lines.Unary(Opcode::kAbs, x), lines.Constant(x.shape, -1));
        const Value largest =
            lines.Broadcast(Sum(lines, size, 1, Opcode::kMaximum, -1), x.shape, {0});
        const Value none = lines.Constant(numbers, static_cast<double>(m));
        const Value places =
            lines.Select(lines.Compare(size, largest, "EQ"),
                         lines.Op(numbers, Opcode::kIota, {}, "iota_dimension=1"), none);
        const Value first = Sum(lines, places, 1, Opcode::kMinimum, static_cast<double>(m));
        const Value own = lines.Broadcast(j, infos, {});
        const Value is_none =
            lines.Compare(first, lines.Constant(infos, static_cast<double>(m)), "EQ");
        const Value pivot = lines.Select(is_none, own, first);

        const Value is_own = Where(lines, a.shape, 1, "EQ", j);
        const Value is_pivot =
            Where(lines, a.shape, 1, "EQ", lines.Broadcast(pivot, NumbersOf(a.shape.dims), {0}));
        const Value row = Sum(lines, lines.Select(is_pivot, a, lines.Constant(a.shape, 0)), 1);
        auto in_rows = [&](const Value& of) { return lines.Broadcast(of, a.shape, {0, 2}); };
        const Value exchanged = lines.Select(
            is_own, in_rows(row), lines.Select(is_pivot, in_rows(RowOf(lines, a, j)), a));

        const Shape each = Like(a, {batch});
        const Value divisor = ElementOf(lines, row, j, each);
        const Value is_zero = lines.Compare(divisor, lines.Constant(each, 0), "EQ");
        const Value by = lines.Select(is_zero, lines.Constant(each, 1), divisor);
        const Value y = ColumnOf(lines, exchanged, j);
        const Value below = lines.Binary(Opcode::kDivide, y, lines.Broadcast(by, y.shape, {0}));
        const Value column = lines.Select(Where(lines, y.shape, 1, "GT", j), below, y);
        const Value in_columns = lines.Broadcast(column, a.shape, {0, 1});
        const Value left = lines.Binary(Opcode::kSubtract, exchanged,
                                        lines.Binary(Opcode::kMultiply, in_columns, in_rows(row)));
        const Value is_left =
            lines.Op(WithType(a.shape, PrimitiveType::kPred), Opcode::kAnd,
                     {Where(lines, a.shape, 1, "GT", j), Where(lines, a.shape, 2, "GT", j)});
        const Value is_column = Where(lines, a.shape, 2, "EQ", j);
        const Value one = lines.Constant(infos, 1);
        const Value is_first =
            lines.Op(WithType(infos, PrimitiveType::kPred), Opcode::kAnd,
                     {is_zero, lines.Compare(info, lines.Constant(infos, 0), "EQ")});
        return {
            lines.Select(is_left, left, lines.Select(is_column, in_columns, exchanged)),
            lines.Select(Where(lines, pivots.shape, 1, "EQ", j),
                         lines.Broadcast(lines.Binary(Opcode::kAdd, pivot, one), pivots.shape, {0}),
                         pivots),
            lines.Select(is_first, lines.Binary(Opcode::kAdd, own, one), info)};
      });
  const std::vector<Shape>& shapes = call.shape.tuple;
  return text.Module(
      {As(text, made[0], shapes[0]), As(text, made[1], shapes[1]), As(text, made[2], shapes[2])});
}

Meaning Geqrf(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  if (llvm::Error error = CheckCall(call, 1, 2)) return error;
  MeaningText text(call);
  const Reflectors made = Reflect(text, "reflect", Matrices(text, text.Parameter(0)));
  return text.Module(
      {As(text, made.matrix, call.shape.tuple[0]), As(text, made.factors, call.shape.tuple[1])});
}

Meaning Orgqr(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  if (llvm::Error error = CheckCall(call, 2, 1)) return error;
  if (!call.shape.IsArray() || call.shape.dims != call.operands[0]->shape.dims ||
      call.operands[1]->shape.NumElements() == 0) {
    return MakeError("expected reflectors, and their factors");
  }
  MeaningText text(call);
  const Value matrix = Matrices(text, text.Parameter(0));
  const int64_t count = call.operands[1]->shape.dims.back();
  if (matrix.shape.dims[2] > matrix.shape.dims[1] || count > matrix.shape.dims[2])
    return MakeError("expected no more reflectors than columns, and these than rows");
  const Value factors = text.Reshape(text.Parameter(1), {matrix.shape.dims[0], count});
  const Value q = Orthogonal(text, "expand", {matrix, factors}, matrix.shape.dims[2]);
  return text.Module({As(text, q, call.shape)});
}

// Eigenvectors, eigenvalues from the smallest on, and 0: by rotations (Jacobi).
Meaning Syevd(const hlo::Instruction& call) {
  if (llvm::Error error = CheckCall(call, 1, 3)) return error;
  static constexpr llvm::StringLiteral kLapackKeys[] = {"mode", "uplo"};
  static constexpr llvm::StringLiteral kCusolverKeys[] = {"algorithm", "lower"};
  auto config = TypedConfig::Of(call, IsLapack(call) ? kLapackKeys : kCusolverKeys);
  if (!config) return config.takeError();
  const char triangle = Triangle(*config), mode = IsLapack(call) ? config->Letter("mode") : 'V';
  if (mode != 'N' && mode != 'V') return MakeError("expected whether it gives vectors");
  const Shape& shape = call.operands[0]->shape;
  const int64_t n = shape.dims.back();
  if ((triangle != 'L' && triangle != 'U') || n != shape.dims[shape.rank() - 2])
    return MakeError("expected a square matrix, and which triangle of it");
  if (n > kMostRotated) {
    return MakeError("its matrix has more than " + std::to_string(kMostRotated) +
                     " rows: a reference by rotations would take too long");
  }
  MeaningText text(call);
  const Value given = Matrices(text, text.Parameter(0));
  const Value is_given =
      Where(text, given.shape, 1, triangle == 'L' ? "GE" : "LE",
            text.Op(NumbersOf(given.shape.dims), Opcode::kIota, {}, "iota_dimension=2"));
  const Value a = text.Select(is_given, given, text.Transpose(given, {0, 2, 1}));
  const auto rotated = text.Loop(
      "rotate", TripsOfRotations(n), {a, Identity(text, a.shape)},
      [&](Lines& lines, const Value& trip, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value turn = Rotations(lines, values[0], Partners(lines, trip, n));
        const Value half = Product(lines, lines.Transpose(turn, {0, 2, 1}), values[0]);
        return {Product(lines, half, turn), Product(lines, values[1], turn)};
      });
  const Value diagonal =
      Sum(text, text.Select(IsDiagonal(text, a.shape), rotated[0], text.Constant(a.shape, 0)), 1);
  const Sorted sorted = SortColumns(text, diagonal, {rotated[1]}, "LT");
  std::optional<Value> vectors;
  if (mode != 'N') {
    const Value signs =
        IsLapack(call) ? sorted.matrices[0] : text.Unary(Opcode::kNegate, sorted.matrices[0]);
    vectors = As(text, signs, call.shape.tuple[0]);
  }
  return text.Module({vectors, As(text, sorted.numbers, call.shape.tuple[1]),
                      text.Constant(call.shape.tuple[2], 0)});
}

// Nothing that is defined, the singular values, U, V or its transpose, and 0.
Meaning Singulars(const hlo::Instruction& call) {
  if (llvm::Error error = CheckCall(call, 1, 5)) return error;
  const bool is_lapack = IsLapack(call);
  static constexpr llvm::StringLiteral kLapackKeys[] = {"mode"};
  static constexpr llvm::StringLiteral kCusolverKeys[] = {"compute_uv", "full_matrices"};
  auto config =
      is_lapack ? TypedConfig::Of(call, kLapackKeys) : TypedConfig::Of(call, kCusolverKeys);
  if (!config) return config.takeError();
  const char mode = config->Letter("mode");
  const auto compute = config->Flag("compute_uv");
  const bool vectors = is_lapack ? mode == 'A' || mode == 'S' : compute && *compute;
  if (is_lapack ? !vectors && mode != 'N' : !compute)
    return MakeError("expected which vectors it gives");
  const Shape& shape = call.operands[0]->shape;
  const int64_t rows = shape.dims[shape.rank() - 2], columns = shape.dims.back();
  if (std::min(rows, columns) > kMostRotated) {
    return MakeError("its matrix has more than " + std::to_string(kMostRotated) +
                     " rows and columns: a reference by rotations would take too long");
  }
  MeaningText text(call);
  Value a = Matrices(text, text.Parameter(0));
  const bool turned = rows < columns;
  if (turned) a = text.Transpose(a, {0, 2, 1});
  const Shape &left = call.shape.tuple[2], &right = call.shape.tuple[3];
  const int64_t rank = shape.rank();
  const bool has_v = !is_lapack;  // not its transpose
  const int64_t of_u = vectors ? left.dims[rank - 1] : 0,
                of_v = vectors ? right.dims[has_v ? rank - 1 : rank - 2] : 0;
  const int64_t least = std::min(rows, columns);
  const int64_t of_long = turned ? of_v : of_u, of_short = turned ? of_u : of_v;
  const bool fits =
      !vectors || (of_short == least && of_long >= least && of_long <= std::max(rows, columns));
  if (!fits) return MakeError("expected as many vectors as there are singular values, or all");
  const Singular parts = Decompose(text, a, vectors ? of_long : least);
  Value u = turned ? parts.v : parts.u, v = turned ? parts.u : parts.v;
  if (!is_lapack) {
    u = text.Unary(Opcode::kNegate, u);
    v = text.Unary(Opcode::kNegate, v);
  }
  std::vector<std::optional<Value>> results(5);
  results[1] = As(text, parts.values, call.shape.tuple[1]);
  if (vectors) {
    results[2] = As(text, u, left);
    results[3] = As(text, has_v ? v : text.Transpose(v, {0, 2, 1}), right);
  }
  results[4] = text.Constant(call.shape.tuple[4], 0);
  return text.Module(results);
}

}  // namespace affirm::calls
