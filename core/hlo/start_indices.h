// The index vectors of gathers and scatters.
#ifndef AFFIRM_CORE_HLO_START_INDICES_H_
#define AFFIRM_CORE_HLO_START_INDICES_H_

#include <cstdint>

#include "core/hlo/module.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm::hlo {

// The components of an index vector in the order of the operand's dimensions that they are of: 1, 0
// of a gather with start_index_map={1,0}. In this order vectors ascend where indices_are_sorted
// ("XLA operation semantics, Gather").
inline llvm::SmallVector<int64_t> OrderOfComponents(const Instruction& op) {
  const auto& dims = op.opcode == Opcode::kGather ? op.attributes.start_index_map
                                                  : op.attributes.scatter_dims_to_operand_dims;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(dims.size())));
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  return order;
}

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_START_INDICES_H_
