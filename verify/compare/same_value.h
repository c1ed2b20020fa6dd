// Whether a kernel's value is the computation's: two terms over the same variables, compared under
// the facts of a scope.
//
// The kernel adds 517 numbers in a tree over lanes and shared memory; the computation has a fold
// over d0 in [0, 516]. Both are flattened into the multiset of their summands, and the multisets
// are compared:
//
//   SameValue same(scope, {});
//   auto theorem = same.Prove(kernel_term, hlo_term);   // or same.reason() says what differs
//   Settles(theorem, scope, kernel_term, hlo_term);     // it says so, under the scope's facts
//
// A condition that the facts do not decide becomes a case distinction. The prover is incomplete: a
// failed proof does not say that the values differ.
//
// Steps that have an inference rule (verify/logic) are theorems by that rule: operands, cases,
// conditions, integers. The other strategies, folds among them, end in an oracle of their name,
// which the theorem lists. So only a mistake in a rule or in a listed oracle can make a theorem
// false.
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

// Whether the term contains a load, an operation on values or an arbitrary value. `known` is the
// memo.
bool DependsOnData(terms::Term term, llvm::DenseMap<terms::Term, bool>& known);

// Whether sums of floats may differ in the sign of a zero: a sum of negative zeros is -0.0, and
// with one 0.0 among them it is 0.0 (IEEE 754, 6.3).
enum class ZeroSigns : uint8_t {
  kExact,     // no
  kOfStarts,  // the kernel may leave out the 0.0 that the computation's sum starts with, as Triton
              // does; or add a 0.0, as lanes without an element do
  kNone,      // 0.0 may be among the summands of either side alone
};

// The sides whose quotients and square roots of floats are correctly rounded, so that values which
// depend on them may be evaluated. Where a device's approximation may replace them, nothing is
// evaluated.
enum class ExactQuotients : uint8_t {
  kOfBoth,      // a kernel's fdiv and its computation's divide
  kOfOpenSide,  // of two computations, those of the open-order side; the other must have none
  kOfNone,      // either side's may be compiled to a device's approximation
};

// Limits of one proof.
struct SameValueOptions {
  int64_t cases = 2048;              // case distinctions by conditions on indices
  int64_t data_cases = 24;           // and by conditions on data
  int64_t steps = int64_t{1} << 26;  // evaluated terms, in enumerations of all values
  int64_t fold_elements = 1 << 20;   // values of unrolled folds
  int64_t pairs = 1 << 20;           // compared pairs of terms, operands included
  // If set, lemmas by exhaustion (verify/lemma) are used. The number of enumerated bits of each
  // lemma that a proof rests on is added here, for the verdict's text.
  std::set<int>* exhausted = nullptr;
  int64_t lemma_work = int64_t{1} << 42;  // budget of lemmas: nodes times points
  // If set, the oracles of each proof are added here.
  logic::OracleTally* tally = nullptr;
  // The orders of reductions, shared by all results of a kernel. If null, those of one proof.
  FoldOrders* orders = nullptr;
  // Whether a reduction whose term contains conditions must keep one order in all cases. Set for
  // two computations, where it occurs in several places with case distinctions of their own.
  bool orders_beside_cases = false;
  // Whether a kernel may compute an operation in the forms of correspondences.h and of exact value
  // rules (`correspondences`), and of the rules that define an operation (`definitions`).
  bool correspondences = true;
  bool definitions = true;
  // Whether both sides have folds, as two computations do. Folds are then also compared unexpanded,
  // under a bijection of their variables.
  bool folds_in_form = false;
  ZeroSigns zeros = ZeroSigns::kOfStarts;
  // Whether the kernel has folds, made from its loops. They are compared unexpanded as well, but a
  // fold inside of the values of another stays one value.
  bool folds_of_kernel = false;
  ExactQuotients exact_quotients = ExactQuotients::kOfBoth;
  // Whether the other side may compute a nested sum of floats, whose order is open, as a flat sum,
  // which has more orders. The reverse is always allowed: a nested sum is one of these orders.
  bool nested_sums = true;
  WrittenSums written_sums = WrittenSums::kAreInAnyOrder;  // of the kernel's side
};

