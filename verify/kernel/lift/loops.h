// Counted loops, and summaries of their loop-carried values.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LOOPS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LOOPS_H_

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"
#include "verify/terms/scope.h"

namespace affirm::kernel {

// A loop of the form
//   header:  %i = phi [%start, ...], [%next, ...]     ; and phis of other loop-carried values
//            %c = icmp slt %i, %end
//            br %c, body, exit
//   ...      %next = add %i, step
// whose only exit is the header; `end` is loop-invariant.
struct CountedLoop {
  const llvm::BasicBlock* header = nullptr;
  const llvm::BasicBlock* exit = nullptr;
  const llvm::PHINode* counter = nullptr;
  const llvm::Value* end = nullptr;
  int64_t step = 1;
  llvm::DenseSet<const llvm::BasicBlock*> blocks;
};

// The counted loops of a function, by header.
llvm::DenseMap<const llvm::BasicBlock*, CountedLoop> CountedLoopsOf(const llvm::Function& function);

// Symbols for loop-carried values are loads of buffers of this number and below.
constexpr int64_t kCarried = -(int64_t{1} << 40);

// The value of a loop-carried variable after the loop. `carried` is its symbol at the start of an
// iteration, `after` its value at the end, in terms of `carried`, and `initial` its value before
// the loop. A reduction, whose iteration combines a value v by an operation that a fold has,
//   after = add(carried, v),
// gives add(initial, fold of v over `variable`), with one more fold for each further value. `runs`
// is the condition that the loop has the iteration; `others` are the other carried symbols. Null
// if the iteration is no reduction.
struct CarriedValue {
  terms::Term value = nullptr;
  size_t values = 0;         // how many values an iteration combines
  bool is_licensed = false;  // whether the instructions allow another order
};
CarriedValue AfterLoop(terms::Scope& scope, terms::Term carried, terms::Term after,
                       terms::Term initial, terms::Term variable, terms::Term runs,
                       const llvm::DenseSet<terms::Term>& others);

// Keeps float sums of different loops apart. A fold does not say whether one loop adds two values
// in each iteration or two loops add one each, nor whether the compiler may reorder it; these may
// round differently.
class LoopOrders {
 public:
  // The value itself, if the first loop with this term combined as many values in an iteration, and
  // either has no licence or is this very loop (by its number). Else an arbitrary value.
  terms::Term InOneOrder(terms::Scope& scope, const CarriedValue& carried, int32_t loop);

 private:
  llvm::DenseMap<terms::Term, std::pair<size_t, int32_t>> combined_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LOOPS_H_
