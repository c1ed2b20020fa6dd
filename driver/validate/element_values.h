// Values of single elements of what a computation computes, on demand: value terms
// (verify/hlo/values) evaluated on numbers, by the scalar functions of verify/scalar, and all
// values that roundings may make of them (verify/enclosure).
//
//   ElementValues values(computation, shapes);
//   auto term = values.TermOf(leaf, {3, 5});           // once for each element
//   values.Begin(load, freedom, budget);               // once for each set of arguments
//   auto value = values.Evaluate(*term);               // load(buffer, position) gives the operands
//
// Evaluated terms are kept until the next Begin, so that a fold that many elements need, or that
// stands inside another, is folded once. It serves computations whose value no host could hold: an
// element of a softmax needs one row.
#ifndef AFFIRM_DRIVER_VALIDATE_ELEMENT_VALUES_H_
#define AFFIRM_DRIVER_VALIDATE_ELEMENT_VALUES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/hlo/module.h"
#include "driver/validate/enclosed_scalar.h"
#include "llvm/Support/Error.h"
#include "verify/terms/term.h"

namespace affirm::driver {

class ElementValues {
 public:
  // The element of an array leaf of the parameters, numbered over all of them, at a position of the
  // order of `shapes` by their layouts.
  using LoadFunction = std::function<EnclosedScalar(int64_t buffer, int64_t position)>;

  // `shapes`: those of the array leaves of the computation's parameters, with the layouts that
  // positions are of. The computation outlives this.
  ElementValues(const hlo::Computation& computation, std::vector<hlo::Shape> shapes);
  ~ElementValues();

  // The element of an array leaf of the result. An error for an op without a value term.
  llvm::Expected<terms::Term> TermOf(int64_t leaf, llvm::ArrayRef<int64_t> index);
  // Starts an evaluation of at most `most_steps` operations.
  void Begin(LoadFunction load, enclosure::Freedom freedom, int64_t most_steps);
  // The value in this evaluation; an error where it would take more steps, or depends on what is
  // not known, or on which elements it depends is decided by a rounding.
  llvm::Expected<EnclosedScalar> Evaluate(terms::Term term);
  int64_t steps() const;  // since Begin

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_ELEMENT_VALUES_H_
