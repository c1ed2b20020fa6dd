// The files of a compiler's dump: XLA's --xla_dump_to, module by module.
//
//   module_0001.jit_f.before_optimizations.txt
//   module_0001.jit_f.0007.simplification.after_algsimp.before_simplify-sorts.txt
//   module_0001.jit_f.sm_9.0a_gpu_after_optimizations.txt
//   module_0001.jit_f.sm_9.0a_gpu_after_optimizations-buffer-assignment.txt
//   module_0001.jit_f.thunk_sequence.txt, module_0001.jit_f.0.ir-no-opt.ll,
//   module_0001.jit_f.constants.ir-no-opt.ll
#ifndef AFFIRM_DRIVER_DUMP_DUMP_FILES_H_
#define AFFIRM_DRIVER_DUMP_DUMP_FILES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// The HLO of a module at one point of the compilation.
struct HloFile {
  std::string path;
  std::string pipeline;  // "simplification"
  std::string after;     // the pass that has run last, "algsimp"; empty: nothing said so
};

struct ModuleFiles {
  std::string name;          // "module_0001.jit_f"
  std::vector<HloFile> hlo;  // from before to after optimizations, in order
  // Further files that say to be that HLO, or its buffers, as of another device: nothing is asked
  // about them.
  std::vector<std::string> other_optimized, other_buffers;
  bool has_passes = false;             // whether there are files from in between
  std::string optimized;               // the HLO that kernels are made from; empty: none
  bool on_cpu = false;                 // whether that is XLA:CPU's, by the end of the file's name
  std::string thunks, thunk_names;     // *.thunk_sequence.txt, *.thunk_metadata.txt; empty: none
  std::string thunks_after_passes;     // *.thunk_sequence_after_thunk_passes.txt; empty: none
  std::string buffers;                 // *-buffer-assignment.txt; empty: none
  std::vector<std::string> kernels;    // *.ir-no-opt.ll, *.ir-no-opt.part_00.ll, in order
  std::vector<std::string> constants;  // *.constants.ir-no-opt.ll
  // *.NAME.mlir-passes.log, and the NAME of what the emitter made, in order.
  std::vector<std::pair<std::string, std::string>> emitter_logs;
  bool has_source = false;  // whether the first HLO is the program, which no file of the dump holds
  bool has_before = false;  // whether the first HLO is that before all passes
  // Whether two files have one number of a pass: a later compilation left those of an earlier one.
  bool of_two_compilations = false;
};

// The modules of a folder, in the order of their names, and those of the folders in it, dump by
// dump, as "DUMP/MODULE". A module of which there are other files alone has no HLO. An error for
// what is no folder, and for one that holds no HLO of a dump.
llvm::Expected<std::vector<ModuleFiles>> FindModules(llvm::StringRef folder);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_DUMP_FILES_H_
