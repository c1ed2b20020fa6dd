// Checks an emitter's maps from pass to pass: each pass preserves the elements that each thread of
// a kernel reads and writes. In the first dump, the writes must be a bijection onto the result, and
// the reads those of the fusion's indexing analysis.
//
//   EmitterLog log = CheckEmitterLog("dump/module_0001.jit_f.a_fusion.mlir-passes.log", "a_fusion",
//   fusion); log.passes[2].pass;     // "CanonicalizerPass" log.passes[2].verdict;  // refuted:
//   some tensor's elements are others
#ifndef AFFIRM_DRIVER_DUMP_EMITTER_MAPS_H_
#define AFFIRM_DRIVER_DUMP_EMITTER_MAPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/decide/decider.h"

namespace affirm::driver {

// One claim about maps, and its verdict.
struct EmitterClaim {
  std::string what;  // "write of arg1", "reads of arg0"
  Verdict verdict = Verdict::kUnknown;
  // Proved as sets: each thread accesses the same elements, though maybe in other iterations.
  bool as_sets = false;
  std::string reason = {};     // why it is unknown
  std::string counterexample;  // "th_x = 3: before {(3)}, after {(4)}"
};

// A pass that changes maps. Dumps are taken before passes, so its result is the next dump.
struct EmitterPass {
  std::string pass;
  std::string operation;               // "@a_fusion", or empty: the module
  int64_t before = 0, after = 0;       // lines of the two dumps
  Verdict verdict = Verdict::kProved;  // that of the worst claim
  std::vector<EmitterClaim> claims;    // one for each tensor whose accesses change
};

struct EmitterLog {
  std::string kernel;  // "a_fusion"
  std::string path;
  std::string reason = {};  // why the log cannot be read
  int64_t dumps = 0;
  int64_t dumps_read = 0;           // how many dumps were analyzed, from the first on
  std::string reason_of_rest = {};  // why the others were not
  std::vector<EmitterPass> passes = {};
  std::vector<EmitterClaim> thread_maps = {};   // in the first dump, for each result
  std::vector<EmitterClaim> operand_maps = {};  // in the first dump, for each operand
  std::vector<std::string> not_followed = {};   // accesses in the first dump without a map

  // A refuted claim and its subject: "CanonicalizerPass", "thread map" or "operand map".
  struct Wrong {
    std::string name;
    bool is_pass = false;
    int64_t line = 0;
    const EmitterClaim* claim = nullptr;
  };
  std::vector<Wrong> WrongClaims() const;  // in the order of the log
};

// `fusion` is the kernel's instruction; null: unknown, and the reads are not compared.
EmitterLog CheckEmitterLog(const std::string& path, const std::string& kernel,
                           const hlo::Instruction* fusion);

// {"module", "kernel", "file", "dumps", "passes": [...], "thread_maps": [...], "operand_maps":
// [...]}
void WriteJson(llvm::json::OStream& json, const EmitterLog& log, const std::string& module);
// Prints one line, and refuted claims; `verbose`: everything.
void PrintEmitterLog(llvm::raw_ostream& os, const EmitterLog& log, bool verbose);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_MAPS_H_
