#include "verify/terms/query.h"

#include <optional>

#include "core/symbolic/context.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "verify/terms/range.h"

namespace affirm::terms {

namespace {

// Limits of a query.
constexpr size_t kMostVariables = 40;
constexpr int kDeepest = 200;
// Nodes of the query as a tree: formulas do not share parts, as terms do.
constexpr int kMostTerms = 4000;

bool FitsInt64(Int128 v) { return v >= INT64_MIN && v <= INT64_MAX; }

// Writes conditions as formulas over the variables of one query.
class QueryWriter {
 public:
  explicit QueryWriter(Scope& scope) : scope_(scope) { query_.context = &context_; }

  std::optional<Formula> Condition(Term condition);
  // Constraints on the variables beside their bounds.
  std::vector<Formula>& sides() { return sides_; }
  // The term of each variable, in order.
  const std::vector<Term>& variables() const { return variables_; }
  // Whether the condition shares a variable with the query.
  bool Mentions(Term condition) const;
  SolverQuery Take(Formula claim) {
    query_.claim = std::move(claim);
    return query_;
  }

 private:
  std::optional<SymbolicExpr> Integer(Term term);
  std::optional<SymbolicExpr> Sum(Term term);
  std::optional<SymbolicExpr> Choice(Term term);
  // A variable that stands for the term.
  std::optional<SymbolicExpr> Variable(Term term, Range range);
  std::optional<SymbolicExpr> Number(Int128 number) {
    if (!FitsInt64(number)) return std::nullopt;
    return context_.Constant(static_cast<int64_t>(number));
  }

