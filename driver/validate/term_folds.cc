// Folds of value terms on numbers, and on all numbers that orders and roundings may make of them.
#include "driver/validate/term_evaluator.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/terms/machine.h"

namespace affirm::driver {

using hlo::PrimitiveType;

bool TermEvaluator::BindVariables(Node& fold) {
  for (size_t v : fold.bound) {
    if (variables_[v].is_bound) Fail("a fold inside of itself");
    variables_[v].is_bound = true;
    variables_[v].value = variables_[v].term->range.lo;
    variables_[v].since = ++now_;
  }
  return problem_.empty();
}

bool TermEvaluator::NextVariables(Node& fold) {
  for (size_t k = fold.bound.size(); k > 0; --k) {
    Variable& variable = variables_[fold.bound[k - 1]];
    variable.since = ++now_;
    if (++variable.value <= variable.term->range.hi) return true;
    variable.value = variable.term->range.lo;
  }
  return false;
}

TermEvaluator::Running TermEvaluator::Folded(Node& fold, llvm::ArrayRef<Node*> values,
                                             Running running, Node& combine) {
  std::vector<FoldEnclosure> enclosures = EnclosuresOf(values, combine);
  const bool of_tuples = llvm::any_of(enclosures, [](const auto& of) { return of.is_of_tuples; });
  std::vector<Running> tuples;
  auto add = [&](const Running& elements) {
    for (auto [enclosure, element] : llvm::zip(enclosures, elements)) enclosure.Add(element);
    if (of_tuples && !elements.empty()) tuples.push_back(elements);
  };
  add(running);
  Running elements;
  for (bool more = BindVariables(fold); more && problem_.empty(); more = NextVariables(fold)) {
    if (!Condition(*fold.args[0])) continue;
    elements.clear();
    for (Node* value : values) elements.push_back(Value(*value));
    add(elements);
    Combine(running, elements, combine);
  }
  for (size_t v : fold.bound) variables_[v].is_bound = false;
  if (!problem_.empty()) return running;
  for (size_t leaf = 0; leaf < running.size(); ++leaf) {
    running[leaf] = enclosures[leaf].is_of_tuples ? FoldedTuples(combine, leaf, running, tuples)
                                                  : enclosures[leaf].Result(running[leaf]);
  }
  return running;
}

std::vector<TermEvaluator::FoldEnclosure> TermEvaluator::EnclosuresOf(llvm::ArrayRef<Node*> values,
                                                                      const Node& combine) {
  std::vector<FoldEnclosure> enclosures(values.size());
  if (combine.operation) {
    const bool is_integer = terms::IntegerWidth(combine.term->type) > 0;
    if (!is_integer) enclosures.front().fold = combine.operation->Fold(freedom_);
    return enclosures;
  }
  Combiner* combiner = FindCombiner(combine.term->operation.computation());
  for (auto [leaf, enclosure] : llvm::enumerate(enclosures)) {
    enclosure.is_of_tuples = true;
    if (combiner == nullptr) continue;
    const enclosure::FoldStep step = enclosure::FoldStepOf(
        *combiner->computation, std::ssize(values), static_cast<int64_t>(leaf));
    if (step.operation == nullptr) continue;
    auto exact = hlo::ResolveElementwise(*step.operation);
    if (!exact) {
      llvm::consumeError(exact.takeError());
      continue;
    }
    enclosure.is_of_tuples = false;
    if (hlo::ScalarKindOf(step.type) == hlo::ScalarKind::kInt) continue;
    enclosure.exact = std::make_shared<hlo::ScalarOp>(std::move(*exact));
    enclosure.fold.emplace(step, *enclosure.exact, freedom_);
  }
  return enclosures;
}

void TermEvaluator::FoldEnclosure::Add(const EnclosedScalar& element) {
  points = points && element.IsPoint();
  if (fold) fold->Add(element.enclosure);
}

EnclosedScalar TermEvaluator::FoldEnclosure::Result(const EnclosedScalar& value) const {
  if (fold) return {value.scalar, fold->Result()};
  return points ? EnclosedScalar::Point(value.scalar) : EnclosedScalar::Whole(value.scalar);
}

EnclosedScalar TermEvaluator::FoldedTuples(const Node& combine, size_t leaf, const Running& folded,
                                           llvm::ArrayRef<Running> tuples) {
  const EnclosedScalar whole = EnclosedScalar::Whole(folded[leaf].scalar);
  const Combiner* combiner = FindCombiner(combine.term->operation.computation());
  if (combiner == nullptr) return whole;
  auto function = enclosure::ScalarEnclosures::Create(*combiner->computation, freedom_);
  if (!function) return whole;
  const auto& parameters = combiner->computation->parameters;
  std::vector<enclosure::EnclosureTuple> enclosures;
  enclosures.reserve(tuples.size());
  for (const Running& tuple : tuples) {
    enclosures.emplace_back();
    for (auto [k, element] : llvm::enumerate(tuple)) {
      enclosures.back().push_back(
          Reordered(element.scalar.type, parameters[k]->shape.type, element.enclosure));
    }
  }
  const enclosure::TupleFold fold(*combiner->computation, *function, std::ssize(folded),
                                  static_cast<int64_t>(leaf), /*keeps_order=*/false);
  const PrimitiveType type = parameters[leaf]->shape.type;
  const auto result = fold.Result(type, enclosures);
  if (!result) return whole;
  return {whole.scalar, Reordered(type, whole.scalar.type, *result)};
}

void TermEvaluator::Combine(Running& running, llvm::ArrayRef<EnclosedScalar> with, Node& combine) {
  if (!problem_.empty() || with.empty()) return;
  if (++steps_ > most_steps_) {
    return RunOut();
  }
  if (running.empty()) {
    running.assign(with.begin(), with.end());
  } else if (combine.operation) {
    running.front().scalar =
        combine.operation->ApplyTo({running.front().scalar, with.front().scalar});
  } else {
    CombineByComputation(running, with, combine.term->operation.computation());
  }
}

TermEvaluator::Combiner* TermEvaluator::FindCombiner(llvm::StringRef name) {
  auto found = combiners_.find(name.str());
  if (found == combiners_.end() || found->second.ambiguous) return nullptr;
  Combiner& combiner = found->second;
  if (combiner.function) return &combiner;
  std::vector<PrimitiveType> parameters, results;
  for (const hlo::Instruction* parameter : combiner.computation->parameters) {
    parameters.push_back(parameter->shape.type);
  }
  const hlo::Shape& result = combiner.computation->root->shape;
  for (const hlo::Shape& leaf : result.IsTuple() ? llvm::ArrayRef(result.tuple) : result) {
    results.push_back(leaf.type);
  }
  auto function =
      hlo::ScalarFunction::Create(*combiner.caller, *combiner.computation, parameters, results);
  if (!function) {
    llvm::consumeError(function.takeError());
    return nullptr;
  }
  combiner.function.emplace(std::move(*function));
  return &combiner;
}

void TermEvaluator::CombineByComputation(Running& running, llvm::ArrayRef<EnclosedScalar> with,
                                         llvm::StringRef name) {
  Combiner* combiner = FindCombiner(name);
  if (combiner == nullptr ||
      combiner->computation->parameters.size() != running.size() + with.size()) {
    return Fail("no combiner '" + name.str() + "'");
  }
  llvm::SmallVector<hlo::Scalar, 4> arguments;
  const auto& parameters = combiner->computation->parameters;
  for (const EnclosedScalar& value : running)
    arguments.push_back(compare::AsType(value.scalar, parameters[arguments.size()]->shape.type));
  for (const EnclosedScalar& value : with)
    arguments.push_back(compare::AsType(value.scalar, parameters[arguments.size()]->shape.type));
  llvm::SmallVector<hlo::Scalar, 2> results(running.size());
  if (llvm::Error error = combiner->function->Apply(arguments, results)) {
    return Fail(llvm::toString(std::move(error)));
  }
  for (size_t k = 0; k < running.size(); ++k) {
    running[k].scalar = compare::OfScalar(parameters[k]->shape.type, results[k]);
  }
}

}  // namespace affirm::driver
