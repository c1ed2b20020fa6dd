// Runs the interpreter on HLO text and values, for its tests.
#ifndef AFFIRM_TESTS_REFERENCE_RUN_H_
#define AFFIRM_TESTS_REFERENCE_RUN_H_

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {

inline std::unique_ptr<Module> Parse(const std::string& text) {
  auto module = ParseModule("HloModule m\n" + text, "test");
  if (module) return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError()) << "\n" << text;
  return nullptr;
}

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

inline Literal Ints(PrimitiveType type, std::vector<int64_t> dims,
                    const std::vector<int64_t>& values) {
  Literal literal(Shape::Array(type, std::move(dims)));
  for (size_t i = 0; i < values.size(); ++i) literal.SetInt(i, values[i]);
  return literal;
}

inline Literal Floats(PrimitiveType type, std::vector<int64_t> dims,
                      const std::vector<double>& values) {
  Literal literal(Shape::Array(type, std::move(dims)));
  for (size_t i = 0; i < values.size(); ++i) literal.SetFloat(i, values[i]);
  return literal;
}

inline Literal F32(std::vector<int64_t> dims, const std::vector<double>& values) {
  return Floats(PrimitiveType::kF32, std::move(dims), values);
}
inline Literal S32(std::vector<int64_t> dims, const std::vector<int64_t>& values) {
  return Ints(PrimitiveType::kS32, std::move(dims), values);
}

// 0, 1, 2, ... in an s32 array: a different value everywhere.
inline Literal Numbered(std::vector<int64_t> dims) {
  Literal literal(Shape::Array(PrimitiveType::kS32, std::move(dims)));
  for (int64_t i = 0; i < literal.NumElements(); ++i) literal.SetInt(i, i);
  return literal;
}

inline std::vector<int64_t> IntValues(const Literal& literal) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < literal.NumElements(); ++i) values.push_back(literal.GetInt(i));
  return values;
}
inline std::vector<double> FloatValues(const Literal& literal) {
  std::vector<double> values;
  for (int64_t i = 0; i < literal.NumElements(); ++i) values.push_back(literal.GetFloat(i));
  return values;
}

// "3,4,5"
inline std::string Join(const std::vector<int64_t>& values) {
  return llvm::join(llvm::map_range(values, [](int64_t v) { return std::to_string(v); }), ",");
}
// "s32[3,4,5]"
inline std::string Text(PrimitiveType type, const std::vector<int64_t>& dims) {
  return Name(type).str() + "[" + Join(dims) + "]";
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