// Applies the named computation, a reducer, to the running values and one more element. Returns the
// new running values; empty where the computation is unknown.
using CombineFunction = std::function<std::vector<terms::Term>(
    llvm::StringRef computation, llvm::ArrayRef<terms::Term> running,
    llvm::ArrayRef<terms::Term> element)>;

class SameValue {
 public:
  // The theorem a = b for two terms, in the order of the parameters; nullopt if not proved.
  using Proof = std::optional<logic::Theorem>;

  // `decider` proves what ranges do not decide; it may be null, and must outlive this object.
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
  // Whether the kernel's value depends on the same set of elements as the computation's, by any
  // operations. A set does not show multiplicities: a fold where these matter must equal a part of
  // the kernel's value (with 0 - x allowed for -x), and is then an element of its own. The claim is
  // no equality, so there is no theorem, and this code is trusted for it.
  bool ProveElements(terms::Term kernel, terms::Term hlo);
  // Sets the reducers of folds by called computations. Without it, these folds are not proved.
  void set_combine(CombineFunction combine) { combine_ = std::move(combine); }
  // Options, if they had been set, that would have allowed a step of the last proof. A failed proof
  // that missed none fails with them too.
  struct Licences {
    bool zeros = false;        // ZeroSigns::kNone for kExact
    bool nested_sums = false;  // that sums of sums are written out
  };
  const Licences& missed() const { return missed_; }
  // Why the last proof failed: the first pair of terms that was not proved equal.
  const std::string& reason() const { return reason_; }

 private:
  using Pair = std::pair<terms::Term, terms::Term>;

