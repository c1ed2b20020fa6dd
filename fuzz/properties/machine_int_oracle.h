// An oracle for index widths: the code of a map, executed in machine integers at every point.
#ifndef AFFIRM_FUZZ_PROPERTIES_MACHINE_INT_ORACLE_H_
#define AFFIRM_FUZZ_PROPERTIES_MACHINE_INT_ORACLE_H_

#include <optional>

#include "verify/decide/evaluate.h"
#include "verify/width/index_code.h"

namespace affirm::fuzz {

// The integer that bits stand for.
BigInt AsInteger(const llvm::APInt& bits, Signedness signedness);

// Whether some step of the map's code that runs leaves the machine's integers at some point of the
// bounds of the variables. nullopt: there are too many points.
std::optional<bool> OverflowsSomewhere(const IndexingMap& map, unsigned width,
                                       Signedness signedness);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_MACHINE_INT_ORACLE_H_
