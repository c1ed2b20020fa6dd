// A kernel and the computation that it is said to be, from the files that the user names.
#ifndef AFFIRM_DRIVER_VALIDATE_SUBJECT_FILES_H_
#define AFFIRM_DRIVER_VALIDATE_SUBJECT_FILES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "driver/validate/validate.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct SubjectFiles {
  std::string hlo;     // one module
  std::string fusion;  // whose computation it is; empty: the entry
  std::string kernel;  // LLVM IR
  std::string launch;  // JSON; empty: operands in order, then results, and the grid is missing
};

// `affirm validate` of these files, as a line that shows it again.
std::string ReplayOf(const SubjectFiles& files, uint64_t seed);

// A subject, with the objects that it points into.
struct LoadedSubject {
  std::unique_ptr<hlo::Module> module;
  std::unique_ptr<kernel::KernelIr> ir;
  KernelSubject subject;
};

// An error names the file, and what does not fit.
llvm::Expected<LoadedSubject> LoadSubject(const SubjectFiles& files);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_SUBJECT_FILES_H_
