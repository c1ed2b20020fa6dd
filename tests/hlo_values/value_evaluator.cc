#include "tests/hlo_values/value_evaluator.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/hlo/float_format.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/reference/interpreter.h"
#include "verify/scalar/scalar.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/range.h"

namespace affirm {

using compare::OfInteger;
using compare::OfScalar;
using hlo::PrimitiveType;
using hlo::Scalar;
using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

// The identity of the operation: combined with x it gives x.
TypedScalar Neutral(Op op, PrimitiveType type) {
  int64_t width = terms::IntegerWidth(type);
  if (width == 0) {
    double inf = std::numeric_limits<double>::infinity();
    double value = op == Op::kAdd        ? -0.0
                   : op == Op::kMultiply ? 1
                   : op == Op::kMaximum  ? -inf
                                         : inf;
    return {type, {.re = value}};
  }
  Int128 half = Int128{1} << (width - 1);
  if (op == Op::kMultiply) return OfInteger(1, type);
  if (op == Op::kAnd || op == Op::kMinimumUnsigned) return OfInteger(-1, type);
  if (op == Op::kMaximum) return OfInteger(-half, type);
  if (op == Op::kMinimum) return OfInteger(half - 1, type);
  return OfInteger(0, type);
}

}  // namespace

ValueWorld::ValueWorld(const hlo::Module& module, llvm::ArrayRef<hlo::Literal> arguments)
    : module_(module) {
  std::function<void(const hlo::Shape&, const hlo::Literal&)> add =
      [&](const hlo::Shape& shape, const hlo::Literal& literal) {
        if (shape.IsArray()) buffers_.push_back({&literal, &shape});
        for (size_t k = 0; k < shape.tuple.size(); ++k) add(shape.tuple[k], literal.tuple()[k]);
      };
  for (size_t k = 0; k < arguments.size(); ++k)
    add(module.entry->parameters[k]->shape, arguments[k]);
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      if (op->opcode != hlo::Opcode::kConstant || !op->literal || !op->shape.IsArray()) continue;
      Buffer buffer{&*op->literal, &op->shape};
      std::vector<uint8_t> bytes;
      size_t size = hlo::ByteWidth(op->shape.type);
      for (int64_t i = 0; i < op->literal->NumElements(); ++i) {
        const uint8_t* from = op->literal->data() + LinearAt(buffer, i) * size;
        bytes.insert(bytes.end(), from, from + size);
      }
      constants_[terms::ConstantDigest(op->shape.type, bytes)] = buffer;
      // Small elements are written with the bytes that they are in.
      if (hlo::BitWidth(op->shape.type) <= 8 && op->shape.type != PrimitiveType::kPred)
        constants_[terms::ConstantDigest(PrimitiveType::kS8, bytes)] = buffer;
    }
  }
}

TypedScalar ValueWorld::Element(const hlo::Literal& literal, int64_t linear) {
  return OfScalar(literal.shape().type, hlo::Load(literal, linear));
}

int64_t ValueWorld::LinearAt(const Buffer& buffer, int64_t position) {
  std::vector<int64_t> index(buffer.shape->dims.size());
  for (int64_t d : buffer.shape->MinorToMajor()) {
    index[d] = position % buffer.shape->dims[d];
    position /= buffer.shape->dims[d];
  }
  return buffer.literal->Linear(index);
}

TypedScalar ValueWorld::Load(int64_t buffer, Int128 position) {
  const Buffer& from = buffers_.at(buffer);
  if (position < 0 || position >= from.literal->NumElements()) {
    Complain("element " + terms::ToString(position) + " of buffer " + std::to_string(buffer) +
             " is outside");
    return {terms::TermType(from.shape->type), {}};
  }
  return Element(*from.literal, LinearAt(from, static_cast<int64_t>(position)));
}

