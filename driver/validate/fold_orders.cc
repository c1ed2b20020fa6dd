#include "driver/validate/fold_orders.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using kernel::TypedScalar;

namespace {

// All ways to halve sets of more leaves are too many.
constexpr size_t kMostLeaves = 12;
// A fold that takes more steps than this leaves none for others.
constexpr int64_t kMostStepsOfFold = int64_t{1} << 23;
// Of two values that are combined for the first time.
constexpr int64_t kStepsOfCombination = 16;
// Orders that are tried where all are too many: from left to right after a permutation, and trees.
constexpr int kRandomOrders = 128;
constexpr int64_t kMostStepsOfEvaluation = int64_t{1} << 20;

// The values that occur in folds of some leaves, by numbers, and what two of them give.
class OrderSearch {
 public:
  OrderSearch(llvm::ArrayRef<TypedScalar> leaves, CombineFunction combine, int64_t& steps)
      : combine_(combine), steps_(steps) {
    for (const TypedScalar& leaf : leaves) leaves_.push_back(NumberOf(leaf));
  }

  ValuesOfOrders Run() {
    Found(Folded(leaves_));
    if (leaves_.size() <= kMostLeaves && TryAll()) return {Values(), /*all=*/true};
    TrySome();
    return {Values(), /*all=*/false};
  }

 private:
  using Numbers = std::vector<unsigned>;

  unsigned NumberOf(const TypedScalar& value) {
    const bool is_nan = std::isnan(value.value.re);
    const uint64_t bits = is_nan ? 0 : kernel::BitsOf(value);
    auto [found, is_new] =
        numbers_.try_emplace({is_nan, bits}, static_cast<unsigned>(values_.size()));
    if (is_new) values_.push_back(value);
    return found->second;
  }

  unsigned Combined(unsigned a, unsigned b) {
    auto [found, is_new] = combined_.try_emplace({a, b}, 0);
    steps_ -= is_new ? kStepsOfCombination : 1;
    if (!is_new) return found->second;
    const unsigned number = NumberOf(combine_(values_[a], values_[b]));
    return combined_[{a, b}] = number;
  }

  unsigned Folded(const Numbers& leaves) {
    unsigned value = leaves.front();
    for (unsigned leaf : llvm::ArrayRef(leaves).drop_front()) value = Combined(value, leaf);
    return value;
  }

  // The values of each set of leaves are those that the values of two halves give, in either order.
  // False where they take too many steps.
  bool TryAll() {
    const size_t sets = size_t{1} << leaves_.size();
    const int64_t least = std::max<int64_t>(0, steps_ - kMostStepsOfFold);
    std::vector<Numbers> of(sets);
    for (size_t set = 1; set < sets; ++set) {
      if ((set & (set - 1)) == 0) {
        of[set] = {leaves_[static_cast<size_t>(llvm::countr_zero(set))]};
        continue;
      }
      llvm::BitVector seen;
      for (size_t half = (set - 1) & set; half != 0; half = (half - 1) & set) {
        for (unsigned a : of[half]) {
          for (unsigned b : of[set ^ half]) {
            const unsigned value = Combined(a, b);
            if (value >= seen.size()) seen.resize(value + 1);
            if (seen.test(value)) continue;
            seen.set(value);
            of[set].push_back(value);
          }
          if (steps_ < least) return false;
        }
      }
    }
    for (unsigned value : of.back()) Found(value);
    return true;
  }

  // Sorted by value and by magnitude, both ways, and in random orders.
  void TrySome() {
    Numbers leaves = leaves_;
    auto try_sorted = [&](auto key) {
      llvm::stable_sort(leaves, [&](unsigned a, unsigned b) { return key(a) < key(b); });
      Found(Folded(leaves));
      std::reverse(leaves.begin(), leaves.end());
      Found(Folded(leaves));
    };
    try_sorted([&](unsigned number) { return values_[number].value.re; });
    try_sorted([&](unsigned number) { return std::fabs(values_[number].value.re); });
    std::mt19937_64 random(leaves.size());
    for (int k = 0; k < kRandomOrders && steps_ > 0; ++k) {
      leaves = leaves_;
      for (size_t n = leaves.size(); n > 1; --n) std::swap(leaves[n - 1], leaves[random() % n]);
      Found(k % 2 == 0 ? Folded(leaves) : FoldedAsTree(leaves, random));
    }
  }

  // Two neighbors at a time, until one is left.
  unsigned FoldedAsTree(Numbers leaves, std::mt19937_64& random) {
    while (leaves.size() > 1) {
      const size_t at = random() % (leaves.size() - 1);
      leaves[at] = Combined(leaves[at], leaves[at + 1]);
      // Which of the others is the next neighbor is random anyway.
      std::swap(leaves[at + 1], leaves.back());
      leaves.pop_back();
    }
    return leaves.front();
  }

  void Found(unsigned value) {
    if (!llvm::is_contained(found_, value)) found_.push_back(value);
  }

  std::vector<TypedScalar> Values() const {
    std::vector<TypedScalar> values;
    for (unsigned number : found_) values.push_back(values_[number]);
    return values;
  }

