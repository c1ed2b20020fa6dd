#include "verify/equivalence/prove.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "llvm/Support/thread.h"
#include "verify/equivalence/computed_nans.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/fold_origins.h"
#include "verify/equivalence/known_callees.h"
#include "verify/equivalence/loop_states.h"
#include "verify/equivalence/nan_bits.h"
#include "verify/equivalence/opaque_arrays.h"
#include "verify/equivalence/open_results.h"
#include "verify/equivalence/proof_by_laws.h"
#include "verify/equivalence/quotients.h"
#include "verify/equivalence/same_parts.h"
#include "verify/equivalence/same_structure.h"
#include "verify/equivalence/signatures.h"
#include "verify/equivalence/undefined.h"
#include "verify/equivalence/unlike_functions.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::equivalence {

using Clock = std::chrono::steady_clock;
using hlo_values::ComputationValues;
using terms::Scope;
using terms::Term;

namespace {

// The most terms of one question: hash functions, for instance, grow with every round.
constexpr size_t kMostTerms = 1 << 16;
// Fuel in range computations; then results are unknown.
constexpr int64_t kMostRanges = int64_t{1} << 20;
// The most nested loops whose bodies are proved by induction.
constexpr int kMostNested = 8;

EquivalenceProof Prove(const hlo::Computation& a, const hlo::Computation& b,
                       const ProveOptions& options, Place place, KnownCallees& known);

class Prover {
 public:
  Prover(const hlo::Computation& a, const hlo::Computation& b, const ProveOptions& options,
         Place place, KnownCallees& known)
      : a_(a),
        b_(b),
        options_(options),
        place_(place),
        known_(known),
        seen_of_a_(a, place.nan_bits),
        seen_of_b_(b, place.nan_bits),
        of_a_(scope_, a, LogicalElements(scope_, a)),
        of_b_(scope_, b, LogicalElements(scope_, b)),
        rewriters_(scope_, options.laws) {
    for (const auto* parameter : a.parameters) num_leaves_ += hlo::NumLeaves(parameter->shape);
    arrays_.next = num_leaves_;
    pool_.Limit(kMostRanges);
    auto names = [this](const hlo::Computation& combiner) {
      return known_.combiners.Named(combiner);
    };
    of_a_.NameCombinersByContent(names);
    of_b_.NameCombinersByContent(names);
    auto opaque = [this](const hlo::Instruction& op, int64_t leaf,
                         llvm::ArrayRef<Term> index) -> llvm::Expected<Term> {
      if (pool_.size() > kMostTerms) return MakeError("the value terms are too large");
      const auto number = arrays_.NumberOf(op, leaf);
      if (!number) return Term{};
      hlo::Shape shape = *hlo::LeafShape(op.shape, leaf);
      shape.layout.reset();
      return pool_.Load(*number, hlo_values::LinearElement(scope_, shape, index),
                        terms::TermType(shape.type));
    };
    of_a_.HideOpenReductions(known.hides_of_a);
    of_b_.HideOpenReductions(OpenReductions::kPossible);
    of_a_.SetOpaque(opaque);
    of_b_.SetOpaque(opaque);
  }

  // Replaces parts that match by form by common symbolic arrays. A proof for arbitrary arrays holds
  // for their actual values. Returns whether there are any.
  bool CutSameParts() {
    const auto numbers = NumberSameParts(a_, b_, Operands::kMayChangePlaces);
    llvm::DenseMap<int64_t, int64_t> buffers;  // value number -> array
    llvm::DenseSet<int64_t> of_b;
    for (const auto& op : b_.instructions) of_b.insert(numbers.lookup(op.get()));
    for (const auto& op : a_.instructions) {
      if (!IsWorthACut(op->opcode) || !of_b.contains(numbers.lookup(op.get()))) continue;
      if (buffers.try_emplace(numbers.lookup(op.get()), arrays_.next).second)
        arrays_.Take(op->shape);
    }
    for (const hlo::Computation* computation : {&a_, &b_}) {
      for (const auto& op : computation->instructions) {
        auto buffer = buffers.find(numbers.lookup(op.get()));
        if (buffer != buffers.end()) arrays_.Add(*op, buffer->second);
      }
    }
    return !buffers.empty();
  }

