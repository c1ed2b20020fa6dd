// The option of every verb that reads programs with library calls.
#ifndef AFFIRM_TOOLS_AFFIRM_MEANING_OPTIONS_H_
#define AFFIRM_TOOLS_AFFIRM_MEANING_OPTIONS_H_

#include <string>
#include <vector>

#include "driver/input.h"
#include "llvm/Support/Error.h"
#include "tools/affirm/command_line.h"

namespace affirm::cli {

struct MeaningFlags {
  std::vector<std::string> given;  // "target=FILE.hlo"

  void AddTo(Verb& verb);
  // " --meaning target=FILE.hlo" for each, for a shell.
  std::string ToString() const;
  llvm::Expected<calls::GivenMeanings> Get() const { return driver::ReadMeanings(given); }
};

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_MEANING_OPTIONS_H_
