#include "driver/validate/term_evaluator.h"

#include <algorithm>
#include <limits>

#include "core/symbolic/error.h"
#include "driver/validate/buffers.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/range.h"

namespace affirm::driver {

using compare::OfInteger;
using compare::TypedScalar;
using hlo::PrimitiveType;
using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

// Deeper terms would need a stack of their own.
constexpr int64_t kMostDepth = 2000;
// Larger constant arrays are not named.
constexpr int64_t kMostConstant = int64_t{1} << 20;

// The identity of the operation: combined with x it gives x.
TypedScalar NeutralOf(Op op, PrimitiveType type) {
  const int64_t width = terms::IntegerWidth(type);
  if (width == 0) {
    const double inf = std::numeric_limits<double>::infinity();
    const double value = op == Op::kAdd        ? -0.0
                         : op == Op::kMultiply ? 1
                         : op == Op::kMaximum  ? -inf
                                               : inf;
    return {type, {.re = value}};
  }
  const Int128 half = Int128{1} << (width - 1);
  if (op == Op::kMultiply) return OfInteger(1, type);
  if (op == Op::kAnd || op == Op::kMinimumUnsigned) return OfInteger(-1, type);
  if (op == Op::kMaximum) return OfInteger(-half, type);
  if (op == Op::kMinimum) return OfInteger(half - 1, type);
  return OfInteger(0, type);
}

// The bytes of the elements of a constant in the order of its layout.
std::vector<uint8_t> BytesInMemory(const hlo::Literal& literal, const hlo::Shape& shape) {
  const auto width = static_cast<size_t>(hlo::ByteWidth(shape.type));
  std::vector<uint8_t> bytes(literal.bytes().size());
  for (auto [k, place] : llvm::enumerate(PhysicalOrder(shape))) {
    std::copy_n(literal.data() + k * width, width, bytes.begin() + place * width);
  }
  return bytes;
}

}  // namespace

TermEvaluator::TermEvaluator(const hlo::Computation& computation) {
  for (const hlo::Instruction* op : AllInstructions(computation)) {
    for (const hlo::Computation* called : op->called) {
      Combiner& combiner = combiners_[called->name];
      combiner.ambiguous |= combiner.computation != nullptr && combiner.computation != called;
      combiner.caller = op;
      combiner.computation = called;
    }
    const bool is_array = op->opcode == hlo::Opcode::kConstant && op->literal &&
                          op->shape.IsArray() && op->shape.rank() > 0;
    if (!is_array || op->shape.NumElements() > kMostConstant) continue;
    constants_[terms::ConstantDigest(op->shape.type, BytesInMemory(*op->literal, op->shape))] = op;
  }
}

void TermEvaluator::Begin(ElementValues::LoadFunction load, enclosure::Freedom freedom,
                          int64_t most_steps) {
  load_ = std::move(load);
  freedom_ = freedom;
  steps_ = 0;
  most_steps_ = most_steps;
  out_of_steps_ = false;
  for (Node& node : nodes_) node.evaluated = 0;
}

llvm::Expected<EnclosedScalar> TermEvaluator::Evaluate(Term term) {
  problem_.clear();
  depth_ = 0;
  for (Variable& variable : variables_) variable.is_bound = false;
  const EnclosedScalar value = Value(NodeOf(term));
  if (!problem_.empty()) return MakeError(problem_);
  return value;
}

size_t TermEvaluator::VariableOf(Term term) {
  auto [found, is_new] = variable_of_.try_emplace(term, variables_.size());
  if (is_new) variables_.push_back({term});
  return found->second;
}

