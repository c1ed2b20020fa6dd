// What the checks of an emitter's maps share: accesses by tensor, their maps, and the text of a
// counterexample. Used by emitter_maps.cc and emitter_first_dump.cc.
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_CLAIMS_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_CLAIMS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "driver/dump/emitter_accesses.h"
#include "driver/dump/emitter_maps.h"
#include "verify/maps/maps.h"

namespace affirm::driver {

using AccessList = std::vector<const EmitterAccess*>;
using AccessGroup = std::pair<std::string, EmitterAccess::Kind>;  // a tensor, what is done to it

inline constexpr size_t kMostAccesses = 64;  // of one tensor, that are compared as a union

// Smaller budgets than those of a single question: a log asks hundreds.
DecideOptions EmitterBudget();
std::map<AccessGroup, AccessList> GroupAccesses(const EmitterAccesses& all);
// The maps to the indices of the tensors' shapes, or of the flattened arrays. All accesses have
// one.
std::vector<IndexingMap> MapsOf(const AccessList& accesses, bool flat);
// A counterexample with the sides called what they are: "th_x = 3: before {(3)}, after {(4)}".
std::string TextOf(const MapProofResult& answer, const IndexingMap& map, llvm::StringRef lhs,
                   llvm::StringRef rhs);

// emitter_first_dump.cc: the writes are a bijection, the reads are those of the analysis.
void CheckFirstDump(const EmitterAccesses& found, const hlo::Instruction* fusion, Context& context,
                    EmitterLog& log);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_CLAIMS_H_
