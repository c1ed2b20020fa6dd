// Random rules and random maps that look like what the rules match.
#ifndef AFFIRM_TESTS_RULES_RANDOM_RULES_H_
#define AFFIRM_TESTS_RULES_RANDOM_RULES_H_

#include <cstdlib>
#include <string>

#include "core/indexing/indexing_map.h"
#include "core/simplify/rule.h"
#include "fuzz/generators/choices.h"

namespace affirm {

// How many cases the sweeps try: AFFIRM_CASES, or a few.
inline int64_t NumCases(int64_t otherwise) {
  const char* text = std::getenv("AFFIRM_CASES");
  return text ? std::atoll(text) : otherwise;
}
// Runs that start at different AFFIRM_FROM try different cases.
inline int64_t FirstCase() {
  const char* text = std::getenv("AFFIRM_FROM");
  return text ? std::atoll(text) : 0;
}

// The text of terms, conditions and rules over the expressions x, y, z and the constants a, b, c.
class RandomText {
 public:
  explicit RandomText(fuzz::Choices& choices) : choices_(choices) {}

  // A term that the simplifier may be able to match.
  std::string Pattern(int depth);
  // A term of expressions and constants.
  std::string Expression(int depth);
  // A term of constants.
  std::string Constant(int depth);
  // "" or ", " and a condition each.
  std::string Conditions(int most);

 private:
  std::string Operand(int depth);
  std::string Name() { return choices_.Pick<const char*>({"x", "y", "z", "x"}); }
  std::string ConstantName() { return choices_.Pick<const char*>({"a", "b", "c", "a"}); }
  std::string Condition();

  fuzz::Choices& choices_;
};

// A small map whose results, or one of whose constraints, are instances of the rule's patterns, or
// nearly: now and then a name that occurs twice is replaced by two different expressions.
IndexingMap MapLike(const Rule& rule, fuzz::Choices& choices, Context& context);

}  // namespace affirm

#endif  // AFFIRM_TESTS_RULES_RANDOM_RULES_H_
