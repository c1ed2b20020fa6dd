#include "verify/kernel/proof/seen_nans.h"

#include <array>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/logic/nan_bits.h"

namespace affirm::kernel {
namespace {

using terms::Kind;
using terms::Term;

// Looks for bits of changed NaNs that decide more than which NaN a float is.
class Search {
 public:
  explicit Search(const ChangedNans& changed) : changed_(changed) {}

  bool Sees(Term term) { return term != nullptr && Visit(term, /*is_carried=*/false); }

 private:
  // `is_carried`: the term is a float's bits again, and only that. Lanes exchange floats as
  // integers, and choose among these.
  bool Visit(Term term, bool is_carried) {
    if (!visited_[is_carried ? 1 : 0].insert(term).second) return false;
    const bool is_bitcast = term->kind == Kind::kApply && term->op() == terms::Op::kBitcast;
    if (is_bitcast && hlo::IsFloat(term->type)) return Visit(term->args[0], /*is_carried=*/true);
    if (!is_carried) return Shows(term) || VisitParts(term, 0, false);
    switch (term->kind) {
      case Kind::kPick:
      case Kind::kSelect:
        return Visit(term->args[0], false) || VisitParts(term, 1, true);
      case Kind::kInteger:
      case Kind::kOfInteger:
        return VisitParts(term, 0, true);
      case Kind::kApply:
        // One of them is not 0, where what is stored is proved to be one of them.
        if (term->op() == terms::Op::kOr) return VisitParts(term, 0, true);
        break;
      case Kind::kSum:
        if (term->sum.size() == 1 && term->sum[0].coefficient == 1 && term->number == 0)
          return Visit(term->sum[0].atom, true);
        break;
      default:
        break;
    }
    return is_bitcast ? VisitParts(term, 0, false) : Visit(term, false);
  }

  bool VisitParts(Term term, size_t first, bool is_carried) {
    return llvm::any_of(term->args.drop_front(first),
                        [&](Term part) { return Visit(part, is_carried); }) ||
           llvm::any_of(term->sum,
                        [&](const terms::Monomial& m) { return Visit(m.atom, is_carried); });
  }

  bool Shows(Term term) const {
    return logic::ShowsNanBits(term) && terms::AnyPart(term, [&](Term part) {
             return part->kind == Kind::kLoad && changed_.HasBuffer(part);
           });
  }

  const ChangedNans& changed_;
  std::array<llvm::DenseSet<Term>, 2> visited_;  // that were looked at; as bits that are carried
};

}  // namespace

std::string WhyNansAreOpen(const LiftedKernel& lifted, const KernelIr& ir) {
  const ChangedNans& changed = lifted.changed_nans;
  if (changed.first() == nullptr) return "";
  Search search(changed);
  const bool are_seen = llvm::any_of(lifted.cases, [&](const LiftedCase& c) {
    return llvm::any_of(c.effects,
                        [&](const Effect& effect) {
                          const bool is_number = effect.value != nullptr && changed.has_literal() &&
                                                 !logic::MayBeNan(effect.value);
                          return is_number || search.Sees(effect.value) ||
                                 search.Sees(effect.element) || search.Sees(effect.guard) ||
                                 search.Sees(effect.old);
                        }) ||
           llvm::any_of(c.choices, [&](const NamedChoice& choice) {
             return search.Sees(choice.condition) || search.Sees(choice.stored) ||
                    search.Sees(choice.kept);
           });
  });
  if (!are_seen) return "";
  return "line " + std::to_string(ir.LineOf(changed.first())) +
         ": the bits of its NaN are seen, which LLVM IR leaves open";
}

}  // namespace affirm::kernel
