// The proof that the maps of a `while` are what it reads, by induction over the trips.
//
// core/analysis says for each leaf of what is carried which elements of the operand it was computed
// from after t trips (core/analysis/loops/carried_maps.h). That is proved in four steps:
//   trips   the loop runs as often as is claimed, and runtime variables are in each trip what is
//           claimed, by running its integers (loop_trips.h)
//   base    for t = 0 an element was computed from itself
//   step    for each t, an element after t + 1 trips was computed from what the elements that the
//           body reads in trip t were computed from after t trips; the maps of the body are proved
//           and composed by definition, as those of a fusion are
//   end     the maps of the `while` are those after the last trip
// Exact maps are proved equal, the others to be supersets.
#ifndef AFFIRM_VERIFY_HLO_PROOF_LOOPS_H_
#define AFFIRM_VERIFY_HLO_PROOF_LOOPS_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/loops/carried_maps.h"
#include "core/hlo/module.h"
#include "verify/hlo/proof/loop_trips.h"
#include "verify/hlo/proof/paths.h"
#include "verify/maps/maps.h"

namespace affirm {

class LoopProof {
 public:
  // Proves what is claimed of the loop.
  LoopProof(const hlo::Instruction& loop, CarriedMaps carried, CallProofs& proofs);

  // Are `maps`, all of them from leaf `output` of the result, what is read of leaf `leaf` of the
  // operand?
  MapProofResult Prove(int64_t output, int64_t leaf, llvm::ArrayRef<LabeledMap> maps) const;

 private:
  // From a leaf of the result to a leaf of the operand.
  using Pair = std::pair<int64_t, int64_t>;

  void Run(CallProofs& proofs);
  // Finds the reads of the body, by leaf of its result, with the trip as last dim.
  void FindBody(int64_t output, CallProofs& proofs);
  LabeledMap InTrip(const LabeledMap& map) const;
  MapProofResult ProvePair(Pair pair) const;
  // The claims of the invariants from a leaf to another.
  llvm::ArrayRef<LabeledMap> Claims(Pair pair) const;
  std::vector<LabeledMap> AtTrip(llvm::ArrayRef<LabeledMap> maps, int64_t trip) const;
  std::vector<LabeledMap> OneTripLater(llvm::ArrayRef<LabeledMap> maps) const;
  MapProofResult Compare(llvm::ArrayRef<LabeledMap> read, llvm::ArrayRef<LabeledMap> claimed) const;
  LabeledMap Start(int64_t leaf) const;

  const hlo::Instruction& loop_;
  Context& context_;
  const DecideOptions options_;
  const CarriedMaps carried_;
  const std::vector<const hlo::Shape*> leaves_;
  std::map<Pair, std::vector<LabeledMap>> claims_;
  TripInvariants invariants_;
  std::set<int64_t> never_;      // instructions that no trip computes
  bool is_body_shared_ = false;  // run by other loops too, for which its values are others
  bool is_widened_ = false;  // some path in the body leads to every element for want of more paths
  std::string problem_;      // why nothing is proved
  std::map<int64_t, std::vector<LabeledMap>> body_;
  std::map<Pair, std::string> body_problems_;
  std::map<int64_t, std::set<int64_t>> needs_;  // the leaves that the body reads
  std::map<Pair, MapProofResult> proved_;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_LOOPS_H_
