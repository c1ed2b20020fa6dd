// Emits a random module as a kernel, runs it on the SIMT emulator and compares it with the
// interpreter.
#include "fuzz/properties/kernels.h"

#include "emit/device_pipeline.h"
#include "emit/kernel.h"
#include "verify/reference/compare.h"
#include "verify/reference/interpreter.h"

namespace affirm::fuzz {

std::string CheckKernel(const hlo::Module& module, uint32_t stages, uint64_t seed) {
  const hlo::Computation& entry = *module.entry;
  const std::vector<hlo::Literal> arguments = hlo::MakeArguments(entry, seed);
  Context context;
  auto kernel = emit::EmitKernel(entry, context);
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    return "";
  }
  auto expected = hlo::Interpret(entry, arguments, &kernel->evaluation_orders());
  if (!expected) {
    llvm::consumeError(expected.takeError());
    return "";
  }
  if (llvm::Error error = emit::RunDevicePasses(*kernel, stages))
    return llvm::toString(std::move(error));
  auto actual = emit::RunOnEmulator(*kernel, arguments, seed);
  if (!actual) return llvm::toString(actual.takeError());
  const int64_t tolerance =
      hlo::ToleranceOf(entry, hlo::ExecutionTarget::kEmulator, kernel->unordered_terms());
  const hlo::LiteralComparison comparison = hlo::Compare(*expected, *actual, tolerance);
  if (!comparison.first) return "";
  return "element " + std::to_string(comparison.first->leaf) + ": the interpreter says " +
         comparison.first->expected + ", the kernel " + comparison.first->actual + ", " +
         std::to_string(comparison.mismatches) + " of " + std::to_string(comparison.elements) +
         " elements differ";
}

}  // namespace affirm::fuzz