  // Each Proof below is the theorem kernel = hlo for its arguments.
  Proof Same(terms::Term kernel, terms::Term hlo);
  // For strategies that end in an oracle.
  bool AreSame(terms::Term kernel, terms::Term hlo) { return Same(kernel, hlo).has_value(); }
  // Expects terms that the scope has simplified.
  Proof SameSimplified(terms::Term kernel, terms::Term hlo);
  Proof SameByChoices(terms::Term kernel, terms::Term hlo);
  Proof SameByInnerChoices(terms::Term kernel, terms::Term hlo);
  bool SameWhateverCompares(terms::Term kernel, terms::Term hlo);
  // Whether the two may be compared by evaluating their operations at points.
  bool MayBeComputed(terms::Term kernel, terms::Term hlo);
  Proof SameNow(terms::Term kernel, terms::Term hlo);
  Proof SameOfOneKind(terms::Term kernel, terms::Term hlo);
  Proof SameAsIntegers(terms::Term kernel, terms::Term hlo);
  // Calls `with`, which tries other forms of the operation, unless a caller further out tries them
  // under the same facts. So rules that undo each other terminate.
  Proof InOtherForms(terms::Term operation, llvm::function_ref<Proof()> with);
  // operation = its normal form under the exact rules that make terms smaller; nullopt where none
  // applies. -(-(-(-x))) becomes x, without a comparison for each step.
  Proof Shortened(terms::Term operation);
  // Whether the theorem is strong enough: bit equality where NaN payloads count.
  bool IsOfEnoughBits(const logic::Theorem& theorem) const;
  // The forms that a kernel may have for an operation: by the table, and by value rules.
  std::vector<logic::Theorem> FormsOf(terms::Term operation);
  // Whether the kernel's value has the operation.
  bool Calls(terms::Op operation) const;
  Proof SameByTable(terms::Term kernel, terms::Term hlo);
  // By an exact rule that makes the kernel's operation no larger.
  Proof SameByRuleOfKernel(terms::Term kernel, terms::Term hlo);
  Proof SameOperands(terms::Term kernel, terms::Term hlo);
  bool SameExtremes(terms::Term kernel, terms::Term hlo);
  bool SameAsDifference(terms::Term kernel, terms::Term hlo);
  // hlo = hlo with comparisons in total order written on integers, as kernels do, so that both
  // sides split into the same cases; nullopt where there are none.
  Proof WithoutTotalOrders(terms::Term hlo);
  // proof_steps.cc: theorems of one step.
  // a = b by the given oracles and those of all that the strategy proves; nullopt where it fails.
  Proof ByStrategy(const logic::Oracles& oracles, terms::Term a, terms::Term b,
                   llvm::function_ref<bool()> strategy);
  Proof Believed(const logic::Oracles& oracles, terms::Term a, terms::Term b,
                 const logic::Oracles& also = {});
  // Transitivity of a = b with b = c (Chain) or with c = b (ChainBack); nullopt where one is.
  Proof Chain(const Proof& first, const Proof& second);
  Proof ChainBack(const Proof& first, const Proof& second);
  // kernel = hlo by way of the right side of `hlo_as_known`; nullopt where that is.
  Proof SameAs(terms::Term kernel, const Proof& hlo_as_known);
  // The theorem that a condition holds, by ranges or else by the decider.
  Proof Known(terms::Term condition);
  bool Holds(terms::Term condition);
  // a = b for integers, by proving that their difference is 0.
  Proof FromZero(terms::Term a, terms::Term b);
  Proof SameLoad(terms::Term load, terms::Term other, const Proof& place);
  bool IsUsable(const logic::Theorem& theorem);
  // lemmas.cc: equal at all values of the elements, by compiled code.
  Proof ProveByLemmas(terms::Term kernel, terms::Term hlo);
  Proof SameByLemma(terms::Term kernel, terms::Term hlo);
  // Whether `take` accepts a statement; it gets those that hold at a sample of points.
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
  // Runs `prove` for a = b with the condition, or its negation, as a fact. An impossible case is
  // kProved; kNotKept says that the scope cannot represent the condition as a fact.
  enum class Case : uint8_t { kProved, kOpen, kNotKept };
  Case InCase(terms::Term condition, bool holds, terms::Term a, terms::Term b,
              llvm::function_ref<Proof()> prove, Proof& theorem);
  FoldOrders::Place OrdersPlace() const;
  bool KeepsOrdersInAllCases(terms::Term kernel, terms::Term hlo);
  Proof SameArms(terms::Term kernel, terms::Term hlo);
  Proof SameInEachCase(terms::Term kernel, terms::Term hlo);
  // An undecided part of an undecided condition that is neither a conjunction nor a negation.
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
  bool ProveReductionsIn(llvm::ArrayRef<terms::Term> extra, terms::Term wanted);
  bool SameOneByOne(llvm::ArrayRef<terms::Term> extra, std::vector<terms::Term> rest);
  terms::Term Combined(terms::Op op, int64_t width, llvm::ArrayRef<terms::Term> values);
  // A fold by a computation, unrolled in index order; null where it has too many elements, or the
  // computation is unknown.
  terms::Term CombinedInOrder(terms::Term fold_by_computation);
  // hlo = hlo with its folds by computations unrolled; nullopt where it contains none, or is one.
  Proof WithoutComputations(terms::Term hlo);
  Proof SameFoldByComputation(terms::Term kernel, terms::Term hlo);
  Proof SameFoldIn(terms::Term kernel, terms::Term hlo);
  // Weakens the equality to kZerosAreOne if the kernel's sum leaves the sign of a zero open.
  void NoteOpenZeroSigns(terms::Term kernel);
  // Whether nested folds among the values of `fold`, by the same operation, may be merged into it,
  // on the side whose order is open or on the other one.
  bool MayWriteOutNested(terms::Term fold, bool of_open_side, llvm::ArrayRef<terms::Term> values);
  // Whether the first side, named kernel, is the one whose reductions have an open order. Its adds
  // then round as they stand and are no order of the other side's reductions.
  bool FirstIsLicensed() const { return options_.written_sums == WrittenSums::kAreRounded; }
  // Whether the reduction has this order wherever it was compared before (FoldOrders::Add).
  bool IsInOneOrder(terms::Term kernel, terms::Term hlo);
  bool SameComplexSum(terms::Term kernel, terms::Term init, terms::Term fold);
  terms::Term InPairs(terms::Term real, terms::Term imaginary, bool of_sums);
  bool PartsHaveOneOrder(terms::Term kernel, terms::Term init, terms::Term fold);
  bool WriteOut(terms::Term fold, std::vector<terms::Term>& values);
  bool WriteOutFolds(terms::Op operation, std::vector<terms::Term>& values);
  // folds_in_parts.cc: a fold that the kernel splits into partial folds.
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
  // Unrolls folds in integers and conditions into sums, maxima and conjunctions.
  bool HasIntegerFold(terms::Term term);
  terms::Term Unfolded(terms::Term term);
  terms::Term WithoutIntegerFolds(terms::Term term);
  // A condition of a select in the term that the scope does not decide, or null.
  terms::Term FindChoice(terms::Term term, bool of_integers_only);
  // Whether the term has a select or a conjunction, decided or not.
  bool HasChoice(terms::Term term);
  // Records the reason if it is the first one. The result converts to a failed bool or Proof.
  struct Failed {
    operator bool() const { return false; }          // NOLINT: it is what a function returns
    operator Proof() const { return std::nullopt; }  // NOLINT
  };
  Failed Fail(terms::Term kernel, terms::Term hlo, const char* what);
  void Begin();
  void Forget();