  // The same; in addition, instructions with one name that differ in form are proved equal one
  // after the other, each from the equal parts before it. Their users may then match by form again.
  // Returns whether such a proof succeeded.
  bool CutPartsInSteps() {
    constexpr int kMostFailures = 8;
    std::map<int64_t, std::vector<const hlo::Instruction*>> of_a;  // by number
    std::map<int64_t, int64_t> buffers;
    LicensedParts& licensed = licensed_.emplace(a_, b_);
    int failures = 0;
    bool any = false;
    auto matched = [&](const hlo::Instruction& op, int64_t number) {
      if (!IsWorthACut(op.opcode)) return;
      const auto [buffer, is_new] = buffers.try_emplace(number, arrays_.next);
      if (is_new) {
        arrays_.Take(op.shape);
        for (const hlo::Instruction* other : of_a[number]) arrays_.Add(*other, buffer->second);
      }
      arrays_.Add(op, buffer->second);
    };
    auto are_same = [&](const hlo::Instruction& x, const hlo::Instruction& y) {
      if (failures >= kMostFailures || !IsWorthACut(x.opcode)) return false;
      Prover step(a_, b_, options_, place_, known_);
      step.arrays_ = arrays_;
      step.is_part_ = true;
      const bool same =
          step.IsSame(x, y) && licensed.Add(x, y, step.of_a_, step.of_b_, step.orders_);
      for (const std::string& law : step.rewriters_.Used()) laws_.insert(law);
      laws_.insert(step.laws_.begin(), step.laws_.end());
      any |= same;
      failures += same ? 0 : 1;
      return same;
    };
    NumberSameParts(a_, b_, {are_same, matched},
                    [&](const llvm::DenseMap<const hlo::Instruction*, int64_t>& numbers) {
                      for (const auto& op : a_.instructions)
                        of_a[numbers.lookup(op.get())].push_back(op.get());
                    });
    return any;
  }

  EquivalenceProof Run() {
    EquivalenceProof proof;
    MatchFunctions();
    const auto* open_loop = FindOpenLoop(b_, [this](auto& op) { return IsOfA(op); });
    for (const hlo::LeafRef& leaf : hlo::Leaves(a_.root->shape)) {
      if (!leaf.shape->IsArray()) continue;
      const auto start = Clock::now();
      ResultProof result{.leaf = leaf.index};
      auto reason = WhyNot(*a_.root, *b_.root, leaf, &result.witness);
      if (!reason && open_loop)
        reason = "it is not known that " + open_loop->name + " of B ends, which is none of A";
      result.proved = !reason;
      if (reason) result.reason = *reason;
      result.ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      proof.results.push_back(std::move(result));
    }
    for (const std::string& law : rewriters_.Used()) laws_.insert(law);
    for (const Law& law : Laws()) {
      if (laws_.contains(law.name)) proof.laws.push_back(law.name);
    }
    return proof;
  }

 private:
  // Congruence for opaque operations: pairs each instruction of b without a value term with one of
  // a, if they are the same function of equal operands. Both become one symbolic array.
  void MatchFunctions() {
    constexpr int64_t kMostPairs = 4096;
    std::vector<const hlo::Instruction*> open;
    for (const auto& op : a_.instructions) {
      if (IsOpaqueFunction(*op) && !arrays_.contains(*op)) open.push_back(op.get());
    }
    int64_t pairs = 0;
    for (const auto& op : b_.instructions) {
      if (!IsOpaqueFunction(*op) || arrays_.contains(*op)) continue;
      for (const hlo::Instruction*& other : open) {
        if (other == nullptr || ++pairs > kMostPairs || other->opcode != op->opcode) continue;
        if (auto why_not = WhyNotTheSame(*other, *op); !why_not) {
          arrays_.Add(*other, arrays_.next);
          arrays_.Add(*op, arrays_.Take(op->shape));
          unlike_.erase(other);
        } else {
          // The first reason is kept: earlier candidates usually have the longest matching prefix.
          unlike_.try_emplace(other, "it is not '" + op->name + "' of B: " + *why_not);
          if (!AreLoopsOfOneTrip(*other, *op)) continue;
        }
        other = nullptr;
        break;
      }
    }
  }

