// --meaning.
#include "tools/affirm/meaning_options.h"

namespace affirm::cli {

void MeaningFlags::AddTo(Verb& verb) {
  verb.Option("--meaning", given,
              "TARGET=FILE.hlo: what custom calls of this target compute, as an HLO module with\n"
              "their operands as parameters and their result (docs/library-calls.md)")
      .Repeated();
}

}  // namespace affirm::cli
