#include "verify/logic/facts.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace affirm::logic {

using terms::Kind;
using terms::Term;

namespace {

bool ById(Term a, Term b) { return a->id < b->id; }

}  // namespace

Facts::Facts(llvm::ArrayRef<Term> conditions) {
  std::vector<Term> sorted(conditions);
  llvm::erase_if(sorted, [](Term condition) { return condition->kind == Kind::kTrue; });
  llvm::sort(sorted, ById);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (!sorted.empty()) conditions_ = std::make_shared<const std::vector<Term>>(std::move(sorted));
}

llvm::ArrayRef<Term> Facts::conditions() const {
  return conditions_ ? llvm::ArrayRef<Term>(*conditions_) : llvm::ArrayRef<Term>();
}

bool Facts::Contains(Term condition) const {
  return std::binary_search(conditions().begin(), conditions().end(), condition, ById);
}

bool Facts::IncludesAll(const Facts& other) const {
  if (conditions_ == other.conditions_ || !other.conditions_) return true;
  return std::includes(conditions().begin(), conditions().end(), other.conditions().begin(),
                       other.conditions().end(), ById);
}

Facts Facts::Join(const Facts& other) const {
  if (IncludesAll(other)) return *this;
  if (other.IncludesAll(*this)) return other;
  std::vector<Term> all(conditions());
  llvm::append_range(all, other.conditions());
  return Facts(all);
}

Facts Facts::Without(Term condition) const {
  if (!Contains(condition)) return *this;
  std::vector<Term> rest(conditions());
  llvm::erase(rest, condition);
  return Facts(rest);
}

bool Facts::Mention(Term variable) const {
  return llvm::any_of(conditions(), [&](Term condition) {
    return (condition->leaves & variable->leaves) != 0 &&
           terms::AnyPart(condition, [&](Term part) { return part == variable; });
  });
}

}  // namespace affirm::logic
