// Findings of the emulator.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_FINDING_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_FINDING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "verify/kernel/claim.h"

namespace affirm::kernel {

// Something that a run showed.
struct Finding {
  enum class Kind : uint8_t {
    // The kernel is wrong: an execution that LLVM IR and the PTX ISA allow breaks the claim.
    kWrong,
    // The emulator does not model what the kernel does next, or gives up: the run ends there, and
    // the claim stays open.
    kNotModelled,
  };
  Kind kind = Kind::kWrong;
  Claim claim = Claim::kValues;
  std::string what;                 // one sentence without a period
  int64_t block = -1, thread = -1;  // linear; -1: no single one
  std::array<int64_t, 3> block_index = {}, thread_index = {};
  std::optional<uint64_t> unspecified;  // the bits of the value that is not specified
  int line = 0;                         // of the LLVM IR; 0: no single one
  std::string instruction;
  std::string buffer;               // "parameter 2 (out)", "shared memory @tile"
  int64_t param = -1;               // the kernel's parameter, where it is one
  int64_t byte = -1, element = -1;  // in the buffer; may lie outside of it

  // "bounds: reads 4 bytes outside of parameter 0 (x), ... at line 12: %3 = load ..."
  std::string ToString() const;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_FINDING_H_