TermEvaluator::Node& TermEvaluator::NodeOf(Term term) {
  auto found = node_of_.find(term);
  if (found != node_of_.end()) return *found->second;
  if (++depth_ > kMostDepth) Fail("their values are nested too deep");
  Node node;
  node.term = term;
  if (problem_.empty()) {
    for (const terms::Monomial& m : term->sum) {
      node.args.push_back(&NodeOf(m.atom));
      node.coefficients.push_back(m.coefficient);
    }
    for (Term arg : term->args) node.args.push_back(&NodeOf(arg));
  }
  --depth_;
  Prepare(node);
  nodes_.push_back(std::move(node));
  return *(node_of_[term] = &nodes_.back());
}

// Computes the properties that follow from the term alone.
void TermEvaluator::Prepare(Node& node) {
  const Term term = node.term;
  if (!problem_.empty()) node.problem = problem_;
  if (term->kind == Kind::kVariable) node.free = {VariableOf(term)};
  for (const Node* arg : node.args) {
    node.free.insert(node.free.end(), arg->free.begin(), arg->free.end());
  }
  llvm::sort(node.free);
  node.free.erase(std::unique(node.free.begin(), node.free.end()), node.free.end());
  if (term->kind == Kind::kFold) {
    for (Term variable : term->args.drop_front(2)) node.bound.push_back(VariableOf(variable));
    llvm::erase_if(node.free, [&](size_t v) { return llvm::is_contained(node.bound, v); });
  }
  const bool is_operation = term->kind == Kind::kApply || term->kind == Kind::kFold;
  const bool is_special = term->op() == Op::kFoldByComputation ||
                          term->op() == Op::kResultOfComputation ||
                          term->op() == Op::kElementOfConstant || term->op() == Op::kElements;
  if (!is_operation || is_special) return;
  // A fold applies its operation to two of its values.
  std::vector<PrimitiveType> types;
  if (term->kind == Kind::kFold) {
    types = {term->type, term->type};
  } else {
    for (Term arg : term->args) types.push_back(arg->type);
  }
  auto [found, is_new] =
      operations_.try_emplace({term->op(), term->operation.payload(), term->type, types});
  if (is_new) {
    auto operation = EnclosedOperation::Resolve(term->operation, term->type, types);
    if (operation) {
      found->second = std::move(*operation);
    } else {
      llvm::consumeError(operation.takeError());
    }
  }
  node.operation = found->second;
  if (!node.operation && node.problem.empty())
    node.problem = "no operation " + ToString(term->operation);
}

bool TermEvaluator::IsCurrent(const Node& node) const {
  if (node.evaluated == 0) return false;
  return llvm::all_of(node.free, [&](size_t v) { return variables_[v].since <= node.evaluated; });
}

void TermEvaluator::Evaluate(Node& node) {
  if (out_of_steps_ || ++steps_ > most_steps_) {
    return RunOut();
  }
  if (++depth_ > kMostDepth) Fail("their values are nested too deep");
  if (!node.problem.empty()) Fail(node.problem);
  const bool was_well = problem_.empty();
  if (was_well) {
    switch (node.term->sort()) {
      case terms::Sort::kInteger:
        node.integer = ComputeInteger(node);
        break;
      case terms::Sort::kCondition:
        node.integer = ComputeCondition(node) ? 1 : 0;
        break;
      case terms::Sort::kValue:
        node.value = ComputeValue(node);
        break;
    }
  }
  --depth_;
  // A node that depends on a failed one may be evaluated again where another condition excuses it.
  node.evaluated = problem_.empty() ? now_ : 0;
}

const EnclosedScalar& TermEvaluator::Value(Node& node) {
  if (!IsCurrent(node)) {
    node.value = EnclosedScalar::Whole({node.term->type, {}});
    Evaluate(node);
  }
  return node.value;
}

Int128 TermEvaluator::Integer(Node& node) {
  if (!IsCurrent(node)) Evaluate(node);
  return node.integer;
}

bool TermEvaluator::ConditionOrOpen(Node& node, bool& is_open) {
  const bool holds = Integer(node) != 0;
  is_open = node.is_open;
  return holds;
}

