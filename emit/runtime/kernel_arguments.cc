// Flattens arguments to leaf arrays and assembles results from them.
#include "emit/runtime/kernel_arguments.h"

#include "emit/plan/error.h"

namespace affirm::emit {
namespace {

void CollectLeaves(const hlo::Literal& literal, std::vector<const hlo::Literal*>& leaves) {
  if (!literal.shape().IsTuple()) {
    leaves.push_back(&literal);
    return;
  }
  for (const hlo::Literal& element : literal.tuple()) CollectLeaves(element, leaves);
}

hlo::Literal Assemble(const hlo::Shape& shape, llvm::ArrayRef<std::vector<uint8_t>>& results) {
  if (shape.IsTuple()) {
    std::vector<hlo::Literal> elements;
    elements.reserve(shape.tuple.size());
    for (const hlo::Shape& element : shape.tuple) elements.push_back(Assemble(element, results));
    return hlo::Literal::MakeTuple(std::move(elements));
  }
  hlo::Literal literal(shape);
  size_t bytes = literal.bytes().size();
  if (bytes > 0) std::memcpy(literal.data(), results.front().data(), bytes);
  results = results.drop_front();
  return literal;
}

}  // namespace

llvm::Expected<std::vector<const hlo::Literal*>> ArgumentLeaves(
    const Kernel::Impl& kernel, llvm::ArrayRef<hlo::Literal> arguments) {
  if (arguments.size() != kernel.parameter_shapes.size()) {
    return InvalidArgument(kernel.name + " takes " + llvm::Twine(kernel.parameter_shapes.size()) +
                           " arguments, not " + llvm::Twine(arguments.size()));
  }
  std::vector<const hlo::Literal*> leaves;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].shape().SameIgnoringLayout(kernel.parameter_shapes[i])) {
      return InvalidArgument("argument " + llvm::Twine(i) + " of " + kernel.name + " is " +
                             arguments[i].shape().ToString() + ", not " +
                             kernel.parameter_shapes[i].ToString());
    }
    CollectLeaves(arguments[i], leaves);
  }
  return leaves;
}

hlo::Literal ResultLiteral(const Kernel::Impl& kernel,
                           llvm::ArrayRef<std::vector<uint8_t>> results) {
  return Assemble(kernel.result_shape, results);
}

}  // namespace affirm::emit