TypedScalar ValueWorld::Apply(const terms::Operation& operation, PrimitiveType type,
                              llvm::ArrayRef<TypedScalar> args) {
  if (operation.op() == Op::kElementOfConstant) {
    auto found = constants_.find(operation.digest().str());
    if (found == constants_.end()) {
      Complain("no array is " + ToString(operation));
      return {type, {}};
    }
    const hlo::Literal& literal = *found->second.literal;
    if (args[0].value.i < 0 || args[0].value.i >= literal.NumElements()) {
      Complain("an element of a constant is outside");
      return {type, {}};
    }
    const int64_t linear = LinearAt(found->second, args[0].value.i);
    if (type == PrimitiveType::kS8)
      return {type, {.i = static_cast<int8_t>(literal.data()[linear])}};
    return Element(literal, linear);
  }
  // Poison beyond the integer's range, and a conversion that saturates inside of it.
  if (operation.op() == Op::kConvertInRange) return Apply(Op::kConvert, type, args);
  if (operation.op() == Op::kConvertInRangeUnsigned) return Apply(Op::kConvertUnsigned, type, args);
  if (operation.op() == Op::kCopysign)
    return compare::ScalarOperations::BeyondOpcodes(Op::kCopysign, type)(args);
  auto value = operations_.Apply(operation, type, args);
  if (value) return *value;
  Complain(llvm::toString(value.takeError()));
  return {type, {}};
}

std::vector<TypedScalar> ValueWorld::Call(llvm::StringRef computation,
                                          llvm::ArrayRef<TypedScalar> args) {
  const hlo::Computation* callee = module_.FindComputation(computation);
  std::vector<hlo::Literal> literals;
  for (size_t k = 0; k < args.size(); ++k) {
    literals.emplace_back(callee->parameters[k]->shape);
    hlo::Store(literals.back(), 0, compare::AsType(args[k], callee->parameters[k]->shape.type));
  }
  auto result = hlo::Interpret(*callee, literals);
  std::vector<TypedScalar> values;
  if (!result) {
    Complain(llvm::toString(result.takeError()));
    return std::vector<TypedScalar>(args.begin(), args.begin() + args.size() / 2);
  }
  if (!result->shape().IsTuple()) return {Element(*result, 0)};
  for (const hlo::Literal& leaf : result->tuple()) values.push_back(Element(leaf, 0));
  return values;
}

TypedScalar ValueEvaluator::Value(Term term) {
  auto found = values_.find(term);
  if (found != values_.end()) return found->second;
  TypedScalar value = ValueOf(term);
  values_[term] = value;
  return value;
}

Int128 ValueEvaluator::Integer(Term term) {
  auto found = integers_.find(term);
  if (found != integers_.end()) return found->second;
  Int128 value = IntegerOf(term);
  integers_[term] = value;
  return value;
}

bool ValueEvaluator::Condition(Term term) {
  switch (term->kind) {
    case Kind::kTrue:
      return true;
    case Kind::kFalse:
      return false;
    case Kind::kAtLeastZero:
      return Integer(term->args[0]) >= 0;
    case Kind::kIsZero:
      return Integer(term->args[0]) == 0;
    case Kind::kNot:
      return !Condition(term->args[0]);
    case Kind::kAnd:
      return All(term->args);
    case Kind::kHolds:
      return Value(term->args[0]).value.i != 0;
    default:
      world_.Complain("no condition: " + terms::ToString(term));
      return false;
  }
}

// A choice between predicates is written with conjunctions, which are sorted: a part that is false
// may be what keeps another one from being outside of its array.
bool ValueEvaluator::All(llvm::ArrayRef<Term> conditions) {
  const std::string problem = world_.problem;
  bool all = true, is_false = false, outside = false;
  for (Term condition : conditions) {
    world_.problem.clear();
    bool holds = Condition(condition);
    is_false |= !holds && world_.problem.empty();
    outside |= !world_.problem.empty();
    all &= holds && world_.problem.empty();
  }
  if (outside) {
    // Forgets values outside, so that they are noticed where nothing excuses them.
    values_.clear();
    integers_.clear();
  }
  world_.problem = problem;
  if (!all && !is_false) world_.Complain("an element is outside in a condition");
  return all;
}