  // Whether an instruction of B is matched with one of A, including the termination of unneeded
  // loops in its callees, which a comparison of results does not cover.
  bool IsOfA(const hlo::Instruction& of_b) {
    if (!arrays_.contains(of_b)) return false;
    auto has_open_loop = [](const hlo::Computation* called) {
      return FindOpenLoopBesideResults(*called, [](auto&) { return false; }) != nullptr;
    };
    return llvm::none_of(of_b.called, has_open_loop) ||
           llvm::any_of(a_.instructions, [&](const auto& op) {
             return arrays_.NumberOf(*op, 0) == arrays_.NumberOf(of_b, 0) &&
                    llvm::equal(op->called, of_b.called,
                                [](const auto* x, const auto* y) { return SameInOrder(*x, *y); });
           });
  }

  // Whether two loops are proved equal by induction; their states then become symbolic arrays.
  bool AreLoopsOfOneTrip(const hlo::Instruction& x, const hlo::Instruction& y) {
    if (x.opcode != hlo::Opcode::kWhile || place_.nested >= kMostNested) return false;
    if (numbers_.empty()) numbers_ = NumberSameParts(a_, b_);
    auto key = [this](const hlo::Instruction& op) -> ValueKey {
      const auto number = arrays_.NumberOfArray(op);
      return number ? ValueKey{1, *number} : ValueKey{0, numbers_.lookup(&op)};
    };
    auto prove = [&](std::unique_ptr<hlo::Computation> a, std::unique_ptr<hlo::Computation> b) {
      const Place place = {place_.nested + 1, CountsNanBits(x, y)};
      const EquivalenceProof* proof = known_.trips.Find(*a, *b, place);
      if (proof == nullptr) {
        EquivalenceProof made = affirm::equivalence::Prove(*a, *b, options_, place, known_);
        proof = &known_.trips.Add(std::move(a), std::move(b), place, std::move(made));
      }
      laws_.insert(proof->laws.begin(), proof->laws.end());
      return *proof;
    };
    // Opaque operations compare equal if they have been matched, and have one array.
    auto are_same = [this](auto& a, auto& b) { return !WhyNot(a, b, hlo::Leaves(a.shape)[0]); };
    // Records the reductions of the matched instruction, so that another instruction of B with the
    // same reduction is noticed.
    auto keyed = [this](const hlo::Instruction& of_b) {
      const auto index = hlo_values::AnyIndex(pool_, of_b.shape);
      auto value = index ? of_b_.At(of_b, 0, *index) : llvm::Expected<Term>(nullptr);
      if (!value)
        llvm::consumeError(value.takeError());
      else if (*value)
        origins_.Add(*value);
    };
    const auto same = MatchLoops(x, y, {key, keyed, are_same, prove});
    if (!same) return false;
    arrays_.AddMatched(x, y, *same);
    if (!llvm::is_contained(*same, std::nullopt)) unlike_.erase(&x);
    return true;
  }

  // Whether NaN bits are observed where one instruction replaces the other.
  bool CountsNanBits(const hlo::Instruction& x, const hlo::Instruction& y) const {
    return seen_of_a_.IsSeen(x) || seen_of_b_.IsSeen(y);
  }

  bool IsSame(const hlo::Instruction& x, const hlo::Instruction& y) {
    if (IsOpaqueFunction(x)) return x.opcode == y.opcode && !WhyNotTheSame(x, y);
    return llvm::all_of(hlo::Leaves(x.shape), [&](const hlo::LeafRef& leaf) {
      return leaf.shape->IsArray() && !WhyNot(x, y, leaf);
    });
  }

