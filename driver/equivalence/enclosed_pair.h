// Whether roundings explain that elements of two modules differ. Whatever a compiler may make of a
// module lies in its enclosures (verify/enclosure/enclose.h): B is wrong if
//
//   - the enclosures have no value in common;
//   - A has a number, and B none: an infinity or NaN, when it is executed as it is written;
//   - B loses the digits that A has: it is outside of what A may be, and its own roundings may move
//     it by more than a tenth of the value.
//
//   a: multiply(x, 0.5)   [0.75, 0.75] at x = 1.5
//   b: multiply(x, 0.55)  [0.82499999, 0.82500001]: apart
//
// A sum of A that is no number decides nothing: in another order it may be one.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_ENCLOSED_PAIR_H_
#define AFFIRM_DRIVER_EQUIVALENCE_ENCLOSED_PAIR_H_

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "verify/enclosure/enclose.h"

namespace affirm::driver {

class EnclosedPair {
 public:
  // With `freedom.rounds_products`, products of A round their operands, and those of B too if
  // `rounds_products_of_b`; else these are taken as they are executed.
  EnclosedPair(const hlo::Computation& a, const hlo::Computation& b, enclosure::Freedom freedom,
               bool rounds_products_of_b = false);

  // The arguments of the elements that are asked about from here on, and all array leaves of both
  // results on them; they outlive the questions.
  void Take(const std::vector<hlo::Literal>& arguments,
            const std::vector<const hlo::Literal*>& leaves_of_a,
            const std::vector<const hlo::Literal*>& leaves_of_b);

  enum class Answer : uint8_t {
    kApart,    // whatever is rounded
    kWithin,   // roundings may bring them together
    kSpecial,  // A is no number, and sums
    kWide      // so far that it says nothing: more than a tenth of the value
  };
  // How many enclosures were computed for these arguments.
  int64_t NumEnclosed() const {
    return of_a_.has_value() + of_b_.has_value() + of_b_in_order_.has_value();
  }
  struct Judgment {
    Answer answer;
    // For kApart the enclosures, "A is in [1, 1.1], B in [1.2, 1.3]"; for kWide what widens one.
    std::string why;
    double width = 0;  // relative, the larger one
  };
  // Judges an element (row-major) of an array leaf of both results.
  Judgment Judge(size_t leaf, int64_t element);
  // Judges the sizes of an array leaf, which are not the same in both results.
  Judgment JudgeSizes(size_t leaf);
  // Which precondition roundings may break in A, so that its result is not defined: "gather g of A
  // ..."; empty where all hold, whatever is rounded. The leaves of B are not looked at.
  std::string WhyAMayBreak();
  // The same as Judge where B's result is what a program gave that was compiled from A, by way of
  // B: it is right where it is in either enclosure.
  Judgment JudgeRun(size_t leaf, int64_t element);

 private:
  // Computes the enclosures; false where there are none.
  bool HasEnclosures();
  bool HasEnclosuresOfA();
  // Whether B has the element, in one of the orders that it leaves open, elsewhere than A.
  bool IsApartInOrder(hlo::PrimitiveType type, const enclosure::Enclosure& a, size_t leaf,
                      int64_t element);
  // The enclosures of an element.
  std::pair<enclosure::Enclosure, enclosure::Enclosure> Of(size_t leaf, int64_t element) const;
  // Says why an enclosure is too wide; `side` is " of A" or " of B".
  static std::string WhyWide(const enclosure::Enclosures& of, const char* side);

  const hlo::Computation &a_, &b_;
  enclosure::Freedom freedom_;
  bool rounds_products_of_b_;
  bool a_sums_;
  const std::vector<hlo::Literal>* arguments_ = nullptr;
  const std::vector<const hlo::Literal*>*leaves_of_a_ = nullptr, *leaves_of_b_ = nullptr;
  // For the arguments, computed when first asked for.
  std::optional<enclosure::Enclosures> of_a_, of_b_;
  // Enclosures of B with its folds in the interpreter's order, where the order counts.
  std::optional<enclosure::Enclosures> of_b_in_order_;
  std::string why_none_;  // the error of one of them
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_ENCLOSED_PAIR_H_
