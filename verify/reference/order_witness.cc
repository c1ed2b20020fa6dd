#include "verify/reference/order_witness.h"

#include <vector>

#include "core/hlo/literal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/reference/scalar_function.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// Limits the elements, since all triples of them are tried.
constexpr size_t kMostElements = 48;

using Element = std::vector<Scalar>;

// Numbers of a type, the simplest first, and no NaN.
std::vector<Scalar> NumbersOf(PrimitiveType type) {
  std::vector<Scalar> numbers;
  switch (ScalarKindOf(type)) {
    case ScalarKind::kNone:
      break;
    case ScalarKind::kInt: {
      const IntType of = IntType::Of(type);
      for (int64_t i : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, of.Max(), of.Min(),
                        int64_t{3}, int64_t{-2}, int64_t{5}}) {
        const int64_t wrapped = of.Wrap(static_cast<uint64_t>(i));
        if (llvm::none_of(numbers, [&](const Scalar& known) { return known.i == wrapped; }))
          numbers.push_back({.i = wrapped});
      }
      break;
    }
    case ScalarKind::kFloat:
    case ScalarKind::kComplex:
      for (double re : {0.0, 1.0, -0.0, 2.0, -1.0, 4.0, -2.0, 0.5}) {
        numbers.push_back({.re = RoundTo(type, re)});
        if (ScalarKindOf(type) == ScalarKind::kComplex)
          numbers.push_back({.re = RoundTo(type, re), .im = 1.0});
      }
      break;
  }
  return numbers;
}

// Elements of the numbers of each operand: of fewer, the simplest, where these are too many.
std::vector<Element> ElementsOf(const Instruction& sort) {
  std::vector<std::vector<Scalar>> numbers;
  size_t count = 1;
  for (const Instruction* operand : sort.operands) {
    numbers.push_back(NumbersOf(operand->shape.type));
    count *= numbers.back().size();
    while (count > kMostElements) {
      auto& longest = *llvm::max_element(
          numbers, [](const auto& a, const auto& b) { return a.size() < b.size(); });
      count = count / longest.size() * (longest.size() - 1);
      longest.pop_back();
    }
  }
  std::vector<Element> elements(count);
  for (size_t k = 0; k < count; ++k) {
    size_t rest = k;
    for (const std::vector<Scalar>& of : numbers) {
      elements[k].push_back(of[rest % of.size()]);
      rest /= of.size();
    }
  }
  return elements;
}

}  // namespace

std::optional<std::string> FindOrderWitness(const Instruction& sort) {
  std::vector<PrimitiveType> types;
  for (const Instruction* operand : sort.operands)
    types.insert(types.end(), 2, operand->shape.type);
  auto less = ScalarFunction::Create(sort, *sort.called[0], types, PrimitiveType::kPred);
  if (!less) {
    llvm::consumeError(less.takeError());
    return std::nullopt;
  }
  const std::vector<Element> elements = ElementsOf(sort);
  const size_t count = elements.size();
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < count; ++b) {
      std::vector<Scalar> pair;
      for (size_t k = 0; k < sort.operands.size(); ++k) {
        pair.push_back(elements[a][k]);
        pair.push_back(elements[b][k]);
      }
      Scalar answer;
      if (llvm::Error error = less->Apply(pair, answer)) {
        llvm::consumeError(std::move(error));
        return std::nullopt;
      }
      before[a][b] = answer.i != 0;
    }
  }
  auto text = [&](size_t of) {
    std::vector<std::string> parts;
    for (auto [number, operand] : llvm::zip_equal(elements[of], sort.operands)) {
      Literal one(Shape::Array(operand->shape.type, {}));
      Store(one, 0, number);
      parts.push_back(one.ElementToString(0));
    }
    return "(" + llvm::join(parts, ", ") + ")";
  };
  for (size_t a = 0; a < count; ++a) {
    if (before[a][a]) return text(a) + " comes before itself";
  }
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (before[a][b] && before[b][a])
        return text(b) + " comes before " + text(a) + ", and " + text(a) + " before " + text(b);
    }
  }
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < count; ++b) {
      for (size_t c = 0; c < count; ++c) {
        if (before[a][b] && before[b][c] && !before[a][c])
          return text(a) + " comes before " + text(b) + ", " + text(b) + " before " + text(c) +
                 ", and " + text(a) + " not before " + text(c);
        if (before[a][c] && !before[a][b] && !before[b][c])
          return text(a) + " comes before " + text(c) + ", and " + text(b) +
                 " neither behind the first nor before the second";
      }
    }
  }
  return std::nullopt;
}

}  // namespace affirm::hlo
