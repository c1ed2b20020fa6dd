// Numbers, texts and counterexamples as the reports print them, in JSON and for people.
#ifndef AFFIRM_DRIVER_JSON_TEXT_H_
#define AFFIRM_DRIVER_JSON_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "verify/maps/maps.h"

namespace affirm::driver {

// A number with at most `digits` digits behind the point, as JSON and people read it.
std::string Fixed(double value, int digits);
// Text that JSON can hold, whatever the input was.
std::string JsonText(llvm::StringRef text);
// A member that is a whole number of at least 0, such as a seed, which may have all 64 bits.
std::optional<uint64_t> UnsignedMember(const llvm::json::Object& object, llvm::StringRef key);
// Prints an object on a line of standard output; `write` writes its attributes.
void PrintJsonObject(llvm::function_ref<void(llvm::json::OStream&)> write);
// "key": value, with at most `digits` digits behind the point.
void WriteFixed(llvm::json::OStream& json, llvm::StringRef key, double value, int digits);
// "key": [value, ..], of integers or of texts of any bytes.
template <typename Values>
void WriteValues(llvm::json::OStream& json, llvm::StringRef key, const Values& values) {
  json.attributeArray(key, [&] {
    for (const auto& value : values) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
        json.value(static_cast<int64_t>(value));
      } else {
        json.value(JsonText(value));
      }
    }
  });
}
// "key": [{..}, ..], where `write` writes the attributes of each row:
//   WriteRows(json, "laws", laws, [&](const Law& law) { json.attribute("name", law.name); });
template <typename Rows, typename Write>
void WriteRows(llvm::json::OStream& json, llvm::StringRef key, const Rows& rows, Write write) {
  json.attributeArray(key, [&] {
    for (const auto& row : rows) json.object([&] { write(row); });
  });
}
// "dims": [..], "runtime": [..], "lhs": [[..]], "rhs": [[..]] in the object that is open.
void WriteCounterexample(llvm::json::OStream& json, const MapCounterexample& counterexample);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_JSON_TEXT_H_
