// State shared by the proofs about the parts of two modules. Internal to prove.cc.
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

// Memo of proofs about computations that operations of both sides call, since nested loops ask for
// them repeatedly; and the laws of combiners.
struct KnownCallees {
  explicit KnownCallees(OpenReductions hides_of_a) : hides_of_a(hides_of_a) {}
  const OpenReductions hides_of_a;  // for B, all open reductions are hidden
  struct Answer {
    std::optional<std::string> why_not;
    std::set<std::string> laws;
  };
  // Keyed by the computations, and whether NaN bits of their results are observed.
  std::map<std::tuple<const hlo::Computation*, const hlo::Computation*, bool>, Answer> answers;
  // Proofs about single trips of loops, which several strategies repeat.
  KnownTrips trips;
  KnownCombiners combiners;
  // The normalized form of a computation. It lives as long as the memo, which refers to its
  // callees.
  const hlo::Computation& FormOf(const hlo::Computation& computation) {
    return forms.emplace_back(computation).Get();
  }
  std::deque<ComparedForm> forms;
  bool hides_some_of_a = false;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_KNOWN_CALLEES_H_
