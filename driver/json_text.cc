// Numbers with a fixed number of digits, valid UTF-8, and counterexamples as JSON.
#include "driver/json_text.h"

#include <vector>

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

std::optional<uint64_t> UnsignedMember(const llvm::json::Object& object, llvm::StringRef key) {
  const llvm::json::Value* member = object.get(key);
  return member ? member->getAsUINT64() : std::nullopt;
}

namespace {

void WriteTuples(llvm::json::OStream& json, llvm::StringRef key,
                 const std::vector<std::vector<BigInt>>& tuples) {
  auto write = [&](const BigInt& v) { json.rawValue([&](llvm::raw_ostream& os) { os << v; }); };
  json.attributeArray(key, [&] {
    for (const auto& tuple : tuples) {
      json.array([&] { llvm::for_each(tuple, write); });
    }
  });
}

}  // namespace

void PrintJsonObject(llvm::function_ref<void(llvm::json::OStream&)> write) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] { write(json); });
  llvm::outs() << "\n";
}

void WriteFixed(llvm::json::OStream& json, llvm::StringRef key, double value, int digits) {
  json.attributeBegin(key);
  json.rawValue(Fixed(value, digits));
  json.attributeEnd();
}

void WriteCounterexample(llvm::json::OStream& json, const MapCounterexample& counterexample) {
  WriteValues(json, "dims", counterexample.dims);
  WriteValues(json, "runtime", counterexample.runtime);
  WriteTuples(json, "lhs", counterexample.lhs);
  WriteTuples(json, "rhs", counterexample.rhs);
}

}  // namespace affirm::driver