bool TermEvaluator::Condition(Node& node) {
  bool is_open = false;
  const bool holds = ConditionOrOpen(node, is_open);
  if (is_open) Fail("which elements they are made of depends on a rounding");
  return holds;
}

bool TermEvaluator::ComputeCondition(Node& node) {
  node.is_open = false;
  switch (node.term->kind) {
    case Kind::kTrue:
      return true;
    case Kind::kFalse:
      return false;
    case Kind::kAtLeastZero:
      return Integer(*node.args[0]) >= 0;
    case Kind::kIsZero:
      return Integer(*node.args[0]) == 0;
    case Kind::kNot:
      return !ConditionOrOpen(*node.args[0], node.is_open);
    case Kind::kAnd:
      return All(node);
    case Kind::kHolds:
      node.is_open = !Value(*node.args[0]).IsPoint();
      return Value(*node.args[0]).scalar.value.i != 0;
    default:
      Fail("no condition");
      return false;
  }
}

// A choice between predicates is written with conjunctions, which are sorted: a part that is false
// may be what keeps another one from being outside of its array.
bool TermEvaluator::All(Node& node) {
  bool outside = false, all = true;
  for (Node* part : node.args) {
    bool is_open = false;
    const bool holds = ConditionOrOpen(*part, is_open);
    if (out_of_steps_) return false;
    const bool is_known = problem_.empty() && !is_open;
    if (is_known && !holds) {
      node.is_open = false;
      return false;
    }
    node.is_open |= problem_.empty() && is_open;
    all = all && holds;
    outside |= !problem_.empty();
    problem_.clear();
  }
  if (outside) Fail("an element is outside of its array in a condition");
  return all;
}

Int128 TermEvaluator::ComputeInteger(Node& node) {
  const Term term = node.term;
  switch (term->kind) {
    case Kind::kSum: {
      Int128 sum = term->number;
      for (size_t k = 0; k < node.args.size(); ++k) {
        sum += node.coefficients[k] * Integer(*node.args[k]);
      }
      return sum;
    }
    case Kind::kVariable: {
      const Variable& variable = variables_[node.free.front()];
      if (!variable.is_bound) Fail("a free variable " + term->name.str());
      return variable.value;
    }
    case Kind::kQuotient:
      return terms::FloorDiv(Integer(*node.args[0]), term->number);
    case Kind::kMax:
      return std::max(Integer(*node.args[0]), Integer(*node.args[1]));
    case Kind::kProduct: {
      // Only what the product is modulo a power of two is asked for, and it may wrap here.
      unsigned __int128 product = 1;
      for (Node* arg : node.args) product *= static_cast<unsigned __int128>(Integer(*arg));
      return static_cast<Int128>(product);
    }
    case Kind::kPick:
      return Integer(*node.args[Condition(*node.args[0]) ? 1 : 2]);
    case Kind::kInteger:
      if (!Value(*node.args[0]).IsPoint()) Fail("an index depends on a rounding");
      return Value(*node.args[0]).scalar.value.i;
    default:
      Fail("an integer of which nothing is known");
      return 0;
  }
}

