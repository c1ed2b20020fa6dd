// Names that XLA gives the files of a dump: of a module, of three passes over it, and of what they
// leave.
//   TemporaryFolder dump({{kStart, "HloModule m ..."}, {kAlgsimp, "HloModule m ..."}});
#ifndef AFFIRM_TESTS_TOOLS_DUMP_NAMES_H_
#define AFFIRM_TESTS_TOOLS_DUMP_NAMES_H_

#include <string>

namespace affirm::testing {

inline const std::string kPass = "module_0001.jit_f.";
inline const std::string kStart =
    kPass + "0000.simplification.after_pipeline-start.before_algsimp.txt";
inline const std::string kAlgsimp = kPass + "0001.simplification.after_algsimp.before_dce.txt";
inline const std::string kDce = kPass + "0002.simplification.after_dce.before_pipeline-end.txt";
inline const std::string kLast = kPass + "gpu_after_optimizations.txt";

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_TOOLS_DUMP_NAMES_H_
