// Values of single elements of what a computation computes, on demand: value terms
// (verify/hlo/values) evaluated on numbers, by the interpreter's scalar functions.
//
//   ElementValues values(computation, shapes);
//   auto term = values.TermOf(leaf, {3, 5});           // once for each element
//   values.Begin(load, {}, budget);                    // once for each set of arguments
//   auto value = values.Evaluate(*term);               // load(buffer, position) gives the operands
//
// What was evaluated is kept until the next Begin, so that a fold that many elements need, or that
// stands inside another, is folded once. It is for computations of which no host could hold the
// value: an element of a softmax needs one row.
#ifndef AFFIRM_DRIVER_VALIDATE_ELEMENT_VALUES_H_
#define AFFIRM_DRIVER_VALIDATE_ELEMENT_VALUES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/hlo/module.h"
#include "driver/validate/distance.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/proof/scalar_operations.h"
#include "verify/reference/evaluation_order.h"
#include "verify/terms/term.h"

namespace affirm::driver {

// What two values of a fold give.
using CombineFunction =
    llvm::function_ref<kernel::TypedScalar(const kernel::TypedScalar&, const kernel::TypedScalar&)>;

// How an evaluation differs from the interpreter's: what a kernel is entitled to (distance.h).
struct EvaluationVariant {
  hlo::EvaluationOrder order;  // of folds
  // Where it is not 0: results of approximated functions are moved by their last places, each by
  // what the seed and the result say.
  uint64_t moved = 0;
  Way way = Way::kEither;
  bool moves_dots = false;  // so are operands of dots, as these round them, by a place
  // Where it is set: what the fold of an array of floats gives whose order may matter, of its
  // initial value and its elements.
  std::function<kernel::TypedScalar(llvm::ArrayRef<kernel::TypedScalar>, CombineFunction)> fold =
      nullptr;
};

class ElementValues {
 public:
  // The element of an array leaf of the parameters, numbered over all of them, at a position of the
  // order of `shapes` by their layouts.
  using LoadFunction = ElementLoadFunction;

  // `shapes`: those of the array leaves of the computation's parameters, with the layouts that
  // positions are of. The computation outlives this.
  ElementValues(const hlo::Computation& computation, std::vector<hlo::Shape> shapes);
  ~ElementValues();

  // The element of an array leaf of the result. An error for an op without a value term.
  llvm::Expected<terms::Term> TermOf(int64_t leaf, llvm::ArrayRef<int64_t> index);
  // Starts an evaluation of at most `most_steps` operations.
  void Begin(LoadFunction load, const EvaluationVariant& variant, int64_t most_steps);
  // The value in this evaluation; an error where it would take more steps, or depends on what is
  // not known.
  llvm::Expected<kernel::TypedScalar> Evaluate(terms::Term term);
  int64_t steps() const;  // since Begin
  // Whether no sum of floats since Begin comes near the largest number of its type, in whatever
  // order it is taken (SumStaysFinite).
  bool sums_stay_finite() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_ELEMENT_VALUES_H_
