// Evaluates value terms on numbers, and on all numbers that roundings may make of them. Internal to
// element_values.cc.
#ifndef AFFIRM_DRIVER_VALIDATE_TERM_EVALUATOR_H_
#define AFFIRM_DRIVER_VALIDATE_TERM_EVALUATOR_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
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

  void Begin(ElementValues::LoadFunction load, enclosure::Freedom freedom, int64_t most_steps);
  llvm::Expected<EnclosedScalar> Evaluate(terms::Term term);
  int64_t steps() const { return steps_; }

 private:
  using Int128 = terms::Int128;
  // The running values of a fold, one for each array; none where nothing was folded in yet.
  using Running = llvm::SmallVector<EnclosedScalar, 1>;

  // A term, and what it was when it was evaluated last: it still is that while no variable that it
  // depends on has another value.
  struct Node {
    terms::Term term = nullptr;
    std::vector<Node*> args;
    std::vector<Int128> coefficients;  // of the terms of a sum
    std::vector<size_t> free;          // variables that it depends on
    std::vector<size_t> bound;         // of a fold: its own
    std::shared_ptr<const EnclosedOperation> operation;
    std::string problem;     // why the operation cannot be computed
    uint64_t evaluated = 0;  // when; 0: never
    EnclosedScalar value;
    Int128 integer = 0;    // of conditions, 0 or 1
    bool is_open = false;  // a condition that a rounding decides
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

  // The fold of the elements of one array, in any order.
  struct FoldEnclosure {
    std::shared_ptr<const hlo::ScalarOp> exact = nullptr;
    std::optional<enclosure::AnyOrderFold> fold = std::nullopt;
    bool is_of_tuples = false;  // a combiner makes it of several arrays, or by a choice
    bool points = true;         // of integers: all elements are known to the bit

    void Add(const EnclosedScalar& element);
    EnclosedScalar Result(const EnclosedScalar& value) const;
  };
  // The results of a combiner for array `leaf` of tuples, in any order.
  EnclosedScalar FoldedTuples(const Node& combine, size_t leaf, const Running& folded,
                              llvm::ArrayRef<Running> tuples);
  std::vector<FoldEnclosure> EnclosuresOf(llvm::ArrayRef<Node*> values, const Node& combine);

  Node& NodeOf(terms::Term term);
  void Prepare(Node& node);
  size_t VariableOf(terms::Term term);
  bool IsCurrent(const Node& node) const;

  void Evaluate(Node& node);
  const EnclosedScalar& Value(Node& node);
  Int128 Integer(Node& node);
  // Fails where a rounding decides it.
  bool Condition(Node& node);
  // Whether it holds in the interpreter's evaluation, whether or not a rounding decides it.
  bool ConditionOrOpen(Node& node, bool& is_open);
  EnclosedScalar ComputeValue(Node& node);
  Int128 ComputeInteger(Node& node);
  bool ComputeCondition(Node& node);
  bool All(Node& node);
  EnclosedScalar Selected(Node& node);
  EnclosedScalar Applied(Node& node);
  EnclosedScalar ElementOfConstant(Node& node);

  // Folds the values of the nodes `values` under the condition of `fold` into `initial`.
  Running Folded(Node& fold, llvm::ArrayRef<Node*> values, Running initial, Node& combine);
  // Sets its variables to where they begin; false where one has a value already.
  bool BindVariables(Node& fold);
  // To the next ones; false after the last.
  bool NextVariables(Node& fold);
  void Combine(Running& running, llvm::ArrayRef<EnclosedScalar> with, Node& combine);
  void CombineByComputation(Running& running, llvm::ArrayRef<EnclosedScalar> with,
                            llvm::StringRef name);
  Combiner* FindCombiner(llvm::StringRef name);

  void RunOut() {
    out_of_steps_ = true;
    Fail("evaluating them takes too many steps");
  }
  void Fail(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  ElementValues::LoadFunction load_;
  enclosure::Freedom freedom_;
  int64_t steps_ = 0, most_steps_ = 0, depth_ = 0;
  bool out_of_steps_ = false;
  std::string problem_;
  uint64_t now_ = 1;
  std::deque<Node> nodes_;
  llvm::DenseMap<terms::Term, Node*> node_of_;
  std::vector<Variable> variables_;
  llvm::DenseMap<terms::Term, size_t> variable_of_;
  // By the operation with its payload, and the types of result and operands.
  using OperationKey =
      std::tuple<terms::Op, uint64_t, hlo::PrimitiveType, std::vector<hlo::PrimitiveType>>;
  std::map<OperationKey, std::shared_ptr<const EnclosedOperation>> operations_;
  std::map<std::string, Combiner> combiners_;
  std::map<std::string, const hlo::Instruction*> constants_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_TERM_EVALUATOR_H_
