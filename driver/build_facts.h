// The version of affirm and what it was built of, for `--version` and reports of faults.
#ifndef AFFIRM_DRIVER_BUILD_FACTS_H_
#define AFFIRM_DRIVER_BUILD_FACTS_H_

#include <string>

namespace affirm::driver {

// "affirm 0.1.0", the versions of the libraries that decide, and the compiler: a line each.
std::string BuildFacts();

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_BUILD_FACTS_H_
