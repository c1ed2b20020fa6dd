// Runs the interpreter on HLO text and values, for its tests.
#ifndef AFFIRM_TESTS_REFERENCE_RUN_H_
#define AFFIRM_TESTS_REFERENCE_RUN_H_

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/scalar/arrays.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {

// The entry's value.
inline Literal RunHlo(const std::string& text, const std::vector<Literal>& arguments) {
  const std::unique_ptr<Module> module = Parse(text);
  if (module == nullptr) return {};
  auto result = Interpret(*module->entry, arguments);
  if (result) return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError()) << "\n" << text;
  return {};
}

// The message of the error that interpreting the entry ends in; "" when it succeeds.
inline std::string RunError(const std::string& text, const std::vector<Literal>& arguments) {
  const std::unique_ptr<Module> module = Parse(text);
  if (module == nullptr) return "";
  auto result = Interpret(*module->entry, arguments);
  return result ? "" : llvm::toString(result.takeError());
}

// The s32 result, of sizes `dims`, of a unary op on the s32 array `x`; `attributes` starts with a
// comma.
inline Literal One(const std::string& op, const Literal& x, const std::vector<int64_t>& dims,
                   const std::string& attributes) {
  return RunHlo("ENTRY e { x = " + Text(PrimitiveType::kS32, x.shape().dims) +
                    " parameter(0) ROOT r = " + Text(PrimitiveType::kS32, dims) + " " + op + "(x)" +
                    attributes + " }",
                {x});
}

}  // namespace affirm::hlo

#endif  // AFFIRM_TESTS_REFERENCE_RUN_H_
