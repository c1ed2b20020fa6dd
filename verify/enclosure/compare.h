// Whether results that a program computed are among the values that the computation may have.
//
//   ResultComparison comparison(*module.entry, freedom);
//   auto outcome = comparison.Compare(arguments, leaves_of_interpreter, leaves_of_program);
//   // outcome.first: an element outside of its enclosure
//   // comparison.WhyNotTested(): an element that no arguments so far tested, and why
#ifndef AFFIRM_VERIFY_ENCLOSURE_COMPARE_H_
#define AFFIRM_VERIFY_ENCLOSURE_COMPARE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/enclosure/enclose.h"
#include "verify/reference/compare.h"

namespace affirm::enclosure {

// The relation of an enclosure to a value that differs from the interpreter's.
enum class Answer : uint8_t {
  kWithin,
  kApart,  // the value is outside, whatever is rounded
  kWide    // the value is inside an enclosure that is too wide to test it
};
Answer Judge(hlo::PrimitiveType type, const Enclosure& of, const hlo::Scalar& value);

// The range that a value outside of its enclosure should have: "it lies in [0.99, 1.01], whatever
// is rounded". Empty if nothing is rounded.
std::string WhyApart(hlo::PrimitiveType type, const Enclosure& of);

// Whether an equal value tests an element with a narrow enclosure. Zeros, infinities and NaNs do
// not: wrong computations often give them too.
bool TellsSomething(const hlo::Literal& value, int64_t element);

// The elements of an array leaf that enclosures test, over several sets of arguments.
class TestedElements {
 public:
  void AddWide(int64_t element, const std::string& why);
  void AddNarrow(int64_t element);
  // The elements that were wide on some arguments, and narrow on none.
  std::vector<int64_t> NotTested() const;
  // "element 5 was not tested: roundings move it by more than a tenth, from subtract d on"; empty
  // where all were.
  std::string WhyNot() const;

 private:
  std::vector<bool> wide_, narrow_;  // by element; false beyond
  std::string why_;
};

class ResultComparison {
 public:
  // With `freedom.rounds_products`, the operands of products are rounded where no other rounding
  // explains an element. The computation outlives this, and so do the orders in which the
  // interpreter takes its folds; null: from left to right.
  ResultComparison(const hlo::Computation& computation, Freedom freedom,
                   const hlo::EvaluationOrders* orders = nullptr);

  // Compares what a program gave for the arguments with the interpreter's value: array leaves in
  // order. Elements that are equal to the bit, and NaNs, agree; an element that HLO leaves open
  // (verify/reference/open_elements.h) is no mismatch.
  hlo::LiteralComparison Compare(llvm::ArrayRef<hlo::Literal> arguments,
                                 llvm::ArrayRef<const hlo::Literal*> expected,
                                 llvm::ArrayRef<const hlo::Literal*> actual);
  // Compares whole values of one shape.
  hlo::LiteralComparison Compare(llvm::ArrayRef<hlo::Literal> arguments,
                                 const hlo::Literal& expected, const hlo::Literal& actual);

  // Why some element was tested on no arguments so far; empty where each was.
  std::string WhyNotTested();

 private:
  struct OnArguments;
  // Arguments on which nothing was wrong, and the interpreter's results.
  struct Agreed {
    std::vector<hlo::Literal> arguments, expected;
  };
  void Keep(llvm::ArrayRef<hlo::Literal> arguments, llvm::ArrayRef<const hlo::Literal*> expected);
  // Marks elements that agree as tested if their enclosures are narrow.
  void TestAgreed(OnArguments& on, size_t leaf, const hlo::Literal& expected,
                  llvm::ArrayRef<int64_t> elements);

  const hlo::Computation& computation_;
  Freedom freedom_;
  const hlo::EvaluationOrders* orders_;
  std::map<size_t, TestedElements> tested_;  // by leaf
  std::vector<Agreed> agreed_;               // the first ones
  int64_t bytes_kept_ = 0;
};

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_COMPARE_H_