  terms::Scope& scope_;
  SameValueOptions options_;
  // Whether 0 - x may stand for -x, in ProveElements alone: the two differ in the sign of a zero.
  bool negations_are_differences_ = false;
  terms::TermDecider* decider_;
  logic::Inference infer_;
  // The oracles of all proofs since the current strategy began.
  logic::Oracles seen_;
  // The weakest equality that a strategy has rested on, or allowed itself.
  logic::Equality weakest_ = logic::Equality::kBits;
  ChosenElements chosen_;
  ConstantSums constants_;
  CombineFunction combine_;
  // Memoized proofs; those with facts that do not hold now are not used.
  llvm::DenseMap<Pair, logic::Theorem> same_;
  // Pairs whose comparison failed under the current facts.
  llvm::DenseSet<Pair> different_;
  // Proved reductions, keyed by the computation's: kernel term = reduction. Rewriting with them
  // lets a use of the reduction, such as exp(x - max), match at once.
  llvm::DenseMap<terms::Term, logic::Theorem> reductions_;
  // Kernel sums that replaced reductions in `hlo` terms. No other sum may equal one of them: that
  // would be a second order of the reduction.
  llvm::DenseSet<terms::Term> sums_of_kernel_;
  uint64_t facts_ = 0;
  llvm::DenseMap<terms::Term, bool> has_fold_, has_choice_;
  // Memo of SamePlace, by the number of the facts.
  llvm::DenseMap<std::pair<uint64_t, terms::Term>, Proof> same_places_;
  int64_t in_vain_ = 0;
  // Whether selects inside of a condition are split before the condition itself, which they
  // simplify. Set only for small terms, and to retry a failed proof.
  bool inner_choices_first_ = false;
  bool has_inner_choice_ = false;  // whether a condition with a select inside was split
  Licences missed_;
  llvm::DenseMap<terms::Term, uint64_t> forms_;
  // The undecided guard that blocks unrolling.
  terms::Term undecided_ = nullptr;
  int64_t cases_ = 0, data_cases_ = 0, written_out_ = 0;
  int64_t in_cases_ = 0;  // depth of nested cases
  FoldOrders orders_;
  TermPartsMemo parts_;
  OperationSet functions_;          // the operations of the kernel's value
  int64_t steps_ = options_.steps;  // fuel left
  int64_t pairs_ = options_.pairs;  // fuel left
  int64_t fold_depth_ = 0;          // nesting depth of fold bodies under comparison
  // Lemmas are used only after a proof without them has failed at a pair that one might prove.
  enum class Lemmas : uint8_t { kOff, kLookFor, kFound, kUse } lemmas_ = Lemmas::kOff;
  bool nan_bits_count_ = false;  // what is compared is an operand of a bitcast
  std::string why_no_lemma_;
  std::map<std::string, lemma::Lemma> tried_lemmas_;  // by statement
  int64_t samples_ = 0, refuted_lemmas_ = 0;
  int64_t lemma_work_ = options_.lemma_work;  // fuel left
  // The operations whose forms are being tried, with the number of the facts.
  llvm::DenseSet<std::pair<uint64_t, terms::Term>> in_other_forms_;
  std::string reason_;
};

// Whether the theorem states a = b, at least as strongly as `least`, from facts of the scope alone.
bool Settles(const SameValue::Proof& theorem, const terms::Scope& scope, terms::Term a,
             terms::Term b, logic::Equality least = logic::Equality::kNansAreOne);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_SAME_VALUE_H_
