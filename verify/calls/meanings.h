// The meanings of library calls: a table from the target of a custom call to its HLO.
//
//   c = (f32[8,16], s8[4194304]) custom-call(a, b), custom_call_target="__cublas$gemm",
//     backend_config={"gemm_backend_config":{"alpha_real":3,"beta":0,"dot_dimension_numbers":{...}}}
// stands for
//   ENTRY meaning { a = f32[8,12] parameter(0)  b = f32[12,16] parameter(1)
//                   d = f32[8,16] dot(a, b), ...   three = f32[8,16] broadcast(3)
//                   m = f32[8,16] multiply(d, three)
//                   w = s8[4194304] custom-call(), custom_call_target="AllocateBuffer"
//                   ROOT r = (f32[8,16], s8[4194304]) tuple(m, w) }
// The table is believed: what it says of a call is what every proof and comparison takes it for.
// expand.h puts meanings in the place of calls.
#ifndef AFFIRM_VERIFY_CALLS_MEANINGS_H_
#define AFFIRM_VERIFY_CALLS_MEANINGS_H_

#include <string>

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"

namespace affirm::calls {

// The text of a module whose entry computes what the call does: its parameters are the call's
// operands, its result is the call's. Elements of the result that are an AllocateBuffer have no
// defined contents. An error says why nothing is known of the call.
llvm::Expected<std::string> MeaningOf(const hlo::Instruction& call);

// Whether the table has the target of the call.
bool IsKnownTarget(const hlo::Instruction& call);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_MEANINGS_H_
