// The single edits that the reducer tries, and what it takes for simpler. Internal to it.
#ifndef AFFIRM_FUZZ_REDUCER_REDUCTION_EDITS_H_
#define AFFIRM_FUZZ_REDUCER_REDUCTION_EDITS_H_

#include <functional>
#include <tuple>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::fuzz {

// Changes a copy of the module that it was made for; false when it does not apply. What comes out
// may have to go through Repair.
using Edit = std::function<bool(hlo::Module&)>;

// The edits that may make the module simpler, the most effective first.
std::vector<Edit> GraphEdits(const hlo::Module& module);      // fewer instructions
std::vector<Edit> CalleeEdits(const hlo::Module& module);     // fewer arrays and computations
std::vector<Edit> SizeEdits(const hlo::Module& module);       // smaller arrays
std::vector<Edit> AttributeEdits(const hlo::Module& module);  // defaults
std::vector<Edit> TypeEdits(const hlo::Module& module);       // fewer and narrower types

// How complicated a module is: ops, instructions, elements, attributes away from their defaults,
// bits of types, letters. Compared in this order.
using Complexity = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>;
Complexity ComplexityOf(const hlo::Module& module);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_REDUCER_REDUCTION_EDITS_H_
