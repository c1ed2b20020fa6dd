// What proofs about the parts of two modules share. Internal to prove.cc.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_KNOWN_CALLEES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_KNOWN_CALLEES_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "core/hlo/module.h"
#include "verify/equivalence/combiner_laws.h"
#include "verify/equivalence/compared_form.h"
#include "verify/equivalence/known_trips.h"
#include "verify/hlo/values/values.h"

namespace affirm::equivalence {

using OpenReductions = hlo_values::ComputationValues::OpenReductions;

// What was found of computations that operations of both sides call, which are those of the
// modules: loops in loops are asked for again and again. And the laws of combiners.
struct KnownCallees {
  explicit KnownCallees(OpenReductions hides_of_a) : hides_of_a(hides_of_a) {}
  const OpenReductions hides_of_a;  // of B it is all that may be open
  struct Answer {
    std::optional<std::string> why_not;
    std::set<std::string> laws;
  };
  // By the computations, and whether the bits of NaNs in their results are seen.
  std::map<std::tuple<const hlo::Computation*, const hlo::Computation*, bool>, Answer> answers;
  // The proofs about single trips of loops, which are guessed alike by each way of a proof.
  KnownTrips trips;
  KnownCombiners combiners;
  // A computation as it is compared. It is kept as long as answers about what it calls are.
  const hlo::Computation& FormOf(const hlo::Computation& computation) {
    return forms.emplace_back(computation).Get();
  }
  std::deque<ComparedForm> forms;
  bool hides_some_of_a = false;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_KNOWN_CALLEES_H_
