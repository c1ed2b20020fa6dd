// Finds the files of a compiler's dump, XLA's --xla_dump_to, by module.
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
  std::string after;     // the last pass that ran, "algsimp"; empty: unknown
};

struct ModuleFiles {
  std::string name;          // "module_0001.jit_f"
  std::vector<HloFile> hlo;  // from before to after optimizations, in order
  // Further files with optimized HLO, or buffers, such as for another device; they are not checked.
  std::vector<std::string> other_optimized, other_buffers;
  bool has_passes = false;             // whether there are files of single passes
  std::string optimized;               // the HLO from which kernels are compiled; empty: none
  bool on_cpu = false;                 // whether that is XLA:CPU's, by the file's name
  std::string thunks, thunk_names;     // *.thunk_sequence.txt, *.thunk_metadata.txt; empty: none
  std::string thunks_after_passes;     // *.thunk_sequence_after_thunk_passes.txt; empty: none
  std::string buffers;                 // *-buffer-assignment.txt; empty: none
  std::vector<std::string> kernels;    // *.ir-no-opt.ll, *.ir-no-opt.part_00.ll, in order
  std::vector<std::string> constants;  // *.constants.ir-no-opt.ll
  // *.NAME.mlir-passes.log, and the NAME of the emitted kernel, in order.
  std::vector<std::pair<std::string, std::string>> emitter_logs;
  bool has_source = false;   // whether the first HLO is the program, which is not part of the dump
  std::string not_imported;  // why a program of the module's name is not the first HLO; or empty
  bool has_before = false;   // whether the first HLO is that before all passes
  // Whether two files have the same pass number: a later compilation kept files of an earlier one.
  bool of_two_compilations = false;
};

// The modules of a folder, by name, and those of its subfolders, as "DUMP/MODULE". A module may
// have no HLO, but only other files. An error if it is no folder, or has no HLO of a dump.
llvm::Expected<std::vector<ModuleFiles>> FindModules(llvm::StringRef folder);

// A hash of the names of the modules and of the contents of their files (shard.h); that of
// another dump is another one.
std::string DigestOf(llvm::ArrayRef<ModuleFiles> modules);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_DUMP_FILES_H_
