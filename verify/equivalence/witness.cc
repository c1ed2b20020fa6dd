#include "verify/equivalence/witness.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::equivalence {

using terms::Int128;
using terms::Kind;
using terms::Term;

namespace {

// An upper bound of indices, which separates arrays in encoded identities.
constexpr Int128 kArray = Int128{1} << 40;
// Limits: compared pairs of parts, and nested selects.
constexpr int64_t kMostPairs = 256;
constexpr int kDeepest = 12;

class Search {
 public:
  Search(terms::Scope& scope, terms::TermDecider& decider, llvm::ArrayRef<Term> index,
         int64_t num_leaves)
      : scope_(scope), decider_(decider), index_(index), num_leaves_(num_leaves) {}

  std::optional<Witness> Find(Term a, Term b, int depth) {
    if (a == b || a->type != b->type || depth > kDeepest || ++pairs_ > kMostPairs)
      return std::nullopt;
    Term x = Identity(a), y = Identity(b);
    if (x && y) return Solve(scope_.pool().Equal(x, y), x, y);
    if (a->kind == Kind::kOfInteger && b->kind == Kind::kOfInteger)
      return Solve(scope_.pool().Equal(a->args[0], b->args[0]), nullptr, nullptr);
    if (a->kind == Kind::kSelect) return ByChoice(a, b, depth, false);
    if (b->kind == Kind::kSelect) return ByChoice(b, a, depth, true);
    const bool alike = a->kind == Kind::kApply && b->kind == Kind::kApply &&
                       a->operation == b->operation && a->args.size() == b->args.size();
    for (size_t k = 0; alike && k < a->args.size(); ++k) {
      if (auto found = Find(a->args[k], b->args[k], depth + 1)) return found;
    }
    return std::nullopt;
  }

 private:
  // Searches under the condition of a select, and under its negation.
  std::optional<Witness> ByChoice(Term choice, Term other, int depth, bool swapped) {
    std::optional<Witness> found;
    for (int arm : {1, 2}) {
      Term condition = choice->args[0];
      const size_t before = scope_.Save();
      if (scope_.Assume(arm == 1 ? condition : scope_.pool().Not(condition))) {
        Term taken = scope_.Simplify(choice->args[arm]), rest = scope_.Simplify(other);
        found = swapped ? Find(rest, taken, depth + 1) : Find(taken, rest, depth + 1);
      }
      scope_.Restore(before);
      if (found) break;
    }
    return found;
  }

  // Encodes which parameter element or literal a value is as an integer term; null for computed
  // values.
  Term Identity(Term value) {
    auto known = identities_.find(value);
    if (known != identities_.end()) return known->second;
    Term identity = nullptr;
    if (value->kind == Kind::kLoad && value->number >= 0 && value->number < num_leaves_) {
      identity = scope_.pool().Add(scope_.pool().Number(value->number * kArray), value->args[0]);
    } else if (value->kind == Kind::kLiteral) {
      identity = scope_.pool().Number(-1 - Int128{value->id});
    } else if (value->kind == Kind::kSelect) {
      Term a = Identity(value->args[1]), b = Identity(value->args[2]);
      if (a && b) identity = scope_.Pick(value->args[0], a, b);
    } else if (value->kind == Kind::kOfInteger) {
      identity = IdentityOf(value->args[0], value->type);
    }
    identities_[value] = identity;
    return identity;
  }

  // The identity of the value of an integer type that `integer` is.
  Term IdentityOf(Term integer, hlo::PrimitiveType type) {
    if (integer->kind == Kind::kInteger && integer->args[0]->type == type)
      return Identity(integer->args[0]);
    if (integer->kind == Kind::kPick) {
      Term a = IdentityOf(integer->args[1], type), b = IdentityOf(integer->args[2], type);
      return a && b ? scope_.Pick(integer->args[0], a, b) : nullptr;
    }
    Term literal = integer->IsNumber() ? scope_.pool().OfInteger(integer, type) : nullptr;
    return literal && literal->kind == Kind::kLiteral ? Identity(literal) : nullptr;
  }

  std::optional<Witness> Solve(Term same, Term a, Term b) {
    auto model = decider_.Refute(scope_, same);
    if (!model) return std::nullopt;
    llvm::DenseMap<Term, Int128> values;
    for (auto [term, value] : *model) {
      const bool holds = term->kind == Kind::kInteger || term->kind == Kind::kHolds;
      values[holds ? term->args[0] : term] = value;
    }
    // Terms that the query does not mention may have any value, here 0.
    auto leaf = [&](Term term) -> Int128 {
      auto value = values.find(term);
      return value == values.end() ? 0 : value->second;
    };
    Witness witness;
    for (Term i : index_) witness.index.push_back(static_cast<int64_t>(Evaluate(i, leaf)));
    for (auto [term, value] : *model) {
      const bool holds = term->kind == Kind::kInteger || term->kind == Kind::kHolds;
      if (!holds || term->args[0]->kind != Kind::kLoad) continue;
      Term load = term->args[0];
      if (load->number < 0 || load->number >= num_leaves_) continue;
      witness.integers.push_back({{static_cast<int64_t>(load->number),
                                   static_cast<int64_t>(Evaluate(load->args[0], leaf))},
                                  value});
    }
    auto element = [&](Term identity) -> std::optional<ParameterElement> {
      if (!identity) return std::nullopt;
      const Int128 number = Evaluate(identity, leaf);
      if (number < 0) return std::nullopt;
      return ParameterElement{static_cast<int64_t>(number / kArray),
                              static_cast<int64_t>(number % kArray)};
    };
    witness.a = element(a);
    witness.b = element(b);
    return witness;
  }

  terms::Scope& scope_;
  terms::TermDecider& decider_;
  llvm::ArrayRef<Term> index_;
  int64_t num_leaves_;
  int64_t pairs_ = 0;
  llvm::DenseMap<Term, Term> identities_;
};

}  // namespace

std::optional<Witness> FindWitness(terms::Scope& scope, terms::TermDecider& decider, Term a, Term b,
                                   llvm::ArrayRef<Term> index, int64_t num_leaves) {
  return Search(scope, decider, index, num_leaves).Find(a, b, 0);
}

}  // namespace affirm::equivalence
