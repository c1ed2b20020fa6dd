// HLO text of a test as a module.
#ifndef AFFIRM_TESTS_PARSE_MODULE_H_
#define AFFIRM_TESTS_PARSE_MODULE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/hlo/text.h"

namespace affirm::testing {

// Computations without a header get one. Text that cannot be read fails the test, and is null.
inline std::unique_ptr<hlo::Module> ParseOrFail(const std::string& text) {
  const bool has_header = text.find("HloModule") != std::string::npos;
  auto module = hlo::ParseModule(has_header ? text : "HloModule m\n" + text, "test.hlo");
  if (module) return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError()) << "\n" << text;
  return nullptr;
}

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_PARSE_MODULE_H_
