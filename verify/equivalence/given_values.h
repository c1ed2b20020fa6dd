// Which values hold elements of arguments and constants alone, to the bit. Internal to
// verify/equivalence.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_GIVEN_VALUES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_GIVEN_VALUES_H_

#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace affirm::equivalence {

// A NaN among them has the sign and the payload of an argument; those of a computed NaN are open in
// HLO. What moves elements keeps them, through calls, branches, loops and sorts;
// of what other computations are called on nothing is known.
//
//   x = f32[8] parameter(0)   y = f32[8] negate(x)
//   reverse(x)                // given
//   concatenate(x, y)         // not given
class GivenValues {
 public:
  // `known`: instructions whose values are given for another reason.
  explicit GivenValues(const hlo::Computation& entry,
                       llvm::DenseSet<const hlo::Instruction*> known = {});

  // Whether all of the value is given; an instruction of the entry, or of what it calls.
  bool IsGiven(const hlo::Instruction& value) const;

 private:
  using Flags = std::vector<bool>;  // by element of the tuple; of an array: one

  void Visit(const hlo::Computation& computation);
  void Passes(const hlo::Instruction& caller);
  Flags Of(const hlo::Instruction& value) const;

  llvm::DenseSet<const hlo::Instruction*> known_;
  std::vector<const hlo::Computation*> computations_;
  llvm::DenseMap<const hlo::Instruction*, std::vector<const hlo::Instruction*>> passed_;
  llvm::DenseMap<const hlo::Instruction*, Flags> given_;
};

// Whether the elements of its result are elements of its operands that hold floats; of integers
// nothing is asked.
bool MovesFloats(const hlo::Instruction& value);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_GIVEN_VALUES_H_