  Scope& scope_;
  Context context_;
  SolverQuery query_;
  std::vector<Formula> sides_;
  std::vector<Term> variables_;
  llvm::DenseMap<Term, SymbolicExpr> known_;
  int depth_ = 0, terms_ = 0;
};

std::optional<SymbolicExpr> QueryWriter::Variable(Term term, Range range) {
  if (!FitsInt64(range.lo) || !FitsInt64(range.hi) || query_.variables.size() == kMostVariables)
    return std::nullopt;
  SymbolicExpr variable = context_.Dim(static_cast<int64_t>(query_.variables.size()));
  query_.variables.push_back({static_cast<int64_t>(range.lo), static_cast<int64_t>(range.hi)});
  variables_.push_back(term);
  known_[term] = variable;
  return variable;
}

std::optional<SymbolicExpr> QueryWriter::Sum(Term term) {
  auto sum = Number(term->number);
  for (const Monomial& m : term->sum) {
    auto atom = Integer(m.atom), coefficient = Number(m.coefficient);
    if (!sum || !atom || !coefficient) return std::nullopt;
    sum = *sum + *atom * *coefficient;
  }
  return sum;
}

// Encodes a pick as a variable with a side constraint: (c and v = a) or (not c and v = b).
std::optional<SymbolicExpr> QueryWriter::Choice(Term term) {
  auto condition = Condition(term->args[0]);
  auto yes = Integer(term->args[1]), no = Integer(term->args[2]);
  if (!condition || !yes || !no) return Variable(term, scope_.RangeOf(term));
  auto choice = Variable(term, scope_.RangeOf(term));
  if (!choice) return std::nullopt;
  sides_.push_back(
      Formula::Or({Formula::And({*condition, Formula::Eq(*choice, *yes)}),
                   Formula::And({Formula::Not(*condition), Formula::Eq(*choice, *no)})}));
  return choice;
}

std::optional<SymbolicExpr> QueryWriter::Integer(Term term) {
  auto found = known_.find(term);
  if (found != known_.end()) return found->second;
  if (depth_ > kDeepest || ++terms_ > kMostTerms) return std::nullopt;
  ++depth_;
  auto write = [&]() -> std::optional<SymbolicExpr> {
    switch (term->kind) {
      case Kind::kSum:
        return Sum(term);
      case Kind::kVariable:
        return Variable(term, term->range);
      case Kind::kQuotient: {
        auto inner = Integer(term->args[0]), divisor = Number(term->number);
        if (!inner || !divisor) return Variable(term, scope_.RangeOf(term));
        return inner->FloorDiv(*divisor);
      }
      case Kind::kMax: {
        auto a = Integer(term->args[0]), b = Integer(term->args[1]);
        if (!a || !b) return Variable(term, scope_.RangeOf(term));
        return a->Max(*b);
      }
      case Kind::kPick:
        return Choice(term);
      default:
        return Variable(term, scope_.RangeOf(term));
    }
  };
  auto written = write();
  --depth_;
  if (written) known_.try_emplace(term, *written);
  return written;
}

std::optional<Formula> QueryWriter::Condition(Term condition) {
  if (++terms_ > kMostTerms) return std::nullopt;
  switch (condition->kind) {
    case Kind::kTrue:
      return Formula::True();
    case Kind::kFalse:
      return Formula::False();
    case Kind::kAtLeastZero: {
      auto e = Integer(condition->args[0]);
      if (!e) return std::nullopt;
      return Formula::Le(context_.Constant(0), *e);
    }
    case Kind::kIsZero: {
      auto e = Integer(condition->args[0]);
      if (!e) return std::nullopt;
      return Formula::Eq(*e, context_.Constant(0));
    }
    case Kind::kNot: {
      auto inner = Condition(condition->args[0]);
      if (!inner) return std::nullopt;
      return Formula::Not(*inner);
    }
    case Kind::kAnd: {
      std::vector<Formula> parts;
      for (Term part : condition->args) {
        auto written = Condition(part);
        if (!written) return std::nullopt;
        parts.push_back(*written);
      }
      return Formula::And(parts);
    }
    default: {
      // A predicate: a variable that is 1 where it holds.
      auto found = known_.find(condition);
      std::optional<SymbolicExpr> bit;
      if (found != known_.end()) bit = found->second;
      if (!bit) bit = Variable(condition, {0, 1});
      if (!bit) return std::nullopt;
      return Formula::Eq(*bit, context_.Constant(1));
    }
  }
}

bool QueryWriter::Mentions(Term root) const {
  return AnyPart(root, [&](Term term) { return !term->IsNumber() && known_.contains(term); });
}

}  // namespace

TermDecider::Answer TermDecider::Ask(Scope& scope, Term condition) {
  if (failures_ >= options_.failures || proved_ + failures_ >= options_.questions) return {};
  QueryWriter writer(scope);
  auto claim = writer.Condition(condition);
  if (!claim) return {};
  // Takes the facts that share variables with the claim, transitively; for the claim False, all of
  // them. Leaving out a fact that cannot be expressed is sound: the premise gets weaker.
  std::vector<Formula> holds;
  std::vector<Term> open(scope.facts().begin(), scope.facts().end());
  const bool all = condition->kind == Kind::kFalse;
  for (bool more = true; more;) {
    more = false;
    for (Term& fact : open) {
      if (!fact || (!all && !writer.Mentions(fact))) continue;
      if (auto written = writer.Condition(fact)) holds.push_back(*written);
      fact = nullptr;
      more = true;
    }
  }
  holds.insert(holds.end(), writer.sides().begin(), writer.sides().end());
  SolverQuery query = writer.Take(Formula::Implies(Formula::And(holds), *claim));
  DecideOptions limits;
  limits.budget = options_.budget;
  Answer answer{affirm::Decide(query, limits), writer.variables()};
  if (answer.result.verdict == Verdict::kProved) {
    ++proved_;
    engine_ = answer.result.engine;
  } else {
    ++failures_;
  }
  return answer;
}

bool TermDecider::Proves(Scope& scope, Term condition) {
  return Ask(scope, condition).result.verdict == Verdict::kProved;
}

std::optional<Model> TermDecider::Refute(Scope& scope, Term condition) {
  const Answer answer = Ask(scope, condition);
  const std::vector<int64_t>& values = answer.result.counterexample;
  if (answer.result.verdict != Verdict::kRefuted || values.size() < answer.variables.size())
    return std::nullopt;
  Model model;
  for (auto [term, value] : llvm::zip(answer.variables, values)) model.emplace_back(term, value);
  return model;
}

}  // namespace affirm::terms
