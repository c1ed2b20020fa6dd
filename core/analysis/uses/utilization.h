// Operand utilization: the share of an operand that is read when all of the result is computed. A
// slice [0:10:2] of f32[10] reads 5 of 10 elements.
#ifndef AFFIRM_CORE_ANALYSIS_USES_UTILIZATION_H_
#define AFFIRM_CORE_ANALYSIS_USES_UTILIZATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"

namespace affirm {

// How many of the `elements` of an array are read, each counted once: a number in
// [at_least, at_most].
struct Utilization {
  int64_t elements = 0;
  int64_t at_least = 0, at_most = 0;
  std::string reason;  // why the two differ; empty when they are equal
  bool IsExact() const { return at_least == at_most; }
};

// The elements of an array of `shape` in the union of the images of `maps`, for one choice of
// runtime values. Exact, at any size, when each image is a tile (tiling.h), and it is the only one
// or no runtime value moves it. Otherwise maps of at most kMaxCountedPoints points are followed
// point by point, and larger ones get bounds.
Utilization CountRead(const hlo::Shape& shape, llvm::ArrayRef<LabeledMap> maps);
inline constexpr int64_t kMaxCountedPoints = int64_t{1} << 20;

// For each operand of `instruction` and each array of it (a tuple has several): what is read to
// compute every output. Arrays only; tokens have no elements.
struct OperandUtilization {
  int64_t operand = 0, leaf = 0;
  Utilization read;
};
std::vector<OperandUtilization> UtilizationOf(const hlo::Instruction& instruction,
                                              Context& context);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_USES_UTILIZATION_H_
