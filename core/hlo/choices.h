// Which operations leave an implementation a choice.
#ifndef AFFIRM_CORE_HLO_CHOICES_H_
#define AFFIRM_CORE_HLO_CHOICES_H_

#include "core/hlo/module.h"

namespace affirm::hlo {

// Whether HLO leaves some of its value open: in which order a sum is taken or updates are applied,
// which of two equal elements comes first, what is rounded. Two of these that are one function need
// not have one value; what they call may choose as well, and is not looked at.
//
//   reduce(p, zero), dimensions={1}, to_apply=sum    // true
//   sort(p), is_stable=true, to_apply=less           // false
bool MayChoose(const Instruction& op);

// Whether the instruction, or one of a computation that it calls, may choose. A call and a
// fusion choose nothing themselves.
//
//   while(t), body=b    // true where b has a reduction
bool MayChooseInside(const Instruction& op);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_CHOICES_H_