  // Why two instructions are not proved to be the same function of equal operands.
  std::optional<std::string> WhyNotTheSame(const hlo::Instruction& x, const hlo::Instruction& y) {
    if (!SameAttributes(x, y)) return "their attributes differ";
    for (size_t k = 0; k < x.operands.size(); ++k) {
      for (const hlo::LeafRef& leaf : hlo::Leaves(x.operands[k]->shape)) {
        if (!leaf.shape->IsArray()) continue;
        if (auto reason = WhyNot(*x.operands[k], *y.operands[k], leaf)) {
          return "array " + std::to_string(leaf.index) + " of operand " + std::to_string(k) + ": " +
                 *reason;
        }
      }
    }
    for (size_t k = 0; k < x.called.size(); ++k) {
      const bool nan_bits = CountsNanBits(x, y);
      if (auto reason = WhyNotTheSame(*x.called[k], *y.called[k], nan_bits)) return reason;
    }
    return std::nullopt;
  }

  std::optional<std::string> WhyNotTheSame(const hlo::Computation& x, const hlo::Computation& y,
                                           bool nan_bits) {
    if (SameStructure(x, y)) return std::nullopt;
    if (llvm::Error error = CheckSignatures(x, y)) return llvm::toString(std::move(error));
    if (place_.nested >= kMostNested) return "loops in loops are too many";
    const auto known = known_.answers.find({&x, &y, nan_bits});
    const KnownCallees::Answer answer =
        known != known_.answers.end() ? known->second : ProveCallees(x, y, nan_bits);
    known_.answers.insert_or_assign({&x, &y, nan_bits}, answer);
    laws_.insert(answer.laws.begin(), answer.laws.end());
    return answer.why_not;
  }

  KnownCallees::Answer ProveCallees(const hlo::Computation& x, const hlo::Computation& y,
                                    bool nan_bits) {
    // Flattens the callees, as at the top level.
    const auto flat_x = Flattened(x), flat_y = Flattened(y);
    const EquivalenceProof proof = affirm::equivalence::Prove(
        *flat_x, *flat_y, options_, {place_.nested + 1, nan_bits}, known_);
    KnownCallees::Answer answer{std::nullopt, {proof.laws.begin(), proof.laws.end()}};
    if (!proof.proved()) answer.why_not = "'" + x.name + "', " + proof.WhyNot();
    return answer;
  }

  // B may keep precision that A drops. Not used in proofs in steps: a rounded and an unrounded
  // instruction of B would both match one of A.
  bool SameWithFewerRoundings(Term a, const logic::Theorem& other,
                              const logic::Theorem& by_its_order) {
    const auto less = rewriters_.RewriteLessRounded(a, {other.right(), by_its_order.right()});
    std::string ignored;
    if (is_part_ || !less || !by_laws_.AreSame(less->theorem, other, by_its_order, ignored, laws_))
      return false;
    laws_.insert(less->laws.begin(), less->laws.end());
    return true;
  }

  // Why leaf `leaf` of two instructions is not proved equal, and a witness where it may differ.
  std::optional<std::string> WhyNot(const hlo::Instruction& of_a, const hlo::Instruction& of_b,
                                    const hlo::LeafRef& leaf,
                                    std::optional<Witness>* witness = nullptr) {
    const auto index = hlo_values::AnyIndex(pool_, *leaf.shape);
    if (!index) return std::nullopt;  // arrays without elements are equal
    auto a = of_a_.At(of_a, leaf.index, *index);
    if (!a) return "A:" + llvm::toString(a.takeError()) + WhyUnlike(of_a, unlike_);
    auto b = of_b_.At(of_b, leaf.index, *index);
    if (!b) return "B:" + llvm::toString(b.takeError());
    known_.hides_some_of_a |= of_a_.FirstHidden() != nullptr;
    if (CountsNanBits(of_a, of_b)) {
      if (hlo::IsComplex((*a)->type) && *a != *b) return "the bits of NaNs in its parts are seen";
      *a = terms::BitsOf(pool_, *a);
      *b = terms::BitsOf(pool_, *b);
    }
    const logic::Theorem one = rewriters_.Rewrite(*a), other = rewriters_.Rewrite(*b);
    if (std::string two = origins_.WhyTwo(of_b, *b); !two.empty()) return two;
    std::string reason;
    const logic::Theorem by_its_order = rewriters_.RewriteB(*b);
    if (by_laws_.AreSame(one, other, by_its_order, reason, laws_) ||
        SameWithFewerRoundings(*a, other, by_its_order)) {
      if (!licensed_ || licensed_->Agrees(of_a_, of_b_)) return std::nullopt;
      return "a reduction is one in a part that is proved, and another one beside it";
    }
    if (witness)
      *witness = FindWitness(scope_, decider_, one.right(), other.right(), *index, num_leaves_);
    return reason + WhyUnlike(of_a, unlike_) + WhyHidden("A", of_a_) + WhyHidden("B", of_b_);
  }

