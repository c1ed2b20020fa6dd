// Results that depend on contents that nobody defines. No two runs need agree on these, so that
// nothing proves that two modules give the same: not that both are the same graph, either.
//
//   c = (f32[8,16], s8[64]) custom-call(a, b), custom_call_target="__cublas$gemm", ...
//   g = f32[8,16] get-tuple-element(c), index=0    // a product
//   s = s8[64] get-tuple-element(c), index=1       // what a library leaves in its scratch memory
//
// Undefined are
//   - elements of a library call's result that are scratch memory (calls::DefinedElementsOf), and
//     what AllocateBuffer gives;
//   - what PadToStatic gives beyond the size that an array has at run time;
//   - the contexts of asynchronous operations: the u32[] of copy-start, send and their like.
// Not so what comes from elsewhere, the same to whoever asks (random numbers, what is received),
// and what an implementation chooses, in one way for both: the order of elements that are equal to
// the comparator of a sort, the other triangle of a Cholesky factor. What one of two modules leaves
// open, and the other does not, is another question (open_results.h).
#ifndef AFFIRM_VERIFY_EQUIVALENCE_UNDEFINED_H_
#define AFFIRM_VERIFY_EQUIVALENCE_UNDEFINED_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::equivalence {

// For each leaf of the computation's result an instruction whose undefined contents it may depend
// on; null where there is none.
std::vector<const hlo::Instruction*> UndefinedResults(const hlo::Computation& computation);

// For each leaf of the results of two computations of one signature, why it is not defined in one
// of them; empty where it is in both.
std::vector<std::string> WhyUndefined(const hlo::Computation& a, const hlo::Computation& b);

// For each leaf of the computation's result an instruction for which `is_origin` holds, in it or in
// what it calls, and on whose results the leaf may depend; null where there is none.
std::vector<const hlo::Instruction*> OriginsOfResults(
    const hlo::Computation& computation,
    llvm::function_ref<bool(const hlo::Instruction&)> is_origin);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_UNDEFINED_H_
