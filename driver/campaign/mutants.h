// Mutants of kernels: the LLVM IR of kernels of ours with one fault each. A fault that nothing
// notices is a hole in the check; one that is called proved is a hole in the proof.
//
//   MutantReport report = RunMutants(kernels, {.seed = 7, .runs = 1000});
//   report.Of(MutantFate::kKilled);
#ifndef AFFIRM_DRIVER_CAMPAIGN_MUTANTS_H_
#define AFFIRM_DRIVER_CAMPAIGN_MUTANTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/check/program.h"
#include "driver/report_model/run_report.h"
#include "driver/shard.h"
#include "driver/validate/validate.h"
#include "emit/runtime/device_kernel.h"
#include "fuzz/generators/kernels/mutants.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

// A kernel of a module, with what it was made from.
struct KernelOfModule {
  std::string file, name;
  std::shared_ptr<const hlo::Module> module;
  std::shared_ptr<const Program> program;
  const hlo::Computation* computation = nullptr;
  std::shared_ptr<const emit::DeviceKernel> device;
};
// The kernels of a module that affirm emits; those that it has none for are left out.
std::vector<KernelOfModule> KernelsOf(const std::shared_ptr<const hlo::Module>& module,
                                      const std::string& file);

enum class MutantFate : uint8_t {
  kKilled,         // refuted by a run
  kEquivalent,     // proved: every claim, or that it does what the kernel without the fault does
  kSurvivor,       // neither: listed with why
  kContradiction,  // a claim is proved and refuted, or the kernel is refuted without a fault
  kFailure,        // the check died or did not end
};
const char* Name(MutantFate verdict);

struct MutantOptions {
  uint64_t seed = 0;
  int64_t runs = 1000;
  uint64_t first = 0;       // the number of the first
  Shard shard;              // of the mutants, by number
  int64_t max_seconds = 0;  // on the clock; 0: no limit
  bool prove = true;        // what no run refutes; else it is a survivor
  std::string asked = {};   // the options that say which kernels, and how they are checked
};

// The kind of what is listed of a kernel that is refuted without a fault.
inline constexpr char kNoMutation[] = "none";

struct MutantReport {
  struct Listed {
    std::string file = {}, kernel = {}, kind = {}, before = {}, why = {};
    MutantFate verdict = MutantFate::kSurvivor;
    int line = 0;
    int64_t number = 0;  // of the run
  };
  uint64_t seed = 0;
  std::string asked = {};  // as of the options
  int64_t runs = 0, kernels = 0;
  // By kind of mutation and verdict; of killed ones, by the first claim that a run refuted; of
  // survivors, by the first that no proof covers.
  std::map<std::string, std::map<MutantFate, int64_t>> counts;
  std::map<std::string, int64_t> killed_by, survived_by;
  std::vector<Listed> listed;  // survivors, contradictions and failures

  int64_t Of(MutantFate verdict) const;
  Verdict outcome() const;
  int status() const;  // 1 for contradictions and failures, 2 for survivors
};

// Draws mutants, each kind of mutation of a kernel being as likely as any other, and validates
// them in processes of their own. Mutant k of a seed is the same whatever the shard.
MutantReport RunMutants(const std::vector<KernelOfModule>& kernels, const MutantOptions& options,
                        llvm::function_ref<void(int64_t)> progress);

void PrintReport(const MutantReport& report, llvm::raw_ostream& os);
// With "reports", as every verb that reports has them.
llvm::json::Value ToJson(const MutantReport& report);
// A record for each that is listed, and one for the others of each kind of mutation.
RunReport ToRunReport(const MutantReport& report);
// Reads the output of ToJson. An error says what is missing.
llvm::Expected<MutantReport> MutantsFromJson(const llvm::json::Object& object);
// Adds what another shard of the same run found. An error where it is of another run, or lists a
// mutant that this report has.
llvm::Error Merge(MutantReport& report, const MutantReport& other);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_MUTANTS_H_
