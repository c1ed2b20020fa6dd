// Modules of tests whose custom calls and dots with an algorithm are replaced by what they mean.
#ifndef AFFIRM_TESTS_CALLS_EXPANDED_H_
#define AFFIRM_TESTS_CALLS_EXPANDED_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "tests/parse_module.h"
#include "verify/calls/expand.h"

namespace affirm::calls {

// The module, which the verifier accepts and which reads back as it is printed; null after a
// failure of the test.
inline std::unique_ptr<hlo::Module> Expanded(const std::string& text) {
  auto module = testing::ParseOrFail(text);
  if (!module) return nullptr;
  EXPECT_EQ(llvm::toString(ExpandCustomCalls(*module, "test.hlo")), "");
  EXPECT_EQ(llvm::toString(hlo::Verify(*module, "test.hlo")), "");
  EXPECT_EQ(llvm::toString(hlo::VerifyExecutable(*module, "test.hlo")), "");
  EXPECT_TRUE(hlo::SameModule(*testing::ParseOrFail(hlo::ToString(*module)), *module))
      << hlo::ToString(*module);
  return module;
}

}  // namespace affirm::calls

#endif  // AFFIRM_TESTS_CALLS_EXPANDED_H_
