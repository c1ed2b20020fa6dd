// Whether a kernel's value is the computation's: two terms over the same variables, compared under
// the facts of a scope.
//
// The kernel adds 517 numbers in a tree over lanes and shared memory; the computation has a fold
// over d0 in [0, 516]. Both become the multiset of what is added, each number once, and these are
// compared:
//
//   SameValue same(scope, {});
//   auto theorem = same.Prove(kernel_term, hlo_term);   // or same.reason() says what differs
//   Settles(theorem, scope, kernel_term, hlo_term);     // it says so, under the scope's facts
//
// A condition that the facts do not decide is a case distinction. What is not seen to be the same
// is not proved; that says nothing about being different.
//
// Steps that have an inference rule (verify/logic) are theorems by that rule: operands, cases,
// conditions, integers. The other strategies, folds among them, end in an oracle of their name: a
// mistake there can make a false theorem, which names the oracle; a mistake elsewhere makes none.
#ifndef AFFIRM_VERIFY_COMPARE_SAME_VALUE_H_
#define AFFIRM_VERIFY_COMPARE_SAME_VALUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/compare/chosen_elements.h"
#include "verify/compare/constant_sums.h"
#include "verify/compare/fold_orders.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/term_parts.h"
#include "verify/lemma/lemma.h"
#include "verify/logic/inference.h"
#include "verify/logic/oracle_tally.h"
#include "verify/terms/query.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

// Whether a load, an operation on values or an arbitrary value is in the term. What was asked
// before is in `known`.
bool DependsOnData(terms::Term term, llvm::DenseMap<terms::Term, bool>& known);

// Whether sums of floats may differ in the sign of a zero: of zeros that are all negative the sum
// is -0.0, and 0.0 where a 0.0 is among them.
enum class ZeroSigns : uint8_t {
  kExact,     // no
  kOfStarts,  // the kernel may leave out the 0.0 that the computation's sum starts with, as Triton
              // does, which adds up what there is; or add a 0.0, as lanes without a value do
  kNone,      // 0.0 may be among the summands of either side alone
};

// The sides whose quotients and square roots of floats are what IEEE 754 says, so that values which
// depend on them may be computed. Nothing is computed where a device's function may take their
// place.
enum class ExactQuotients : uint8_t {
  kOfBoth,      // fdiv of a kernel, and what its computation says
  kOfOpenSide,  // of two computations: A's, of which B's are none by name, since B has none
  kOfNone,      // those of B may be compiled to a device's functions, and so A's by name
};

// Limits of one proof.
struct SameValueOptions {
  int64_t cases = 2048;              // case distinctions by conditions on indices
  int64_t data_cases = 24;           // and by conditions on data
  int64_t steps = int64_t{1} << 26;  // evaluated terms, where values are compared at all of them
  int64_t fold_elements = 1 << 20;   // values of folds that are written out
  int64_t pairs = 1 << 20;  // of terms that are compared, those inside of others among them
  // Where there is one, lemmas by exhaustion (verify/lemma) are used, and the bits of those that
  // proofs rest on are added here: a verdict says so.
  std::set<int>* exhausted = nullptr;
  int64_t lemma_work = int64_t{1} << 42;  // nodes times points that they may cost
  // Where there is one, the oracles of each proof are added here.
  logic::OracleTally* tally = nullptr;
  // Where there is one, the orders of all results of a kernel; else those of one proof.
  FoldOrders* orders = nullptr;
  // Whether a reduction in whose term conditions stand keeps one order in all cases: of two
  // computations, which have it in several places, each proved by cases of its own.
  bool orders_beside_cases = false;
  // Whether the computation's operations may have the forms of correspondences.h and of exact value
  // rules, as a kernel's do; and those of defined ones, which round as others do.
  bool correspondences = true;
  bool definitions = true;
  // Whether the other side has folds too, which are compared in form where they are the same under
  // some correspondence of their variables: of two computations.
  bool folds_in_form = false;
  ZeroSigns zeros = ZeroSigns::kOfStarts;
  // Whether the kernel has folds, which it makes in loops. They are compared in form as well, but a
  // fold inside of the values of another stays one value.
  bool folds_of_kernel = false;
  ExactQuotients exact_quotients = ExactQuotients::kOfBoth;
  // Whether a sum of sums of floats may be summed as one, which has more orders, in the place of
  // what the other side leaves open. The reverse is one of its orders.
  bool nested_sums = true;
  WrittenSums written_sums = WrittenSums::kAreInAnyOrder;  // of the kernel's side
};

