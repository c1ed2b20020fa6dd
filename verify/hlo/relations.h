// What each op means, as a relation between an output element and the input elements it reads, and
// the proof that a map of core/analysis is that relation. Written from XLA's operation semantics,
// independent of core/analysis.
#ifndef AFFIRM_VERIFY_HLO_RELATIONS_H_
#define AFFIRM_VERIFY_HLO_RELATIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "verify/decide/decider.h"
#include "verify/maps/maps.h"

namespace affirm {

// A value that an op takes as an index at run time, clamped as XLA clamps it.
struct RuntimeValue {
  int64_t producer = -1;            // the id of the instruction that computes it
  std::vector<SymbolicExpr> place;  // the element of the producer, over the output index
  SymbolicExpr known;  // the value, over the output index, where it can be told; else null
};

// reads(output index, operand index, runtime values): variables 0..out_rank-1 are the output index,
// then the operand's index, then one per runtime value (the scalars or elements that the op takes
// as indices), then `extra` that the formula itself quantifies. Within those bounds `reads` holds
// exactly when computing the output element reads that operand element.
struct Relation {
  std::vector<Interval> output, input, runtime, extra;
  Formula reads = Formula::True();
  std::vector<RuntimeValue> runtime_values;  // one per entry of `runtime`
  // The op reads no more than this, and which part of it depends on values: only a cover can be
  // proved.
  bool upper_bound = false;
  // Collectives: the same relation with one more coordinate of the operand's index behind the
  // others, the position within the replica group of the device whose operand it is. Null where it
  // is not known which devices are read.
  std::shared_ptr<const Relation> on_devices;
};

// The meaning of operand `operand` (leaf array `leaf` of it) of one instruction; nullopt when the
// op has no relation here (its maps are then unknown, never proved). Fusions and calls have none:
// see ProveFusion.
std::optional<Relation> Meaning(const hlo::Instruction& instruction, int64_t output_id,
                                int64_t operand, Context& context, int64_t leaf = 0);

// Is `map` (dims = output index, or input index for kInputToOutput) the relation: equal for an
// exact label, a cover for an over-approximate one? A map without a claim (unknown) is kUnknown.
MapAnswer ProveMap(const Relation& relation, const LabeledMap& map, Direction direction,
                   const DecideOptions& options = {});
// The same for the maps of one operand taken together: is their union the relation (a cover, unless
// all are exact)? No maps at all say that nothing is read. Where a map names the replica that it
// reads, the pairs of element and replica are proved to be those that are read as well.
MapAnswer ProveMaps(const Relation& relation, llvm::ArrayRef<LabeledMap> maps, Direction direction,
                    const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_RELATIONS_H_
