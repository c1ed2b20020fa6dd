// The opcodes by which HLO lets reductions and scatters combine values in any order: one list, for
// the interpreter, value terms and rewrites.
#ifndef AFFIRM_CORE_HLO_FOLD_OPCODES_H_
#define AFFIRM_CORE_HLO_FOLD_OPCODES_H_

#include "core/hlo/opcode.h"

namespace affirm::hlo {

// Whether values may be combined in any order and grouping: of integers and predicates the op
// commutes and associates, and so do maxima and minima of floats; sums and products of floats may
// be rounded in any order (XLA operation semantics, "Reduce").
bool FoldsInAnyOrder(Opcode opcode);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_FOLD_OPCODES_H_
