// Functions of XLA's client library that a module may call by their names.
#include <array>
#include <string>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"
#include "verify/calls/matrix_text.h"

namespace affirm::calls {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// A value whose dimensions have names, a character each.
struct Labeled {
  Value value;
  std::string labels;

  int64_t SizeOf(char label) const { return value.shape.dims[labels.find(label)]; }
};

bool Has(llvm::StringRef labels, char label) { return labels.contains(label); }

// Where dimensions of one name have the same index: x there, zero elsewhere.
Value OnDiagonals(Lines& text, const Value& x, llvm::StringRef labels) {
  Value kept = x;
  for (size_t k = 0; k < labels.size(); ++k) {
    const size_t first = labels.find(labels[k]);
    if (first == k) continue;
    const Shape numbers = Shape::Array(PrimitiveType::kS32, x.shape.dims);
    const Value at = text.Op(numbers, Opcode::kIota, {}, "iota_dimension=" + std::to_string(k));
    kept = text.Select(Where(text, x.shape, static_cast<int64_t>(first), "EQ", at), kept,
                       text.Constant(x.shape, 0));
  }
  return kept;
}

// The sum over a dimension.
Labeled Without(Lines& text, const Labeled& x, size_t dimension) {
  Labeled less{Sum(text, x.value, static_cast<int64_t>(dimension)), x.labels};
  less.labels.erase(dimension, 1);
  return less;
}

// Each label once: takes the diagonal of a repeated label, and the sum over a label that `others`
// lacks.
Labeled Reduced(Lines& text, Labeled x, llvm::StringRef others) {
  x.value = OnDiagonals(text, x.value, x.labels);
  for (size_t k = x.labels.size(); k-- > 0;) {
    const bool is_repeated = x.labels.find(x.labels[k]) < k;
    if (is_repeated || !Has(others, x.labels[k])) x = Without(text, x, k);
  }
  return x;
}

std::vector<int64_t> Places(llvm::StringRef labels, llvm::StringRef in) {
  std::vector<int64_t> places;
  places.reserve(labels.size());
  for (char label : labels) places.push_back(static_cast<int64_t>(in.find(label)));
  return places;
}

// The sum over the names that the result has not of the products.
Labeled Product(Lines& text, const Labeled& a, const Labeled& b, llvm::StringRef result,
                PrimitiveType type) {
  std::string batch, summed, rest;
  for (char label : a.labels) {
    if (!Has(b.labels, label)) {
      rest += label;
    } else {
      (Has(result, label) ? batch : summed) += label;
    }
  }
  for (char label : b.labels) {
    if (!Has(a.labels, label)) rest += label;
  }
  std::vector<int64_t> dims;
  for (char label : batch + rest) dims.push_back((Has(a.labels, label) ? a : b).SizeOf(label));
  const std::string attributes = "lhs_batch_dims=" + Braces(Places(batch, a.labels)) +
                                 ", lhs_contracting_dims=" + Braces(Places(summed, a.labels)) +
                                 ", rhs_batch_dims=" + Braces(Places(batch, b.labels)) +
                                 ", rhs_contracting_dims=" + Braces(Places(summed, b.labels));
  return {text.Op(Shape::Array(type, dims), Opcode::kDot, {a.value, b.value}, attributes),
          batch + rest};
}

struct Equation {
  std::array<std::string, 2> operands;
  std::string result;
};

// "bij,bjk->bik"
llvm::Expected<Equation> EquationOf(const hlo::Instruction& call) {
  auto text = BackendConfigText(call);
  if (!text) return text.takeError();
  std::string all;
  for (char c : *text) {
    if (!llvm::isSpace(c)) all += c;
  }
  auto [operands, result] = llvm::StringRef(all).split("->");
  auto [left, right] = operands.split(',');
  const bool is_equation = llvm::StringRef(all).contains("->") && operands.contains(',');
  for (llvm::StringRef labels : {left, right, result}) {
    if (!is_equation || !llvm::all_of(labels, llvm::isAlpha))
      return MakeError("expected 'ij,jk->ik', found '" + all + "'");
  }
  return Equation{{left.str(), right.str()}, result.str()};
}

llvm::Error CheckFits(const hlo::Instruction& call, const Equation& equation) {
  if (call.operands.size() != 2 || !call.shape.IsArray())
    return MakeError("expected two operands and one array as result");
  std::array<int64_t, 256> sizes = {};
  auto fits = [&](const Shape& shape, llvm::StringRef labels) {
    if (!shape.IsArray() || shape.rank() != std::ssize(labels) ||
        shape.type == PrimitiveType::kPred || llvm::is_contained(shape.dynamic, true)) {
      return false;
    }
    for (auto [k, label] : llvm::enumerate(labels)) {
      int64_t& size = sizes[static_cast<unsigned char>(label)];
      if (size != 0 && size != shape.dims[k] + 1) return false;
      size = shape.dims[k] + 1;
    }
    return true;
  };
  const bool of_operands = fits(call.operands[0]->shape, equation.operands[0]) &&
                           fits(call.operands[1]->shape, equation.operands[1]);
  const std::string known = equation.operands[0] + equation.operands[1];
  const bool is_known =
      llvm::all_of(equation.result, [&](char label) { return Has(known, label); });
  if (of_operands && is_known && fits(call.shape, equation.result)) return llvm::Error::success();
  return MakeError("its operands and its result do not have the dimensions of its equation");
}

// In the shape and the layout of the result.
Value AsResult(Lines& text, const Value& x, const Shape& shape) {
  const Value shaped = text.Reshape(x, shape.dims);
  return shaped.shape.ToString() == shape.ToString() ? shaped
                                                     : text.Op(shape, Opcode::kCopy, {shaped});
}

}  // namespace

