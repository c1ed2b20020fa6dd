// How far a kernel's results may lie from the interpreter's: the one place that says it.
//
// A kernel sums in an order of its own, and computes mathematical functions by formulas of its own.
// What it may differ by is
//
//   - nothing, where the computation has no operation that is open in this sense: no sum of floats
//     or other fold whose order may matter, no function that MathBoundOf or this file lists;
//   - else ToleranceOf for a device plus kFormulaUlp for each such function (compilers expand
//     tanh, erf and the like into rational functions), and numbers below the least normal one;
//   - where that is exceeded, kSpread times what the interpreter's own result moves by when its
//     folds are taken in other orders, each float argument is moved by its last place and each
//     result of such a function by kFormulaUlp, or what
//     nine of ten elements of the array move by, relative to them. Elements that are not finite, in
//     computations with sums that another order may make overflow (as far as the largest summand
//     and their number say), and integers that move themselves, are not judged then. Where another
//     order of a fold that has an integer (an argmax; not a sum of floats) moves any integer of an
//     array, none of that array is. Nor are elements that are not of one kind (finite, one of the
//     infinities, NaN) on all of these, or where all results of such functions are moved by
//     kFormulaUlp one way: of 1 - tanh(x), which of two neighbors of 1 a device finds decides
//     whether the product with an infinity is one, or NaN;
//   - where it is a sum that is rounded to fewer bits than f32 has each time, what other orders of
//     that element give (fold_orders.h). Where these were all, and nothing but the order is open,
//     anything else is wrong, however far the spread goes. Where they were some, what lies between
//     two of them is not judged.
//
// With arguments for which sums are exact (ArgumentKind::kSmall) other orders move nothing, and a
// single wrong term stands far outside.
#ifndef AFFIRM_DRIVER_VALIDATE_DISTANCE_H_
#define AFFIRM_DRIVER_VALIDATE_DISTANCE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/kernel/proof/scalar_operations.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::driver {

// What a fold, or an element that is computed of folds, may be when their order is open.
struct ValuesOfOrders {
  // Each once, that of the order from left to right first; NaNs are one value.
  std::vector<kernel::TypedScalar> values;
  // Every order gives one of these: each leaf is taken once, in any place of any binary tree.
  bool all = true;
  // A part of a product is beyond the normal numbers in some order (ProductLeavesRange).
  bool leaves_range = false;
};

inline constexpr int64_t kFormulaUlp = 4;
inline constexpr double kSpread = 16;

// Whether devices compute an operation on a type by an approximation.
bool IsApproximated(hlo::Opcode opcode, hlo::PrimitiveType type);
// Where floats are moved to: each up or down as a seed says; or all one way, as far as they may be.
enum class Way : uint8_t { kEither, kAwayFromZero, kTowardZero };
// Of an operation that rounds f32 for a dot, as algorithms of dots do
// (verify/calls/dot_algorithms.h): how many places of its type the neighbor of what it gives is
// away. 0 for other operations.
uint64_t PlacesOfDotRounding(const hlo::Instruction& op);
inline constexpr uint64_t kTf32Place = uint64_t{1} << 13;  // places of f32 in one of TF32
// Whether a sum of `count` numbers of at most this magnitude stays far below the largest number of
// its type, in whatever order it is taken.
bool SumStaysFinite(hlo::PrimitiveType type, double largest, double count);
// A finite float, or the finite parts of a complex number, moved by up to `places` in the last
// place; other values as they are.
kernel::TypedScalar MovedScalar(const kernel::TypedScalar& value, uint64_t seed, uint64_t places,
                                Way way = Way::kEither);
// The other orders in which folds are taken, how many sets of moved arguments there are, and the
// ways in which all results of approximated functions are moved on arguments that are not.
inline constexpr hlo::EvaluationOrder kOtherOrders[] = {
    {.slots = 32, .group = 32}, {.slots = 256, .group = 4}, {.slots = 2, .group = 2}};
inline constexpr uint64_t kMovedArguments = 3;
// So many more sets are asked for an integer that no other moves, and a float that these move by
// less than it is off: of two equal floats whose order an integer depends on, three sets leave the
// order of one in eight as it is.
inline constexpr uint64_t kFurtherMovedArguments = 29;
inline constexpr Way kOneWay[] = {Way::kAwayFromZero, Way::kTowardZero};

class ElementValues;  // element_values.h
// The element of an array leaf of the parameters, numbered over all of them, at a position.
using ElementLoadFunction = std::function<kernel::TypedScalar(int64_t buffer, int64_t position)>;

