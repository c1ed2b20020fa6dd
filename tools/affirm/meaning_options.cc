// --meaning.
#include "tools/affirm/meaning_options.h"

#include "driver/shell_command.h"

namespace affirm::cli {

void MeaningFlags::AddTo(Verb& verb) {
  verb.Option("--meaning", given,
              "TARGET=FILE.hlo: what custom calls of this target compute, as an HLO module with\n"
              "their operands as parameters and their result (docs/library-calls.md)")
      .Repeated();
}

std::string MeaningFlags::ToString() const {
  std::string text;
  for (const std::string& one : given) text += " --meaning " + driver::ShellQuoted(one);
  return text;
}

}  // namespace affirm::cli