// The running values after a computation, named, has combined them with one more element; empty
// where nothing is known of it.
using CombineFunction = std::function<std::vector<terms::Term>(
    llvm::StringRef computation, llvm::ArrayRef<terms::Term> running,
    llvm::ArrayRef<terms::Term> element)>;

class SameValue {
 public:
  // A theorem that says of two terms, in the order in which they are named, that they are equal.
  using Proof = std::optional<logic::Theorem>;

  // What ranges do not decide is asked of the decider, where there is one; it outlives this.
  SameValue(terms::Scope& scope, SameValueOptions options, terms::TermDecider* decider = nullptr)
      : scope_(scope),
        options_(options),
        decider_(decider),
        infer_(scope),
        chosen_(scope, decider),
        constants_(scope) {}

  // facts of the scope |- kernel = hlo. Reductions are compared as multisets, since XLA leaves
  // their order open; every other operation must be the same on the same operands.
  Proof Prove(terms::Term kernel, terms::Term hlo);
  // Does the kernel's value depend on the same elements as the computation's (through whatever
  // operations)? How often an element counts does not show in a set: a fold in which that matters
  // must be a part of the kernel's value that is the same, but for 0 - x in the place of -x, and
  // counts as an element of its own. No equality, and so no theorem: the answer is this code's
  // word.
  bool ProveElements(terms::Term kernel, terms::Term hlo);
  // For folds by computations, which are compared where the kernel combines their elements in
  // order.
  void set_combine(CombineFunction combine) { combine_ = std::move(combine); }
  // Licences of the options that would have changed a step of the last proof. A proof that failed
  // and missed none fails with them as well.
  struct Licences {
    bool zeros = false;        // ZeroSigns::kNone for kExact
    bool nested_sums = false;  // that sums of sums are written out
  };
  const Licences& missed() const { return missed_; }
  // Why the last proof failed: the first two terms that were not seen to be the same.
  const std::string& reason() const { return reason_; }

 private:
  using Pair = std::pair<terms::Term, terms::Term>;

