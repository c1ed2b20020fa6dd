// How exactly the products of a dot or a convolution take their operands.
//
//   dot(x, y), operand_precision={highest,default}
//   PrecisionOf(dot, 0);   // kHighest
#ifndef AFFIRM_CORE_HLO_OPERAND_PRECISION_H_
#define AFFIRM_CORE_HLO_OPERAND_PRECISION_H_

#include <cstdint>

#include "core/hlo/module.h"

namespace affirm::hlo {

// XLA's xla_data.proto, PrecisionConfig: the fastest computation, a more exact one, the most exact
// one. The first two may round operands of f32.
enum class OperandPrecision : uint8_t { kDefault, kHigh, kHighest };

// The precision of operand `k`, counted from 0; kDefault where the instruction gives none.
OperandPrecision PrecisionOf(const Instruction& op, int64_t k);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_OPERAND_PRECISION_H_
