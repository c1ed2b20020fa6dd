// Finds results that depend on undefined contents. Two runs need not agree on these, so no proof
// shows that two modules agree, not even if both are the same graph.
//
//   c = (f32[8,16], s8[64]) custom-call(a, b), custom_call_target="__cublas$gemm", ...
//   g = f32[8,16] get-tuple-element(c), index=0    // a product
//   s = s8[64] get-tuple-element(c), index=1       // the library's scratch memory
//
// Undefined are
//   - elements of a library call's result that are scratch memory (calls::DefinedElementsOf), and
//     the result of AllocateBuffer;
//   - the result of PadToStatic beyond the run-time size of the array;
//   - the contexts of asynchronous operations: the u32[] of copy-start, send and similar ones.
// Not undefined are inputs from elsewhere, which both modules get alike (random numbers, received
// data), and choices that an implementation makes in one way for both: the order of ties in a sort,
// the other triangle of a Cholesky factor. Freedoms of one module alone are checked elsewhere
// (open_results.h).
#ifndef AFFIRM_VERIFY_EQUIVALENCE_UNDEFINED_H_
#define AFFIRM_VERIFY_EQUIVALENCE_UNDEFINED_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::equivalence {

// For each leaf of the computation's result, an instruction whose undefined contents it may depend
// on; null if there is none.
std::vector<const hlo::Instruction*> UndefinedResults(const hlo::Computation& computation);

// For each leaf of the results of two computations of one signature, why it is not defined in one
// of them; empty if it is defined in both.
std::vector<std::string> WhyUndefined(const hlo::Computation& a, const hlo::Computation& b);

// For each leaf of the computation's result, an instruction with `is_origin`, in the computation or
// a callee, on whose results the leaf may depend; null if there is none.
std::vector<const hlo::Instruction*> OriginsOfResults(
    const hlo::Computation& computation,
    llvm::function_ref<bool(const hlo::Instruction&)> is_origin);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_UNDEFINED_H_
