// Reads shapes. Internal to the parser.
#ifndef AFFIRM_CORE_HLO_SHAPE_TEXT_H_
#define AFFIRM_CORE_HLO_SHAPE_TEXT_H_

#include "core/hlo/scanner.h"
#include "core/hlo/shape.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// True when a shape starts here: "f32[", "(", "b(".
bool LooksAtShape(Scanner& scanner);

// A shape whose layout is a permutation and whose element count fits int64.
llvm::Expected<Shape> ParseShape(Scanner& scanner);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_SHAPE_TEXT_H_
