#include "verify/lemma/ranges.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "verify/terms/range.h"

namespace affirm::lemma {

namespace {

using terms::Range;

constexpr Int128 kLargest = (Int128{1} << 120) - 1;

bool Fits(const Range& range) { return range.lo >= -kLargest && range.hi <= kLargest; }

// The signed integers of a type; 0 and 1 for pred.
Range OfType(hlo::PrimitiveType type) {
  const int64_t width = terms::IntegerWidth(type);
  if (width == 1) return {0, 1};
  const Int128 half = Int128{1} << (width - 1);
  return {-half, half - 1};
}

// Products of numbers below 2^120 in size; nullopt beyond 2^127.
std::optional<Range> Product(const Range& a, const Range& b) {
  Range product = {0, 0};
  bool is_first = true;
  for (Int128 x : {a.lo, a.hi}) {
    for (Int128 y : {b.lo, b.hi}) {
      Int128 value;
      if (__builtin_mul_overflow(x, y, &value)) return std::nullopt;
      product.lo = is_first ? value : std::min(product.lo, value);
      product.hi = is_first ? value : std::max(product.hi, value);
      is_first = false;
    }
  }
  return product;
}

// The range of a node; nullopt where it does not fit 120 bits.
std::optional<Range> RangeOf(const Node& node, const std::vector<Range>& ranges) {
  auto of = [&](size_t k) { return ranges[node.args[k]]; };
  const Range anything = terms::kAnything;
  switch (node.op) {
    case Op::kSum: {
      Range sum = {node.number, node.number};
      if (!Fits(sum)) return std::nullopt;
      for (size_t k = 0; k < node.args.size(); ++k) {
        const Int128 c = node.coefficients[k];
        auto product = Product({c, c}, of(k));
        if (!product || !Fits(*product)) return std::nullopt;
        sum = {sum.lo + product->lo, sum.hi + product->hi};
        if (!Fits(sum)) return std::nullopt;
      }
      return sum;
    }
    case Op::kQuotient:
      return Range{terms::FloorDiv(of(0).lo, node.number), terms::FloorDiv(of(0).hi, node.number)};
    case Op::kMax:
      return Range{std::max(of(0).lo, of(1).lo), std::max(of(0).hi, of(1).hi)};
    case Op::kProduct: {
      Range product = {1, 1};
      for (size_t k = 0; k < node.args.size(); ++k) {
        auto next = Product(product, of(k));
        if (!next || !Fits(*next)) return std::nullopt;
        product = *next;
      }
      return product;
    }
    case Op::kPick:
      return Range{std::min(of(1).lo, of(2).lo), std::max(of(1).hi, of(2).hi)};
    case Op::kInteger:
      if (!Fits(of(0))) return std::nullopt;  // of no integer
      return of(0);
    case Op::kOfInteger: {
      const Range type = OfType(node.type), given = of(0);
      return given.lo >= type.lo && given.hi <= type.hi ? given : type;
    }
    case Op::kSelect:
      if (terms::IntegerWidth(node.type) == 0) return anything;
      return Range{std::min(of(1).lo, of(2).lo), std::max(of(1).hi, of(2).hi)};
    default:
      return terms::IntegerWidth(node.type) == 0 ? anything : OfType(node.type);
  }
}

}  // namespace

std::optional<std::vector<Range>> RangesOf(const Statement& statement) {
  std::vector<Range> ranges;
  for (const Node& node : statement.nodes) {
    std::optional<Range> range = RangeOf(node, ranges);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
  }
  return ranges;
}

int WidthFor(const Range& range) {
  for (int width : {32, 64}) {
    const Int128 half = Int128{1} << (width - 1);
    if (range.lo >= -half && range.hi < half) return width;
  }
  return 128;
}

}  // namespace affirm::lemma
