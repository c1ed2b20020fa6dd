// The inference rules: the only code that makes theorems.
//
//   Inference infer(scope);
//   Theorem c = infer.Assume(condition);                       // {c} |- c = true
//   auto chosen = infer.Chosen(pool.Select(condition, a, b), c);   // {c} |- (c ? a : b) = a
//
// Each rule checks its premises, and returns nullopt where they do not fit, so a caller may try any
// rule. The facts of a conclusion are those of its premises, less those that the rule discharges;
// its oracles are those of its premises, and the rule's own, if any. All terms belong to the pool
// of one scope.
//
// Trusted beside these rules: the constructors of terms::Pool, which bring terms into normal form,
// and terms::Scope in theorems with the oracle `ranges`.
#ifndef AFFIRM_VERIFY_LOGIC_INFERENCE_H_
#define AFFIRM_VERIFY_LOGIC_INFERENCE_H_

#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/logic/term_rule.h"
#include "verify/logic/theorem.h"
#include "verify/terms/query.h"
#include "verify/terms/scope.h"

namespace affirm::logic {

// Assumes a condition in the scope until its life ends.
//
//   Case there(infer, condition);
//   if (there.possible()) ... theorems of infer.Decided and infer.Simplified ...
//   infer.Discharge(theorem, there);   // its facts: those before the case, and the condition
class Case;

// Unary functions whose results terms::Pool normalizes.
enum class Function : uint8_t {
  kNot,          // on a condition
  kHolds,        // on a predicate
  kOfCondition,  // on a condition
  kIntegerOf,    // on a value of an integer type, or a predicate
};

class Inference {
 public:
  using Result = std::optional<Theorem>;

  // Rules that ask the scope use its current facts. The scope must outlive this object.
  explicit Inference(terms::Scope& scope) : scope_(scope), pool_(scope.pool()) {}
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  // ---- equality (inference.cc)

  // |- t = t
  Theorem Reflexivity(terms::Term t);
  // a = b  =>  b = a
  Theorem Symmetry(const Theorem& theorem);
  // a = b, b = c  =>  a = c
  Result Transitivity(const Theorem& first, const Theorem& second);
  // F |- t  =>  F, more |- t
  Theorem Weaken(const Theorem& theorem, const Facts& more);
  // a_i = b_i for each operand  =>  a = b, for terms of one kind, operation, payload and type.
  // nullopt in `operands` stands for identical operands. kSwapped: a_0 = b_1 and a_1 = b_0 for a
  // commutative operation. Refuses sums (Linear), folds (FoldCongruence), and an operation that
  // observes NaN payloads, or signs of zeros, if its operands are equal only up to these.
  enum class Order : uint8_t { kSame, kSwapped };
  Result Congruence(terms::Term a, terms::Term b, llvm::ArrayRef<Result> operands,
                    Order order = Order::kSame);
  // a_i = b_i  =>  t = t[b_i / a_i] in normal form, for operands, or for the atoms of a sum.
  // nullopt leaves an operand as it is. Refuses operations as Congruence does, and facts that
  // mention a variable which the term binds.
  Result Rebuilt(terms::Term t, llvm::ArrayRef<Result> operands);
  // a = b  =>  f(a) = f(b), both in normal form
  Result Mapped(Function function, const Theorem& theorem);
  // p = q, and u = v where p holds  =>  fold(u where p) = fold(v where q), over the same variables
  // by one operation. No fact but p may mention a variable of the fold.
  Result FoldCongruence(terms::Term a, terms::Term b, const Theorem& condition,
                        const Theorem& value);
  // F |- a = b  =>  F' |- a' = b', where ' substitutes the integer for the variable. Refuses an
  // integer that may leave the variable's range, a fold that binds the variable or one in the
  // integer (capture), and unknown or arbitrary terms, which may depend on the variable.
  Result Instance(const Theorem& theorem, terms::Term variable, terms::Term integer);

  // ---- conditions and cases (condition_rules.cc)

  // {c} |- c
  Theorem Assume(terms::Term condition);
  // F |- f and f, G |- t  =>  F, G |- t
  Result Cut(const Theorem& fact, const Theorem& theorem);
  // c, F |- t and not c, G |- t  =>  F, G |- t
  Result Cases(terms::Term condition, const Theorem& yes, const Theorem& no);
  // x = v, F_v |- t for each value v in the range of x's term  =>  all F_v |- t. One theorem for
  // each value, in ascending order, at most kMostEnumerated.
  static constexpr int64_t kMostEnumerated = 4096;
  Result Enumeration(terms::Term integer, llvm::ArrayRef<Theorem> cases);
  // c and not c  =>  a = b, of one sort and type
  Result Absurd(const Theorem& yes, const Theorem& no, terms::Term a, terms::Term b);
  // p, F |- q and not p, G |- not q  =>  F, G |- p = q
  Result Equivalence(terms::Term p, terms::Term q, const Theorem& yes, const Theorem& no);
  // c = true or c = false  =>  (c ? a : b) = a or b; of integers and of values
  Result Chosen(terms::Term choice, const Theorem& decided);
  // c, F |- a = a' and not c, G |- b = b'  =>  F, G |- (c ? a : b) = (c ? a' : b')
  Result SameChoice(terms::Term a, terms::Term b, const Theorem& yes, const Theorem& no);
  // p and q and ...  =>  p
  Result Conjunct(const Theorem& conjunction, terms::Term part);
  // p, q, ...  =>  p and q and ...
  Result Conjunction(llvm::ArrayRef<Theorem> parts);

