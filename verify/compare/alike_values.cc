// Cheap matches between the values that a fold combines on both sides: by reductions that are
// already proved equal, or by a hash that ignores conversions between floats.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/same_value.h"
#include "verify/logic/nan_bits.h"

namespace affirm::compare {

using logic::Equality;
using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

bool IsFloatConversion(Term term) {
  return term->kind == Kind::kApply && term->op() == Op::kConvert && hlo::IsFloat(term->type) &&
         hlo::IsFloat(term->args[0]->type);
}

Term WithoutFloatConversions(Term term) {
  while (IsFloatConversion(term)) term = term->args[0];
  return term;
}

// The equality that remains after the parts in `known` are replaced by terms that are equal to them
// as the map says; nullopt where a part observes a difference. `known` is the memo as well.
std::optional<Equality> EqualityAfter(Term term, llvm::DenseMap<Term, Equality>& known) {
  if (auto it = known.find(term); it != known.end()) return it->second;
  for (const terms::Monomial& m : term->sum) {
    if (EqualityAfter(m.atom, known) != Equality::kBits) return std::nullopt;
  }
  Equality weakest = Equality::kBits;
  for (auto [k, arg] : llvm::enumerate(term->args)) {
    const std::optional<Equality> of_arg = EqualityAfter(arg, known);
    if (!of_arg) return std::nullopt;
    if (*of_arg == Equality::kBits) continue;
    if (!logic::MayReplace(term, k, *of_arg)) return std::nullopt;
    weakest = std::min(weakest, logic::AfterReplacing(term, k, *of_arg));
  }
  return known[term] = weakest;
}

// Looks for two terms of the same shape, up to reductions of the computation and conversions
// between floats: the kernel computes a bf16 logarithm in f32. Each pair is looked at once.
class AlikeTerms {
 public:
  using Pair = std::pair<Term, Term>;

  bool Match(Term kernel, Term hlo) {
    kernel = WithoutFloatConversions(kernel);
    hlo = WithoutFloatConversions(hlo);
    if (kernel == hlo || matched_.contains({kernel, hlo})) return true;
    if (unlike_.contains({kernel, hlo})) return false;
    const size_t reductions = reductions_.size();
    const bool is_alike = IsReduction(hlo) ? kernel->type == hlo->type : MatchParts(kernel, hlo);
    if (!is_alike) {
      reductions_.truncate(reductions);
      unlike_.insert({kernel, hlo});
      return false;
    }
    if (IsReduction(hlo)) reductions_.push_back({kernel, hlo});
    matched_.insert({kernel, hlo});
    return true;
  }

  // Each reduction, with the kernel's term in its place.
  llvm::ArrayRef<Pair> reductions() const { return reductions_; }

 private:
  bool MatchParts(Term kernel, Term hlo) {
    // A select's condition may contain a reduction: logsumexp asks whether the maximum is finite.
    const bool has_operands = hlo->kind == Kind::kApply || hlo->kind == Kind::kSelect ||
                              hlo->kind == Kind::kHolds || hlo->kind == Kind::kNot;
    const bool alike = has_operands && kernel->kind == hlo->kind &&
                       kernel->operation == hlo->operation &&
                       kernel->args.size() == hlo->args.size();
    if (!alike) return false;
    const size_t reductions = reductions_.size(), matched = matched_.size();
    auto in_order = [&](bool swapped) {
      reductions_.truncate(reductions);
      while (matched_.size() > matched) matched_.pop_back();
      for (size_t i = 0; i < hlo->args.size(); ++i) {
        if (!Match(kernel->args[swapped ? 1 - i : i], hlo->args[i])) return false;
      }
      return true;
    };
    if (in_order(false)) return true;
    const bool has_other = hlo->args.size() == 2 && terms::IsCommutative(hlo->op());
    if (has_other && in_order(true)) return true;
    while (matched_.size() > matched) matched_.pop_back();
    return false;
  }

  llvm::SmallVector<Pair> reductions_;
  llvm::SetVector<Pair> matched_;  // the reductions of these are in reductions_
  llvm::DenseSet<Pair> unlike_;
};

}  // namespace

