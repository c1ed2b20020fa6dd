// The first error that this process reported (driver/errors.h), for a report of a run that ends
// with it.
//
//   Report(MakeError("m.hlo:2:3: error: expected a shape"));
//   FirstReported();               // that text
//   FileOfError(FirstReported());  // "m.hlo"
#ifndef AFFIRM_DRIVER_FIRST_ERROR_H_
#define AFFIRM_DRIVER_FIRST_ERROR_H_

#include <string>

#include "llvm/ADT/StringRef.h"

namespace affirm::driver {

// Empty where none was reported.
std::string FirstReported();

// The file of "file:line:column: error: ..."; empty where the message names none.
std::string FileOfError(llvm::StringRef message);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_FIRST_ERROR_H_
