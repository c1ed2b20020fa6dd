// The maps of an emitter, from pass to pass: what each thread of a kernel reads and writes before a
// pass is what it reads and writes after it; in the first dump the writes are a bijection onto the
// result, and the reads are those of the analysis of the fusion.
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

// One question about maps, and its answer.
struct EmitterClaim {
  std::string what;  // "write of arg1", "reads of arg0"
  Verdict verdict = Verdict::kUnknown;
  // Proved as sets: each thread reads or writes the same elements, not known to be in the same
  // iterations.
  bool as_sets = false;
  std::string reason = {};     // why it is unknown
  std::string counterexample;  // "th_x = 3: before {(3)}, after {(4)}"
};

// A pass that changes maps. There are only dumps before passes, and so the next one is its outcome.
struct EmitterPass {
  std::string pass;
  std::string operation;               // "@a_fusion", or nothing: the module
  int64_t before = 0, after = 0;       // lines of the two dumps
  Verdict verdict = Verdict::kProved;  // the worst claim
  std::vector<EmitterClaim> claims;    // about tensors whose accesses change
};

struct EmitterLog {
  std::string kernel;  // "a_fusion"
  std::string path;
  std::string reason = {};  // why the log cannot be read
  int64_t dumps = 0;
  int64_t dumps_read = 0;           // the first so many; what is behind has other forms
  std::string reason_of_rest = {};  // why
  std::vector<EmitterPass> passes = {};
  std::vector<EmitterClaim> thread_maps = {};   // of the first dump, for each result
  std::vector<EmitterClaim> operand_maps = {};  // of the first dump, for each operand
  std::vector<std::string> not_followed = {};   // accesses of the first dump without a map

  // A claim that is refuted, and of what: "CanonicalizerPass", "thread map" or "operand map".
  struct Wrong {
    std::string name;
    bool is_pass = false;
    int64_t line = 0;
    const EmitterClaim* claim = nullptr;
  };
  std::vector<Wrong> WrongClaims() const;  // in the order of the log
};

// `fusion` is the instruction that the kernel is made from; null: it is not known, and the reads
// are compared with nothing.
EmitterLog CheckEmitterLog(const std::string& path, const std::string& kernel,
                           const hlo::Instruction* fusion);

// {"module", "kernel", "file", "dumps", "passes": [...], "thread_maps": [...], "operand_maps":
// [...]}
void WriteJson(llvm::json::OStream& json, const EmitterLog& log, const std::string& module);
// One line, and what is refuted; `verbose`: everything.
void PrintEmitterLog(llvm::raw_ostream& os, const EmitterLog& log, bool verbose);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_EMITTER_MAPS_H_