Int128 ValueEvaluator::IntegerOf(Term term) {
  const auto args = term->args;
  switch (term->kind) {
    case Kind::kSum: {
      Int128 sum = term->number;
      for (const terms::Monomial& m : term->sum) sum += m.coefficient * Integer(m.atom);
      return sum;
    }
    case Kind::kVariable: {
      auto found = variables_.find(term);
      if (found != variables_.end()) return found->second;
      world_.Complain("a free variable: " + term->name.str());
      return 0;
    }
    case Kind::kQuotient:
      return terms::FloorDiv(Integer(args[0]), term->number);
    case Kind::kMax:
      return std::max(Integer(args[0]), Integer(args[1]));
    case Kind::kProduct: {
      // Only what the product is modulo a power of two is asked for, and it may wrap here.
      unsigned __int128 product = 1;
      for (Term arg : args) product *= static_cast<unsigned __int128>(Integer(arg));
      return static_cast<Int128>(product);
    }
    case Kind::kPick:
      return Integer(args[Condition(args[0]) ? 1 : 2]);
    case Kind::kInteger:
      return Value(args[0]).value.i;
    case Kind::kUnknown:
      world_.unknown = true;
      return 0;
    default:
      world_.Complain("no integer: " + terms::ToString(term));
      return 0;
  }
}

TypedScalar ValueEvaluator::ValueOf(Term term) {
  switch (term->kind) {
    case Kind::kLiteral:
      return compare::OfBits(term->number, term->type);
    case Kind::kLoad:
      return world_.Load(static_cast<int64_t>(term->number), Integer(term->args[0]));
    case Kind::kOfInteger:
      return OfInteger(Integer(term->args[0]), term->type);
    case Kind::kOfCondition:
      return {PrimitiveType::kPred, {.i = Condition(term->args[0])}};
    case Kind::kApply:
      return Applied(term);
    case Kind::kSelect:
      return Value(term->args[Condition(term->args[0]) ? 1 : 2]);
    case Kind::kFold:
      return Folded(term, nullptr);
    case Kind::kArbitrary:
      world_.unknown = true;
      return {term->type, {}};
    default:
      world_.Complain("no value: " + terms::ToString(term));
      return {term->type, {}};
  }
}

TypedScalar ValueEvaluator::Applied(Term term) {
  if (term->op() == Op::kResultOfComputation) return FoldedByComputation(term);
  // A fold takes its elements one by one, from the other operand on, as the interpreter does.
  for (size_t k : {1, 0}) {
    if (term->args.size() != 2 || term->args[k]->kind != Kind::kFold) continue;
    if (term->args[k]->operation != term->operation) continue;
    TypedScalar running = Value(term->args[1 - k]);
    return Folded(term->args[k], &running);
  }
  std::vector<TypedScalar> args;
  for (Term arg : term->args) args.push_back(Value(arg));
  return world_.Apply(term->operation, term->type, args);
}

void ValueEvaluator::ForEach(Term fold, llvm::function_ref<void(ValueEvaluator&)> take) {
  llvm::ArrayRef<Term> variables = fold->args.drop_front(2);
  std::vector<Int128> at;
  for (Term v : variables) at.push_back(v->range.lo);
  while (true) {
    auto inner = variables_;
    for (size_t k = 0; k < at.size(); ++k) inner[variables[k]] = at[k];
    ValueEvaluator evaluator(world_, std::move(inner));
    if (evaluator.Condition(fold->args[0])) take(evaluator);
    size_t k = at.size();
    while (k > 0 && ++at[k - 1] > variables[k - 1]->range.hi) {
      at[k - 1] = variables[k - 1]->range.lo;
      --k;
    }
    if (k == 0) return;
  }
}

TypedScalar ValueEvaluator::Folded(Term fold, const TypedScalar* running) {
  std::optional<TypedScalar> result;
  if (running) result = *running;
  ForEach(fold, [&](ValueEvaluator& inner) {
    TypedScalar value = inner.Value(fold->args[1]);
    result = result ? world_.Apply(fold->operation, fold->type, {*result, value}) : value;
  });
  return result ? *result : Neutral(fold->op(), fold->type);
}

TypedScalar ValueEvaluator::FoldedByComputation(Term term) {
  std::vector<TypedScalar> running;
  for (Term init : term->args.drop_back()) running.push_back(Value(init));
  Term fold = term->args.back();
  ForEach(fold, [&](ValueEvaluator& inner) {
    std::vector<TypedScalar> args = running;
    for (Term element : fold->args[1]->args) args.push_back(inner.Value(element));
    running = world_.Call(term->operation.computation(), args);
  });
  return running[static_cast<size_t>(term->operation.leaf())];
}

}  // namespace affirm
