// Comparison of kernels with the reference interpreter:
//
//   EXPECT_TRUE(MatchesInterpreter(R"(HloModule m ENTRY e { ... })"));
#ifndef AFFIRM_TESTS_EMIT_KERNEL_TESTING_H_
#define AFFIRM_TESTS_EMIT_KERNEL_TESTING_H_

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/symbolic/context.h"
#include "emit/kernel.h"
#include "gtest/gtest.h"

namespace affirm::testing {

// A module and the kernel of its entry.
struct EmittedModule {
  std::unique_ptr<hlo::Module> module;
  std::unique_ptr<Context> context = std::make_unique<Context>();
  std::unique_ptr<emit::Kernel> kernel;  // null after a failure, whose text is `error`
  std::string error;

  const hlo::Computation& entry() const { return *module->entry; }
};

// Reads a module (it must read) and emits its entry, or reports why not.
EmittedModule Emit(const std::string& hlo, const emit::EmitOptions& options = {});

// Every thread map of the kernel is a bijection onto its shape, by enumeration.
::testing::AssertionResult MapsAreBijections(const emit::Kernel& kernel);

// Success, or the first element that differs. Integers must be equal; floats within `ulps` steps of
// their type (hlo::UlpDistance); a NaN equals a NaN.
::testing::AssertionResult SameValue(const hlo::Literal& expected, const hlo::Literal& actual,
                                     int64_t ulps = 0);

// The kernel of the module's entry, on the SIMT emulator, computes what the interpreter says: for
// these arguments, with threads in order and in two shuffled orders. Where the kernel adds n floats
// in an unknown order, 2 n ULP more are allowed.
::testing::AssertionResult MatchesInterpreter(const EmittedModule& emitted,
                                              const std::vector<hlo::Literal>& arguments,
                                              int64_t ulps = 0);
// The same for a few generated arguments.
::testing::AssertionResult MatchesInterpreter(const std::string& hlo, int64_t ulps = 0);

// The kernels that a computation is split into, one after the other on the emulator, compute what
// the interpreter says, to the bit; how many they are. A failure fails the test, and is 0.
int64_t NumKernelsThatMatch(const hlo::Computation& entry,
                            const std::vector<hlo::Literal>& arguments);

// Elements of a type that tell implementations apart: limits, zeros of both signs, NaN, infinities,
// halves, numbers just beyond another type's range.
std::vector<double> NotableFloats(hlo::PrimitiveType type);
std::vector<std::complex<double>> NotableComplexes(hlo::PrimitiveType type);
std::vector<int64_t> NotableInts(hlo::PrimitiveType type);

// Two arrays of shape [n] whose elements run over all pairs of notable values.
std::vector<hlo::Literal> NotablePairs(hlo::PrimitiveType type);

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_EMIT_KERNEL_TESTING_H_
