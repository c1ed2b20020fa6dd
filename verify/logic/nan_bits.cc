#include "verify/logic/nan_bits.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::logic {

using terms::Kind;
using terms::Op;
using terms::Term;

bool MayBeNan(Term term) {
  return term->sort() == terms::Sort::kValue && terms::IntegerWidth(term->type) == 0;
}

bool ShowsNanBits(Term term) {
  if (llvm::none_of(term->args, MayBeNan)) return false;
  if (term->kind == Kind::kInteger || term->kind == Kind::kHolds) return true;
  if (term->kind != Kind::kApply && term->kind != Kind::kFold) return false;
  switch (term->op()) {
    case Op::kBitsBeyond:
      return true;
    case Op::kFoldByComputation:
    case Op::kResultOfComputation:
      return !term->operation.takes_nans_for_one();
    default:
      return terms::SeesNanBits(term->operation);
  }
}

}  // namespace affirm::logic
