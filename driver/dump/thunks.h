// Reads the thunks of a module from a dump of XLA:GPU: *.thunk_sequence.txt, an indented tree, and
// *.thunk_metadata.txt, which names the instruction of each thunk.
//
//   001: kCopy [source | next=002 (1)] kCopy
//   002: kWhile [prev=001 (1) | sink]
//   condition:
//       003: kCustomKernel [source | sink] lt grid: [1, 1, 1] threads: [1, 1, 1]  shared_memory: 0
//       bytes
//     body:
//       004: kCustomKernel [source | sink] add_1 grid: [7, 1, 1] threads: [128, 1, 1]
//       shared_memory: 0 bytes
//
// Thunks run in the order of the text.
#ifndef AFFIRM_DRIVER_DUMP_THUNKS_H_
#define AFFIRM_DRIVER_DUMP_THUNKS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// The launch of a kernel. A kernel may have several.
struct KernelLaunch {
  std::string kernel;  // the function
  std::array<int64_t, 3> grid = {0, 0, 0}, threads = {0, 0, 0};
  int64_t shared_bytes = 0;
  friend bool operator==(const KernelLaunch&, const KernelLaunch&) = default;
};

struct Thunk;

// Thunks that run one after the other. The label is "condition", "body", "branch_0",
// "true_branch", ...; it is empty for the module's thunks, and for nested ones without a label.
struct ThunkSequence {
  std::string label;
  std::vector<Thunk> thunks;
};

struct Thunk {
  std::string kind;                         // "kCustomKernel"
  std::string instruction = {};             // its HLO instruction; empty if the metadata has none
  std::optional<KernelLaunch> launch = {};  // for a kernel
  std::vector<ThunkSequence> nested = {};
};

// Errors name the line that cannot be parsed.
llvm::Expected<ThunkSequence> ParseThunks(llvm::StringRef sequence, llvm::StringRef metadata);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_THUNKS_H_
