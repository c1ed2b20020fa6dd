// Integers and predicates some of which are not known: bounds of the operations that have simple
// ones.
#ifndef AFFIRM_VERIFY_ENCLOSURE_INTEGERS_H_
#define AFFIRM_VERIFY_ENCLOSURE_INTEGERS_H_

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/enclosure/enclosure.h"

namespace affirm::enclosure {

// An elementwise operation whose operands and result have one type; all numbers of the type for
// operations without simple bounds, and where a result may wrap.
Enclosure EncloseIntegers(const hlo::Instruction& op, llvm::ArrayRef<Enclosure> operands);
// The numbers that a conversion to another integer type keeps; all of that type where it may wrap.
Enclosure ConvertedIntegers(hlo::PrimitiveType from, hlo::PrimitiveType to, const Enclosure& a);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_INTEGERS_H_
