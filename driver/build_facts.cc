#include "driver/build_facts.h"

#include "llvm/Config/llvm-config.h"
#include "verify/decide/solver_versions.h"

namespace affirm::driver {

std::string BuildFacts() {
#ifdef NDEBUG
  const char* const assertions = "without assertions";
#else
  const char* const assertions = "with assertions";
#endif
#if defined(__clang__)
  const std::string compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  const std::string compiler = "GCC " __VERSION__;
#else
  const std::string compiler = "an unknown compiler";
#endif
  return "affirm " AFFIRM_VERSION "\nLLVM and MLIR " LLVM_VERSION_STRING ", " + SolverVersions() +
         "\nbuilt by " + compiler + ", " + assertions;
}

}  // namespace affirm::driver
