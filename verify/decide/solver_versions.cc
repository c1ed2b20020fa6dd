#include "verify/decide/solver_versions.h"

#include <isl/version.h>
#include <z3.h>

#include "llvm/ADT/StringExtras.h"

namespace affirm {

std::string SolverVersions() {
  unsigned major = 0, minor = 0, build = 0, revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return "Z3 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build) +
         ", " + llvm::StringRef(isl_version()).trim().str();
}

}  // namespace affirm
