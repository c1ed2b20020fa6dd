// Combinations by which a kernel chooses one element of a row, and those that look like one:
// whatever they are replaced by, it is the same at all values.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "llvm/ADT/STLExtras.h"
#include "verify/compare/chosen_elements.h"

namespace affirm::compare {
namespace {

using hlo::PrimitiveType;
using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kU8 = PrimitiveType::kU8;

// Evaluates a term with `place` as the place and `row[k]` as element k of the row.
class Evaluator {
 public:
  Evaluator(Term place, int64_t at, std::vector<int64_t> row)
      : place_(place), at_(at), row_(std::move(row)) {}

  Int128 Of(Term integer_or_condition) const {
    return terms::Evaluate(integer_or_condition, [&](Term leaf) {
      if (leaf == place_) return Int128{at_};
      return OfValue(leaf->kind == Kind::kInteger ? leaf->args[0] : leaf);
    });
  }
  Int128 OfValue(Term value) const {
    switch (value->kind) {
      case Kind::kLoad: {
        const auto element = static_cast<int64_t>(Of(value->args[0]));
        RC_ASSERT(element >= 0 && element < std::ssize(row_));
        return row_[element];
      }
      case Kind::kOfCondition:
        return Of(value->args[0]);
      case Kind::kOfInteger:
        return Of(value->args[0]) & 255;
      case Kind::kLiteral:
        return value->number;
      default: {
        RC_ASSERT(value->kind == Kind::kApply && value->op() == Op::kOr);
        Int128 bits = 0;
        for (Term arg : value->args) bits |= OfValue(arg);
        return bits;
      }
    }
  }

 private:
  Term place_;
  int64_t at_;
  std::vector<int64_t> row_;
};

// A row of elements and what the place is compared with; what is wrong with it is drawn.
struct Row {
  int64_t first, last;            // what the place is among
  int64_t least, largest;         // what it is compared with
  bool backwards = false;         // whether element 0 is the last one's
  bool also_another = false;      // whether another element counts at the first place
  int64_t left_out = -1;          // by number: none counts at its place
  int64_t twice = -1;             // two count at its place
  int64_t from = -1, up_to = -1;  // it counts from its place on, or up to it
  int64_t elsewhere = -1;         // its neighbor counts in its place

  static Row Of(int64_t first, int64_t length) {
    const int64_t last = first + length - 1;
    return {.first = first, .last = last, .least = first, .largest = last};
  }
  static Row Any() {
    const auto length = *rc::gen::inRange<int64_t>(1, 6);
    Row row = Of(*rc::gen::inRange<int64_t>(-3, 4), length);
    row.backwards = *rc::gen::arbitrary<bool>();
    int64_t none = 0;
    int64_t* const wrong[] = {&none,     &row.left_out, &row.twice,
                              &row.from, &row.up_to,    &row.elsewhere};
    *wrong[*rc::gen::inRange<size_t>(0, std::size(wrong))] = *rc::gen::inRange<int64_t>(0, length);
    row.also_another = *rc::gen::inRange(0, 6) == 0;
    if (*rc::gen::inRange(0, 6) == 0) row.least += *rc::gen::inRange<int64_t>(-1, 2);
    if (*rc::gen::inRange(0, 6) == 0) row.largest += *rc::gen::inRange<int64_t>(-1, 2);
    return row;
  }
};

struct Choices {
  Pool pool;
  Scope scope{pool};
  Term place = nullptr;
  std::vector<Term> picks;

  explicit Choices(const Row& row) {
    place = pool.Variable("place", {row.first, row.last});
    for (int64_t k = row.least; k <= row.largest; ++k) {
      const int64_t n = k - row.least;
      if (n == row.left_out) continue;
      const Term number = pool.Number(k);
      Term condition = pool.Equal(place, number);
      if (n == row.from) condition = pool.AtLeast(place, number);
      if (n == row.up_to) condition = pool.AtLeast(number, place);
      const int64_t element = row.backwards ? row.largest - k + 1 : n + 1;
      Pick(condition, n == row.elsewhere ? element + 1 : element);
      if (n == row.twice) Pick(condition, n);
    }
    if (row.also_another) Pick(pool.Equal(place, pool.Number(row.first)), 0);
  }
  // (condition ? element : 0), as it is simplified where the place has a range.
  void Pick(Term condition, int64_t element) {
    const Term load = pool.Load(0, pool.Number(element), kU8);
    picks.push_back(scope.Pick(condition, pool.IntegerOf(load), pool.Number(0)));
  }
  Term Or() {
    Term value = pool.OfInteger(pool.Number(0), kU8);
    for (Term pick : picks) value = pool.Apply(Op::kOr, kU8, {value, pool.OfInteger(pick, kU8)});
    return value;
  }
  Term AreZero() {
    std::vector<Term> conditions;
    for (Term pick : picks) conditions.push_back(pool.AtLeastZero(pool.Scale(pick, -1)));
    return pool.OfCondition(pool.And(conditions));
  }
};

int64_t NumLoads(Term value) {
  int64_t loads = 0;
  terms::ForEachPart(value, [&](Term part) {
    loads += part->kind == Kind::kLoad;
    return terms::Visit::kInto;
  });
  return loads;
}

void AreTheSameAtAllPlaces(const Row& row) {
  Choices choices(row);
  const std::vector<int64_t> elements =
      *rc::gen::container<std::vector<int64_t>>(9, rc::gen::inRange<int64_t>(0, 256));
  // For elements that are bits, a conjunction says whether they are 0.
  std::vector<int64_t> bits;
  for (int64_t element : elements) bits.push_back(element & 1);
  ChosenElements chosen(choices.scope, nullptr);
  const Term combined = choices.Or(), zero = choices.AreZero();
  const Term replaced = chosen.Replaced(combined), one = chosen.Replaced(zero);
  for (int64_t at = row.first; at <= row.last; ++at) {
    const Evaluator of_elements(choices.place, at, elements), of_bits(choices.place, at, bits);
    RC_ASSERT(of_elements.OfValue(replaced) == of_elements.OfValue(combined));
    RC_ASSERT(of_bits.Of(choices.pool.Holds(one)) == of_bits.Of(choices.pool.Holds(zero)));
  }
}

// Most rows have a fault, and are left as they are.
RC_GTEST_PROP(ChosenElements, AreTheSameAtAllPlaces, ()) {
  constexpr int kRows = 40;
  for (int k = 0; k < kRows; ++k) AreTheSameAtAllPlaces(Row::Any());
}

TEST(ChosenElements, AreOneLoad) {
  for (bool backwards : {false, true}) {
    Row row = Row::Of(0, 5);
    row.backwards = backwards;
    Choices choices(row);
    ChosenElements chosen(choices.scope, nullptr);
    EXPECT_EQ(NumLoads(choices.Or()), 5);
    EXPECT_EQ(NumLoads(chosen.Replaced(choices.Or())), 1);
    EXPECT_EQ(NumLoads(choices.AreZero()), 5);
    EXPECT_EQ(NumLoads(chosen.Replaced(choices.AreZero())), 1);
  }
}

// A place that may be none of those with which it is compared chooses nothing there.
TEST(ChosenElements, AreThereAtEachPlace) {
  Row row = Row::Of(0, 5);
  row.last = 5;
  Choices choices(row);
  ChosenElements chosen(choices.scope, nullptr);
  EXPECT_EQ(chosen.Replaced(choices.Or()), choices.Or());
  EXPECT_EQ(chosen.Replaced(choices.AreZero()), choices.AreZero());
}

}  // namespace
}  // namespace affirm::compare
