// A scalar computation as a list of steps, with the interpreter as fallback.
#include "verify/reference/scalar_function.h"

#include "verify/reference/ops.h"

namespace affirm::hlo {
namespace {

bool IsScalarOf(const Shape& shape, PrimitiveType type) {
  return shape.IsScalar() && shape.type == type;
}

bool HasResults(const Shape& shape, llvm::ArrayRef<PrimitiveType> results) {
  if (!shape.IsTuple()) return results.size() == 1 && IsScalarOf(shape, results[0]);
  if (shape.tuple.size() != results.size()) return false;
  for (size_t k = 0; k < results.size(); ++k) {
    if (!IsScalarOf(shape.tuple[k], results[k])) return false;
  }
  return true;
}

bool HasParameters(const Computation& computation, llvm::ArrayRef<PrimitiveType> types) {
  if (computation.parameters.size() != types.size()) return false;
  for (size_t k = 0; k < types.size(); ++k) {
    const Instruction* parameter = computation.parameters[k];
    if (parameter == nullptr || !IsScalarOf(parameter->shape, types[k])) return false;
  }
  return true;
}

}  // namespace

llvm::Expected<ScalarFunction> ScalarFunction::Create(const Instruction& caller,
                                                      const Computation& computation,
                                                      llvm::ArrayRef<PrimitiveType> parameters,
                                                      llvm::ArrayRef<PrimitiveType> results) {
  if (computation.root == nullptr || !HasParameters(computation, parameters) ||
      !HasResults(computation.root->shape, results)) {
    return Fail(caller, "calls " + computation.name + ", which takes or gives other types");
  }
  return ScalarFunction(computation);
}

llvm::Error ScalarFunction::Apply(llvm::ArrayRef<Scalar> arguments,
                                  llvm::MutableArrayRef<Scalar> results) {
  if (!program_) return Interpret(arguments, results);
  program_->Apply(arguments, results);
  return llvm::Error::success();
}

llvm::Error ScalarFunction::Interpret(llvm::ArrayRef<Scalar> arguments,
                                      llvm::MutableArrayRef<Scalar> results) {
  std::vector<Literal> literals;
  for (size_t k = 0; k < arguments.size(); ++k) {
    literals.emplace_back(computation_->parameters[k]->shape);
    Store(literals.back(), 0, arguments[k]);
  }
  Result value = hlo::Interpret(*computation_, literals);
  if (!value) return value.takeError();
  for (size_t k = 0; k < results.size(); ++k) {
    results[k] = Load(value->shape().IsTuple() ? value->tuple()[k] : *value, 0);
  }
  return llvm::Error::success();
}

}  // namespace affirm::hlo
