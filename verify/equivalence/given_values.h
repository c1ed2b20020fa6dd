// Which values consist of elements of arguments and constants, to the bit. Internal to
// verify/equivalence.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_GIVEN_VALUES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_GIVEN_VALUES_H_

#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace affirm::equivalence {

// A NaN in a given value has the sign and payload of an argument; HLO leaves the sign and payload
// of a computed NaN open. Operations that move elements keep values given, through calls, branches,
// loops and sorts. Parameters of other called computations are not given.
//
//   x = f32[8] parameter(0)   y = f32[8] negate(x)
//   reverse(x)                // given
//   concatenate(x, y)         // not given
class GivenValues {
 public:
  // `known`: instructions whose values are given by assumption.
  explicit GivenValues(const hlo::Computation& entry,
                       llvm::DenseSet<const hlo::Instruction*> known = {});

  // Whether all of the value is given, for an instruction of the entry or a called computation.
  bool IsGiven(const hlo::Instruction& value) const;

 private:
  using Flags = std::vector<bool>;  // one for each element of a tuple; one for an array

  void Visit(const hlo::Computation& computation);
  void Passes(const hlo::Instruction& caller);
  Flags Of(const hlo::Instruction& value) const;

  llvm::DenseSet<const hlo::Instruction*> known_;
  std::vector<const hlo::Computation*> computations_;
  llvm::DenseMap<const hlo::Instruction*, std::vector<const hlo::Instruction*>> passed_;
  llvm::DenseMap<const hlo::Instruction*, Flags> given_;
};

// Whether the result's floats are elements of its operands; integers do not matter.
bool MovesFloats(const hlo::Instruction& value);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_GIVEN_VALUES_H_
