// Through which arguments the bytes of a buffer were reached, where several lead to one buffer and
// promise that they do not, or where loads promise that no thread writes.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_ALIAS_SHADOW_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_ALIAS_SHADOW_H_

#include <cstdint>

#include "llvm/ADT/DenseMap.h"

namespace affirm::kernel {

class AliasShadow {
 public:
  enum Access : uint8_t { kReads, kReadsInvariant, kWrites };

  // Records an access of bytes through argument number `argument`; `noalias`: that argument says
  // that no other leads to what is changed. What is said and is not true; null where all is.
  const char* Record(int64_t offset, unsigned width, int64_t argument, bool noalias, Access access);

 private:
  struct Byte {
    int64_t argument = -1;  // that reached it first
    bool others = false;    // another one did
    bool noalias = false;   // one of them says that it is alone
    bool written = false, invariant = false;
  };
  llvm::DenseMap<int64_t, Byte> bytes_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_ALIAS_SHADOW_H_