  CombineFunction combine_;
  int64_t& steps_;
  Numbers leaves_, found_;
  std::vector<TypedScalar> values_;
  llvm::DenseMap<std::pair<unsigned, uint64_t>, unsigned> numbers_;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> combined_;
};

}  // namespace

ValuesOfOrders ValuesInAllOrders(llvm::ArrayRef<TypedScalar> leaves, CombineFunction combine,
                                 int64_t& steps) {
  return OrderSearch(leaves, combine, steps).Run();
}

static ValuesOfOrders RoundedInAllOrders(llvm::ArrayRef<TypedScalar> leaves,
                                         CombineFunction combine, hlo::PrimitiveType type,
                                         int64_t& steps) {
  const hlo::PrimitiveType wide = leaves.front().type;
  auto narrowed = kernel::ScalarOperations::Resolve("convert", type, {wide});
  auto widened = kernel::ScalarOperations::Resolve("convert", wide, {type});
  if (!narrowed || !widened) {
    llvm::consumeError(narrowed.takeError());
    llvm::consumeError(widened.takeError());
    return ValuesInAllOrders(leaves, combine, steps);
  }
  auto rounded = [&](const TypedScalar& value) { return (*widened)({(*narrowed)({value})}); };
  std::vector<TypedScalar> all;
  for (const TypedScalar& leaf : leaves) all.push_back(rounded(leaf));
  return ValuesInAllOrders(
      all, [&](const TypedScalar& a, const TypedScalar& b) { return rounded(combine(a, b)); },
      steps);
}

// Each evaluation takes one value of each fold that it meets, and the next one another of the last.
std::optional<ValuesOfOrders> ValuesInAllOrders(ElementValues& values, terms::Term element,
                                                const ElementValues::LoadFunction& load,
                                                std::optional<hlo::PrimitiveType> rounded_to,
                                                int64_t& steps) {
  struct Choice {
    ValuesOfOrders of;
    size_t taken = 0;
  };
  std::vector<Choice> choices;
  std::optional<ValuesOfOrders> result = ValuesOfOrders();
  do {
    size_t next = 0;
    EvaluationVariant variant;
    variant.fold = [&](llvm::ArrayRef<TypedScalar> leaves, CombineFunction combine) {
      if (next == choices.size())
        choices.push_back({rounded_to ? RoundedInAllOrders(leaves, combine, *rounded_to, steps)
                                      : ValuesInAllOrders(leaves, combine, steps)});
      const Choice& choice = choices[next++];
      result->all = result->all && choice.of.all;
      return choice.of.values[choice.taken];
    };
    values.Begin(load, variant, kMostStepsOfEvaluation);
    auto value = values.Evaluate(element);
    steps -= values.steps() + 1;
    if (!value) {
      llvm::consumeError(value.takeError());
      result.reset();
      break;
    }
    const bool is_known = llvm::any_of(result->values, [&](const TypedScalar& known) {
      return (std::isnan(known.value.re) && std::isnan(value->value.re)) ||
             kernel::BitsOf(known) == kernel::BitsOf(*value);
    });
    if (!is_known) result->values.push_back(*value);
    while (!choices.empty() && ++choices.back().taken == choices.back().of.values.size())
      choices.pop_back();
    if (steps <= 0 && !choices.empty()) {
      result->all = false;
      break;
    }
  } while (!choices.empty());
  values.Begin(load, {}, 0);  // what it folds by is gone
  return result;
}

// Whether it multiplies is seen by what it makes of 2 and 4.
static bool Multiplies(CombineFunction combine, hlo::PrimitiveType type) {
  auto number = [&](double value) { return TypedScalar{type, {.re = value}}; };
  return combine(number(2), number(4)).value.re == 8;
}

// Normal numbers are at least 2 to the first, and less than 2 to the second.
static std::pair<double, double> ExponentsOfNormals(hlo::PrimitiveType type) {
  switch (type) {
    case hlo::PrimitiveType::kF64:
      return {-1022, 1024};
    case hlo::PrimitiveType::kF16:
      return {-14, 16};
    default:
      return {-126, 128};  // of narrower floats too, which all orders are tried of
  }
}

bool ProductLeavesRange(ElementValues& values, terms::Term element,
                        const ElementValues::LoadFunction& load) {
  bool leaves = false;
  EvaluationVariant variant;
  variant.fold = [&](llvm::ArrayRef<TypedScalar> factors, CombineFunction combine) {
    const hlo::PrimitiveType type = factors.front().type;
    TypedScalar product = factors.front();
    for (const TypedScalar& factor : factors.drop_front()) product = combine(product, factor);
    if (!hlo::IsFloat(type) || !Multiplies(combine, type)) return product;
    double small = 0, large = 0;  // logarithms of the products of those below 1, and of the others
    for (const TypedScalar& factor : factors) {
      const double exponent = std::log2(std::fabs(factor.value.re));
      if (std::isfinite(exponent)) (exponent < 0 ? small : large) += exponent;
    }
    const auto [least, largest] = ExponentsOfNormals(type);
    leaves |= small < least || large >= largest;
    return product;
  };
  values.Begin(load, variant, kMostStepsOfEvaluation);
  if (auto value = values.Evaluate(element); !value) llvm::consumeError(value.takeError());
  values.Begin(load, {}, 0);
  return leaves;
}

}  // namespace affirm::driver
