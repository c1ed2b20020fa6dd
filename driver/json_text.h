// Numbers, texts and counterexamples as the reports print them, in JSON and for people.
#ifndef AFFIRM_DRIVER_JSON_TEXT_H_
#define AFFIRM_DRIVER_JSON_TEXT_H_

#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "verify/maps/maps.h"

namespace affirm::driver {

// A number with at most `digits` digits behind the point, as JSON and people read it.
std::string Fixed(double value, int digits);
// Text that JSON can hold, whatever the input was.
std::string JsonText(llvm::StringRef text);
// {"dims": [..], "runtime": [..], "lhs": [[..]], "rhs": [[..]]} as the value of the attribute that
// is open.
void WriteCounterexample(llvm::json::OStream& json, const MapCounterexample& counterexample);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_JSON_TEXT_H_
