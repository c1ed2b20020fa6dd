// The options of every verb that asks the deciders.
#ifndef AFFIRM_TOOLS_AFFIRM_DECIDE_OPTIONS_H_
#define AFFIRM_TOOLS_AFFIRM_DECIDE_OPTIONS_H_

#include <string>

#include "llvm/Support/Error.h"
#include "tools/affirm/command_line.h"
#include "verify/decide/decider.h"

namespace affirm::cli {

struct DecideFlags {
  bool cross_check = false;
  std::string smt2_directory;

  void AddTo(Verb& verb);
  // Creates the folder for queries when one is asked for.
  llvm::Expected<DecideOptions> Get() const;
};

// Adds -j, --jobs: how many threads work at a time. What is printed does not depend on it.
void AddJobs(Verb& verb, unsigned& jobs);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_DECIDE_OPTIONS_H_