// Replaces proved reductions in the values by the kernel's terms for them: m in exp(x - m). A value
// that observes more of a reduction than was proved stays: 1 / s, where the zero of the sum s may
// have either sign.
std::vector<Term> SameValue::WithKnownReductions(std::vector<Term> values) {
  llvm::DenseMap<Term, Term> known;
  llvm::DenseMap<Term, Equality> equal;
  for (const auto& [reduction, of_kernel] : reductions_) {
    if (!IsUsable(of_kernel)) continue;
    known[reduction] = of_kernel.left();
    equal[reduction] = of_kernel.equality();
    if (IsOpenInOrder(reduction)) sums_of_kernel_.insert(scope_.Simplify(of_kernel.left()));
    seen_.Add(of_kernel.oracles());
  }
  if (known.empty()) return values;
  for (Term& value : values) {
    if (EqualityAfter(value, equal)) value = scope_.Simplify(scope_.Substitute(value, known));
  }
  return values;
}

// Proves the reductions in `wanted` equal to those in one of the kernel's values. True if that
// proved a new one.
bool SameValue::ProveReductionsIn(llvm::ArrayRef<Term> extra, Term wanted) {
  const std::string before = reason_;
  for (Term value : extra) {
    AlikeTerms alike;
    if (!alike.Match(value, wanted) || alike.reductions().empty()) continue;
    auto is_known = [&](Pair pair) {
      auto known = reductions_.find(pair.second);
      return known != reductions_.end() && known->second.left() == pair.first &&
             IsUsable(known->second);
    };
    std::vector<Pair> open = alike.reductions().vec();
    llvm::erase_if(open, is_known);
    std::vector<logic::Theorem> proved;
    for (auto [of_kernel, reduction] : open) {
      if (Proof same = Same(of_kernel, reduction))
        proved.push_back(*same);
      else
        break;
    }
    if (open.empty() || proved.size() != open.size() || fold_depth_ > 0) break;
    for (const logic::Theorem& same : proved) reductions_.insert_or_assign(same.right(), same);
    return true;
  }
  reason_ = before;
  return false;
}

// A hash that ignores conversions between floats, so that an operation on bf16 and the one on f32
// of converted operands collide.
uint64_t SameValue::FormOf(Term term) {
  auto known = forms_.find(term);
  if (known != forms_.end()) return known->second;
  uint64_t form = llvm::hash_value(term->id);
  if (IsFloatConversion(term)) {
    form = FormOf(term->args[0]);
  } else if (term->kind == Kind::kLiteral && hlo::IsFloat(term->type)) {
    form = llvm::hash_value(llvm::bit_cast<uint64_t>(
        hlo::DecodeFloat(term->type, static_cast<uint64_t>(term->number))));
  } else if (term->kind == Kind::kApply || term->kind == Kind::kSelect) {
    llvm::SmallVector<uint64_t, 3> parts;
    for (Term arg : term->args) parts.push_back(FormOf(arg));
    if (terms::IsCommutative(term->op())) llvm::sort(parts);
    form = llvm::hash_combine(term->kind, term->operation, llvm::hash_combine_range(parts));
  }
  forms_[term] = form;
  return form;
}

// Removes pairs of equal values from both lists. Only pairs with one hash (FormOf) are compared.
void SameValue::TakeAlike(std::vector<Term>& extra, std::vector<Term>& rest) {
  constexpr size_t kMostOfOneForm = 4;
  std::map<uint64_t, std::vector<Term>> by_form;
  for (Term value : rest) by_form[FormOf(value)].push_back(value);
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  std::vector<Term> others;
  for (Term value : extra) {
    auto found = by_form.find(FormOf(value));
    const bool few = found != by_form.end() && found->second.size() <= kMostOfOneForm;
    auto match =
        few ? llvm::find_if(found->second, [&](Term other) { return AreSame(value, other); })
            : std::vector<Term>::iterator();
    if (few && match != found->second.end())
      found->second.erase(match);
    else
      others.push_back(value);
  }
  if (others.size() == extra.size()) return;
  extra = std::move(others);
  std::vector<Term> left;
  for (Term value : rest) {
    std::vector<Term>& open = by_form[FormOf(value)];
    auto at = llvm::find(open, value);
    if (at == open.end()) continue;
    open.erase(at);
    left.push_back(value);
  }
  rest = std::move(left);
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
}

}  // namespace affirm::compare
