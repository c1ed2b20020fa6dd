// Accesses of bytes against what arguments and loads promise.
#include "verify/kernel/emulator/alias_shadow.h"

namespace affirm::kernel {

const char* AliasShadow::Record(int64_t offset, unsigned width, int64_t argument, bool noalias,
                                Access access) {
  const char* wrong = nullptr;
  for (int64_t k = offset; k < offset + static_cast<int64_t>(width); ++k) {
    Byte& byte = bytes_[k];
    byte.others |= byte.argument >= 0 && byte.argument != argument;
    if (byte.argument < 0) byte.argument = argument;
    byte.noalias |= noalias;
    byte.written |= access == kWrites;
    byte.invariant |= access == kReadsInvariant;
    if (byte.written && byte.others && byte.noalias)
      wrong = "reaches what is changed through two arguments, one of which is noalias";
    if (byte.written && byte.invariant)
      wrong = "changes what a load says is invariant, or loads it";
  }
  return wrong;
}

}  // namespace affirm::kernel
