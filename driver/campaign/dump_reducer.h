// The module of a dump made small: XLA compiles each candidate again, and it must go wrong in the
// same place.
//
//   auto compiler = XlaCompiler::Create("python3 python/xla_compile.py --platform gpu");
//   auto reduced = ReduceDump(dump_result, modules, *compiler, options, progress);
//   reduced->text;   // HLO for which the same pass, or kernel, is wrong
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

// Starts from the HLO before the guilty pass, or without one from the first HLO of the module. An
// error if nothing is wrong, or if the compiler does not reproduce the fault.
llvm::Expected<ReducedDump> ReduceDump(const DumpResult& result,
                                       const std::vector<ModuleFiles>& modules,
                                       const XlaCompiler& compiler, const DumpOptions& options,
                                       llvm::function_ref<void(const std::string&)> progress);

// "gpu" or "cpu": the compiler that made a dump, from the names of its files.
std::string PlatformOf(const ModuleFiles& files);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_DUMP_REDUCER_H_
