// What inline PTX in a kernel's LLVM IR does: moves, and loads and stores with predicates, as
// compilers of tiles write them. The emulator and the proof read it here, both.
//
//   %r = call { i32, i32 } asm sideeffect
//       "mov.u32 $0, 0x0; mov.u32 $1, 0x0; @$3 ld.global.v2.b32 { $0, $1 }, [ $2 + 16 ];",
//       "=r,=r,l,b"(ptr addrspace(1) %p, i1 %c)
//
// has the operands $0 and $1, which are results of the call, and $2 and $3, its arguments 0 and 1;
// two moves, and a load of two times 32 bits at $2 + 16 into $0 and $1, where $3 holds.
#ifndef AFFIRM_VERIFY_KERNEL_INLINE_PTX_H_
#define AFFIRM_VERIFY_KERNEL_INLINE_PTX_H_

#include <optional>
#include <string>
#include <vector>

#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/ptx_text.h"

namespace affirm::kernel {

// What $k stands for: a result of the call, or an argument.
struct PtxBinding {
  bool is_result = false;
  unsigned number = 0;
};

struct PtxInstruction {
  enum class Kind : uint8_t { kMove, kLoad, kStore };
  Kind kind = Kind::kMove;
  std::optional<PtxBinding> predicate;  // without it the instruction is executed
  bool negated = false;
  // Of each element: 8, 16, 32 or 64; 1 of a predicate. What is above them in a wider result is 0.
  unsigned bits = 0;
  // Of loads and stores.
  bool is_shared = false;    // of shared memory; else of global
  bool is_constant = false;  // .nc: the kernel does not write what is loaded
  PtxBinding address;
  int64_t offset = 0;  // in bytes
  // What is written: of moves and loads the results, one for each element.
  std::vector<unsigned> targets;
  // What is moved or stored; without a binding a number.
  struct Source {
    std::optional<PtxBinding> binding;
    int64_t immediate = 0;
  };
  std::vector<Source> sources;
  std::string text;  // as it is written
};

struct InlinePtx {
  unsigned num_results = 0;  // scalars of the call's value
  // A result that begins as an argument: (result, argument). Others begin unspecified.
  std::vector<std::pair<unsigned, unsigned>> ties;
  std::vector<PtxInstruction> instructions;
};

// Of a call of inline assembly. Anything but these instructions is an error that quotes the text.
llvm::Expected<InlinePtx> ReadInlinePtx(const llvm::CallBase& call);

// Whether an instruction is inline assembly that says that it has side effects: a compiler leaves
// such calls in their order, whatever arguments promise of the memory that they access.
bool IsOrderedPtx(const llvm::Instruction& instruction);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_INLINE_PTX_H_
