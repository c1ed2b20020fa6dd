// Evaluates value terms on numbers. Internal to element_values.cc.
#ifndef AFFIRM_DRIVER_VALIDATE_TERM_EVALUATOR_H_
#define AFFIRM_DRIVER_VALIDATE_TERM_EVALUATOR_H_

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/validate/element_values.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/reference/scalar_function.h"

namespace affirm::driver {

class TermEvaluator {
 public:
  // Names of combiners and of constant arrays are looked up among the instructions of the
  // computation and of what it calls.
  explicit TermEvaluator(const hlo::Computation& computation);

  void Begin(ElementValues::LoadFunction load, const EvaluationVariant& variant,
             int64_t most_steps);
  llvm::Expected<kernel::TypedScalar> Evaluate(terms::Term term);
  int64_t steps() const { return steps_; }
  bool sums_stay_finite() const { return sums_stay_finite_; }  // since Begin

 private:
  using TypedScalar = kernel::TypedScalar;
  using Int128 = terms::Int128;
  // The running values of a fold, one for each array; none where nothing was folded in yet.
  using Running = llvm::SmallVector<TypedScalar, 1>;

  // A term, and what it was when it was evaluated last: it still is that while no variable that it
  // depends on has another value.
  struct Node {
    terms::Term term = nullptr;
    std::vector<Node*> args;
    std::vector<Int128> coefficients;  // of the terms of a sum
    std::vector<size_t> free;          // variables that it depends on
    std::vector<size_t> bound;         // of a fold: its own
    kernel::ScalarOperations::Function function;
    std::string problem;     // why the operation cannot be computed
    uint64_t moved_by = 0;   // places, where its function is approximated on devices
    uint64_t rounds_to = 0;  // places, where it may be the rounding of an operand of a dot
    uint64_t evaluated = 0;  // when; 0: never
    TypedScalar value;
    Int128 integer = 0;
  };
  struct Variable {
    terms::Term term = nullptr;
    bool is_bound = false;
    Int128 value = 0;
    uint64_t since = 0;  // when it got this value
  };
  struct Combiner {
    const hlo::Instruction* caller = nullptr;
    const hlo::Computation* computation = nullptr;
    bool ambiguous = false;
    std::optional<hlo::ScalarFunction> function = std::nullopt;
  };

  Node& NodeOf(terms::Term term);
  void Prepare(Node& node);
  size_t VariableOf(terms::Term term);
  bool IsCurrent(const Node& node) const;

  void Evaluate(Node& node);
  const TypedScalar& Value(Node& node);
  Int128 Integer(Node& node);
  bool Condition(Node& node);
  TypedScalar ComputeValue(Node& node);
  Int128 ComputeInteger(Node& node);
  bool ComputeCondition(Node& node);
  bool All(Node& node);
  TypedScalar Applied(Node& node);
  TypedScalar ElementOfConstant(Node& node);
  TypedScalar Moved(const TypedScalar& value, uint64_t places) const;

  // Folds the values of the nodes `values` under the condition of `fold` into `initial`.
  Running Folded(Node& fold, llvm::ArrayRef<Node*> values, Running initial, Node& combine);
  // Folds the values of one array as the variant says.
  Running FoldedByVariant(Node& fold, Node& value, const Running& initial, Node& combine);
  // Sets its variables to where they begin; false where one has a value already.
  bool BindVariables(Node& fold);
  // To the next ones; false after the last.
  bool NextVariables(Node& fold);
  void Combine(Running& running, llvm::ArrayRef<TypedScalar> with, Node& combine);
  void CombineByComputation(Running& running, llvm::ArrayRef<TypedScalar> with,
                            const std::string& name);
  Combiner* FindCombiner(llvm::StringRef name);

  void Fail(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  ElementValues::LoadFunction load_;
  EvaluationVariant variant_;
  int64_t steps_ = 0, most_steps_ = 0, depth_ = 0;
  bool out_of_steps_ = false, sums_stay_finite_ = true;
  std::string problem_;
  uint64_t now_ = 1;
  std::deque<Node> nodes_;
  llvm::DenseMap<terms::Term, Node*> node_of_;
  std::vector<Variable> variables_;
  llvm::DenseMap<terms::Term, size_t> variable_of_;
  std::map<std::string, kernel::ScalarOperations::Function> functions_;
  std::map<std::string, Combiner> combiners_;
  std::map<std::string, const hlo::Instruction*> constants_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_TERM_EVALUATOR_H_
