// Runs the compiled program of a dump, and compares it with the interpreter on the first HLO of its
// module. This tests parts that no proof covers: libraries, the runtime, LLVM's own passes.
//
// A command runs the program in its own process: `COMMAND FOLDER` reads FOLDER/arguments.json,
//
//   {"sets": [[{"type": "f32", "dims": [2, 3]}, ...], ...]}      array K of set S is in S.K.bin
//
// and writes array L of the result on set S to S.result.L.bin, each of them unless it fails;
// elements in row-major order, each in bytes of its own. python/affirm/xla_run.py is such a command
// for XLA:CPU.
#ifndef AFFIRM_DRIVER_DUMP_WHOLE_RUN_H_
#define AFFIRM_DRIVER_DUMP_WHOLE_RUN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "driver/dump/dump_files.h"
#include "driver/equivalence/equivalence.h"
#include "driver/validate/validate.h"
#include "verify/calls/expand.h"

namespace affirm::driver {

struct WholeRun {
  // Executed: no difference on `sets` sets. Refuted: a result differs, or the program crashed.
  // Unknown: it did not run, was ended from outside, did not write each result, or nothing tells
  // whether its results are right; `reason` says why.
  Verdict verdict = Verdict::kUnknown;
  // Unknown because of the module alone, whatever the program does: it is too large to interpret,
  // or leaves its results open. Where all else is proved, it stays so.
  bool is_undecidable = false;
  int64_t sets = 0, elements = 0;
  std::optional<ExecutedDifference> difference = {};
  std::string reason = {};
};

WholeRun RunWhole(const ModuleFiles& module, const std::string& command, uint64_t seed,
                  const calls::GivenMeanings& meanings);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_WHOLE_RUN_H_