  // Each Proof below is kernel = hlo, of the terms that were given.
  Proof Same(terms::Term kernel, terms::Term hlo);
  // For strategies that end in an oracle.
  bool AreSame(terms::Term kernel, terms::Term hlo) { return Same(kernel, hlo).has_value(); }
  // Takes terms as the scope simplifies them.
  Proof SameSimplified(terms::Term kernel, terms::Term hlo);
  Proof SameByChoices(terms::Term kernel, terms::Term hlo);
  Proof SameByInnerChoices(terms::Term kernel, terms::Term hlo);
  bool SameWhateverCompares(terms::Term kernel, terms::Term hlo);
  // Whether the two may be compared as numbers, by what their operations compute.
  bool MayBeComputed(terms::Term kernel, terms::Term hlo);
  Proof SameNow(terms::Term kernel, terms::Term hlo);
  Proof SameOfOneKind(terms::Term kernel, terms::Term hlo);
  Proof SameAsIntegers(terms::Term kernel, terms::Term hlo);
  // Has `with` try the forms of an operation; not while they are tried already, further out and
  // under the same facts, so that rules which undo each other come to an end.
  Proof InOtherForms(terms::Term operation, llvm::function_ref<Proof()> with);
  // operation = what exact rules that make it smaller leave of it, one after the other; nullopt
  // where none applies. Of -(-(-(-x))) it is x, without a comparison for each step.
  Proof Shortened(terms::Term operation);
  // Whether it says enough of NaNs for what is compared now.
  bool IsOfEnoughBits(const logic::Theorem& theorem) const;
  // What an operation of the computation may be in a kernel: by the table, and by value rules.
  std::vector<logic::Theorem> FormsOf(terms::Term operation);
  // Whether the kernel's value has the operation.
  bool Calls(terms::Op operation) const;
  Proof SameByTable(terms::Term kernel, terms::Term hlo);
  // By an exact rule that makes the kernel's operation no larger.
  Proof SameByRuleOfKernel(terms::Term kernel, terms::Term hlo);
  Proof SameOperands(terms::Term kernel, terms::Term hlo);
  bool SameExtremes(terms::Term kernel, terms::Term hlo);
  bool SameAsDifference(terms::Term kernel, terms::Term hlo);
  // Comparisons in total order as those of integers that a kernel makes of them, so that cases of
  // the kernel are cases of the computation: hlo = that; nullopt where there are none.
  Proof WithoutTotalOrders(terms::Term hlo);
  // proof_steps.cc: theorems of one step.
  // On the strategy's word, with the oracles of what it asks on its way; nullopt where it fails.
  Proof ByStrategy(const logic::Oracles& oracles, terms::Term a, terms::Term b,
                   llvm::function_ref<bool()> strategy);
  Proof Believed(const logic::Oracles& oracles, terms::Term a, terms::Term b,
                 const logic::Oracles& also = {});
  // a = b and then c = b, or a = b and then b = c, as one; nullopt where one is.
  Proof Chain(const Proof& first, const Proof& second);
  Proof ChainBack(const Proof& first, const Proof& second);
  // kernel = hlo by way of the known form of hlo; nullopt without one.
  Proof SameAs(terms::Term kernel, const Proof& hlo_as_known);
  // That a condition holds, by the decider where ranges do not show it.
  Proof Known(terms::Term condition);
  bool Holds(terms::Term condition);
  // a = b of integers of which `zero` says that the difference is 0.
  Proof FromZero(terms::Term a, terms::Term b);
  Proof SameLoad(terms::Term load, terms::Term other, const Proof& place);
  bool IsUsable(const logic::Theorem& theorem);
  // lemmas.cc: equal at all values of the elements, by compiled code.
  Proof ProveByLemmas(terms::Term kernel, terms::Term hlo);
  Proof SameByLemma(terms::Term kernel, terms::Term hlo);
  // Calls `take` with statements that agree at a sample until it says yes.
  bool AnyStatement(terms::Term kernel, terms::Term hlo,
                    llvm::function_ref<bool(const lemma::Statement&)> take);
  bool AgreesAtSample(const lemma::Statement& statement, terms::Term kernel, terms::Term hlo);
  bool HoldsByExhaustion(const lemma::Statement& statement, int& bits);
  bool CountsNanBits(terms::Term kernel, terms::Term hlo) const;
  Proof SameWithNanBits(terms::Term kernel, terms::Term hlo);
  bool IsSameElement(terms::Term load, terms::Term other);
  // same_integers.cc
  Proof SameInteger(terms::Term a, terms::Term b);
  bool SameExtrema(terms::Term a, terms::Term b);
  bool SameBits(terms::Term kernel, terms::Term hlo);
  Proof WithLeavesOf(terms::Term kernel, terms::Term hlo);
  Proof WithLoadsOf(terms::Term kernel, terms::Term hlo);
  Proof SamePlace(terms::Term a, terms::Term b);
  // same_cases.cc
  Proof SameCondition(terms::Term a, terms::Term b);
  Proof SameConditionInForm(terms::Term a, terms::Term b);
  Proof SameByFormOfPredicate(terms::Term a, terms::Term b);
  // {assumed, facts} |- wanted
  Proof Implied(terms::Term assumed, terms::Term wanted);
  Proof ByCases(terms::Term condition, terms::Term kernel, terms::Term hlo, bool elements);
  // The a = b that `prove` shows where the condition holds, or where it does not, with that as a
  // fact. Proved where there is no such case; not kept where facts cannot say it.
  enum class Case : uint8_t { kProved, kOpen, kNotKept };
  Case InCase(terms::Term condition, bool holds, terms::Term a, terms::Term b,
              llvm::function_ref<Proof()> prove, Proof& theorem);
  FoldOrders::Place OrdersPlace() const;
  bool KeepsOrdersInAllCases(terms::Term kernel, terms::Term hlo);
  Proof SameArms(terms::Term kernel, terms::Term hlo);
  Proof SameInEachCase(terms::Term kernel, terms::Term hlo);
  // Of a condition that is not decided, a part that is not, and is no conjunction or negation.
  terms::Term OpenPart(terms::Term condition);
  // same_elements.cc
  struct ElementsRead;
  bool SameElements(terms::Term kernel, terms::Term hlo);
  bool ReadElements(terms::Term hlo, ElementsRead& read);
  bool WriteOutAll(terms::Term hlo, llvm::DenseSet<terms::Term>& loads);
  bool CountsOnce(terms::Term reduction);
  terms::Term FindCombination(terms::Term kernel, terms::Term reduction);
  // same_fold.cc. Without an initial value `init` is null.
  bool SameFold(terms::Term kernel, terms::Term init, terms::Term fold);
  bool SameMultiset(terms::Term kernel, terms::Term init, terms::Term fold,
                    std::vector<terms::Term> wanted);
  bool WriteOutReductions(terms::Op operation, std::vector<terms::Term>& values);
  bool WriteOutInit(terms::Op operation, terms::Term& init, std::vector<terms::Term>& values);
  bool SameZeros(llvm::ArrayRef<terms::Term> kernel, terms::Term init,
                 llvm::ArrayRef<terms::Term> wanted);
  bool CountsForNothing(terms::Op operation, terms::Term start);
  bool TakeSame(std::vector<terms::Term>& values, terms::Term wanted);
  uint64_t FormOf(terms::Term term);
  void TakeAlike(std::vector<terms::Term>& extra, std::vector<terms::Term>& rest);
  std::vector<terms::Term> WithKnownReductions(std::vector<terms::Term> values);
  bool FindReductions(terms::Term kernel, terms::Term hlo, std::vector<Pair>& found);
  bool ProveReductionsIn(llvm::ArrayRef<terms::Term> extra, terms::Term wanted);
  bool SameOneByOne(llvm::ArrayRef<terms::Term> extra, std::vector<terms::Term> rest);
  terms::Term Combined(terms::Op op, int64_t width, llvm::ArrayRef<terms::Term> values);
  // What a fold by a computation gives of its elements one after the other; null where they are too
  // many, or nothing says what the computation does.
  terms::Term CombinedInOrder(terms::Term fold_by_computation);
  // hlo = the value with what its folds by computations give; nullopt where it has none, or is one.
  Proof WithoutComputations(terms::Term hlo);
  Proof SameFoldByComputation(terms::Term kernel, terms::Term hlo);
  Proof SameFoldIn(terms::Term kernel, terms::Term hlo);
  // What is combined in a sum that leaves the sign of a zero open is equal but for that.
  void NoteOpenZeroSigns(terms::Term kernel);
  // Whether the first side, named kernel, is the one whose reductions have an open order: where its
  // sums are rounded as they stand, and are no order of the other's.
  // Whether folds by the operation of a fold may be taken apart that are among its values: of the
  // side whose order is open, or of the other one.
  bool MayWriteOutNested(terms::Term fold, bool of_open_side, llvm::ArrayRef<terms::Term> values);
  bool FirstIsLicensed() const { return options_.written_sums == WrittenSums::kAreRounded; }
  // Whether the reduction is this wherever it was compared before.
  bool IsInOneOrder(terms::Term kernel, terms::Term hlo);
  bool SameComplexSum(terms::Term kernel, terms::Term init, terms::Term fold);
  terms::Term InPairs(terms::Term real, terms::Term imaginary, bool of_sums);
  bool PartsHaveOneOrder(terms::Term kernel, terms::Term init, terms::Term fold);
  bool WriteOut(terms::Term fold, std::vector<terms::Term>& values);
  bool WriteOutFolds(terms::Op operation, std::vector<terms::Term>& values);
  // folds_in_parts.cc: a fold that the kernel combines of folds of its own.
  using Place = std::vector<terms::Term>;
  bool SameInParts(terms::Term kernel, terms::Term init, terms::Term fold);
  std::optional<Place> PlaceOf(terms::Term element, terms::Term load,
                               llvm::ArrayRef<terms::Term> variables);
  bool IsInFold(const Place& place, llvm::ArrayRef<terms::Term> variables);
  std::optional<Place> PlaceInFold(terms::Term value, terms::Term fold);
  std::optional<Place> PlaceInFoldIf(terms::Term condition, terms::Term value, terms::Term fold);
  terms::Term WithPartVariables(terms::Term fold);
  // folds_in_form.cc: folds on both sides.
  terms::Term WithoutNeutralStart(terms::Term reduction);
  Proof SameInForm(terms::Term a, terms::Term b);
  bool SameIntegersInForm(terms::Term a, terms::Term b);
  Proof SameFoldsInForm(terms::Term a, terms::Term b);
  Proof SameReindexed(terms::Term a, terms::Term b, llvm::ArrayRef<terms::Term> variables,
                      const llvm::DenseMap<terms::Term, terms::Term>& of_a,
                      const llvm::DenseMap<terms::Term, terms::Term>& of_b);
  Proof SameFoldBodies(terms::Term a, terms::Term b);
  bool WriteOutNested(terms::Op operation, std::vector<terms::Term>& values);
  // Folds in integers and conditions, whose values are known: they become sums, maxima,
  // conjunctions.
  bool HasIntegerFold(terms::Term term);
  terms::Term Unfolded(terms::Term term);
  terms::Term WithoutIntegerFolds(terms::Term term);
  // A condition in the term that the scope does not decide, of a choice; null where there is none.
  terms::Term FindChoice(terms::Term term, bool of_integers_only);
  // Whether there is any choice in the term, decided or not.
  bool HasChoice(terms::Term term);
  // Keeps the first reason. Converts to what fails.
  struct Failed {
    operator bool() const { return false; }          // NOLINT: it is what a function returns
    operator Proof() const { return std::nullopt; }  // NOLINT
  };
  Failed Fail(terms::Term kernel, terms::Term hlo, const char* what);
  void Begin();
  void Forget();

