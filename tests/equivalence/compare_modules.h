// Two modules of a test, as texts, and their equivalence.
#ifndef AFFIRM_TESTS_EQUIVALENCE_COMPARE_MODULES_H_
#define AFFIRM_TESTS_EQUIVALENCE_COMPARE_MODULES_H_

#include <gtest/gtest.h>

#include <string>

#include "driver/equivalence/equivalence.h"
#include "tests/parse_module.h"

namespace affirm::driver {

inline std::string Entry(const std::string& body) { return "ENTRY e {\n" + body + "\n}\n"; }

// Computations that entries below may call.
inline constexpr char kCombiners[] = R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
isum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
)";

inline ModuleEquivalence Compare(const std::string& a, const std::string& b,
                                 const EquivalenceOptions& options = {}) {
  auto of_a = testing::ParseOrFail(a), of_b = testing::ParseOrFail(b);
  if (!of_a || !of_b) return {};
  auto result = CompareModules(*of_a, *of_b, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

}  // namespace affirm::driver

#endif  // AFFIRM_TESTS_EQUIVALENCE_COMPARE_MODULES_H_
