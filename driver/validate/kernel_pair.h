// Does a kernel do what another one does? Two LLVM IR files with one launch: a kernel before and
// after LLVM's passes, or of two compilers. No computation is needed.
//
//   auto pair = LoadKernelPair({.before = "a.ll", .after = "b.ll", .launch = "launch.json"});
//   KernelComparison comparison = CompareKernels(*pair, /*seed=*/0);
//   comparison.verdict;   // proved: wherever `before` is right, so is `after`
#ifndef AFFIRM_DRIVER_VALIDATE_KERNEL_PAIR_H_
#define AFFIRM_DRIVER_VALIDATE_KERNEL_PAIR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "driver/report_model/run_report.h"
#include "driver/validate/validate.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

struct KernelPairFiles {
  std::string before, after;  // LLVM IR
  std::string launch;         // JSON, of both
};

struct KernelPair {
  std::unique_ptr<kernel::KernelIr> before, after;
  kernel::Launch launch;
};

// An error names the file, and what does not fit.
llvm::Expected<KernelPair> LoadKernelPair(const KernelPairFiles& files);

struct KernelComparison {
  Verdict verdict = Verdict::kUnknown;
  std::string engine = {};
  double ms = 0;
  std::string reason = {};  // where it is not proved
  int64_t runs = 0;         // sets of arguments on which both were executed and compared
  int64_t elements = 0;     // that were compared
  std::optional<KernelCounterexample> counterexample = std::nullopt;  // of kRefuted
};

// Proved by verify/kernel/proof/same_kernel.h, for all arguments. Both are also executed, on the
// same memories: an element of any buffer that `after` leaves otherwise refutes, and so does an
// access outside of a buffer, a race, a barrier that not all threads meet, or poison that matters.
// NaNs are one value.
//
// Nothing is concluded from a set of arguments on which `before` itself is wrong, and no value is
// refuted where `before` may have others (WhyValuesAreOpen). Executed: compared, and nothing found.
KernelComparison CompareKernels(const KernelPair& pair, uint64_t seed);

// Why another value of an element than the executed one may be right: a fast-math flag, !fpmath,
// fmuladd, or a function that no standard rounds and of which both call different ones. Empty where
// there is none.
std::string WhyValuesAreOpen(const KernelPair& pair);

// "same      proved (terms, 1.2 ms)", what was executed, the verdict.
void PrintReport(llvm::raw_ostream& os, const KernelComparison& comparison);
// The attributes "verdict", "engine", "ms", "reason"?, "counterexample"?, "executed", in an open
// object.
void WriteAttributes(llvm::json::OStream& json, const KernelComparison& comparison);
RunReport ToRunReport(const KernelComparison& comparison, const KernelPairFiles& files,
                      const std::string& subject, uint64_t seed);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_KERNEL_PAIR_H_
