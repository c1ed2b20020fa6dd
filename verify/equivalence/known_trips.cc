#include "verify/equivalence/known_trips.h"

#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::equivalence {

bool IsCopyOf(const hlo::Computation& a, const hlo::Computation& b) {
  if (a.name != b.name || a.instructions.size() != b.instructions.size()) return false;
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> copies;
  for (const auto& [x, y] : llvm::zip_equal(a.instructions, b.instructions)) {
    const bool alike = x->name == y->name && x->opcode == y->opcode &&
                       x->opcode_text == y->opcode_text && x->shape == y->shape &&
                       x->attributes == y->attributes && x->called == y->called &&
                       x->called_as == y->called_as && x->parameter_number == y->parameter_number &&
                       x->literal == y->literal && x->operands.size() == y->operands.size();
    if (!alike) return false;
    for (const auto& [of_x, of_y] : llvm::zip_equal(x->operands, y->operands)) {
      if (copies.lookup(of_x) != of_y) return false;
    }
    copies[x.get()] = y.get();
  }
  return copies.lookup(a.root) == b.root;
}

const EquivalenceProof* KnownTrips::Find(const hlo::Computation& a, const hlo::Computation& b,
                                         Place place) const {
  const auto known = llvm::find_if(trips_, [&](const Trip& trip) {
    return trip.place == place && IsCopyOf(*trip.a, a) && IsCopyOf(*trip.b, b);
  });
  return known == trips_.end() ? nullptr : &known->proof;
}

const EquivalenceProof& KnownTrips::Add(std::unique_ptr<hlo::Computation> a,
                                        std::unique_ptr<hlo::Computation> b, Place place,
                                        EquivalenceProof proof) {
  return trips_.emplace_back(std::move(a), std::move(b), place, std::move(proof)).proof;
}

}  // namespace affirm::equivalence
