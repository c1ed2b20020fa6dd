// The inference rules: the only code that makes theorems.
//
//   Inference infer(scope);
//   Theorem c = infer.Assume(condition);                       // {c} |- c = true
//   auto chosen = infer.Chosen(pool.Select(condition, a, b), c);   // {c} |- (c ? a : b) = a
//
// Each rule checks its premises, and gives nothing where they do not fit: a caller may try
// anything. The facts of a conclusion are those of its premises, less what the rule discharges; its
// oracles are those of its premises, and the rule's own one where it has one. All terms belong to
// the pool of one scope.
//
// Believed beside these rules are the constructors of terms::Pool, which write an integer, a
// condition or a value in a normal form, and terms::Scope where the oracle `ranges` is left behind.
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

// Functions of one operand that terms::Pool writes in a normal form.
enum class Function : uint8_t {
  kNot,          // of a condition
  kHolds,        // of a predicate
  kOfCondition,  // of a condition
  kIntegerOf,    // of a value of an integer type, or a predicate
};

class Inference {
 public:
  using Result = std::optional<Theorem>;

  // Rules that ask the scope use its facts at that time. The scope outlives this.
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
  // nullopt in `operands` stands for operands that are one term. kSwapped: a_0 = b_1 and a_1 = b_0
  // for a commutative operation. Refuses sums (Linear), folds (FoldCongruence), and an operation
  // that shows the bits of a NaN on operands that are equal but for these.
  enum class Order : uint8_t { kSame, kSwapped };
  Result Congruence(terms::Term a, terms::Term b, llvm::ArrayRef<Result> operands,
                    Order order = Order::kSame);
  // a_i = b_i  =>  t = t with b_i in the place of a_i, as the pool writes it; of operands, or of
  // what a sum has multiples of. nullopt stands for one that stays. Refuses what Congruence does,
  // and facts that mention a variable which the term binds.
  Result Rebuilt(terms::Term t, llvm::ArrayRef<Result> operands);
  // a = b  =>  f(a) = f(b), both as the pool writes them
  Result Mapped(Function function, const Theorem& theorem);
  // p = q, and u = v where p holds  =>  fold(u where p) = fold(v where q), over the same variables
  // by one operation. No fact but p may mention a variable of the fold.
  Result FoldCongruence(terms::Term a, terms::Term b, const Theorem& condition,
                        const Theorem& value);
  // F |- a = b  =>  F' |- a' = b', with the integer in the place of the variable everywhere.
  // Refuses an integer that may leave the variable's range, a fold that binds the variable or one
  // in the integer, and terms of which nothing is known.
  Result Instance(const Theorem& theorem, terms::Term variable, terms::Term integer);

  // ---- conditions and cases (condition_rules.cc)

  // {c} |- c
  Theorem Assume(terms::Term condition);
  // F |- f and f, G |- t  =>  F, G |- t
  Result Cut(const Theorem& fact, const Theorem& theorem);
  // c, F |- t and not c, G |- t  =>  F, G |- t
  Result Cases(terms::Term condition, const Theorem& yes, const Theorem& no);
  // |- t for each value v of x in the range that its term has, under x = v  =>  |- t. At most
  // kMostEnumerated values, in ascending order.
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

  // x_i = y_i  =>  a = b, where a - b is the sum of k_i * (x_i - y_i). Without premises: the normal
  // forms are one.
  Result Linear(terms::Term a, terms::Term b, llvm::ArrayRef<Theorem> premises = {},
                llvm::ArrayRef<terms::Int128> multipliers = {});
  // a - b = 0 holds  =>  a = b, for integers
  Result FromDifference(const Theorem& zero, terms::Term a, terms::Term b);
  // The integers of a and b are equal  =>  a = b, values of one integer type
  Result FromIntegers(const Theorem& integers, terms::Term a, terms::Term b);
  // |- T(x) = T(y), where x - y is a multiple of two to the power of the type's width
  Result Modulo(terms::Term a, terms::Term b);
  // |- (the integer of p = 1) = (p holds), for a predicate p
  Result PredicateAsInteger(terms::Term predicate);
  // |- a = b, but for their bits, for literals of one type of floats that are both NaN
  Result NansAreOne(terms::Term a, terms::Term b);

  // ---- value rules (oracle_rules.cc)

  // |- t = what the rule makes of it, but for the bits of NaNs that it does not compute. Of an
  // exact rule, which is proved for all values; a defined one leaves an oracle behind, and a
  // licensed one is refused. A condition that is not one of numbers holds under the facts of the
  // scope.
  Result OfRule(const TermRule& rule, terms::Term t);

  // ---- with oracles (oracle_rules.cc)

  // The facts of the scope now.
  Facts FactsNow();
  // |- c = true or c = false, if ranges decide it under the facts of the scope
  Result Decided(terms::Term condition);
  // |- t = t as the scope simplifies it. Like the rules beside it, it leaves a term alone in which
  // a fold binds a variable that a fact mentions.
  Theorem Simplified(terms::Term t);
  // l_i = r_i  =>  t = t with each r_i in the place of l_i, as terms::Scope::Substitute writes it
  Result Replaced(terms::Term t, llvm::ArrayRef<Theorem> parts);
  // |- c, if the decider proves it under the facts of the scope. Of `false`: they contradict.
  Result DecidedBy(terms::TermDecider& decider, terms::Term condition);
  // F |- t, made while the case was open  =>  facts before the case, its condition |- t
  Result Discharge(const Theorem& theorem, const Case& in_case);
  // Facts before the case, its condition |- false, if the scope sees that there is no such case
  Result Impossible(const Case& in_case);
  // F |- a = b on somebody's word, which the oracles name: at least one. `also` are those of what
  // the step used.
  Result Believe(const Oracles& oracles, const Facts& facts, terms::Term a, terms::Term b,
                 Equality equality, const Oracles& also = {});

 private:
  friend class Case;
  static Theorem Make(Facts facts, terms::Term left, terms::Term right, Equality equality,
                      Oracles oracles);
  // Variables that folds in the term bind, each once.
  const std::vector<terms::Term>& BoundIn(terms::Term t);
  // Whether a fold in the term binds a variable that a fact mentions: a scope that writes the fold
  // anew would take the fact for one about the fold's variable.
  bool Captures(terms::Term t, const Facts& facts);
  // The operands' theorem, or reflexivity; nullopt unless it says a = b.
  Result OperandEquality(const Result& premise, terms::Term a, terms::Term b);

  terms::Scope& scope_;
  terms::Pool& pool_;
  llvm::DenseMap<uint64_t, Facts> facts_;                        // by their number in the scope
  llvm::DenseMap<terms::Term, std::vector<terms::Term>> bound_;  // of terms that were asked about
};

class Case {
 public:
  Case(Inference& inference, terms::Term condition);
  ~Case() { inference_.scope_.Restore(saved_); }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  // False when the scope sees that the condition, or what follows from it, cannot hold.
  bool possible() const { return possible_; }
  // Has the scope write its facts anew, as the condition makes them; and, of a predicate, also know
  // the integer 0 or 1 that it is. Returns possible().
  bool Restate();

 private:
  friend class Inference;
  Inference& inference_;
  terms::Term condition_;
  Facts before_;
  size_t saved_;
  bool possible_;
  uint64_t number_;  // of the facts in the case
  Facts all_;        // in the case: they follow from those before it, and its condition
};

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_INFERENCE_H_
