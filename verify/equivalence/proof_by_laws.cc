#include "verify/equivalence/proof_by_laws.h"

#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/logic/inference.h"

namespace affirm::equivalence {

namespace {

// The law that drops a zero initial value of a sum.
constexpr llvm::StringLiteral kLawOfZeros = "add.zero";

}  // namespace

bool ProofByLaws::IsAllowed(llvm::StringRef name) const {
  return llvm::any_of(options_.laws, [&](const Law* law) { return law->name == name; });
}

// Compares with either side first. B may implement a reduction of A by explicit adds, in one
// of the orders that A leaves open. But an explicit sum of A is not implemented by a reduction of
// B, which might round differently.
bool ProofByLaws::SameEitherWay(const logic::Theorem& one, const logic::Theorem& other,
                                const Licences& licences, std::string& reason, Licences& missed) {
  compare::SameValueOptions options = options_.same_value;
  options.zeros = licences.zeros ? compare::ZeroSigns::kNone : compare::ZeroSigns::kExact;
  options.nested_sums = licences.nested_sums;
  options.tally = nullptr;
  options.written_sums = compare::WrittenSums::kAreRounded;
  compare::FoldOrders orders = orders_;
  options.orders = &orders;
  options.orders_beside_cases = true;
  auto note_missed = [&](const compare::SameValue& of) {
    missed.zeros |= of.missed().zeros;
    missed.nested_sums |= of.missed().nested_sums;
  };
  compare::SameValue same(scope_, options);
  logic::Inference infer(scope_);
  compare::SameValue::Proof proof = same.Prove(one.right(), other.right());
  note_missed(same);
  if (!proof) {
    reason = same.reason(), orders = orders_;
    options.written_sums = compare::WrittenSums::kAreInAnyOrder;
    compare::SameValue written(scope_, options);
    proof = written.Prove(other.right(), one.right());
    note_missed(written);
    if (proof) proof = infer.Symmetry(*proof);
  }
  const bool is_proof = proof.has_value();
  if (proof) proof = infer.Transitivity(one, *proof);
  if (proof) proof = infer.Transitivity(*proof, infer.Symmetry(other));
  if (!compare::Settles(proof, scope_, one.left(), other.left())) {
    // The proof's equality is too weak; one with other licences may be stronger.
    if (is_proof) missed = {.zeros = true, .nested_sums = true};
    return false;
  }
  if (options_.same_value.tally != nullptr) options_.same_value.tally->Add(proof->oracles());
  orders_ = std::move(orders);
  return true;
}

bool ProofByLaws::AreSame(const logic::Theorem& one, const logic::Theorem& other,
                          const logic::Theorem& by_its_order, std::string& reason,
                          std::set<std::string>& laws) {
  // Failed proofs: their licences, and those that their steps lacked.
  std::vector<std::pair<Licences, Licences>> failed;
  for (const bool zeros : {false, true}) {
    for (const bool nested_sums : {false, true}) {
      if ((zeros && !IsAllowed(kLawOfZeros)) || (nested_sums && !IsAllowed(kNestedSums))) continue;
      // Skips a combination that adds only licences that a failed proof did not lack.
      if (llvm::any_of(failed, [&](const auto& of) {
            const auto& [licences, missed] = of;
            return (licences.zeros == zeros || !missed.zeros) &&
                   (licences.nested_sums == nested_sums || !missed.nested_sums);
          }))
        continue;
      const Licences licences = {.zeros = zeros, .nested_sums = nested_sums};
      Licences missed;
      std::string why, ignored;
      const bool same = SameEitherWay(one, other, licences, why, missed) ||
                        (by_its_order.right() != other.right() &&
                         SameEitherWay(one, by_its_order, licences, ignored, missed));
      if (reason.empty()) reason = std::move(why);
      if (!same) {
        failed.emplace_back(licences, missed);
        continue;
      }
      if (zeros) laws.insert(kLawOfZeros.str());
      if (nested_sums) laws.insert(kNestedSums.str());
      return true;
    }
  }
  return false;
}

}  // namespace affirm::equivalence
