// The runs of a computation, whose runtime variables have one value in each run.
//
//   row { x = f32[8,4] parameter(0), i = s32[] parameter(1), ROOT r = dynamic-slice(x, i, 0) }
//   a = call(x, i), to_apply=row     b = call(x, j), to_apply=row
//
// The map from r to x is (d0, d1){rt0} -> (rt0, d1), where rt0 is i: a value of one run of `row`. A
// runtime variable names an instruction, but not the run. So the maps of a and of b may not both
// keep it: it would be one variable for two values. If a computation is run from several places,
// its callers see (d0, d1)[s0] -> (s0, d1), s0 being any value that rt0 can have.
#ifndef AFFIRM_VERIFY_HLO_PROOF_RUNS_H_
#define AFFIRM_VERIFY_HLO_PROOF_RUNS_H_

#include <cstdint>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace affirm {

// Which computations are run from several places. The modules must not change meanwhile.
class Callers {
 public:
  // Whether there may be more than one place from which the computation is run, from wherever these
  // run: a computation without a module has unknown callers.
  bool AreSeveral(const hlo::Computation& callee);

 private:
  llvm::DenseMap<const hlo::Computation*, int64_t> places_;  // in one module, the most
  llvm::DenseSet<const hlo::Module*> counted_;
};

// The map with range variables in the place of its runtime variables, which is over-approximate.
// Undefined where the replicas that it names are not over the variables of the map.
LabeledMap ForAnyRuntimeValues(const LabeledMap& labeled);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_RUNS_H_
