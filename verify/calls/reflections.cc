#include "verify/calls/reflections.h"

#include <algorithm>

namespace affirm::calls {

using hlo::Opcode;
using hlo::Shape;

Reflectors Reflect(Lines& text, llvm::StringRef name, const Value& a) {
  const int64_t batch = a.shape.dims[0], m = a.shape.dims[1], n = a.shape.dims[2];
  const Value none = text.Constant(Like(a, {batch, std::min(m, n)}), 0);
  const auto made = text.Loop(
      name, std::min(m, n), {a, none},
      [](Lines& lines, const Value& j, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value &a = values[0], &factors = values[1];
        const Value x = ColumnOf(lines, a, j);
        const Shape each = Like(a, {a.shape.dims[0]});
        const Value zero = lines.Constant(each, 0);
        const Value alpha = ElementOf(lines, x, j, each);
        const Value is_below = Where(lines, x.shape, 1, "GT", j);
        const Value is_pivot = Where(lines, x.shape, 1, "EQ", j);
        const Value tail = lines.Select(is_below, x, lines.Constant(x.shape, 0));
        const Value rest = Sum(lines, lines.Binary(Opcode::kMultiply, tail, tail), 1);
        // A column that is zero below its pivot is left as it is.
        const Value is_done = lines.Compare(rest, zero, "EQ");
        const Value norm = lines.Unary(
            Opcode::kSqrt,
            lines.Binary(Opcode::kAdd, lines.Binary(Opcode::kMultiply, alpha, alpha), rest));
        const Value reflected = lines.Select(lines.Compare(alpha, zero, "LT"), norm,
                                             lines.Unary(Opcode::kNegate, norm));
        const Value beta = lines.Select(is_done, alpha, reflected);
        const Value difference = lines.Binary(Opcode::kSubtract, beta, alpha);
        const Value factor =
            lines.Select(is_done, zero, lines.Binary(Opcode::kDivide, difference, beta));
        const Value scale = lines.Select(is_done, lines.Constant(each, 1),
                                         lines.Unary(Opcode::kNegate, difference));
        const Value v = lines.Binary(Opcode::kDivide, tail, lines.Broadcast(scale, x.shape, {0}));
        const Value whole = lines.Select(is_pivot, lines.Constant(x.shape, 1), v);

        const Value rows = lines.Broadcast(whole, a.shape, {0, 1});
        const Value products = Sum(lines, lines.Binary(Opcode::kMultiply, rows, a), 1);
        const Value weighted =
            lines.Binary(Opcode::kMultiply, products, lines.Broadcast(factor, products.shape, {0}));
        const Value change =
            lines.Binary(Opcode::kMultiply, rows, lines.Broadcast(weighted, a.shape, {0, 2}));
        const Value changed = lines.Select(Where(lines, a.shape, 2, "GT", j),
                                           lines.Binary(Opcode::kSubtract, a, change), a);
        const Value column = lines.Select(
            is_below, v, lines.Select(is_pivot, lines.Broadcast(beta, x.shape, {0}), x));
        return {lines.Select(Where(lines, a.shape, 2, "EQ", j),
                             lines.Broadcast(column, a.shape, {0, 1}), changed),
                lines.Select(Where(lines, factors.shape, 1, "EQ", j),
                             lines.Broadcast(factor, factors.shape, {0}), factors)};
      });
  return {made[0], made[1]};
}

Value Orthogonal(Lines& text, llvm::StringRef name, const Reflectors& of, int64_t columns) {
  const int64_t batch = of.matrix.shape.dims[0], m = of.matrix.shape.dims[1];
  const int64_t count = of.factors.shape.dims[1];
  const Value start = Identity(text, Like(of.matrix, {batch, m, columns}));
  return text.Loop(
      name, count, {of.matrix, of.factors, start},
      [&](Lines& lines, const Value& trip, llvm::ArrayRef<Value> values) -> std::vector<Value> {
        const Value &a = values[0], &factors = values[1], &q = values[2];
        const Value last = lines.Constant(trip.shape, static_cast<double>(count - 1));
        const Value j = lines.Binary(Opcode::kSubtract, last, trip);
        const Value x = ColumnOf(lines, a, j);
        const Value v =
            lines.Select(Where(lines, x.shape, 1, "GT", j), x,
                         lines.Select(Where(lines, x.shape, 1, "EQ", j), lines.Constant(x.shape, 1),
                                      lines.Constant(x.shape, 0)));
        const Value rows = lines.Broadcast(v, q.shape, {0, 1});
        const Value products = Sum(lines, lines.Binary(Opcode::kMultiply, rows, q), 1);
        const Value weighted =
            lines.Binary(Opcode::kMultiply, products, ElementOf(lines, factors, j, products.shape));
        const Value change =
            lines.Binary(Opcode::kMultiply, rows, lines.Broadcast(weighted, q.shape, {0, 2}));
        return {a, factors, lines.Binary(Opcode::kSubtract, q, change)};
      })[2];
}

}  // namespace affirm::calls
