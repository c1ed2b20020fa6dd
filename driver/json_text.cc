// Numbers with a fixed number of digits, valid UTF-8, and counterexamples as JSON.
#include "driver/json_text.h"

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

std::string Fixed(double value, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

std::string JsonText(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

namespace {

void WriteNumbers(llvm::json::OStream& json, llvm::ArrayRef<int64_t> values) {
  json.array([&] {
    for (int64_t v : values) json.value(v);
  });
}

void WriteTuples(llvm::json::OStream& json, const std::vector<std::vector<BigInt>>& tuples) {
  auto write = [&](const BigInt& v) { json.rawValue([&](llvm::raw_ostream& os) { os << v; }); };
  json.array([&] {
    for (const auto& tuple : tuples) {
      json.array([&] { llvm::for_each(tuple, write); });
    }
  });
}

}  // namespace

void WriteCounterexample(llvm::json::OStream& json, const MapCounterexample& counterexample) {
  json.object([&] {
    json.attributeBegin("dims");
    WriteNumbers(json, counterexample.dims);
    json.attributeEnd();
    json.attributeBegin("runtime");
    WriteNumbers(json, counterexample.runtime);
    json.attributeEnd();
    json.attributeBegin("lhs");
    WriteTuples(json, counterexample.lhs);
    json.attributeEnd();
    json.attributeBegin("rhs");
    WriteTuples(json, counterexample.rhs);
    json.attributeEnd();
  });
}

}  // namespace affirm::driver
