// Proves values of few elements equal by exhaustion: compiled code compares them at all values of
// the elements (verify/lemma).
//
// This is the last resort. During a proof without lemmas, failed pairs are compared at a sample of
// values. If a pair agrees there, the proof starts again and tries exhaustion on each pair, from
// the outside in.
#include <array>

#include "verify/compare/narrow_values.h"
#include "verify/compare/same_value.h"
#include "verify/lemma/lemma.h"

namespace affirm::compare {

using terms::Term;

namespace {

// Limits of one proof: pairs compared at a sample, and exhaustions that find a difference. The
// second is small because operands of values that differ at few points do so too.
constexpr int64_t kMostSamples = 2000;
constexpr int64_t kMostRefuted = 3;
constexpr uint64_t kSampledPoints = 6000;

// A fixed sequence (splitmix64).
uint64_t Mixed(uint64_t k) {
  k += 0x9E3779B97F4A7C15;
  k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9;
  k = (k ^ (k >> 27)) * 0x94D049BB133111EB;
  return k ^ (k >> 31);
}

// The k-th sample of one variable: every sign, exponent and leading mantissa bits; powers of two
// and their neighbors; small integers; random bits.
uint64_t SampledBits(uint64_t k, int width) {
  const uint64_t mask = (uint64_t{1} << width) - 1;
  const uint64_t random = Mixed(k);
  switch (k % 4) {
    case 0: {
      const int low = std::max(0, width - 11);
      const uint64_t high = (k / 4) << low, ones = (uint64_t{1} << low) - 1;
      const uint64_t rest[] = {0, 1, ones, random & ones};
      return (high | rest[random >> 62]) & mask;
    }
    case 1:
      return ((uint64_t{1} << (random % static_cast<uint64_t>(width))) + (random >> 40) % 5 - 2) &
             mask;
    case 2:
      return (k / 4 % 512 - 256) & mask;
    default:
      return random & mask;
  }
}

// Points of a statement: all where there are few, else samples of each variable.
std::vector<uint64_t> SampleOf(const lemma::Statement& statement) {
  std::vector<uint64_t> points;
  const bool few = uint64_t{1} << statement.bits <= kSampledPoints;
  const uint64_t count = few ? uint64_t{1} << statement.bits : kSampledPoints;
  for (uint64_t k = 0; k < count; ++k) {
    uint64_t point = few ? k : 0;
    for (size_t leaf = 0; leaf < statement.leaves.size() && !few; ++leaf) {
      const lemma::Leaf& of = statement.leaves[leaf];
      // The lists of several variables are combined at random.
      const uint64_t at = leaf == 0 ? k : Mixed(k * 31 + leaf) % (8 * kSampledPoints);
      point |= SampledBits(at, of.width) << of.first;
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace

bool SameValue::IsSameElement(Term load, Term other) {
  return load->number == other->number && load->type == other->type &&
         Holds(scope_.pool().Equal(load->args[0], other->args[0]));
}

bool SameValue::AgreesAtSample(const lemma::Statement& statement, Term kernel, Term hlo) {
  bool agree = true;
  auto same_element = [&](Term a, Term b) { return IsSameElement(a, b); };
  const bool evaluated =
      EvaluateAt(kernel, hlo, statement.leaf_terms, same_element, SampleOf(statement), 0,
                 [&](const TypedScalar& a, const TypedScalar& b) {
                   agree = SameScalar(a, b);
                   return agree;
                 });
  return evaluated && agree;
}

// Charges each statement once, also if its lemma was cached on disk, so that no answer depends on
// the cache.
bool SameValue::HoldsByExhaustion(const lemma::Statement& statement, int& bits) {
  const auto [tried, is_new] = tried_lemmas_.try_emplace(statement.Text());
  if (is_new) {
    const int64_t work = static_cast<int64_t>(statement.nodes.size()) << statement.bits;
    if (refuted_lemmas_ >= kMostRefuted || work > lemma_work_) {
      tried->second.reason = "there are too many values to try";
    } else {
      lemma_work_ -= work;
      tried->second = lemma::ProveLemma(statement, lemma::kMostWork);
      if (tried->second.verdict == Verdict::kRefuted) ++refuted_lemmas_;
    }
  }
  const lemma::Lemma& lemma = tried->second;
  if (lemma.proved()) {
    bits = lemma.bits;
    return true;
  }
  if (why_no_lemma_.empty()) why_no_lemma_ = lemma.reason;
  return false;
}

bool SameValue::AnyStatement(Term kernel, Term hlo,
                             llvm::function_ref<bool(const lemma::Statement&)> take) {
  if (kernel->sort() != terms::Sort::kValue || !MayBeComputed(kernel, hlo) ||
      ++samples_ > kMostSamples || (nan_bits_count_ && hlo::IsFloat(kernel->type)) ||
      (kernel->leaves & hlo->leaves) == 0) {
    return false;
  }
  auto same_element = [&](Term a, Term b) { return IsSameElement(a, b); };
  using enum lemma::Generality;
  std::vector<lemma::Statement> statements;
  for (lemma::Generality generality : {kOfCommonValues, kOfElements}) {
    auto statement = lemma::MakeStatement(kernel, hlo, generality, same_element);
    if (statement) statements.push_back(std::move(*statement));
  }
  // Fewer points first.
  llvm::stable_sort(statements, [](const auto& a, const auto& b) { return a.bits < b.bits; });
  return llvm::any_of(statements, [&](const lemma::Statement& statement) {
    return AgreesAtSample(statement, kernel, hlo) && take(statement);
  });
}

// Proves the pair as an instance of a lemma.
SameValue::Proof SameValue::SameByLemma(Term kernel, Term hlo) {
  const logic::Oracles outer = std::exchange(seen_, {});
  const logic::Equality outer_weakest = std::exchange(weakest_, logic::Equality::kBits);
  int bits = 0;
  auto holds = [&](const lemma::Statement& statement) {
    return HoldsByExhaustion(statement, bits);
  };
  Proof same;
  if (AnyStatement(kernel, hlo, holds) && weakest_ != logic::Equality::kZerosAreOne)
    same = Believed(logic::Oracles::Exhaustion(bits), kernel, hlo, seen_);
  seen_ = outer;
  weakest_ = outer_weakest;
  return same;
}

// Whether one of the operations observes NaN payloads, such as a bitcast. Enumeration identifies
// all NaNs, so it must not be used for the operands.
bool SameValue::CountsNanBits(Term kernel, Term hlo) const {
  if (nan_bits_count_) return false;
  return llvm::any_of(std::array{kernel, hlo}, [](Term term) {
    if (term->kind != terms::Kind::kApply) return false;
    const bool of_float = !term->args.empty() && hlo::IsFloat(term->args[0]->type);
    return of_float && terms::SeesNanBits(term->operation);
  });
}

// As SameByChoices, with bit equality: without enumeration of floats, and without the memos of
// proofs that identify NaNs.
SameValue::Proof SameValue::SameWithNanBits(Term kernel, Term hlo) {
  llvm::DenseMap<Pair, logic::Theorem> same;
  llvm::DenseSet<Pair> different;
  llvm::DenseMap<Term, logic::Theorem> reductions;
  auto exchange = [&] {
    same_.swap(same);
    different_.swap(different);
    std::swap(reductions_, reductions);
    nan_bits_count_ = !nan_bits_count_;
  };
  exchange();
  Proof answer = SameByChoices(kernel, hlo);
  exchange();
  return answer;
}

SameValue::Proof SameValue::ProveByLemmas(Term kernel, Term hlo) {
  const std::string without = reason_;
  Begin();
  Forget();
  lemmas_ = Lemmas::kUse;
  why_no_lemma_.clear();
  const int64_t samples = std::exchange(samples_, 0);
  refuted_lemmas_ = 0;
  Proof same = Same(kernel, hlo);
  if (!same) {
    // Drops what lemmas proved: later proofs should not rest on lemmas without need.
    Forget();
    reason_ = without;
    if (!why_no_lemma_.empty()) reason_ += "; no lemma: " + why_no_lemma_;
  }
  samples_ += samples;
  return same;
}

}  // namespace affirm::compare
