// Arrays that instructions hand on as they are, and their layouts.
//
//   x = f32[6,6]{1,0} parameter(0)
//   t = (f32[6,6]{1,0}) tuple(x)
//   y = f32[6,6]{0,1} get-tuple-element(t), index=0    reads y[1,0] where x[0,1] is
//
// A tuple, its elements, loops, branches, calls, barriers and what completes asynchronous
// operations compute nothing: the result is in the operand's buffer, byte by byte. If layouts were
// assigned, both have the same one (HloVerifier, layout-sensitive).
#ifndef AFFIRM_DRIVER_DUMP_HANDED_LAYOUTS_H_
#define AFFIRM_DRIVER_DUMP_HANDED_LAYOUTS_H_

#include <vector>

#include "core/hlo/module.h"
#include "driver/dump/scheduled_work.h"

namespace affirm::driver {

// Each instruction of the optimized HLO that hands on an array with another layout. A shape
// without a layout is taken as it stands.
std::vector<Uncovered> LayoutsNotHandedOn(const hlo::Module& optimized);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_HANDED_LAYOUTS_H_
