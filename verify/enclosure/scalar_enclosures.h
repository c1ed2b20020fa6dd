// A computation on scalars that is applied to enclosures: a combiner, a comparator, the function of
// a map.
#ifndef AFFIRM_VERIFY_ENCLOSURE_SCALAR_ENCLOSURES_H_
#define AFFIRM_VERIFY_ENCLOSURE_SCALAR_ENCLOSURES_H_

#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/enclosure/elementwise.h"
#include "verify/scalar/elementwise.h"

namespace affirm::enclosure {

class ScalarEnclosures {
 public:
  // The computation outlives this. nullopt where it has other instructions than parameters, scalar
  // constants, elementwise ones, and moves and tuples of scalars.
  static std::optional<ScalarEnclosures> Create(const hlo::Computation& computation,
                                                Freedom freedom);

  // Every value that the results may have, of arguments in these enclosures. Valid until the next
  // call.
  llvm::ArrayRef<Enclosure> Apply(llvm::ArrayRef<Enclosure> arguments);

  // After Apply: the parameter that a result is, whichever values the arguments have; -1 where it
  // is none, or not always the same.
  int64_t ChosenParameter(size_t result) const;

 private:
  struct Step {
    const hlo::Instruction* op;  // elementwise; null of a move
    hlo::ScalarOp exact;
    llvm::SmallVector<size_t, 3> operands;  // slots
  };

  Freedom freedom_;
  std::vector<Step> steps_;  // for each slot; of what is given too
  std::vector<Enclosure> slots_;
  std::vector<int64_t> chosen_;  // for each slot
  llvm::SmallVector<size_t, 4> parameters_, results_;
  llvm::SmallVector<Enclosure, 3> operands_, of_results_;
};

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_SCALAR_ENCLOSURES_H_
