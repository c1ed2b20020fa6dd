// Registers that asynchronous products of matrices still write (PTX ISA 8.5, 9.7.15.7.1
// "wgmma.fence" and "wgmma.wait_group").
//
// Until the thread has waited for a product, nothing accesses its sums, except that another product
// of the same shape adds to them:
//
//   %s = call { float, float } asm "wgmma.mma_async ..."     both scalars are open
//   %a = extractvalue { float, float } %s, 0                 moves one; it is open as well
//   %b = fadd float %a, 1.0                                  accesses an open sum
//   %e = call float asm "wgmma.wait_group ... 0;", "=f,0"(float %a)     %e is closed, and not %a
//
// A wait closes the sums that are tied to its results alone: LLVM orders an access of %a neither
// before nor behind it. A product or a wait takes the sums that are tied to it: their registers are
// its own from there on.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_OPEN_SUMS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_OPEN_SUMS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "verify/kernel/matrix_product.h"

namespace affirm::kernel {

// The open sums of a thread. LLVM's values name registers; a struct or an array has one for each
// element.
class OpenSums {
 public:
  using Ties = llvm::ArrayRef<std::pair<unsigned, unsigned>>;  // (result, argument) of a call

  bool IsEmpty() const { return registers_.empty(); }
  bool Has(const llvm::Value& value) const { return registers_.contains(&value); }
  // Whether a product may add to the arguments tied to its results, as their registers go: each is
  // an open sum of a product of the same shape, or a fence came after that product. `fence`: the
  // step of the thread's last wgmma.fence; arguments that are no open sums are not looked at.
  bool MayAdd(const llvm::CallBase& product, Ties ties, const MatrixProduct& of,
              int64_t fence) const;
  // The same, with no fence at all: each argument is an open sum of the same shape.
  bool GoesOn(const llvm::CallBase& product, Ties ties, const MatrixProduct& of) const;
  // A product begins, and takes what is tied to it. False if something is taken already, or is an
  // argument that is not tied.
  bool Begin(const llvm::CallBase& product, Ties ties, const MatrixProduct& of, int64_t group,
             int64_t step);
  // A wait for the groups below `ended`, with the same result.
  bool Wait(const llvm::CallBase& wait, Ties ties, int64_t ended);
  // Whether an instruction only moves open sums, if it has some; its result is open then.
  bool Moves(const llvm::Instruction& instruction);
  // Sets the phis of a block that is entered.
  void Enter(const llvm::BasicBlock& to, const llvm::BasicBlock* from);

 private:
  struct Sum {
    int64_t group = 0, step = 0, n = 0, k = 0;  // of its product
    bool is_taken = false;
  };
  // For each element, the number of its sum; -1: none.
  using Numbers = llvm::SmallVector<int64_t, 4>;
  Numbers At(const llvm::Value& value) const;
  void Set(const llvm::Value& value, Numbers numbers);
  // Takes the tied arguments' sums. False as Begin says.
  bool Take(const llvm::CallBase& call, Ties ties);

  std::vector<Sum> sums_;
  llvm::DenseMap<const llvm::Value*, Numbers> registers_;  // of values with an open sum
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_OPEN_SUMS_H_
