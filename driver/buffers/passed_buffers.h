// Whether values lie where those who take them over look for them.
//
//   w = (s32[], f32[8]) while(init), condition=c, body=b
//
// takes no copies: init, the parameters of c and b, the result of b and that of w are in one place,
// array by array. So are the operands of calls and the parameters there, the results of branches
// and those of the conditional, the caller's arguments and the allocations that say they are these,
// results and the allocations that the caller gets, and a result that is to take the place of an
// argument (input_output_alias) and that argument; what only names a value (bitcast,
// get-tuple-element, tuple) and that value.
#ifndef AFFIRM_DRIVER_BUFFERS_PASSED_BUFFERS_H_
#define AFFIRM_DRIVER_BUFFERS_PASSED_BUFFERS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"

namespace affirm::driver {

// The violations, a sentence each; also values that the assignment places outside of their
// allocation, in two places or in none, results that overlap an operand and begin elsewhere, and
// computations that are run from several places. Of what loops, branches and calls give no place
// need be said.
std::vector<std::string> CheckPassedBuffers(const hlo::Module& scheduled,
                                            const BufferAssignment& buffers);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_BUFFERS_PASSED_BUFFERS_H_
