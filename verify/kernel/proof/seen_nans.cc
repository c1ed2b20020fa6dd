#include "verify/kernel/proof/seen_nans.h"

#include <cstdint>
#include <utility>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/logic/nan_bits.h"

namespace affirm::kernel {
namespace {

using terms::Kind;
using terms::Term;

// Looks for observations of changed NaN payloads, other than carrying them to another float.
class Search {
 public:
  explicit Search(const ChangedNans& changed) : changed_(changed) {}

  bool Sees(Term term) { return term != nullptr && Visit(term, kSeen); }
  // Whether an operation took bits of which its result says nothing, or an obligation is about
  // some.
  bool HasDecided() const {
    const auto is_open = [&](Term of) { return HasNanComputedTwice(of) || ReadsChanged(of); };
    return llvm::any_of(changed_.with_bits_gone(), is_open) ||
           llvm::any_of(changed_.decided_by(), is_open);
  }

 private:
  static constexpr int64_t kSeen = 0;  // the bits are observed, and not only carried

  // `carried`: the term is only used as all bits of a float of this width. Lanes exchange floats as
  // integers, and select among them.
  bool Visit(Term term, int64_t carried) {
    if (!visited_.insert({term, carried}).second) return false;
    const bool is_bitcast = term->kind == Kind::kApply && term->op() == terms::Op::kBitcast;
    if (is_bitcast && hlo::IsFloat(term->type))
      return Visit(term->args[0], hlo::BitWidth(term->type));
    if (carried == kSeen) return Shows(term) || VisitParts(term, 0, kSeen);
    switch (term->kind) {
      case Kind::kPick:
      case Kind::kSelect:
        return Visit(term->args[0], kSeen) || VisitParts(term, 1, carried);
      case Kind::kInteger:
        return VisitParts(term, 0, carried);
      case Kind::kOfInteger:
        if (hlo::BitWidth(term->type) == carried) return VisitParts(term, 0, carried);
        break;
      case Kind::kApply:
        // The bits of a NaN remain a NaN when others are added by `or`.
        if (term->op() == terms::Op::kOr) return VisitParts(term, 0, carried);
        break;
      case Kind::kSum:
        if (term->sum.size() == 1 && term->sum[0].coefficient == 1 && term->number == 0)
          return Visit(term->sum[0].atom, carried);
        break;
      default:
        break;
    }
    const bool is_whole = is_bitcast && hlo::BitWidth(term->args[0]->type) == carried;
    return is_whole ? VisitParts(term, 0, kSeen) : Visit(term, kSeen);
  }

  bool VisitParts(Term term, size_t first, int64_t carried) {
    return llvm::any_of(term->args.drop_front(first),
                        [&](Term part) { return Visit(part, carried); }) ||
           llvm::any_of(term->sum,
                        [&](const terms::Monomial& m) { return Visit(m.atom, carried); });
  }

  bool Shows(Term term) const {
    return logic::ShowsNanBits(term) &&
           (llvm::any_of(term->args, [&](Term of) { return HasNanComputedTwice(of); }) ||
            ReadsChanged(term));
  }

  bool ReadsChanged(Term term) const {
    return terms::AnyPart(
        term, [&](Term part) { return part->kind == Kind::kLoad && changed_.HasBuffer(part); });
  }

  // Whether the value's NaN is one of those that were computed twice: of operations that hand one
  // on, their operands'.
  bool HasNanComputedTwice(Term value) const {
    bool has = false;
    terms::ForEachPart(value, [&](Term part) {
      has = has || changed_.IsComputedTwice(part);
      return has ? terms::Visit::kStop : HandsOn(part) ? terms::Visit::kInto : terms::Visit::kPast;
    });
    return has;
  }

  static bool HandsOn(Term term) {
    if (term->kind == Kind::kSelect) return true;
    if (term->kind != Kind::kApply) return false;
    switch (term->op()) {
      case terms::Op::kAbs:
      case terms::Op::kBitcast:
      case terms::Op::kCopysign:
      case terms::Op::kNegate:
        return true;
      default:
        return false;
    }
  }

  const ChangedNans& changed_;
  llvm::DenseSet<std::pair<Term, int64_t>> visited_;
};

}  // namespace

OpenNans FindOpenNans(const LiftedKernel& lifted, const KernelIr& ir) {
  const ChangedNans& changed = lifted.changed_nans;
  if (changed.first() == nullptr) return {};
  Search search(changed), of_places(changed);  // each sees a term once
  OpenNans open{.why = "", .decide = search.HasDecided()};
  bool are_seen = false;
  for (const LiftedCase& c : lifted.cases) {
    for (const Effect& effect : c.effects) {
      open.decide = open.decide || of_places.Sees(effect.element) || of_places.Sees(effect.guard);
      const bool is_number =
          effect.value != nullptr && changed.has_literal() && !logic::MayBeNan(effect.value);
      are_seen = are_seen || is_number || search.Sees(effect.value) || search.Sees(effect.old);
    }
    for (const NamedChoice& choice : c.choices) {
      are_seen = are_seen || search.Sees(choice.condition) || search.Sees(choice.stored) ||
                 search.Sees(choice.kept);
    }
  }
  if (are_seen || open.decide)
    open.why = "line " + std::to_string(ir.LineOf(changed.first())) +
               ": the bits of its NaN are seen, which LLVM IR leaves open";
  return open;
}

}  // namespace affirm::kernel
