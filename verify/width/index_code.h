// The code of a kernel that evaluates a map: straight-line machine operations. The result
// d0 floordiv 8 + 1 with d0 in [0, 63] is the steps d0, 8, divu, 1, add.
//
// Sums and products go from left to right with the constant last; floordiv and mod are unsigned
// operations where ranges prove the operands nonnegative and signed ones with a correction
// elsewhere; ceildiv is -((-n) floordiv d). An expression is computed once. Kernels have this code
// (emit/transforms/lower_indexing.cc), operation for operation.
#ifndef AFFIRM_VERIFY_WIDTH_INDEX_CODE_H_
#define AFFIRM_VERIFY_WIDTH_INDEX_CODE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm {

// How the machine reads the bits of an index.
enum class Signedness : uint8_t { kSigned, kUnsigned };
const char* Name(Signedness s);  // "signed", "unsigned"

struct IndexStep {
  enum class Op : uint8_t {
    kConstant,
    kVariable,
    kAdd,  // operands: two, as for all below but the corrections
    kSub,
    kMul,
    kDivS,  // rounds toward zero
    kDivU,
    kRemS,
    kRemU,
    kMin,  // of the code's signedness
    kMax,
    kFloorFixUp,  // {q, r, d, q - 1}: q - 1 where r is not 0 and its sign is not d's, else q
    kModFixUp,    // {r, r + m}: r + m where r is negative, else r
  };
  Op op = Op::kConstant;
  std::vector<uint32_t> operands = {};  // earlier steps
  // The mathematical integer that the step is to compute, over the map's variables. Null when it
  // is not known: a divisor of unknown sign.
  SymbolicExpr value;
  // The step runs only where the constraints hold; others run wherever the variables are within
  // their bounds.
  bool guarded = false;
};
const char* Name(IndexStep::Op op);  // "add", "divs", ...

struct IndexCode {
  Signedness signedness = Signedness::kSigned;
  std::vector<IndexStep> steps = {};
  std::vector<uint32_t> results = {};  // the steps that compute the map's results
};

// The code that tests the constraints of a map (those that the bounds do not imply), then computes
// its results. For kUnsigned every division is an unsigned one. A map that is undefined or known to
// be empty has no code.
IndexCode MakeIndexCode(const IndexingMap& map, Signedness signedness);
// The code that computes the results alone, where the constraints are known to hold.
IndexCode MakeResultCode(const IndexingMap& map, Signedness signedness);

// The values of a map's variables.
struct IndexPoint {
  std::vector<int64_t> dims, ranges, runtime;
};

// The value of each step in arithmetic on `width` bits (1 to 64), which wraps; nullopt from a
// division by zero on.
std::vector<std::optional<llvm::APInt>> Execute(const IndexCode& code, unsigned width,
                                                const IndexPoint& point);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_WIDTH_INDEX_CODE_H_