  terms::Scope& scope_;
  SameValueOptions options_;
  // Whether -x may be 0 - x, which is 0.0 where the other is -0.0: it reads the same elements.
  bool negations_are_differences_ = false;
  terms::TermDecider* decider_;
  logic::Inference infer_;
  // The oracles of all that was proved since the current strategy began.
  logic::Oracles seen_;
  // The weakest equality that a strategy has rested on, or allowed itself.
  logic::Equality weakest_ = logic::Equality::kBits;
  ChosenElements chosen_;
  ConstantSums constants_;
  CombineFunction combine_;
  // Memoized proofs; those with facts that do not hold now are not used.
  llvm::DenseMap<Pair, logic::Theorem> same_;
  // Pairs whose comparison failed under the current facts, which have this number.
  llvm::DenseSet<Pair> different_;
  // So that what is computed with a reduction is seen to be the same as soon as that is: what the
  // kernel combines, by the computation's reduction.
  llvm::DenseMap<terms::Term, logic::Theorem> reductions_;
  // Sums of the kernel that stand in the places of reductions: no other sum is one of these, which
  // would be another order of the reduction.
  llvm::DenseSet<terms::Term> sums_of_kernel_;
  uint64_t facts_ = 0;
  llvm::DenseMap<terms::Term, bool> has_fold_, has_choice_;
  // What the decider said of places, with the number of the facts.
  llvm::DenseMap<std::pair<uint64_t, terms::Term>, Proof> same_places_;
  int64_t in_vain_ = 0;
  // Whether choices inside of a condition are cases before it, since they make it another one:
  // where terms are small, as of one step of a computation.
  bool inner_choices_first_ = false;
  bool has_inner_choice_ = false;  // whether a case was one of such a condition
  Licences missed_;
  llvm::DenseMap<terms::Term, uint64_t> forms_;
  // What keeps a fold from being written out.
  terms::Term undecided_ = nullptr;
  int64_t cases_ = 0, data_cases_ = 0, written_out_ = 0;
  int64_t in_cases_ = 0;  // cases in which the proof is now
  FoldOrders orders_;
  TermPartsMemo parts_;
  OperationSet functions_;          // the operations of the kernel's value
  int64_t steps_ = options_.steps;  // that are left
  int64_t pairs_ = options_.pairs;  // that are left
  int64_t fold_depth_ = 0;          // folds whose bodies are being compared
  // Lemmas are looked for when a proof without them has failed on terms that they could be about.
  enum class Lemmas : uint8_t { kOff, kLookFor, kFound, kUse } lemmas_ = Lemmas::kOff;
  bool nan_bits_count_ = false;  // what is compared is an operand of a bitcast
  std::string why_no_lemma_;
  std::map<std::string, lemma::Lemma> tried_lemmas_;  // by statement
  int64_t samples_ = 0, refuted_lemmas_ = 0;
  int64_t lemma_work_ = options_.lemma_work;  // that is left
  // The operations whose forms are tried now, with the numbers of the facts.
  llvm::DenseSet<std::pair<uint64_t, terms::Term>> in_other_forms_;
  std::string reason_;
};

// Whether the theorem says that a = b where the facts of the scope hold.
bool Settles(const SameValue::Proof& theorem, const terms::Scope& scope, terms::Term a,
             terms::Term b, logic::Equality least = logic::Equality::kNansAreOne);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_SAME_VALUE_H_
