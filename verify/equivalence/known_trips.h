// Memo of proofs about trips of loops (loop_states.h). Internal to prove.cc.
//
//   KnownTrips trips;
//   trips.Add(std::move(a), std::move(b), place, proof);
//   trips.Find(*x, *y, place);   // that proof, where x is a and y is b, instruction by instruction
#ifndef AFFIRM_VERIFY_EQUIVALENCE_KNOWN_TRIPS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_KNOWN_TRIPS_H_

#include <deque>
#include <memory>

#include "core/hlo/module.h"
#include "verify/equivalence/equivalence_proof.h"

namespace affirm::equivalence {

// The context of a proof: its nesting depth, and whether NaN bits of the results are observed.
struct Place {
  int nested = 0;
  bool nan_bits = false;
  friend bool operator==(const Place&, const Place&) = default;
};

// Whether two computations are identical: names, shapes with layouts, attributes, numbers and
// operands, in the same order, calling the same computations.
bool IsCopyOf(const hlo::Computation& a, const hlo::Computation& b);

class KnownTrips {
 public:
  // The proof of two identical computations in the same context; null if there is none.
  const EquivalenceProof* Find(const hlo::Computation& a, const hlo::Computation& b,
                               Place place) const;
  // Takes ownership of the computations: other memos may refer to their parts.
  const EquivalenceProof& Add(std::unique_ptr<hlo::Computation> a,
                              std::unique_ptr<hlo::Computation> b, Place place,
                              EquivalenceProof proof);

 private:
  struct Trip {
    std::unique_ptr<hlo::Computation> a, b;
    Place place;
    EquivalenceProof proof;
  };
  std::deque<Trip> trips_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_KNOWN_TRIPS_H_
