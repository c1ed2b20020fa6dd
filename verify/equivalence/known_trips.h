// Proofs about trips of loops (loop_states.h) that were tried already. Internal to prove.cc.
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

// Where in a proof computations stand: how deep, and whether the bits of NaNs in their results are
// seen there.
struct Place {
  int nested = 0;
  bool nan_bits = false;
  friend bool operator==(const Place&, const Place&) = default;
};

// Whether the two are written alike: names, shapes with layouts, attributes, numbers and operands,
// in one order, and they call the same computations.
bool IsCopyOf(const hlo::Computation& a, const hlo::Computation& b);

class KnownTrips {
 public:
  // The proof of two computations written alike, at the same place; null where there is none.
  const EquivalenceProof* Find(const hlo::Computation& a, const hlo::Computation& b,
                               Place place) const;
  // Keeps the computations: other answers may be about what is part of them.
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
