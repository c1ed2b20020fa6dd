// A computation on scalars that is applied many times: the to_apply of a reduce, a comparator.
#ifndef AFFIRM_VERIFY_REFERENCE_SCALAR_FUNCTION_H_
#define AFFIRM_VERIFY_REFERENCE_SCALAR_FUNCTION_H_

#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "verify/reference/elementwise.h"

namespace affirm::hlo {

// Takes scalar arrays to a scalar array or a tuple of them. A computation of elementwise ops on
// scalars, and of moves of them, is compiled to a list of steps; any other is interpreted. Both
// ways give the same bits.
class ScalarFunction {
 public:
  // An error when `computation` does not take scalars of the types `parameters` to scalars of the
  // types `results`; it is reported for `caller`.
  static llvm::Expected<ScalarFunction> Create(const Instruction& caller,
                                               const Computation& computation,
                                               llvm::ArrayRef<PrimitiveType> parameters,
                                               llvm::ArrayRef<PrimitiveType> results);

  // `results` may overlap `arguments`.
  llvm::Error Apply(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results);

  bool is_compiled() const { return compiled_; }

 private:
  struct Step {
    ScalarOp op;
    llvm::SmallVector<int, 3> operands;  // slots
    int result;                          // slot
  };

  explicit ScalarFunction(const Computation& computation) : computation_(&computation) {}
  bool Compile();
  llvm::Error Interpret(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results);

  const Computation* computation_;
  bool compiled_ = false;
  std::vector<Step> steps_;
  std::vector<Scalar> slots_;  // one for each instruction; constants are filled in
  llvm::SmallVector<int, 4> parameter_slots_, result_slots_;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_SCALAR_FUNCTION_H_
