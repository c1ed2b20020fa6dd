// Rules of equality.
#include "verify/logic/inference.h"

#include <algorithm>
#include <cassert>

#include "llvm/ADT/STLExtras.h"
#include "verify/logic/nan_bits.h"

namespace affirm::logic {

using terms::Kind;
using terms::Sort;
using terms::Term;

namespace {

Equality Weaker(Equality a, Equality b) { return std::min(a, b); }

// Whether two terms are equal except for their operands.
bool SameButOperands(Term a, Term b) {
  return a->kind == b->kind && a->type == b->type && a->number == b->number &&
         a->operation == b->operation && a->args.size() == b->args.size() && !a->args.empty();
}

// Whether `is_wanted` holds for any term in the theorem.
bool AnyPartOf(const Theorem& theorem, llvm::function_ref<bool(Term)> is_wanted) {
  return terms::AnyPart(theorem.left(), is_wanted) || terms::AnyPart(theorem.right(), is_wanted) ||
         llvm::any_of(theorem.facts().conditions(),
                      [&](Term fact) { return terms::AnyPart(fact, is_wanted); });
}

}  // namespace

Theorem Inference::Make(Facts facts, Term left, Term right, Equality equality, Oracles oracles) {
  assert(left->sort() == right->sort() && left->type == right->type);
  if (!MayBeNan(left)) equality = Equality::kBits;
  return Theorem(Theorem::Node{.facts = std::move(facts),
                               .left = left,
                               .right = right,
                               .equality = equality,
                               .oracles = oracles});
}

Theorem Inference::Reflexivity(Term t) { return Make({}, t, t, Equality::kBits, {}); }

Theorem Inference::Symmetry(const Theorem& theorem) {
  return Make(theorem.facts(), theorem.right(), theorem.left(), theorem.equality(),
              theorem.oracles());
}

Inference::Result Inference::Transitivity(const Theorem& first, const Theorem& second) {
  if (first.right() != second.left()) return std::nullopt;
  Oracles oracles = first.oracles();
  oracles.Add(second.oracles());
  return Make(first.facts().Join(second.facts()), first.left(), second.right(),
              Weaker(first.equality(), second.equality()), oracles);
}

Theorem Inference::Weaken(const Theorem& theorem, const Facts& more) {
  return Make(theorem.facts().Join(more), theorem.left(), theorem.right(), theorem.equality(),
              theorem.oracles());
}

Inference::Result Inference::OperandEquality(const Result& premise, Term a, Term b) {
  if (!premise) return a == b ? Result(Reflexivity(a)) : std::nullopt;
  return premise->States(a, b) ? premise : std::nullopt;
}

Inference::Result Inference::Congruence(Term a, Term b, llvm::ArrayRef<Result> operands,
                                        Order order) {
  const bool has_rule = a->kind != Kind::kSum && a->kind != Kind::kFold;
  if (!has_rule || !SameButOperands(a, b) || operands.size() != a->args.size()) return std::nullopt;
  const bool swapped = order == Order::kSwapped;
  if (swapped && (a->kind != Kind::kApply || a->args.size() != 2 || !IsCommutative(a->op())))
    return std::nullopt;
  Facts facts;
  Oracles oracles;
  Equality equality = Equality::kBits;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Result equal = OperandEquality(operands[i], a->args[i], b->args[swapped ? 1 - i : i]);
    if (!equal) return std::nullopt;
    if (!MayReplace(a, i, equal->equality())) return std::nullopt;
    facts = facts.Join(equal->facts());
    oracles.Add(equal->oracles());
    equality = Weaker(equality, AfterReplacing(a, i, equal->equality()));
  }
  return Make(std::move(facts), a, b, equality, oracles);
}

Inference::Result Inference::Rebuilt(Term t, llvm::ArrayRef<Result> operands) {
  const bool is_sum = t->kind == Kind::kSum;
  if (operands.empty() || operands.size() != (is_sum ? t->sum.size() : t->args.size()))
    return std::nullopt;
  llvm::SmallVector<Term, 4> parts;
  Facts facts;
  Oracles oracles;
  Equality equality = Equality::kBits;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    const Term part = is_sum ? t->sum[i].atom : t->args[i];
    parts.push_back(operand ? operand->right() : part);
    if (!operand) continue;
    if (operand->left() != part) return std::nullopt;
    if (!MayReplace(t, i, operand->equality())) return std::nullopt;
    facts = facts.Join(operand->facts());
    oracles.Add(operand->oracles());
    equality = Weaker(equality, AfterReplacing(t, i, operand->equality()));
  }
  if (t->kind == Kind::kFold) {
    const llvm::ArrayRef<Term> variables = t->args.drop_front(2);
    if (variables != llvm::ArrayRef(parts).drop_front(2) ||
        llvm::any_of(variables, [&](Term variable) { return facts.Mention(variable); })) {
      return std::nullopt;
    }
  }
  llvm::SmallVector<terms::Monomial, 8> sum;
  for (auto [monomial, part] : llvm::zip(t->sum, parts))
    sum.push_back({monomial.coefficient, part});
  const Term written = is_sum ? pool_.Sum(t->number, sum) : pool_.WithArgs(t, parts);
  if (written->sort() != t->sort() || written->type != t->type) return std::nullopt;
  return Make(std::move(facts), t, written, equality, oracles);
}

