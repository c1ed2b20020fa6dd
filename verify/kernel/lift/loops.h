// Loops that count, and what they leave behind.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LOOPS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LOOPS_H_

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"
#include "verify/terms/scope.h"

namespace affirm::kernel {

// A loop of the form
//   header:  %i = phi [%start, ...], [%next, ...]     ; and phis of what is carried along
//            %c = icmp slt %i, %end
//            br %c, body, exit
//   ...      %next = add %i, step
// that is left at its header alone; `end` does not change in it.
struct CountedLoop {
  const llvm::BasicBlock* header = nullptr;
  const llvm::BasicBlock* exit = nullptr;
  const llvm::PHINode* counter = nullptr;
  const llvm::Value* end = nullptr;
  int64_t step = 1;
  llvm::DenseSet<const llvm::BasicBlock*> blocks;
};

// Those of a function, by their headers.
llvm::DenseMap<const llvm::BasicBlock*, CountedLoop> CountedLoopsOf(const llvm::Function& function);

// Values that loops carry along stand for themselves as elements of buffers of this number and
// below.
constexpr int64_t kCarried = -(int64_t{1} << 40);

// What a loop makes of a value that it carries along: `after` is what an iteration makes of
// `carried`, which stands for what those before it have left, and `initial` is what the first one
// finds. An iteration that combines its value v by an operation whose order a fold leaves open,
//   after = add(carried, v),
// gives add(initial, fold of v over `variable`), and one fold more for each further value. `runs`
// is the condition under which an iteration is one. Null where the iteration does something else.
// `others` are what else the loop carries.
struct CarriedValue {
  terms::Term value = nullptr;
  size_t values = 0;         // how many an iteration combines
  bool is_licensed = false;  // in another order, by the instructions
};
CarriedValue AfterLoop(terms::Scope& scope, terms::Term carried, terms::Term after,
                       terms::Term initial, terms::Term variable, terms::Term runs,
                       const llvm::DenseSet<terms::Term>& others);

// The loops of a kernel whose sums of floats are one term, which does not say whether a loop adds
// two values in turn, or two loops add one each; nor whether a compiler may add in another order:
// another order, and another value.
class LoopOrders {
 public:
  // The value as it is where the first loop with this term combined as many values in an iteration,
  // without a licence or as this very loop (by its number); else one that nothing is equal to.
  terms::Term InOneOrder(terms::Scope& scope, const CarriedValue& carried, int32_t loop);

 private:
  llvm::DenseMap<terms::Term, std::pair<size_t, int32_t>> combined_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LOOPS_H_
