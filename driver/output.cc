#include "driver/output.h"

#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

std::error_code WriteTextFile(llvm::StringRef path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code) return code;
  file << text;
  file.close();
  code = file.error();
  file.clear_error();
  return code;
}

}  // namespace affirm::driver