  const hlo::Computation &a_, &b_;
  const ProveOptions& options_;
  Place place_;
  KnownCallees& known_;
  NanBitsSeen seen_of_a_, seen_of_b_;
  terms::Pool pool_;
  compare::FoldOrders orders_;  // orders of A's reductions in B
  Scope scope_{pool_};
  ComputationValues of_a_, of_b_;
  Rewriters rewriters_;
  ProofByLaws by_laws_{scope_, options_, orders_};
  FoldOrigins origins_{scope_, a_, b_, of_a_, of_b_, rewriters_};
  // For witnesses alone, with small limits.
  terms::TermDecider decider_{{.questions = 64, .failures = 8}};
  llvm::DenseMap<const hlo::Instruction*, int64_t> numbers_;  // NumberSameParts
  std::optional<LicensedParts> licensed_;                     // for proofs in steps
  OpaqueArrays arrays_;
  UnlikeFunctions unlike_;
  int64_t num_leaves_ = 0;
  bool is_part_ = false;  // whether it proves one step
  std::set<std::string> laws_;
};

EquivalenceProof Prove(const hlo::Computation& a, const hlo::Computation& b,
                       const ProveOptions& options, Place place, KnownCallees& known) {
  // The stack must fit the deepest term, which may be a chain of all operations.
  constexpr unsigned kStackBytes = 1u << 30;
  EquivalenceProof proof;
  // Termination: A's loops are assumed to end, since A has a result. Each loop of B must be matched
  // with one of A, or be known to end.
  const hlo::Computation &x = known.FormOf(a), &y = known.FormOf(b);
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] {
    // Tries the differing parts first, which are small; then several small parts in steps; then
    // both computations as a whole, where terms show more.
    Prover difference(x, y, options, place, known);
    const bool is_whole = !difference.CutSameParts();
    const EquivalenceProof first = proof = difference.Run();
    if (proof.proved()) return;
    Prover in_steps(x, y, options, place, known);
    if (in_steps.CutPartsInSteps()) proof = in_steps.Run();
    if (proof.proved()) return;
    Complete(proof, is_whole ? first : Prover(x, y, options, place, known).Run(), x);
  });
  worker.join();
  return proof;
}

}  // namespace

EquivalenceProof ProveEquivalent(const hlo::Computation& a, const hlo::Computation& b,
                                 ProveOptions options) {
  if (HasQuotients(b)) options.same_value.exact_quotients = compare::ExactQuotients::kOfNone;
  // A reduction of A whose initial value is open may have B's value, or the interpreter's.
  KnownCallees hidden(OpenReductions::kPossible);
  EquivalenceProof proof = Prove(a, b, options, {}, hidden);
  if (!proof.proved() && hidden.hides_some_of_a) {
    KnownCallees given(OpenReductions::kKnown);
    Complete(proof, Prove(a, b, options, {}, given), a);
  }
  proof.Reject(WhyUndefined(a, b));
  if (proof.any_proved()) proof.Reject(WhyNaNsAreOpen(a, b, options));
  return proof;
}

}  // namespace affirm::equivalence