  // ---- integers and values (integer_rules.cc)

  // x_i = y_i  =>  a = b, where a - b is the sum of k_i * (x_i - y_i). Without premises: a and b
  // have one normal form.
  Result Linear(terms::Term a, terms::Term b, llvm::ArrayRef<Theorem> premises = {},
                llvm::ArrayRef<terms::Int128> multipliers = {});
  // a - b = 0 holds  =>  a = b, for integers
  Result FromDifference(const Theorem& zero, terms::Term a, terms::Term b);
  // The integers of a and b are equal  =>  a = b, values of one integer type
  Result FromIntegers(const Theorem& integers, terms::Term a, terms::Term b);
  // |- T(x) = T(y), where x - y is a multiple of 2^width of the type T
  Result Modulo(terms::Term a, terms::Term b);
  // |- (the integer of p = 1) = (p holds), for a predicate p
  Result PredicateAsInteger(terms::Term predicate);
  // |- a = b up to NaN payloads, for two NaN literals of one float type
  Result NansAreOne(terms::Term a, terms::Term b);

  // ---- value rules (oracle_rules.cc)

  // |- t = the rule's right side, up to NaN payloads unless both sides compute their NaNs. An exact
  // rule is proved for all values; a defined one adds an oracle; a licensed one is refused. The
  // rule's condition must hold by evaluation on literals, or under the facts of the scope.
  Result OfRule(const TermRule& rule, terms::Term t);

  // ---- with oracles (oracle_rules.cc)

  // The current facts of the scope.
  Facts FactsNow();
  // |- c = true or c = false, if ranges decide it under the facts of the scope
  Result Decided(terms::Term condition);
  // |- t = t simplified by the scope. Like the rules beside it, it leaves a term unchanged if a
  // fold in it binds a variable that a fact mentions.
  Theorem Simplified(terms::Term t);
  // l_i = r_i  =>  t = t[r_i / l_i], by terms::Scope::Substitute
  Result Replaced(terms::Term t, llvm::ArrayRef<Theorem> parts);
  // |- c, if the decider proves it under the facts of the scope. For `false`: they contradict.
  Result DecidedBy(terms::TermDecider& decider, terms::Term condition);
  // F |- t, made while the case was open  =>  facts before the case, its condition |- t
  Result Discharge(const Theorem& theorem, const Case& in_case);
  // Facts before the case, its condition |- false, if the scope found the case impossible
  Result Impossible(const Case& in_case);
  // F |- a = b as an axiom of the caller, who names at least one oracle for it. `also` are the
  // oracles of theorems that the step used.
  Result Believe(const Oracles& oracles, const Facts& facts, terms::Term a, terms::Term b,
                 Equality equality, const Oracles& also = {});

 private:
  friend class Case;
  static Theorem Make(Facts facts, terms::Term left, terms::Term right, Equality equality,
                      Oracles oracles);
  // Variables that folds in the term bind, each once.
  const std::vector<terms::Term>& BoundIn(terms::Term t);
  // Whether a fold in the term binds a variable that a fact mentions. A scope that rebuilds the
  // fold would apply the fact to the bound variable.
  bool Captures(terms::Term t, const Facts& facts);
  // `premise`, or reflexivity without one; nullopt unless it states a = b.
  Result OperandEquality(const Result& premise, terms::Term a, terms::Term b);

  terms::Scope& scope_;
  terms::Pool& pool_;
  llvm::DenseMap<uint64_t, Facts> facts_;                        // by their number in the scope
  llvm::DenseMap<terms::Term, std::vector<terms::Term>> bound_;  // memo of BoundIn
};

class Case {
 public:
  Case(Inference& inference, terms::Term condition);
  ~Case() { inference_.scope_.Restore(saved_); }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  // False if the scope found the condition, or a consequence of it, contradictory.
  bool possible() const { return possible_; }
  // Simplifies the scope's facts under the condition (Scope::RestateFacts). For a predicate, also
  // assumes that its integer is 1, or 0. Returns possible().
  bool Restate();

 private:
  friend class Inference;
  Inference& inference_;
  terms::Term condition_;
  Facts before_;
  size_t saved_;
  bool possible_;
  uint64_t number_;  // FactsNumber in the case
  Facts all_;        // the facts in the case, which follow from before_ and condition_
};

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_INFERENCE_H_