// xla_builder.matrix.Einsum, of two operands; a name twice is a diagonal.
Meaning Einsum(const hlo::Instruction& call) {
  auto equation = EquationOf(call);
  if (!equation) return equation.takeError();
  if (llvm::Error error = CheckFits(call, *equation)) return error;
  MeaningText text(call);
  std::array<Labeled, 2> operands;
  for (size_t k = 0; k < 2; ++k) {
    const Labeled all{text.Parameter(static_cast<int64_t>(k)), equation->operands[k]};
    operands[k] = Reduced(text, all, equation->operands[1 - k] + equation->result);
  }
  const Labeled product =
      Product(text, operands[0], operands[1], equation->result, call.shape.type);
  std::string once;
  for (char label : equation->result) {
    if (!Has(once, label)) once += label;
  }
  const Value ordered = once == product.labels
                            ? product.value
                            : text.Transpose(product.value, Places(once, product.labels));
  const Shape wide = Shape::Array(call.shape.type, call.shape.dims);
  const bool repeats = once.size() != equation->result.size();
  const Value spread =
      repeats ? OnDiagonals(text, text.Broadcast(ordered, wide, Places(once, equation->result)),
                            equation->result)
              : ordered;
  return text.Module({AsResult(text, spread, call.shape)});
}

namespace {

// Puts [batch, rows, 1] at a column of [batch, rows, columns].
Value WithColumn(Lines& text, const Value& a, const Value& column, const Value& at) {
  const Value zero = text.Constant(at.shape, 0);
  const Value part = text.Reshape(column, {a.shape.dims[0], a.shape.dims[1], 1});
  return text.Op(a.shape, Opcode::kDynamicUpdateSlice, {a, part, zero, zero, at});
}

// From [batch, 1, n]: a number for each of the rows of [batch, rows, n].
Value Spread(Lines& text, const Value& number, const Shape& of) {
  const Value flat = text.Reshape(number, {of.dims[0]});
  return text.Broadcast(flat, Shape::Array(of.type, {of.dims[0], of.dims[1]}), {0});
}

struct Diagonals {
  Value lower, main, upper;  // [batch, 1, n]
};

// Elimination from the first equation to the last and back, of right sides [batch, rows, n].
Value SolveTridiagonal(Lines& text, const Diagonals& of, const Value& right) {
  const int64_t n = right.shape.dims[2];
  const auto forward = text.Loop(
      "eliminate", n - 1, {of.lower, of.main, of.upper, right},
      [](Lines& lines, const Value& trip, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value &lower = values[0], &main = values[1], &upper = values[2], &d = values[3];
        const Value at = lines.Binary(Opcode::kAdd, trip, lines.Constant(trip.shape, 1));
        const Value factor =
            lines.Binary(Opcode::kDivide, ColumnOf(lines, lower, at), ColumnOf(lines, main, trip));
        const Value pivot =
            lines.Binary(Opcode::kSubtract, ColumnOf(lines, main, at),
                         lines.Binary(Opcode::kMultiply, factor, ColumnOf(lines, upper, trip)));
        const Value before = lines.Binary(Opcode::kMultiply, Spread(lines, factor, d.shape),
                                          ColumnOf(lines, d, trip));
        const Value changed = lines.Binary(Opcode::kSubtract, ColumnOf(lines, d, at), before);
        return {lower, WithColumn(lines, main, pivot, at), upper,
                WithColumn(lines, d, changed, at)};
      });
  const Value &main = forward[1], &d = forward[3];
  const Value last =
      text.Constant(Shape::Array(PrimitiveType::kS32, {}), static_cast<double>(n - 1));
  const Value solved = text.Binary(Opcode::kDivide, ColumnOf(text, d, last),
                                   Spread(text, ColumnOf(text, main, last), d.shape));
  const auto backward = text.Loop(
      "substitute", n - 1, {main, of.upper, WithColumn(text, d, solved, last)},
      [n](Lines& lines, const Value& trip, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value &main = values[0], &upper = values[1], &x = values[2];
        const Value behind = lines.Binary(
            Opcode::kSubtract, lines.Constant(trip.shape, static_cast<double>(n - 1)), trip);
        const Value at = lines.Binary(Opcode::kSubtract, behind, lines.Constant(trip.shape, 1));
        const Value known =
            lines.Binary(Opcode::kMultiply, Spread(lines, ColumnOf(lines, upper, at), x.shape),
                         ColumnOf(lines, x, behind));
        const Value rest = lines.Binary(Opcode::kSubtract, ColumnOf(lines, x, at), known);
        const Value value =
            lines.Binary(Opcode::kDivide, rest, Spread(lines, ColumnOf(lines, main, at), x.shape));
        return {main, upper, WithColumn(lines, x, value, at)};
      });
  return backward[2];
}

}  // namespace

