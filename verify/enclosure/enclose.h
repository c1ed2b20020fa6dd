// An interpreter of enclosures: every value that XLA may compute for each element of a
// computation's result, whatever it does that HLO allows.
//
//   ROOT s = f32[] reduce(x, zero), dimensions={0}, to_apply=add    // x = {1e8, 1, -1e8}
//
// is [-23.8, 25.8]: the sum in any order, each partial sum rounded to f32.
//
// Allowed are: one rounding of each operation in either direction, by the error of its function
// (elementwise.h); sums and products in any order, with contracted multiplication and addition;
// subnormal numbers of f32, bf16 and f64 taken for zero; narrow floats kept in f32; sums of dots
// in f32 whatever narrower type their operands have; batch norms as they are defined and as XLA
// expands them. Where a condition, a comparison or a choice depends on that, both outcomes are; a
// sort may have an element at every place between the number of elements that surely come before it
// and of those that may.
//
// The values that HLO leaves open otherwise (verify/reference/open_elements.h) are not among them.
#ifndef AFFIRM_VERIFY_ENCLOSURE_ENCLOSE_H_
#define AFFIRM_VERIFY_ENCLOSURE_ENCLOSE_H_

#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Error.h"
#include "verify/enclosure/elementwise.h"

namespace affirm::enclosure {

struct EnclosedValue {
  hlo::Literal value;  // the interpreter's
  // For each leaf, by row-major position; empty where each element has the interpreter's value.
  std::vector<std::vector<Enclosure>> leaves;

  Enclosure At(size_t leaf, int64_t linear) const;
};

// Enclosures wider than this, relative to the value, say nothing about it.
inline constexpr double kWide = 0.1;

struct Enclosures {
  EnclosedValue result;
  // The first instruction with an element that is wider than kWide: "subtract d"; empty where there
  // is none.
  std::string widened_by;
  // The first operation of which nothing is known here.
  std::string not_known;
  // No such operation rounds in an unknown way: what is not known is the order of folds, and the
  // interpreter's value is one of those that may be.
  bool has_only_open_orders = true;
  // The instructions that set sizes which roundings decide, in the order in which they ran first,
  // and the sizes (verify/enclosure/sizes.h).
  llvm::MapVector<const hlo::Instruction*, Enclosure> sizes;
  // The first instruction whose precondition on its operands roundings may break
  // (verify/enclosure/preconditions.h); null where there is none.
  const hlo::Instruction* may_break = nullptr;
};

// On given arguments. An error where the interpreter has one, where the number of trips of a loop
// depends on a rounding, where one decides whether an array has elements, and where there is too
// much to do. An operation of which nothing is known
// here, such as a Cholesky decomposition, has the enclosure of all numbers.
llvm::Expected<Enclosures> Enclose(const hlo::Computation& computation,
                                   llvm::ArrayRef<hlo::Literal> arguments, Freedom freedom = {});

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_ENCLOSE_H_
