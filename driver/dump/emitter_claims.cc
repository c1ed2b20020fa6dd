#include "driver/dump/emitter_claims.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

DecideOptions EmitterBudget() {
  DecideOptions options;
  options.budget.z3_rlimit = 4'000'000;
  options.budget.isl_operations = 500'000;
  options.budget.isl_seconds = 2;
  return options;
}

std::map<AccessGroup, AccessList> GroupAccesses(const EmitterAccesses& all) {
  std::map<AccessGroup, AccessList> groups;
  for (const EmitterAccess& access : all.accesses)
    groups[{access.tensor, access.kind}].push_back(&access);
  return groups;
}

std::vector<IndexingMap> MapsOf(const AccessList& accesses, bool flat) {
  std::vector<IndexingMap> maps;
  for (const EmitterAccess* access : accesses)
    maps.push_back(flat ? Linearized(*access) : *access->map);
  return maps;
}

std::string TextOf(const MapProofResult& answer, const IndexingMap& map, llvm::StringRef lhs,
                   llvm::StringRef rhs) {
  if (!answer.counterexample) return "";
  std::string text = answer.counterexample->ToString(map);
  for (auto [side, name] : {std::pair(llvm::StringRef(": lhs {"), lhs), {", rhs {", rhs}}) {
    const size_t at = text.find(side.str());
    if (at != std::string::npos) text.replace(at + 2, 3, name.str());
  }
  return text;
}

}  // namespace affirm::driver
