// The file that affirm's code was loaded from: the program, or the shared object of Python's
// module, where /proc/self/exe is Python.
//
//   llvm::MemoryBuffer::getFile(ImagePath(), /*IsText=*/false);  // identifies this build
#ifndef AFFIRM_CORE_SYMBOLIC_IMAGE_PATH_H_
#define AFFIRM_CORE_SYMBOLIC_IMAGE_PATH_H_

#include <string>

namespace affirm {

// "/proc/self/exe" for a program; the path that the loader was given for a shared object.
std::string ImagePath();

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_IMAGE_PATH_H_
