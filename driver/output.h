// Writes files that the user asked for.
#ifndef AFFIRM_DRIVER_OUTPUT_H_
#define AFFIRM_DRIVER_OUTPUT_H_

#include <system_error>

#include "llvm/ADT/StringRef.h"

namespace affirm::driver {

// The text becomes the content of the file. What went wrong, if something did: the disk may be full
// only when the file is closed.
std::error_code WriteTextFile(llvm::StringRef path, llvm::StringRef text);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_OUTPUT_H_
