// Evaluates value terms: loads from literals, operations by the scalar functions of verify/scalar,
// folds by enumeration.
#ifndef AFFIRM_TESTS_HLO_VALUES_VALUE_EVALUATOR_H_
#define AFFIRM_TESTS_HLO_VALUES_VALUE_EVALUATOR_H_

#include <map>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/compare/scalar_operations.h"
#include "verify/terms/term.h"

namespace affirm {

using compare::TypedScalar;

// The values on which terms are evaluated.
class ValueWorld {
 public:
  // Arguments of the entry computation of the module; all outlive this.
  ValueWorld(const hlo::Module& module, llvm::ArrayRef<hlo::Literal> arguments);

  TypedScalar Load(int64_t buffer, terms::Int128 position);
  TypedScalar Apply(const terms::Operation& operation, hlo::PrimitiveType type,
                    llvm::ArrayRef<TypedScalar> args);
  // The results of a computation on scalars.
  std::vector<TypedScalar> Call(llvm::StringRef computation, llvm::ArrayRef<TypedScalar> args);
  // The value of an element of a literal, as terms have it.
  static TypedScalar Element(const hlo::Literal& literal, int64_t linear);

  // The first thing that could not be evaluated, or was outside of its array.
  std::string problem;
  bool unknown = false;  // an integer or a value of which nothing is known
  void Complain(const std::string& what) {
    if (problem.empty()) problem = what;
  }

 private:
  struct Buffer {
    const hlo::Literal* literal;
    const hlo::Shape* shape;  // with the layout
  };
  // The row-major position of the element at a position of memory.
  static int64_t LinearAt(const Buffer& buffer, int64_t position);

  const hlo::Module& module_;
  std::vector<Buffer> buffers_;
  std::map<std::string, Buffer> constants_;
  compare::ScalarOperations operations_;
};

class ValueEvaluator {
 public:
  explicit ValueEvaluator(ValueWorld& world, llvm::DenseMap<terms::Term, terms::Int128> variables)
      : world_(world), variables_(std::move(variables)) {}

  TypedScalar Value(terms::Term term);
  terms::Int128 Integer(terms::Term term);
  bool Condition(terms::Term term);

 private:
  TypedScalar ValueOf(terms::Term term);
  terms::Int128 IntegerOf(terms::Term term);
  bool All(llvm::ArrayRef<terms::Term> conditions);
  TypedScalar Applied(terms::Term term);
  // Calls `take` with an evaluator for each value of the variables of a fold that counts.
  void ForEach(terms::Term fold, llvm::function_ref<void(ValueEvaluator&)> take);
  // The elements of a fold combined from the left, from `running` where there is one.
  TypedScalar Folded(terms::Term fold, const TypedScalar* running);
  TypedScalar FoldedByComputation(terms::Term term);

  ValueWorld& world_;
  llvm::DenseMap<terms::Term, terms::Int128> variables_;
  llvm::DenseMap<terms::Term, TypedScalar> values_;
  llvm::DenseMap<terms::Term, terms::Int128> integers_;
};

}  // namespace affirm

#endif  // AFFIRM_TESTS_HLO_VALUES_VALUE_EVALUATOR_H_
