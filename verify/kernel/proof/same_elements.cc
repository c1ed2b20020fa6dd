// Whether two values depend on the same elements, through whatever operations.
#include <algorithm>
#include <vector>

#include "verify/kernel/proof/same_value.h"

namespace affirm::kernel {

using terms::Kind;
using terms::Term;

bool SameValue::SameElements(Term kernel, Term hlo) {
  kernel = scope_.Simplify(kernel);
  hlo = scope_.Simplify(hlo);
  for (Term term : {kernel, hlo}) {
    // What depends on indices alone says which elements are read; what depends on data reads both
    // sides.
    if (Term choice = FindChoice(term, /*of_integers_only=*/true))
      return ByCases(choice, kernel, hlo, true);
  }
  std::vector<Term> elements[2];
  bool fold = false, unspecified = false;
  for (int side : {0, 1}) {
    terms::ForEachPart(side == 0 ? kernel : hlo, [&](Term term) {
      fold |= term->kind == Kind::kFold;
      unspecified |= term->kind == Kind::kArbitrary;
      if (term->kind == Kind::kLoad) elements[side].push_back(term);
      return terms::Visit::kInto;
    });
  }
  if (unspecified) return Fail(kernel, hlo, "an unspecified value");
  if (fold) return Fail(kernel, hlo, "how often an element counts is not known");
  auto contained = [&](int small, int big) {
    return std::all_of(elements[small].begin(), elements[small].end(), [&](Term load) {
      return std::any_of(elements[big].begin(), elements[big].end(), [&](Term other) {
        return load->number == other->number && load->type == other->type &&
               Holds(scope_.pool().Equal(load->args[0], other->args[0]));
      });
    });
  };
  return (contained(0, 1) && contained(1, 0)) || Fail(kernel, hlo, "other elements");
}

}  // namespace affirm::kernel
