// The module of a dump made small: XLA compiles each candidate again, and it must go wrong in the
// same place.
//
//   auto compiler = XlaCompiler::Create("python3 python/xla_compile.py --platform gpu");
//   auto reduced = ReduceDump(dump_result, modules, *compiler, options, progress);
//   reduced->text;   // HLO that the pass, or the kernel, is wrong of
#ifndef AFFIRM_DRIVER_CAMPAIGN_DUMP_REDUCER_H_
#define AFFIRM_DRIVER_CAMPAIGN_DUMP_REDUCER_H_

#include <string>
#include <vector>

#include "driver/campaign/xla_compiler.h"
#include "driver/dump/dump.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::driver {

struct ReducedDump {
  std::string text;  // of the module
  int64_t instructions_before = 0, instructions = 0;
  int64_t compilations = 0;
};

// Begins with the HLO before the guilty pass, or else with the first HLO of the module. An error
// where nothing is wrong, and where the compiler does not do the same again.
llvm::Expected<ReducedDump> ReduceDump(const DumpResult& result,
                                       const std::vector<ModuleFiles>& modules,
                                       const XlaCompiler& compiler, const DumpOptions& options,
                                       llvm::function_ref<void(const std::string&)> progress);

// "gpu" or "cpu": the compiler that a dump is of, as the names of its files say.
std::string PlatformOf(const ModuleFiles& files);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_DUMP_REDUCER_H_
