// Is a kernel, given as LLVM IR, the computation that it is said to be? A verdict for each claim
// (docs/kernels.md).
//
// Claims are judged twice. Provers give verdicts for all arguments and all sizes of the grid;
// execution runs the kernel on the emulator against the interpreter, and can only refute. Merge
// puts them together.
#ifndef AFFIRM_DRIVER_VALIDATE_VALIDATE_H_
#define AFFIRM_DRIVER_VALIDATE_VALIDATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/emulator/finding.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

enum class ClaimVerdict : uint8_t {
  kProved,
  kExecuted,  // of values: not proved, run without a difference, and all other claims are proved
  kRefuted,
  kUnknown,
};
const char* Name(ClaimVerdict verdict);  // "proved", ...

// Something wrong that was executed: where, what should have been there, and what was.
struct KernelCounterexample {
  int64_t block = -1, thread = -1;
  std::string buffer;
  int64_t element = -1;
  std::string expected, actual;
  int line = 0;  // of the LLVM IR
  std::string instruction;
};

struct ClaimResult {
  kernel::Claim claim = kernel::Claim::kValues;
  ClaimVerdict verdict = ClaimVerdict::kUnknown;
  std::string engine;  // "emulator", ...
  double ms = 0;
  std::optional<KernelCounterexample> counterexample;  // of kRefuted
  bool contradicted = false;                           // a prover proves what a run refutes
  std::string reason;
};

struct ExecutionSummary {
  int64_t runs = 0, elements = 0;
  int64_t largest_ulp = 0;
};

struct Validation {
  ClaimVerdict verdict = ClaimVerdict::kUnknown;  // of the whole
  std::vector<ClaimResult> claims;                // one for each of kernel::kClaims, in order
  ExecutionSummary executed;
};

// What is validated: the operands of the launch are the leaves of the computation's parameters in
// order, its outputs those of the root.
struct KernelSubject {
  const hlo::Computation* computation = nullptr;
  const kernel::KernelIr* ir = nullptr;
  kernel::Launch launch;
};
// The fusion's computation, or the entry where no name is given. An error names what is missing.
llvm::Expected<const hlo::Computation*> FindComputation(const hlo::Module& module,
                                                        llvm::StringRef fusion);
// Whether the launch has the parameters that the computation needs, in number and shape.
llvm::Error CheckSubject(const KernelSubject& subject);

struct ValidateOptions {
  uint64_t seed = 0;
};

// The claims as execution judges them: refuted with a counterexample, else unknown.
Validation ExecuteClaims(const KernelSubject& subject, const ValidateOptions& options);
// The claims as they are proved from the kernel's LLVM IR (verify/kernel/proof): proved or unknown.
std::vector<ClaimResult> ProveClaims(const KernelSubject& subject, const ValidateOptions& options);
// The claims of a prover and those of execution: what either refutes is refuted, what the prover
// proves is proved. A claim that is proved and was seen to be wrong is refuted, and says so.
// `proofs` may lack claims.
Validation Merge(const std::vector<ClaimResult>& proofs, Validation executed);
// All that there is: provers, execution, both merged.
Validation Validate(const KernelSubject& subject, const ValidateOptions& options);

// The exit status: 0 proved, 1 refuted, 2 unknown.
int StatusOf(const Validation& validation);
// {"verdict", "claims": [...], "executed": {...}}
// The attributes of a counterexample, in an open object.
void WriteCounterexample(llvm::json::OStream& json, const KernelCounterexample& example);
void WriteJson(llvm::json::OStream& json, const Validation& validation);
void PrintReport(llvm::raw_ostream& os, const Validation& validation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_VALIDATE_H_
