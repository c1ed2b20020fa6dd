// How operations have their elements from their operands, and so which rule (rules.h) they have.
// Internal to verify/enclosure.
#ifndef AFFIRM_VERIFY_ENCLOSURE_KINDS_H_
#define AFFIRM_VERIFY_ENCLOSURE_KINDS_H_

#include <cstdint>

#include "core/hlo/module.h"

namespace affirm::enclosure {

enum class Kind : uint8_t {
  kOther,        // by rules that are not known here
  kGiven,        // no float is computed: exact of exact operands
  kElementwise,  //
  kMovement,     // each is an element of an operand
  kMap,
  kReduction,
  kProducts,  // dot, convolution
  kScatter,
  kSelectAndScatter,
  kSort,
  kTopK,
  kNormalization,
  kFft,
  kCholesky,
  kTriangularSolve,
};

Kind KindOf(const hlo::Instruction& op);
// Kinds whose results are elements of the operands, and where these are known.
bool IsExactOfExact(Kind kind);
// Whether each instruction of what the instruction calls is enclosed on its own.
bool FollowsCalls(const hlo::Instruction& op);
// Kinds whose rules need the interpreter's reads.
bool Follows(Kind kind);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_KINDS_H_
