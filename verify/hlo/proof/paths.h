// The maps from a result of a computation to its parameters, one for each path on the way, each
// composed of proved maps; and what is proved of calls and loops, so that each is proved once
// wherever it is called from.
#ifndef AFFIRM_VERIFY_HLO_PROOF_PATHS_H_
#define AFFIRM_VERIFY_HLO_PROOF_PATHS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/hlo/proof/runs.h"
#include "verify/maps/maps.h"

namespace affirm {

class LoopProof;

// The paths to one array leaf of a parameter, or of an instruction on the way. The map of a path is
// exact when all of it is read, else what is read is among it. In the place of more paths than can
// be followed stands one map to every element.
struct LeafPaths {
  std::vector<LabeledMap> maps;
  std::string problem;         // why they are not known
  bool is_everything = false;  // that map is here
  bool is_widened = false;     // it is here, or was on the way
};

// By parameter number, then by leaf.
using ParameterPaths = std::vector<std::vector<LeafPaths>>;

// Proofs about the calls of one module, which must not change meanwhile.
struct CallProofs {
  explicit CallProofs(Context& context, const DecideOptions& options = {})
      : context(context), options(options) {}

  // An op that calls computations, from one of its results: its maps, and whether they are proved,
  // operand by operand.
  struct Call {
    InstructionIndexing indexing;
    std::vector<MapProofResult> answers;
  };

  // Where an instruction stands in its computation: operands come before their users.
  int64_t PositionOf(const hlo::Instruction& op);

  Context& context;
  const DecideOptions options;
  IndexingMemo analyzed{context};
  int depth = 0;  // of the calls that are being proved
  Callers callers;
  std::map<std::pair<const hlo::Computation*, int64_t>, ParameterPaths> paths_of_run, paths;
  std::map<std::pair<const hlo::Instruction*, int64_t>, Call> calls;
  std::map<const hlo::Instruction*, std::shared_ptr<const LoopProof>> loops;
  llvm::DenseMap<const hlo::Instruction*, size_t> positions;  // of PositionOf, which looks again
};

// The maps that lead to this array leaf of the operand.
std::vector<LabeledMap> MapsToLeaf(llvm::ArrayRef<LabeledMap> maps, int64_t leaf);

// From leaf `output_id` of the root, in one run of the computation: runtime variables are values of
// this run. Computed once.
const ParameterPaths& PathsInOneRun(const hlo::Computation& computation, int64_t output_id,
                                    CallProofs& proofs);
// The same in the computation that calls it, which may call it again: runtime variables are there
// where there is one caller alone (runs.h).
const ParameterPaths& PathsToParameters(const hlo::Computation& computation, int64_t output_id,
                                        CallProofs& proofs);

// Are the maps that are claimed what the paths read? Equal where they are labeled exact, else a
// superset.
MapProofResult CompareWithPaths(const LeafPaths& paths, llvm::ArrayRef<LabeledMap> claimed,
                                const DecideOptions& options);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_PATHS_H_
