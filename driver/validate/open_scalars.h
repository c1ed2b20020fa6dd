// Launches that give a range of a scalar that is passed by value: the launches with a value of it
// that are run, or proved, one by one.
#ifndef AFFIRM_DRIVER_VALIDATE_OPEN_SCALARS_H_
#define AFFIRM_DRIVER_VALIDATE_OPEN_SCALARS_H_

#include <string>
#include <vector>

#include "driver/validate/validate.h"

namespace affirm::driver {

// A launch at one value of each scalar, or at a part of its range.
struct ScalarPoint {
  kernel::Launch launch;
  std::string text;  // "n = 1000, parameter 4 in [0, 7]"; of the scalars that have a range
};

// All values of the ranges, or some where there are more than 16: the ends, numbers in the middle,
// and integers that the kernel compares with or that are dimensions of its arrays, with their
// neighbors. Each end is among them. One point where no scalar is open.
std::vector<ScalarPoint> PointsOf(const KernelSubject& subject);

// The claims as runs at these points judge them, up to the first point that refutes one.
Validation ExecuteAtPoints(const KernelSubject& subject, const ValidateOptions& options);

// The claims as the kernel's LLVM IR proves them for all values at once.
std::vector<ClaimResult> ProveSymbolically(const KernelSubject& subject);

// The claims as they are proved for all values at once; where one is open, as they are proved for
// each of at most 16 parts of the ranges: single values, or integers between those that the code
// compares with.
std::vector<ClaimResult> ProveForAllScalars(const KernelSubject& subject);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_OPEN_SCALARS_H_
