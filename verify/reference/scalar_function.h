// A computation on scalars that is applied many times: the to_apply of a reduce, a comparator.
#ifndef AFFIRM_VERIFY_REFERENCE_SCALAR_FUNCTION_H_
#define AFFIRM_VERIFY_REFERENCE_SCALAR_FUNCTION_H_

#include <optional>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "verify/scalar/scalar_program.h"

namespace affirm::hlo {

// Takes scalar arrays to a scalar array or a tuple of them. What ScalarProgram compiles is run as
// its steps; any other computation is interpreted. Both ways give the same bits.
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

  bool is_compiled() const { return program_.has_value(); }
  // Both require is_compiled().
  ScalarProgram& program() { return *program_; }
  const ScalarProgram& program() const { return *program_; }

 private:
  explicit ScalarFunction(const Computation& computation)
      : computation_(&computation), program_(ScalarProgram::Compile(computation)) {}
  llvm::Error Interpret(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results);

  const Computation* computation_;
  std::optional<ScalarProgram> program_;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_SCALAR_FUNCTION_H_
