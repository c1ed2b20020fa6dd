// The options of the deciders, and the number of threads.
#include "tools/affirm/decide_options.h"

#include "core/symbolic/error.h"
#include "llvm/Support/FileSystem.h"

namespace affirm::cli {

void DecideFlags::AddTo(Verb& verb) {
  verb.Flag("--cross-check", cross_check, "Ask every engine; a disagreement is an unknown");
  verb.Option("--smt2", smt2_directory, "Also write each query into this folder as SMT-LIB");
}

llvm::Expected<DecideOptions> DecideFlags::Get() const {
  DecideOptions options;
  options.cross_check = cross_check;
  options.smt2_directory = smt2_directory;
  if (!smt2_directory.empty()) {
    if (std::error_code code = llvm::sys::fs::create_directories(smt2_directory)) {
      return MakeError("--smt2: cannot create '" + smt2_directory + "': " + code.message());
    }
  }
  return options;
}

void AddJobs(Verb& verb, unsigned& jobs) {
  verb.Option("-j,--jobs", jobs, "Work on this many threads; the output stays the same")
      .Within(1, 256)
      .ShowDefault();
}

}  // namespace affirm::cli
