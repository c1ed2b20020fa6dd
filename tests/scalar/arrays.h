// HLO text and arrays of numbers, for tests of values.
#ifndef AFFIRM_TESTS_SCALAR_ARRAYS_H_
#define AFFIRM_TESTS_SCALAR_ARRAYS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo {

inline std::unique_ptr<Module> Parse(const std::string& text) {
  auto module = ParseModule("HloModule m\n" + text, "test");
  if (module) return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError()) << "\n" << text;
  return nullptr;
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

}  // namespace affirm::hlo

#endif  // AFFIRM_TESTS_SCALAR_ARRAYS_H_
