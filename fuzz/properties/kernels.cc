// Emits a random module as a kernel, runs it on the SIMT emulator and compares it with the
// interpreter.
#include "fuzz/properties/kernels.h"

#include "emit/device_pipeline.h"
#include "emit/kernel.h"
#include "verify/enclosure/compare.h"
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
  const bool to_the_bit = kernel->unordered_terms() == 0 && !hlo::HasFormulasOfKernels(entry);
  enclosure::ResultComparison enclosed(entry, enclosure::kKernelFreedom,
                                       &kernel->evaluation_orders());
  const hlo::LiteralComparison comparison = to_the_bit
                                                ? hlo::Compare(*expected, *actual, 0)
                                                : enclosed.Compare(arguments, *expected, *actual);
  if (!comparison.first) return "";
  return "element " + std::to_string(comparison.first->leaf) + ": the interpreter says " +
         comparison.first->expected + ", the kernel " + comparison.first->actual + ", " +
         std::to_string(comparison.mismatches) + " of " + std::to_string(comparison.elements) +
         " elements differ";
}

}  // namespace affirm::fuzz
