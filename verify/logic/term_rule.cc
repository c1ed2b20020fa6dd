#include "verify/logic/term_rule.h"

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/machine.h"
#include "verify/value_rules/instance.h"
#include "verify/value_rules/table.h"

namespace affirm::logic {

using terms::Kind;
using terms::Scope;
using terms::Term;
using value_rules::Instance;
using value_rules::Types;

namespace {

// Whether Matches and Build support all parts of the term.
bool IsPattern(Term side) {
  return !terms::AnyPart(side, [](Term part) {
    switch (part->kind) {
      case Kind::kTrue:
      case Kind::kFalse:
      case Kind::kNot:
      case Kind::kAnd:
      case Kind::kHolds:
      case Kind::kLiteral:
      case Kind::kOfCondition:
      case Kind::kApply:
      case Kind::kSelect:
        return false;
      case Kind::kLoad:  // a variable, which must not be an integer; its index is the number 0
        return terms::IntegerWidth(part->type) > 1;
      default:
        return !part->IsNumber() || part->number != 0;
    }
  });
}

std::vector<bool> VariablesIn(Term side, size_t count) {
  std::vector<bool> variables(count);
  terms::ForEachPart(side, [&](Term part) {
    if (part->kind == Kind::kLoad) variables[static_cast<size_t>(part->number)] = true;
    return terms::Visit::kInto;
  });
  return variables;
}

// Whether the first set is a subset of the second.
bool IsAmong(const std::vector<bool>& first, const std::vector<bool>& second) {
  for (size_t k = 0; k < first.size(); ++k) {
    if (first[k] && !second[k]) return false;
  }
  return true;
}

bool Commutes(Term pattern) {
  return pattern->args.size() == 2 &&
         (pattern->kind == Kind::kAnd ||
          (pattern->kind == Kind::kApply && terms::IsCommutative(pattern->op())));
}

}  // namespace

std::optional<TermRule> TermRule::Create(terms::Pool& pool, const value_rules::ValueRule& rule,
                                         const Types& types) {
  auto instance = Instance::Create(rule, types);
  if (!instance) {
    llvm::consumeError(instance.takeError());
    return std::nullopt;
  }
  const hlo::Computation& computation = instance->computation();
  auto program = hlo::ScalarProgram::Compile(computation);
  if (!program) return std::nullopt;
  TermRule made(rule, std::move(*program));
  Scope scope(pool);
  hlo_values::ComputationValues values(scope, computation);
  Term* const sides[] = {&made.left_, &made.right_, &made.condition_};
  for (auto [leaf, side] : llvm::enumerate(sides)) {
    auto value = values.At(*computation.root, static_cast<int64_t>(leaf), {});
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    *side = *value;
  }
  made.condition_ = pool.Holds(made.condition_);
  const size_t count = computation.parameters.size();
  const std::vector<bool> in_left = VariablesIn(made.left_, count);
  made.in_condition_ = VariablesIn(made.condition_, count);
  const bool is_rewrite =
      made.left_->kind != Kind::kLoad && made.left_ != made.right_ && IsPattern(made.left_) &&
      IsPattern(made.right_) && IsPattern(made.condition_) &&
      IsAmong(VariablesIn(made.right_, count), in_left) && IsAmong(made.in_condition_, in_left);
  return is_rewrite ? std::optional(std::move(made)) : std::nullopt;
}

static int64_t SizeOf(const value_rules::Expression& side) {
  int64_t size = side.kind == value_rules::Expression::Kind::kOp ? 1 : 0;
  for (const value_rules::Expression& arg : side.args) size += SizeOf(arg);
  return size;
}

bool TermRule::ComputesNans() const {
  return terms::ComputesNans(left_->op()) && terms::ComputesNans(right_->op());
}

bool TermRule::Grows() const { return SizeOf(rule_->rhs) > SizeOf(rule_->lhs); }

// Counts the occurrences of each variable.
static void CountVariables(const value_rules::Expression& side,
                           std::map<std::string, int64_t>& count) {
  if (side.kind == value_rules::Expression::Kind::kVariable) ++count[side.text];
  for (const value_rules::Expression& arg : side.args) CountVariables(arg, count);
}

bool TermRule::Shrinks() const {
  std::map<std::string, int64_t> before, after;
  CountVariables(rule_->lhs, before);
  CountVariables(rule_->rhs, after);
  return SizeOf(rule_->rhs) < SizeOf(rule_->lhs) &&
         llvm::all_of(after, [&](const auto& of) { return of.second <= before[of.first]; });
}

Term TermRule::Apply(Scope& scope, Term term) const {
  if (term->kind != left_->kind || term->operation != left_->operation) return nullptr;
  Bindings bindings(in_condition_.size(), nullptr);
  if (!Matches(scope, {{left_, term}}, bindings)) return nullptr;
  return Build(scope.pool(), right_, bindings);
}

// Matches all open pairs, as a stack; tries both orders of commutative operands.
bool TermRule::Matches(Scope& scope, Pairs open, Bindings& bindings) const {
  while (!open.empty()) {
    auto [pattern, term] = open.pop_back_val();
    Term variable = pattern;
    // A variable that is a predicate matches any condition.
    if (pattern->kind == Kind::kHolds && pattern->args[0]->kind == Kind::kLoad) {
      variable = pattern->args[0];
      term = scope.pool().OfCondition(term);
    }
    if (variable->kind == Kind::kLoad) {
      Term& bound = bindings[static_cast<size_t>(variable->number)];
      if (term->type != variable->type || (bound && bound != term)) return false;
      bound = term;
      continue;
    }
    const bool alike = pattern->kind == term->kind && pattern->type == term->type &&
                       pattern->number == term->number && pattern->operation == term->operation &&
                       pattern->args.size() == term->args.size();
    if (!alike) return false;
    if (Commutes(pattern)) {
      Pairs swapped = open;
      swapped.emplace_back(pattern->args[0], term->args[1]);
      swapped.emplace_back(pattern->args[1], term->args[0]);
      Bindings others = bindings;
      if (Matches(scope, std::move(swapped), others)) {
        bindings = std::move(others);
        return true;
      }
    }
    for (auto [of_pattern, of_term] : llvm::zip(pattern->args, term->args))
      open.emplace_back(of_pattern, of_term);
  }
  return Holds(scope, bindings);
}

bool TermRule::Holds(Scope& scope, const Bindings& bindings) const {
  if (condition_->kind == Kind::kTrue) return true;
  if (const auto known = HoldsOfNumbers(bindings)) return *known;
  return scope.Decide(Build(scope.pool(), condition_, bindings)) == true;
}

// Evaluates the condition; nullopt unless its variables are bound to float literals.
std::optional<bool> TermRule::HoldsOfNumbers(const Bindings& bindings) const {
  llvm::SmallVector<hlo::Scalar, 4> arguments(bindings.size());
  for (auto [k, bound] : llvm::enumerate(bindings)) {
    if (!in_condition_[k]) continue;
    if (bound->kind != Kind::kLiteral || !hlo::IsFloat(bound->type)) return std::nullopt;
    arguments[k] = {.re = hlo::DecodeFloat(bound->type, static_cast<uint64_t>(bound->number))};
  }
  hlo::Scalar results[3];
  hlo::ScalarProgram program = program_;  // a copy: Apply writes to the program's own registers
  program.Apply(arguments, results);
  return results[2].i != 0;
}

Term TermRule::Build(terms::Pool& pool, Term side, const Bindings& bindings) const {
  if (side->kind == Kind::kLoad) return bindings[static_cast<size_t>(side->number)];
  llvm::SmallVector<Term, 3> args;
  for (Term arg : side->args) args.push_back(Build(pool, arg, bindings));
  switch (side->kind) {
    case Kind::kTrue:
      return pool.True();
    case Kind::kFalse:
      return pool.False();
    case Kind::kNot:
      return pool.Not(args[0]);
    case Kind::kAnd:
      return pool.And(args);
    case Kind::kHolds:
      return pool.Holds(args[0]);
    case Kind::kLiteral:
      return pool.Literal(side->type, side->number);
    case Kind::kOfCondition:
      return pool.OfCondition(args[0]);
    case Kind::kSelect:
      return pool.Select(args[0], args[1], args[2]);
    default:
      return pool.Apply(side->operation, side->type, args);
  }
}

TermRules::TermRules(llvm::ArrayRef<value_rules::ValueRule> rules) {
  for (const value_rules::ValueRule& rule : rules)
    by_opcode_[rule.lhs.opcode].rules.push_back(&rule);
}

const TermRules& TermRules::Builtin() {
  static const TermRules kRules(value_rules::BuiltinRules());
  return kRules;
}

llvm::ArrayRef<TermRule> TermRules::RulesFor(Term term) const {
  hlo::Opcode opcode = hlo::Opcode::kUnknown;
  if (term->kind == Kind::kSelect) opcode = hlo::Opcode::kSelect;
  if (term->kind == Kind::kApply) opcode = terms::OpcodeOf(term->op());
  if (opcode == hlo::Opcode::kUnknown) return {};
  const std::scoped_lock lock(mutex_);
  const auto found = by_opcode_.find(opcode);
  if (found == by_opcode_.end()) return {};
  OfOpcode& of = found->second;
  if (!of.made) {
    of.made.emplace();
    for (const value_rules::ValueRule* rule : of.rules) {
      for (const Types& types : TypesOf(*rule)) {
        if (auto made = TermRule::Create(pool_, *rule, types)) of.made->push_back(std::move(*made));
      }
    }
  }
  return *of.made;
}

}  // namespace affirm::logic
