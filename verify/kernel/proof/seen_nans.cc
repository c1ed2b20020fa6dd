#include "verify/kernel/proof/seen_nans.h"

#include "llvm/ADT/STLExtras.h"
#include "verify/logic/nan_bits.h"

namespace affirm::kernel {

using terms::Term;

std::string WhyNansAreOpen(const LiftedKernel& lifted, const KernelIr& ir) {
  const ChangedNans& changed = lifted.changed_nans;
  if (changed.first() == nullptr) return "";
  auto may_be_changed = [&](Term part) {
    return part->kind == terms::Kind::kLoad && changed.HasBuffer(part);
  };
  auto sees = [&](Term root) {
    return root != nullptr && terms::AnyPart(root, [&](Term part) {
             return logic::ShowsNanBits(part) && terms::AnyPart(part, may_be_changed);
           });
  };
  const bool are_seen = llvm::any_of(lifted.cases, [&](const LiftedCase& c) {
    return llvm::any_of(c.effects,
                        [&](const Effect& effect) {
                          const bool is_number = effect.value != nullptr && changed.has_literal() &&
                                                 !logic::MayBeNan(effect.value);
                          return is_number || sees(effect.value) || sees(effect.element) ||
                                 sees(effect.guard) || sees(effect.old);
                        }) ||
           llvm::any_of(c.choices, [&](const NamedChoice& choice) {
             return sees(choice.condition) || sees(choice.stored) || sees(choice.kept);
           });
  });
  if (!are_seen) return "";
  return "line " + std::to_string(ir.LineOf(changed.first())) +
         ": the bits of its NaN are seen, which LLVM IR leaves open";
}

}  // namespace affirm::kernel
