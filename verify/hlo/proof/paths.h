// The maps from a result of a computation to its parameters, one for each path on the way, each
// composed of proved maps. Internal to verify/hlo/proof.
#ifndef AFFIRM_VERIFY_HLO_PROOF_PATHS_H_
#define AFFIRM_VERIFY_HLO_PROOF_PATHS_H_

#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "verify/maps/maps.h"

namespace affirm {

// The paths to one parameter of a computation; the maps say to which leaf of it they lead. A map
// that a path has is exact when all of it is read, else what is read is among it.
struct ParameterPaths {
  std::vector<LabeledMap> maps;
  std::string problem;  // why they are not known
};

// From leaf `output_id` of the root, by parameter number. `depth` counts the calls around.
std::vector<ParameterPaths> PathsToParameters(const hlo::Computation& computation,
                                              int64_t output_id, Context& context,
                                              const DecideOptions& options, int depth);

// Are the maps that are claimed what the paths read? Equal where they are labeled exact, else a
// superset.
MapProofResult CompareWithPaths(const ParameterPaths& paths, llvm::ArrayRef<LabeledMap> claimed,
                                const DecideOptions& options);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_PATHS_H_