EnclosedScalar TermEvaluator::ComputeValue(Node& node) {
  const Term term = node.term;
  const EnclosedScalar nothing = EnclosedScalar::Whole({term->type, {}});
  switch (term->kind) {
    case Kind::kLiteral:
      return EnclosedScalar::Point(compare::OfBits(term->number, term->type));
    case Kind::kLoad: {
      const Int128 position = Integer(*node.args[0]);
      if (!problem_.empty()) return nothing;
      if (position < 0 || position > std::numeric_limits<int64_t>::max()) {
        Fail("an element is outside of its array");
        return nothing;
      }
      EnclosedScalar loaded =
          load_(static_cast<int64_t>(term->number), static_cast<int64_t>(position));
      if (loaded.scalar.type == PrimitiveType::kInvalid) Fail("an element is outside of its array");
      return loaded.scalar.type == term->type ? loaded : nothing;
    }
    case Kind::kOfInteger:
      return EnclosedScalar::Point(OfInteger(Integer(*node.args[0]), term->type));
    case Kind::kOfCondition: {
      bool is_open = false;
      const bool holds = ConditionOrOpen(*node.args[0], is_open);
      const TypedScalar value{PrimitiveType::kPred, {.i = holds}};
      return is_open ? EnclosedScalar::Whole(value) : EnclosedScalar::Point(value);
    }
    case Kind::kApply:
      return Applied(node);
    case Kind::kSelect:
      return Selected(node);
    case Kind::kFold: {
      Running folded = Folded(node, {node.args[1]}, {}, node);
      return folded.empty() ? EnclosedScalar::Point(NeutralOf(term->op(), term->type))
                            : folded.front();
    }
    default:
      Fail("a value of which nothing is known");
      return nothing;
  }
}

EnclosedScalar TermEvaluator::Selected(Node& node) {
  bool is_open = false;
  const bool holds = ConditionOrOpen(*node.args[0], is_open);
  EnclosedScalar chosen = Value(*node.args[holds ? 1 : 2]);
  if (is_open) {
    const enclosure::Enclosure& other = Value(*node.args[holds ? 2 : 1]).enclosure;
    chosen.enclosure = enclosure::Hull(node.term->type, chosen.enclosure, other);
  }
  return chosen;
}

EnclosedScalar TermEvaluator::Applied(Node& node) {
  const Term term = node.term;
  const EnclosedScalar nothing = EnclosedScalar::Whole({term->type, {}});
  if (term->op() == Op::kElementOfConstant) return ElementOfConstant(node);
  if (term->op() == Op::kRounded) return Value(*node.args[0]);
  if (term->op() == Op::kResultOfComputation) {
    Running initial;
    for (Node* arg : llvm::ArrayRef(node.args).drop_back()) initial.push_back(Value(*arg));
    Node& fold = *node.args.back();
    if (fold.term->kind != Kind::kFold) {
      Fail("no fold");
      return nothing;
    }
    Running folded = Folded(fold, fold.args[1]->args, std::move(initial), fold);
    const auto leaf = static_cast<size_t>(term->operation.leaf());
    return leaf < folded.size() ? folded[leaf] : nothing;
  }
  // A fold takes its elements one by one, from the other operand on, as the interpreter does.
  for (size_t k : {1, 0}) {
    if (node.args.size() != 2 || node.args[k]->term->kind != Kind::kFold) continue;
    Node& fold = *node.args[k];
    if (fold.term->operation != term->operation || fold.term->type != term->type) continue;
    Running folded = Folded(fold, {fold.args[1]}, {Value(*node.args[1 - k])}, fold);
    return folded.empty() ? nothing : folded.front();
  }
  llvm::SmallVector<EnclosedScalar, 3> args;
  for (Node* arg : node.args) args.push_back(Value(*arg));
  return problem_.empty() ? node.operation->Apply(args, freedom_) : nothing;
}

EnclosedScalar TermEvaluator::ElementOfConstant(Node& node) {
  const EnclosedScalar nothing = EnclosedScalar::Whole({node.term->type, {}});
  auto found = constants_.find(node.term->operation.digest().str());
  if (!Value(*node.args[0]).IsPoint()) Fail("an index depends on a rounding");
  const int64_t position = Value(*node.args[0]).scalar.value.i;
  if (found == constants_.end() || position < 0 || position >= found->second->shape.NumElements()) {
    Fail(found == constants_.end() ? "a large constant array"
                                   : "an element is outside of its array");
    return nothing;
  }
  const hlo::Shape& shape = found->second->shape;
  const int64_t linear = LinearAtPosition(shape, position);
  return EnclosedScalar::Point(
      compare::OfScalar(shape.type, hlo::Load(*found->second->literal, linear)));
}

}  // namespace affirm::driver
