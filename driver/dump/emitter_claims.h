// Helpers for the checks of an emitter's maps: accesses by tensor, their maps, and the text of a
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
using AccessGroup = std::pair<std::string, EmitterAccess::Kind>;  // a tensor and a kind of access

inline constexpr size_t kMostAccesses = 64;  // most accesses of a tensor compared as a union

// A smaller budget than usual, since a log has hundreds of questions.
DecideOptions EmitterBudget();
std::map<AccessGroup, AccessList> GroupAccesses(const EmitterAccesses& all);
// The maps to indices of the tensors' shapes or, if `flat`, to linear indices. All accesses must
// have a map.
std::vector<IndexingMap> MapsOf(const AccessList& accesses, bool flat);
// A counterexample with named sides: "th_x = 3: before {(3)}, after {(4)}".
std::string TextOf(const MapProofResult& answer, const IndexingMap& map, llvm::StringRef lhs,
                   llvm::StringRef rhs);

// emitter_first_dump.cc: checks that the writes are a bijection, and the reads are the analysis'.
void CheckFirstDump(const EmitterAccesses& found, const hlo::Instruction* fusion, Context& context,
                    EmitterLog& log);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_CLAIMS_H_
