// Inline PTX in a kernel's LLVM IR: moves, loads and stores with predicates, asynchronous copies to
// shared memory, products of matrices and their roundings, as compilers of tiles write them. Both
// the emulator and the proof read it here.
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
#include "verify/kernel/matrix_product.h"
#include "verify/kernel/ptx_text.h"

namespace affirm::kernel {

// The meaning of $k: a result of the call, or an argument.
struct PtxBinding {
  bool is_result = false;
  unsigned number = 0;
};

struct PtxInstruction {
  enum class Kind : uint8_t {
    kMove,
    kLoad,
    kStore,
    kStartCopy,
    kRoundToTf32,
    kMultiplyMatrices,
    kMultiplyShared,  // wgmma: at least one of the matrices lies in shared memory
    kWaitForProducts
  };
  Kind kind = Kind::kMove;
  std::optional<PtxBinding> predicate;  // without it the instruction is executed
  bool negated = false;
  // Bits of each element: 8, 16, 32 or 64; 1 for a predicate. Higher bits of a wider result are 0.
  unsigned bits = 0;
  // For loads and stores.
  bool is_shared = false;    // of shared memory; else of global
  bool is_constant = false;  // .nc: the kernel does not write what is loaded
  // .relaxed or .volatile (PTX ISA 8.5, 8.4 "Memory consistency model"): no race with others such.
  bool is_strong = false;
  bool is_of_block = false;  // .cta: with those of its block alone
  PtxBinding address;
  int64_t offset = 0;  // in bytes
  // For a copy (cp.async) from global memory at `address`: its place in shared memory. It copies
  // `bits`, or, if there is a source, that number of bytes, followed by zeros.
  PtxBinding destination;
  int64_t destination_offset = 0;
  // Results: of moves, loads and roundings, one for each element.
  std::vector<unsigned> targets;
  // A value that is moved, stored or rounded; without a binding, a number.
  struct Source {
    std::optional<PtxBinding> binding;
    int64_t immediate = 0;
  };
  std::vector<Source> sources;
  // For mma.sync, the sources are the registers of A, of B and of the addend. For wgmma, which adds
  // to its targets: the registers or the place of A, the place of B, and whether it adds.
  MatrixProduct matrices;
  bool a_is_shared = false;
  bool a_is_transposed = false, b_is_transposed = false;  // its lines are not along k
  int64_t groups = 0;  // that need not have ended, where they are waited for
  std::string text;    // as it is written
};

struct InlinePtx {
  unsigned num_results = 0;  // scalars of the call's value
  // A result that begins as an argument: (result, argument). Others begin unspecified.
  std::vector<std::pair<unsigned, unsigned>> ties;
  std::vector<PtxInstruction> instructions;
};

// Reads a call of inline assembly. Any other instruction is an error that quotes the text; so is a
// result that is written before an argument is read that may be in its register
// (inline_ptx_registers.h).
llvm::Expected<InlinePtx> ReadInlinePtx(const llvm::CallBase& call);

// Whether inline assembly is executed by the lanes of a warp together.
bool WaitsForWarp(const llvm::CallBase& assembly);

// Whether an instruction is inline assembly that says that it has side effects: a compiler leaves
// such calls in their order, whatever arguments promise of the memory that they access.
bool IsOrderedPtx(const llvm::Instruction& instruction);

// Whether a register of the type holds an address of shared memory, where PTX names that space (PTX
// ISA, "Generic Addressing"): the generic address of the same place is another number.
inline bool IsSharedAddress(const llvm::Type* type) {
  constexpr unsigned kShared = 3;
  return type->isPointerTy() && type->getPointerAddressSpace() == kShared;
}

// Whether some of it rounds floats to TF32, or multiplies matrices of such.
bool UsesTf32(const llvm::Module& module);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_INLINE_PTX_H_
