// reduce, and the combination of initial values with folds.
#include <algorithm>

#include "core/hlo/fold_opcodes.h"
#include "core/hlo/leaves.h"
#include "verify/hlo/values/op_values.h"
#include "verify/scalar/nan_bits.h"
#include "verify/terms/fold_laws.h"

namespace affirm::hlo_values {

namespace {

using hlo::Opcode;
using terms::Op;

// A fold without variables has one element, or none if its condition does not hold.
Value WithoutVariables(const Query& q, Term condition, Term one, Term none) {
  return q.Choose(condition, [&]() -> Value { return one; }, [&]() -> Value { return none; });
}

// The fold by a combiner; nullopt where nothing says what the combiner does.
std::optional<terms::Operation> FoldBy(const Query& q, const hlo::Computation& combiner,
                                       std::string& name) {
  ComputationValues::NamedCombiner named = {combiner.name, true};
  if (q.builder.combiner_names) named = q.builder.combiner_names(combiner);
  name = named.name;
  if (name.empty()) return std::nullopt;
  const auto fold = terms::Operation::FoldByComputation(
      name, named.takes_any_order ? Opcode::kUnknown : q.op.opcode);
  return hlo::SeesBitsOfNaN(combiner) ? fold : fold.TakingNansForOne();
}

// A combiner that is a computation of its own: the operation takes the initial values and the fold,
// and gives one of its results.
Value FoldedByComputation(const Query& q, const ReduceParts& parts) {
  Pool& pool = q.pool();
  std::string name;  // which the operation refers to
  const auto fold = FoldBy(q, *parts.combiner, name);
  if (!fold) return NoValueTerm(q.op);
  Term elements = pool.Apply(Op::kElements, parts.values[0]->type, parts.values);
  std::vector<Term> args = parts.inits;
  args.push_back(q.Fold(*fold, parts.condition, elements, parts.variables));
  return pool.Apply(terms::Operation::ResultOf(*fold, q.leaf), terms::TermType(q.shape().type),
                    args);
}

bool IsConvert(const hlo::Instruction* op) {
  return op->opcode == Opcode::kConvert && hlo::IsFloat(op->shape.type);
}

// The operation of a combiner in a narrower type: where a device has none on bf16, XLA writes
//
//   (a, b) -> convert(maximum(convert(a), convert(b)))
//
// of f32, which is the operation on bf16 where a and b are bf16. Null for other combiners.
const hlo::Instruction* NarrowCombiner(const hlo::Computation& combiner) {
  if (combiner.parameters.size() != 2 || !IsConvert(combiner.root)) return nullptr;
  const hlo::Instruction* op = combiner.root->operands[0];
  if (!hlo::FoldsInAnyOrder(op->opcode) || op->operands.size() != 2 ||
      !hlo::IsFloat(op->shape.type))
    return nullptr;
  const bool converts = llvm::all_of(op->operands, [&](const hlo::Instruction* operand) {
    return IsConvert(operand) && operand->operands[0]->opcode == Opcode::kParameter;
  });
  const bool of_both = converts && op->operands[0]->operands[0]->parameter_number !=
                                       op->operands[1]->operands[0]->parameter_number;
  return of_both ? op : nullptr;
}

// The fold of such a combiner, in the narrower type. Null if its value may differ: without values
// it is the initial value, which need not be of that type.
Term FoldedNarrow(const Query& q, const ReduceParts& parts) {
  const hlo::Instruction* op = NarrowCombiner(*parts.combiner);
  if (!op || parts.values.size() != 1) return nullptr;
  Pool& pool = q.pool();
  const hlo::PrimitiveType type = op->shape.type, wide = q.shape().type;
  auto narrow = [&](Term value) { return terms::Convert(q.scope(), value, wide, type); };
  auto widened = [&](Term value) { return terms::Convert(q.scope(), value, type, wide); };
  Term init = narrow(parts.inits[0]), fold = narrow(parts.values[0]);
  if (!parts.variables.empty()) {
    fold = q.Fold(terms::FoldOpOf(op->opcode, type), parts.condition, fold, parts.variables);
  } else if (parts.condition != pool.True()) {
    return nullptr;
  }
  if (widened(init) != parts.inits[0] || narrow(widened(fold)) != fold) return nullptr;
  Term combined = Binary(q.scope(), op->opcode, type, init, fold);
  return combined ? widened(combined) : nullptr;
}

// Whether the order of a reduction, which is one for all of its results, is seen in several: in a
// sum or product that rounds, and in another one or in what only the combiner says. Folds of their
// own would have an order each.
bool HasOneOrderForResults(const hlo::Instruction& reduction) {
  size_t round = 0, unknown = 0;
  for (int64_t leaf = 0; leaf < hlo::NumLeaves(reduction.shape); ++leaf) {
    const Opcode opcode = SimpleCombiner(*reduction.called[0], leaf);
    const hlo::PrimitiveType type = hlo::LeafShape(reduction.shape, leaf)->type;
    if (opcode == Opcode::kUnknown)
      ++unknown;
    else if (terms::RoundsInOrder(terms::FoldOpOf(opcode, type), terms::TermType(type)))
      ++round;
  }
  return round > 0 && round + unknown > 1;
}

// The result at one element where the initial values are combined once.
Value FoldedOnce(const Query& q, const ReduceParts& parts);

}  // namespace

Opcode SimpleCombiner(const hlo::Computation& combiner, int64_t leaf) {
  const int64_t arity = std::ssize(combiner.parameters) / 2;
  const hlo::Instruction* root = combiner.root;
  if (root->opcode == Opcode::kTuple) root = root->operands[leaf];
  if (!hlo::FoldsInAnyOrder(root->opcode) || root->operands.size() != 2 || !root->shape.IsScalar())
    return Opcode::kUnknown;
  auto is_parameter = [&](const hlo::Instruction* operand, int64_t number) {
    return operand->opcode == Opcode::kParameter && operand->parameter_number == number;
  };
  for (int64_t first : {0, 1}) {
    if (is_parameter(root->operands[first], leaf) &&
        is_parameter(root->operands[1 - first], arity + leaf)) {
      return root->opcode;
    }
  }
  return Opcode::kUnknown;
}

std::optional<bool> StartFromIdentities(const hlo::Instruction& reduction,
                                        llvm::ArrayRef<Term> inits) {
  const hlo::Computation& combiner = *reduction.called[0];
  const hlo::Instruction* narrow = NarrowCombiner(combiner);
  std::optional<bool> all = true;
  for (auto [k, init] : llvm::enumerate(inits)) {
    const auto leaf = static_cast<int64_t>(k);
    Opcode opcode = SimpleCombiner(combiner, leaf);
    if (opcode == Opcode::kUnknown && narrow) opcode = narrow->opcode;
    if (opcode == Opcode::kUnknown) continue;
    const hlo::PrimitiveType type = hlo::LeafShape(reduction.shape, leaf)->type;
    const auto one = terms::MayBeAnyNumberOfTimes(terms::FoldOpOf(opcode, type), init);
    if (one == false) return false;
    if (!one) all = std::nullopt;
  }
  return all;
}

// Whether floats are combined in the type of the result. XLA lets a reduction's operands and its
// combiner differ in their precision (ShapeInference::InferReduceShape), and converts them.
static bool IsOfOneType(const Query& q, const ReduceParts& parts) {
  for (auto [k, value] : llvm::enumerate(parts.values)) {
    const hlo::PrimitiveType type = hlo::LeafShape(q.op.shape, static_cast<int64_t>(k))->type;
    const bool rounds = hlo::IsFloat(type) || hlo::IsComplex(type);
    if (rounds && (value->type != type || parts.inits[k]->type != type)) return false;
  }
  return true;
}

Value Folded(const Query& q, const ReduceParts& parts) {
  if (!IsOfOneType(q, parts)) return NoValueTerm(q.op);
  if (parts.condition == q.pool().False()) return parts.inits[q.leaf];
  Value value = FoldedOnce(q, parts);
  if (!value || !q.builder.hides) return value;
  const bool hides_possible = *q.builder.hides == ComputationValues::OpenReductions::kPossible;
  if (StartFromIdentities(q.op, parts.inits).value_or(!hides_possible)) return value;
  if (q.builder.first_hidden == nullptr) q.builder.first_hidden = &q.op;
  return q.pool().Apply(Op::kOpenReduction, (*value)->type, {*value});
}

namespace {

Value FoldedOnce(const Query& q, const ReduceParts& parts) {
  Term init = parts.inits[q.leaf];
  if (Term narrow = FoldedNarrow(q, parts)) return narrow;
  const Opcode opcode = SimpleCombiner(*parts.combiner, q.leaf);
  if (opcode == Opcode::kUnknown || HasOneOrderForResults(q.op))
    return FoldedByComputation(q, parts);
  Term value = parts.values[q.leaf];
  const hlo::PrimitiveType type = q.shape().type;
  if (parts.variables.empty()) {
    Term combined = Binary(q.scope(), opcode, type, init, value);
    if (!combined) return NoValueTerm(q.op);
    return WithoutVariables(q, parts.condition, combined, init);
  }
  Term fold = q.Fold(terms::FoldOpOf(opcode, type), parts.condition, value, parts.variables);
  Term combined = Binary(q.scope(), opcode, type, init, fold);
  if (!combined) return NoValueTerm(q.op);
  return combined;
}

}  // namespace

// The first half of the operands are the arrays, the second their initial values. An array without
// elements in a reduced dimension gives the initial value.
llvm::Expected<ReduceParts> PartsOfReduce(const Query& q) {
  Pool& pool = q.pool();
  const size_t arity = q.op.operands.size() / 2;
  std::vector<int64_t> reduced = q.op.attributes.dimensions;
  std::sort(reduced.begin(), reduced.end());
  ReduceParts parts{.condition = pool.True(), .combiner = q.op.called[0]};
  Index index;
  size_t kept = 0;
  for (int64_t d = 0; d < q.operand(0).rank(); ++d) {
    if (!llvm::is_contained(reduced, d)) {
      index.push_back(q.index[kept++]);
      continue;
    }
    const int64_t size = q.operand(0).dims[d];
    if (size == 0) parts.condition = pool.False();
    index.push_back(size == 0 ? pool.Number(0)
                              : q.Variable(static_cast<int64_t>(index.size() - kept), size));
    if (size > 1) parts.variables.push_back(index.back());
  }
  for (size_t k = 0; k < arity; ++k) {
    Value init = q.Operand(static_cast<int64_t>(arity + k), {});
    if (!init) return init.takeError();
    parts.inits.push_back(*init);
    if (parts.condition == pool.False()) continue;
    Value value = q.Operand(static_cast<int64_t>(k), index);
    if (!value) return value.takeError();
    parts.values.push_back(*value);
  }
  return parts;
}

Value Reduce(const Query& q) {
  auto parts = PartsOfReduce(q);
  if (!parts) return parts.takeError();
  return Folded(q, *parts);
}

}  // namespace affirm::hlo_values