class Distance {
 public:
  struct Freedom {
    // All folds are taken in other orders, and not those alone that add or multiply floats. What
    // was made from a module whose results depend on no order has none that do.
    bool all_folds = true;
    // What is rounded to fewer bits than f32 has may be left unrounded: it is moved by a place of
    // those, where integers are asked what moves them.
    bool narrow_roundings = false;
    // An operand of a dot may be rounded to the neighbor (PlacesOfDotRounding).
    bool dot_roundings = false;
    // Elements that HLO leaves open are compared as well: whoever asks knows which they are.
    bool judges_open = false;
    // Where sums are converted to at most eight bits each time, so are those of the kernel.
    bool keeps_conversions = false;
  };
  explicit Distance(const hlo::Computation& computation);
  Distance(const hlo::Computation& computation, Freedom freedom);

  // An element that is further off than a kernel may be.
  struct Difference {
    int64_t leaf = 0, element = 0;  // row-major
    int64_t ulp = 0;
  };
  struct Result {
    int64_t elements = 0;
    int64_t largest_ulp = 0;  // of elements that agree
    // Elements that are further off and that HLO leaves open (verify/reference/open_elements.h):
    // these are no differences.
    int64_t left_open = 0;
    std::string why_open;
    std::optional<Difference> first;
    std::vector<Difference> all;  // the first ones, as many as were asked for
  };
  // Leaves of the value that is expected for the arguments, and those that a kernel computed.
  Result Compare(const std::vector<hlo::Literal>& arguments,
                 const std::vector<const hlo::Literal*>& expected,
                 const std::vector<hlo::Literal>& actual, size_t most_differences = 1) const;
  // The same of some elements of each leaf, which stand in arrays of one dimension. `variants` is
  // asked at most once for these elements on other orders and moved arguments, and at most once
  // for those on further moved arguments.
  struct Variant {
    hlo::Literal value;
    Way way =
        Way::kEither;  // another one: says of what kind an element may be, not how far it moves
    // Folds that have integers are taken in another order, of the same arguments.
    bool reordered = false;
    // No sum comes near the largest number of its type, in whatever order it is taken.
    bool sums_stay_finite = false;
  };
  using VariantsFunction = llvm::function_ref<std::vector<Variant>(bool further)>;
  // `orders` gives what other orders make of an element (OrdersOf), in as many steps as are left.
  using OrdersFunction = llvm::function_ref<std::optional<ValuesOfOrders>(
      size_t leaf, int64_t element, int64_t& steps)>;
  // Why HLO leaves an element open; empty where it does not. Asked of elements that are off alone.
  using OpenFunction = llvm::function_ref<std::string(size_t leaf, int64_t element)>;
  Result CompareTo(VariantsFunction variants, OrdersFunction orders, OpenFunction open,
                   const std::vector<const hlo::Literal*>& expected,
                   const std::vector<hlo::Literal>& actual, size_t most_differences = 1) const;

  // What other orders make of an element.
  std::optional<ValuesOfOrders> OrdersOf(ElementValues& values, terms::Term element,
                                         const ElementLoadFunction& load, int64_t& steps) const;
  // Whether there is another order in which the computation's reductions may be taken.
  bool has_other_orders() const { return !orders_[0].empty() || has_discrete_folds(); }
  // Whether no operation is approximated and no fold is open that depends on its order.
  bool is_exact() const { return !open_; }
  // Whether there is one of folds that have integers.
  bool has_discrete_folds() const { return !discrete_orders_[0].empty(); }

 private:
  // Whether it is as other orders say; nullopt where that says nothing.
  std::optional<bool> IsDifferenceByOrders(const std::optional<ValuesOfOrders>& orders,
                                           const hlo::Literal& got, int64_t element) const;
  // The leaves of the computation's value on other orders and moved arguments.
  std::vector<Variant> Variants(const std::vector<hlo::Literal>& arguments, bool further) const;

  const hlo::Computation& computation_;
  Freedom freedom_;
  bool open_ = false;    // has operations whose results may differ
  bool narrow_ = false;  // or such as round to fewer bits, where these may be left unrounded
  bool sums_ = false;    // folds whose order is open and matters
  // Some of which are rounded to fewer bits than f32 has each time; all, by conversions, and the
  // order is what is open.
  bool narrow_sums_ = false, only_order_is_open_ = false;
  // Of a product of matrices, which need not keep more of its terms than its own type has.
  std::optional<hlo::PrimitiveType> narrow_product_;
  int64_t ulp_ = 0;
  // Of folds of floats, and of those that have integers.
  std::vector<hlo::EvaluationOrders> orders_, discrete_orders_;
  bool products_ = false;  // of floats, that are folds
};

// The array leaves of a value, in order.
std::vector<const hlo::Literal*> LeavesOf(const hlo::Literal& value);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_DISTANCE_H_
