// Sizes at run time that roundings decide.
//
//   n = s32[] convert(q)                                         // q: 6.9999995, or rounded to 7
//   ROOT r = f32[<=8] set-dimension-size(x, n), dimensions={0}
//
//   SizeOf(entry, *Enclose(entry, arguments), 0, 0)              // [6, 7]
#ifndef AFFIRM_VERIFY_ENCLOSURE_SIZES_H_
#define AFFIRM_VERIFY_ENCLOSURE_SIZES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "verify/enclosure/enclose.h"

namespace affirm::enclosure {

// The type of a size.
inline constexpr hlo::PrimitiveType kSizeType = hlo::PrimitiveType::kS64;

// All that a leaf of the result is computed of, and all of what that calls; of nested tuples, of
// all leaves.
std::vector<const hlo::Instruction*> InstructionsBehind(const hlo::Computation& computation,
                                                        size_t leaf);

// The sizes that a dimension of an array leaf may have; all numbers where an instruction behind the
// leaf has several sizes and it is not known which the leaf has.
Enclosure SizeOf(const hlo::Computation& computation, const Enclosures& of, size_t leaf,
                 size_t dimension);

// Whether an array leaf may have these sizes, of the right rank.
bool MayHaveSizes(const hlo::Computation& computation, const Enclosures& of, size_t leaf,
                  llvm::ArrayRef<int64_t> dims);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_SIZES_H_
