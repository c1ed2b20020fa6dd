// Runs computations on scalars at each element of arrays, for tests of scalar functions.
#ifndef AFFIRM_TESTS_SCALAR_RUN_SCALAR_H_
#define AFFIRM_TESTS_SCALAR_RUN_SCALAR_H_

#include <optional>

#include "core/hlo/leaves.h"
#include "tests/scalar/arrays.h"
#include "verify/scalar/scalar_program.h"

namespace affirm::hlo {

// The results of the entry, a computation on scalars, at each element of `arguments`: an array for
// each result. The arguments are arrays of one size.
inline std::vector<Literal> RunOnEach(const std::string& text,
                                      const std::vector<Literal>& arguments) {
  const std::unique_ptr<Module> module = Parse(text);
  if (module == nullptr) return {};
  std::optional<ScalarProgram> program = ScalarProgram::Compile(*module->entry);
  const std::vector<const Shape*> shapes = LeafShapes(module->entry->root->shape);
  std::vector<Literal> results;
  for (const Shape* shape : shapes)
    results.emplace_back(Shape::Array(shape->type, arguments[0].shape().dims));
  if (!program) {
    ADD_FAILURE() << "no computation on scalars:\n" << text;
    return results;
  }
  std::vector<Scalar> operands(arguments.size()), values(results.size());
  for (int64_t i = 0; i < arguments[0].NumElements(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) operands[k] = Load(arguments[k], i);
    program->Apply(operands, values);
    for (size_t k = 0; k < values.size(); ++k) Store(results[k], i, values[k]);
  }
  return results;
}

// The same for an entry with one result.
inline Literal RunScalar(const std::string& text, const std::vector<Literal>& arguments) {
  std::vector<Literal> results = RunOnEach(text, arguments);
  return results.empty() ? Literal() : std::move(results[0]);
}

}  // namespace affirm::hlo

#endif  // AFFIRM_TESTS_SCALAR_RUN_SCALAR_H_
