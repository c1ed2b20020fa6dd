#include "verify/equivalence/laws.h"

#include "core/hlo/float_format.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "verify/logic/term_rule.h"
#include "verify/terms/fold_laws.h"
#include "verify/value_rules/table.h"

namespace affirm::equivalence {

using logic::Oracle;
using logic::Oracles;
using logic::Theorem;
using terms::Kind;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;
using value_rules::RuleClass;
using value_rules::ValueRule;

namespace {

constexpr llvm::StringLiteral kConstantOperation = "constant.operation";
constexpr llvm::StringLiteral kNestedFold = "fold.nested";
// Rules that reassociate chains of one operation, which are brought into one order.
constexpr llvm::StringLiteral kChainsOfSums = "add.reassociate";
constexpr llvm::StringLiteral kChainsOfProducts = "multiply.reassociate";
// x + x is x * 2.0; not applied inside of a longer chain.
constexpr llvm::StringLiteral kSumOfTheSame = "add.same";

// Rules that drop a rounding to a narrower type.
constexpr llvm::StringLiteral kPrecision = "convert.narrow_widen";

bool IsOfPrecision(llvm::StringRef law) { return law.starts_with(kPrecision); }

bool Is(Term term, Op operation) { return term->kind == Kind::kApply && term->op() == operation; }

// An operation on a float, of this many operands.
bool IsOnFloats(Term term, Op operation, size_t operands) {
  return Is(term, operation) && term->args.size() == operands && hlo::IsFloat(term->type) &&
         llvm::all_of(term->args, [&](Term arg) { return arg->type == term->type; });
}

// Folds an operation on constants, by the interpreter. NaNs are identified.
Term ConstantOperation(Pool& pool, compare::ScalarOperations& operations, Term term) {
  if (term->kind != Kind::kApply || term->args.empty() || !terms::IsRoundedOnce(term->op()))
    return nullptr;
  if (!hlo::IsFloat(term->type) && term->type != hlo::PrimitiveType::kPred) return nullptr;
  llvm::SmallVector<compare::TypedScalar, 2> numbers;
  for (Term arg : term->args) {
    if (arg->kind != Kind::kLiteral || !hlo::IsFloat(arg->type)) return nullptr;
    numbers.push_back(compare::OfBits(arg->number, arg->type));
  }
  llvm::Expected<compare::TypedScalar> value =
      operations.Apply(term->operation, term->type, numbers);
  if (!value) {
    llvm::consumeError(value.takeError());
    return nullptr;
  }
  return pool.Literal(value->type, compare::BitsOf(*value));
}

// A fold whose values are folds by the same operation: the inner one, and its initial value; `zero`
// is null if there is none, or it is an identity.
struct InnerFold {
  Term fold = nullptr, zero = nullptr;
};
InnerFold InnerFoldOf(Term fold) {
  Term value = fold->args[1];
  if (value->kind == Kind::kFold && value->operation == fold->operation) return {value};
  if (value->kind == Kind::kOfInteger && fold->op() == Op::kAdd) {
    Term sum = value->args[0];
    Term atom = sum->kind == Kind::kInteger ? sum : nullptr;
    if (sum->kind == Kind::kSum && sum->number == 0 && sum->sum.size() == 1 &&
        sum->sum[0].coefficient == 1) {
      atom = sum->sum[0].atom;
    }
    if (!atom || atom->kind != Kind::kInteger) return {};
    Term inner = atom->args[0];
    if (inner->kind != Kind::kFold || inner->operation != fold->operation) return {};
    return {inner};
  }
  if (!Is(value, fold->op()) || value->args.size() != 2) return {};
  for (size_t k : {0, 1}) {
    Term inner = value->args[k], start = value->args[1 - k];
    if (inner->kind != Kind::kFold || inner->operation != fold->operation) continue;
    if (terms::IsIdentityOf(fold->op(), start)) return {inner};
    if (fold->op() == Op::kAdd && terms::IsPositiveZero(start)) return {inner, start};
  }
  return {};
}

Term FoldNested(Scope& scope, Term term) {
  if (term->kind != Kind::kFold) return nullptr;
  const auto [inner, zero] = InnerFoldOf(term);
  if (!inner || inner->type != term->type) return nullptr;
  // A conditional outer fold may be empty, and then lacks the inner initial value.
  Pool& pool = scope.pool();
  if (zero && term->args[0] != pool.True()) return nullptr;
  std::vector<Term> variables(term->args.begin() + 2, term->args.end());
  for (Term v : inner->args.drop_front(2)) {
    if (llvm::is_contained(variables, v)) return nullptr;
    variables.push_back(v);
  }
  Term folded = pool.Fold(term->operation, pool.And({term->args[0], inner->args[0]}),
                          inner->args[1], variables);
  return zero ? pool.Apply(Op::kAdd, term->type, {zero, folded}) : folded;
}

// Sorts the operands of a chain of one operation.
Term Reassociate(Scope& scope, Term term, Op operation) {
  constexpr size_t kMostOperands = 4096;
  if (!IsOnFloats(term, operation, 2)) return nullptr;
  std::vector<Term> operands, stack = {term};
  while (!stack.empty() && operands.size() < kMostOperands) {
    Term next = stack.back();
    stack.pop_back();
    if (IsOnFloats(next, operation, 2))
      stack.insert(stack.end(), next->args.begin(), next->args.end());
    else
      operands.push_back(next);
  }
  if (!stack.empty()) return nullptr;
  // Folds last, at the top of the chain, where the comparison expects them.
  llvm::sort(operands, [](Term a, Term b) {
    return std::pair(a->kind == Kind::kFold, a->id) < std::pair(b->kind == Kind::kFold, b->id);
  });
  Term chain = operands[0];
  for (Term next : llvm::drop_begin(operands))
    chain = scope.pool().Apply(operation, term->type, {chain, next});
  return chain == term ? nullptr : chain;
}

std::vector<Law> MakeLaws() {
  std::vector<Law> laws = {
      {kConstantOperation.str(), true, "an operation on constants that is rounded once is one"},
      {kNestedFold.str(), true, "a fold of folds is one fold, where any order gives one value"},
  };
  for (const bool exact : {true, false}) {
    for (const ValueRule& rule : value_rules::BuiltinRules()) {
      if ((rule.of_class == RuleClass::kExact) != exact) continue;
      if (laws.back().name == rule.family) continue;
      laws.push_back(
          {rule.family, exact, ToString(rule.lhs) + " = " + ToString(rule.rhs) + ": " + rule.why});
    }
  }
  laws.push_back({kNestedSums.str(), false,
                  "a sum of sums, or a product of products, is one: XLA merges reductions"});
  return laws;
}

}  // namespace

const std::vector<Law>& Laws() {
  static const std::vector<Law> kLaws = MakeLaws();
  return kLaws;
}

// Whether `name` is the law's name or a prefix of it: a.b for a.b.c.
static bool Names(llvm::StringRef name, const Law& law) {
  llvm::StringRef rest = law.name;
  return rest.consume_front(name) && (rest.empty() || rest.starts_with("."));
}

llvm::Expected<std::vector<const Law*>> ChooseLaws(llvm::ArrayRef<std::string> allowed) {
  for (const std::string& name : allowed) {
    if (llvm::any_of(Laws(), [&](const Law& law) { return Names(name, law); })) continue;
    std::string names;
    for (const Law& law : Laws()) {
      if (!law.exact) names += (names.empty() ? "" : ", ") + law.name;
    }
    return MakeError("there is no law '" + name + "', expected some of " + names);
  }
  std::vector<const Law*> chosen;
  for (const Law& law : Laws()) {
    const bool is_allowed =
        llvm::any_of(allowed, [&](const std::string& name) { return Names(name, law); });
    if (law.exact || is_allowed) chosen.push_back(&law);
  }
  return chosen;
}

uint64_t ValueSketches::Of(Term value) {
  const auto found = known_.find(value);
  if (found != known_.end()) return found->second;
  const uint64_t number = value->kind == Kind::kLoad || value->kind == Kind::kLiteral
                              ? static_cast<uint64_t>(value->number)
                              : 0;
  uint64_t sketch = llvm::hash_combine(value->kind, value->type, value->op(), number);
  for (Term arg : value->args) {
    if (arg->sort() == terms::Sort::kValue) sketch = llvm::hash_combine(sketch, Of(arg));
  }
  return known_[value] = sketch;
}

Rewriter::Rewriter(Scope& scope, llvm::ArrayRef<const Law*> laws, std::set<uint64_t> kept)
    : scope_(scope), kept_(std::move(kept)) {
  for (const Law* law : laws) allowed_.insert(law->name);
}

Theorem Rewriter::RewriteOperands(Term term) {
  std::vector<Step> operands;
  for (Term arg : term->args) operands.emplace_back(RewriteNow(arg));
  for (const terms::Monomial& m : term->sum) operands.emplace_back(RewriteNow(m.atom));
  // The term stays unchanged if it observes NaN bits.
  const Step rebuilt = infer_.Rebuilt(term, operands);
  return rebuilt ? *rebuilt : infer_.Reflexivity(term);
}

Rewriter::Step Rewriter::Believed(Oracle oracle, Term term, Term after) {
  if (after == nullptr) return std::nullopt;
  const bool computes = terms::ComputesNans(term->op()) && terms::ComputesNans(after->op());
  const auto equality = computes ? logic::Equality::kBits : logic::Equality::kNansAreOne;
  return infer_.Believe(Oracles::One(oracle), {}, term, after, equality);
}

Rewriter::Step Rewriter::ByRule(const logic::TermRule& rule, Term term) {
  if (rule.rule().of_class != RuleClass::kLicensed) return infer_.OfRule(rule, term);
  return Believed(Oracle::kLicences, term, rule.Apply(scope_, term));
}

Theorem Rewriter::Chain(const Theorem& first, const Theorem& second) {
  const Step both = infer_.Transitivity(first, second);
  return both ? *both : first;
}

Rewriter::Step Rewriter::ByLaw(Term term, llvm::StringRef& law) {
  law = kConstantOperation;
  if (Step next =
          Believed(Oracle::kConstants, term, ConstantOperation(scope_.pool(), operations_, term))) {
    return next;
  }
  const bool rounds = term->kind == Kind::kFold && terms::RoundsInOrder(term->op(), term->type);
  law = rounds ? kNestedSums : kNestedFold;
  const bool is_law = !rounds || allowed_.contains(kNestedSums);
  if (Step next = !is_law ? std::nullopt : Believed(Oracle::kFolds, term, FoldNested(scope_, term)))
    return next;
  if (!terms::IsFoldWithStart(term)) {
    for (const logic::TermRule& rule : logic::TermRules::Builtin().RulesFor(term)) {
      law = rule.rule().family;
      if (!allowed_.contains(law) || law == kChainsOfSums || law == kChainsOfProducts) continue;
      if (law == kSumOfTheSame && allowed_.contains(kChainsOfSums)) continue;
      const auto is_kept = [&](Term arg) { return kept_.contains(sketches_.Of(arg)); };
      if (IsOfPrecision(law) && llvm::any_of(term->args, is_kept)) continue;
      if (!may_grow_ && rule.Grows()) continue;
      Step next = ByRule(rule, term);
      if (next && next->right() != term) return next;
    }
  }
  for (const auto& [name, op] :
       {std::pair(kChainsOfSums, Op::kAdd), {kChainsOfProducts, Op::kMultiply}}) {
    law = name;
    if (!allowed_.contains(law)) continue;
    if (Step next = Believed(Oracle::kLicences, term, Reassociate(scope_, term, op))) return next;
  }
  return std::nullopt;
}

Theorem Rewriter::Rewrite(Term term) {
  // Rules that do not grow terms come first: rules about narrow floats no longer match once these
  // are expressed by f32.
  Theorem all = infer_.Reflexivity(term);
  for (const bool may_grow : {false, true}) {
    may_grow_ = may_grow;
    all = Chain(all, RewriteNow(all.right()));
  }
  return all;
}

Theorem Rewriter::RewriteNow(Term term) {
  llvm::DenseMap<Term, Theorem>& rewritten = rewritten_[may_grow_ ? 1 : 0];
  auto found = rewritten.find(term);
  if (found != rewritten.end()) return found->second;
  Theorem result = RewriteOperands(term);
  // No rule restores the form that an earlier one rewrote, so chains are short.
  llvm::StringRef law;
  const Term before = result.right();
  const Step next = steps_left_ > 0 ? ByLaw(before, law) : std::nullopt;
  if (next && next->right() != before) {
    --steps_left_;
    used_.insert(law);
    rewritten.insert_or_assign(before, *next);
    const Theorem rest = Chain(*next, RewriteNow(next->right()));
    rewritten.insert_or_assign(before, rest);
    result = Chain(result, rest);
  }
  rewritten.insert_or_assign(term, result);
  return result;
}

std::vector<std::string> Rewriter::Used() const {
  std::vector<std::string> names;
  for (const Law& law : Laws()) {
    if (used_.contains(law.name)) names.push_back(law.name);
  }
  return names;
}

static std::vector<const Law*> WithNestedSums(llvm::ArrayRef<const Law*> laws) {
  std::vector<const Law*> with = laws.vec();
  for (const Law& law : Laws()) {
    if (law.name == kNestedSums && !llvm::is_contained(with, &law)) with.push_back(&law);
  }
  return with;
}

static std::vector<const Law*> OfBoth(llvm::ArrayRef<const Law*> laws) {
  std::vector<const Law*> both = laws.vec();
  llvm::erase_if(both, [](const Law* law) { return IsOfPrecision(law->name); });
  return both;
}

Rewriters::Rewriters(Scope& scope, llvm::ArrayRef<const Law*> laws)
    : scope_(scope),
      laws_(laws.vec()),
      by_laws_(scope, OfBoth(laws)),
      of_b_(scope, WithNestedSums(OfBoth(laws))) {}

std::optional<Rewriters::LessRounded> Rewriters::RewriteLessRounded(
    Term term, llvm::ArrayRef<Term> of_b) const {
  if (llvm::none_of(laws_, [](const Law* law) { return IsOfPrecision(law->name); }))
    return std::nullopt;
  std::set<uint64_t> kept;
  ValueSketches sketches;
  for (Term root : of_b) {
    terms::ForEachPart(root, [&](Term part) {
      if (part->kind == Kind::kApply && terms::IsConversion(part->op()))
        kept.insert(sketches.Of(part));
      return terms::Visit::kInto;
    });
  }
  Rewriter of_a(scope_, laws_, std::move(kept));
  const Theorem theorem = of_a.Rewrite(term);
  return LessRounded{theorem, of_a.Used()};
}

std::vector<std::string> Rewriters::Used() const {
  std::vector<std::string> used = by_laws_.Used();
  for (const std::string& name : of_b_.Used()) {
    if (name != kNestedSums && !llvm::is_contained(used, name)) used.push_back(name);
  }
  return used;
}

}  // namespace affirm::equivalence