Inference::Result Inference::Mapped(Function function, const Theorem& theorem) {
  const Term of = theorem.left();
  const bool is_condition = of->sort() == Sort::kCondition;
  const bool is_value = of->sort() == Sort::kValue;
  auto map = [&](auto f) -> Result {
    return Make(theorem.facts(), f(of), f(theorem.right()), Equality::kBits, theorem.oracles());
  };
  switch (function) {
    case Function::kNot:
      if (!is_condition) return std::nullopt;
      return map([&](Term t) { return pool_.Not(t); });
    case Function::kHolds:
      if (!is_value || of->type != hlo::PrimitiveType::kPred) return std::nullopt;
      return map([&](Term t) { return pool_.Holds(t); });
    case Function::kOfCondition:
      if (!is_condition) return std::nullopt;
      return map([&](Term t) { return pool_.OfCondition(t); });
    case Function::kIntegerOf:
      if (!is_value || terms::IntegerWidth(of->type) == 0) return std::nullopt;
      return map([&](Term t) { return pool_.IntegerOf(t); });
  }
  return std::nullopt;
}

Inference::Result Inference::FoldCongruence(Term a, Term b, const Theorem& condition,
                                            const Theorem& value) {
  if (a->kind != Kind::kFold || !SameButOperands(a, b)) return std::nullopt;
  const llvm::ArrayRef<Term> variables = a->args.drop_front(2);
  if (variables != b->args.drop_front(2)) return std::nullopt;
  if (!condition.States(a->args[0], b->args[0]) || !value.States(a->args[1], b->args[1]))
    return std::nullopt;
  if (!MayReplace(a, 1, value.equality())) return std::nullopt;
  Facts facts = condition.facts().Join(value.facts().Without(a->args[0]));
  if (llvm::any_of(variables, [&](Term variable) { return facts.Mention(variable); }))
    return std::nullopt;
  Oracles oracles = condition.oracles();
  oracles.Add(value.oracles());
  return Make(std::move(facts), a, b, value.equality(), oracles);
}

Inference::Result Inference::Instance(const Theorem& theorem, Term variable, Term integer) {
  if (variable->kind != Kind::kVariable || integer->sort() != Sort::kInteger) return std::nullopt;
  const bool stays = integer->range.lo >= variable->range.lo &&
                     integer->range.hi <= variable->range.hi && !integer->range.empty();
  if (!stays) return std::nullopt;
  // An unknown term may depend on the variable.
  auto is_open = [](Term part) {
    return part->kind == Kind::kUnknown || part->kind == Kind::kArbitrary;
  };
  auto is_bound = [&](Term part) {
    return part->kind == Kind::kFold && llvm::any_of(part->args.drop_front(2), [&](Term bound) {
             return bound == variable ||
                    terms::AnyPart(integer, [&](Term of) { return of == bound; });
           });
  };
  auto is_refused = [&](Term part) { return is_open(part) || is_bound(part); };
  if (AnyPartOf(theorem, is_refused) || terms::AnyPart(integer, is_open)) return std::nullopt;
  terms::Scope plain(pool_);  // without facts
  const llvm::DenseMap<Term, Term> replaced = {{variable, integer}};
  std::vector<Term> facts;
  for (Term fact : theorem.facts().conditions()) facts.push_back(plain.Substitute(fact, replaced));
  return Make(Facts(facts), plain.Substitute(theorem.left(), replaced),
              plain.Substitute(theorem.right(), replaced), theorem.equality(), theorem.oracles());
}

std::string ToString(const Theorem& theorem) {
  constexpr size_t kMost = 200;
  std::string text = "{";
  for (Term fact : theorem.facts().conditions())
    text += (text.size() == 1 ? "" : ", ") + terms::ToString(fact, kMost);
  text += "} |- " + terms::ToString(theorem.left(), kMost) + " = " +
          terms::ToString(theorem.right(), kMost);
  if (!theorem.oracles().empty()) text += "  (" + ToString(theorem.oracles()) + ")";
  return text;
}

}  // namespace affirm::logic