// xla_builder.tridiagonal.TridiagonalSolver: of [..., 3, n], the upper diagonal, the main one and
// the lower one, and columns [..., n, k]; or of the lower, the main and the upper one, each
// [..., 1, n], and rows [..., k, n]. Nothing reads the first of the lower diagonal and the last of
// the upper one.
Meaning TridiagonalSolver(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  const bool is_packed = call.operands.size() == 2;
  if (!is_packed && call.operands.size() != 4) return MakeError("expected two or four operands");
  const Shape& right = call.operands.back()->shape;
  if (!right.IsArray() || right.rank() < 2 || !IsReal(right.type) || right.NumElements() == 0)
    return MakeError("expected systems of f32 or f64");
  const int64_t n = right.dims[right.rank() - (is_packed ? 2 : 1)];
  std::vector<int64_t> diagonal = right.dims;
  diagonal[right.rank() - 2] = is_packed ? 3 : 1;
  diagonal[right.rank() - 1] = n;
  for (const hlo::Instruction* operand : llvm::drop_end(call.operands)) {
    if (!operand->shape.IsArray() || operand->shape.type != right.type ||
        operand->shape.dims != diagonal) {
      return MakeError("its diagonals do not fit its right sides");
    }
  }
  MeaningText text(call);
  Diagonals of;
  const Value first = Matrices(text, text.Parameter(0));
  Value sides = Matrices(text, text.Parameter(is_packed ? 1 : 3));
  if (is_packed) {
    auto row = [&](int64_t k) {
      const Value at = text.Constant(Shape::Array(PrimitiveType::kS32, {}), static_cast<double>(k));
      return text.Reshape(RowOf(text, first, at), {first.shape.dims[0], 1, n});
    };
    of = {row(2), row(1), row(0)};
    sides = text.Transpose(sides, {0, 2, 1});
  } else {
    of = {first, Matrices(text, text.Parameter(1)), Matrices(text, text.Parameter(2))};
  }
  Value solved = SolveTridiagonal(text, of, sides);
  if (is_packed) solved = text.Transpose(solved, {0, 2, 1});
  return text.Module({AsResult(text, solved, call.shape)});
}

// xla_builder.prng.ScramblePhiloxKey: the first two words that Philox4x32-10 makes of a key of its
// own and of the counter whose halves are the words of the number.
Meaning ScramblePhiloxKey(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  const bool fits = call.operands.size() == 1 && call.shape.IsArray() &&
                    call.shape.type == PrimitiveType::kU64 &&
                    call.operands[0]->shape.type == PrimitiveType::kU64 &&
                    call.operands[0]->shape.dims == call.shape.dims;
  if (!fits) return MakeError("expected an array of u64 and one of its shape as result");
  MeaningText text(call);
  const Value key = text.Parameter(0);
  const Shape words = WithType(key.shape, PrimitiveType::kU32);
  auto low = [&](const Value& x) { return text.Convert(x, PrimitiveType::kU32); };
  auto high = [&](const Value& x) {
    return low(text.Binary(Opcode::kShiftRightLogical, x, text.Constant(x.shape, 32)));
  };
  auto times = [&](const Value& word, uint32_t factor) {
    const Value wide = text.Convert(word, PrimitiveType::kU64);
    return text.Binary(Opcode::kMultiply, wide, text.Constant(wide.shape, factor));
  };
  constexpr int kRounds = 10;
  uint32_t first = 0x3EC8F720, second = 0x02461E29;
  const Value zero = text.Constant(words, 0);
  std::array<Value, 4> x = {low(key), zero, high(key), zero};
  for (int round = 0; round < kRounds; ++round) {
    const Value p = times(x[0], 0xD2511F53), q = times(x[2], 0xCD9E8D57);
    auto mixed = [&](const Value& a, const Value& b, uint32_t with) {
      return text.Binary(Opcode::kXor, text.Binary(Opcode::kXor, high(a), b),
                         text.Constant(words, with));
    };
    x = {mixed(q, x[1], first), low(q), mixed(p, x[3], second), low(p)};
    first += 0x9E3779B9;
    second += 0xBB67AE85;
  }
  const Value above = text.Convert(x[1], PrimitiveType::kU64);
  const Value shifted = text.Binary(Opcode::kShiftLeft, above, text.Constant(above.shape, 32));
  const Value joined = text.Binary(Opcode::kOr, text.Convert(x[0], PrimitiveType::kU64), shifted);
  return text.Module({AsResult(text, joined, call.shape)});
}

}  // namespace affirm::calls
