// The claims of a map proof, as queries to the deciders, and the verdict on all of them.
#include <algorithm>
#include <utility>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/decide/engines.h"
#include "verify/hlo/proof/map_proof.h"
#include "verify/maps/timing.h"
#include "verify/maps/witness.h"

namespace affirm {

void MapProof::AddReason(const std::string& reason) { affirm::AddReason(answer_.reason, reason); }

Formula MapProof::InSpaceX() const {
  std::vector<Formula> parts;
  for (int64_t k = 0; k < NumX(); ++k) {
    if (variables_[FirstX() + k] == SpaceX()[k]) continue;
    parts.push_back(Formula::In(context_->Dim(FirstX() + k), SpaceX()[k]));
  }
  return Formula::And(std::move(parts));
}

Formula MapProof::Domain(const BoundMap& m) const {
  std::vector<Formula> parts = {m.flat.Domain(/*bounds=*/false)};
  for (int64_t k = 0; k < m.flat.num_outer(); ++k) {
    int64_t variable = k < NumX() ? FirstX() + k : m.runtime[k - NumX()];
    if (m.flat.outer[k] == variables_[variable]) continue;
    parts.push_back(Formula::In(context_->Dim(variable), m.flat.outer[k]));
  }
  return Formula::And(std::move(parts));
}

SolverResult MapProof::DecideClaim(Formula claim) {
  SolverQuery q{
      .context = context_, .variables = variables_, .names = {}, .claim = std::move(claim)};
  SolverResult answer = Decide(q, options_);
  answer_.engine = std::max(answer_.engine, answer.engine);
  if (answer.verdict == Verdict::kUnknown) AddReason(answer.reason);
  return answer;
}

// The bounds of a variable that the claim does not mention must not decide it: that an operand has
// no elements would make every claim hold. Such empty bounds are widened to a point.
SolverResult MapProof::DecideOfMap(Formula claim) {
  SolverQuery q{
      .context = context_, .variables = variables_, .names = {}, .claim = std::move(claim)};
  const UsedVariables used = FindVariables(q);
  for (int64_t k = 0; k < std::ssize(q.variables); ++k) {
    const bool mentioned = llvm::is_contained(used.free, k) || llvm::is_contained(used.bound, k);
    if (!mentioned && q.variables[k].IsEmpty()) q.variables[k] = Interval::Point(0);
  }
  SolverResult answer = Decide(q, options_);
  answer_.engine = std::max(answer_.engine, answer.engine);
  if (answer.verdict == Verdict::kUnknown) AddReason(answer.reason);
  return answer;
}

namespace {

// f with the variables from `first` on replaced by terms.
Formula SubstituteFrom(const Formula& f, int64_t first, llvm::ArrayRef<SymbolicExpr> terms) {
  return Substitute(f, [&](VarKind, int64_t k) {
    bool hit = k >= first && k < first + static_cast<int64_t>(terms.size());
    return hit ? terms[k - first] : SymbolicExpr();
  });
}

}  // namespace

Verdict MapProof::IsSound(size_t k) {
  const BoundMap& m = maps_[k];
  Formula domain = Domain(m);
  std::vector<Formula> conclusions = {SubstituteFrom(relation_.reads, FirstY(), m.flat.results),
                                      InSpaceX()};
  for (int64_t j = 0; j < NumY(); ++j) {
    conclusions.push_back(Formula::In(m.flat.results[j], SpaceY()[j]));
  }
  std::vector<Formula> given = {std::move(domain),
                                SubstituteFrom(known_, FirstY(), m.flat.results)};
  Formula hypothesis = Formula::And(std::move(given));
  Formula all = Formula::And(std::move(conclusions));
  std::vector<Formula> parts = {all};
  if (all.kind() == Formula::Kind::kAnd) parts = all.parts().vec();
  for (const Formula& part : parts) {
    SolverResult answer = DecideOfMap(Formula::Implies(hypothesis, part));
    if (answer.verdict == Verdict::kRefuted)
      return ConfirmCounterexample(answer, k, /*every_map=*/false);
    if (answer.verdict == Verdict::kUnknown) return answer.verdict;
  }
  return Verdict::kProved;
}

Verdict MapProof::StaysInBounds(size_t k) {
  const BoundMap& m = maps_[k];
  const bool leads_nowhere =
      llvm::any_of(SpaceY(), [](const Interval& bounds) { return bounds.IsEmpty(); });
  Formula inside = leads_nowhere ? Formula::False() : InSpaceX();
  SolverResult answer = DecideOfMap(Formula::Implies(Domain(m), std::move(inside)));
  if (answer.verdict == Verdict::kRefuted)
    return ConfirmCounterexample(answer, k, /*every_map=*/false);
  return answer.verdict;
}

Formula MapProof::InImage(const BoundMap& m, bool by_witness) const {
  std::vector<SymbolicExpr> targets;
  targets.reserve(NumY());
  for (int64_t j = 0; j < NumY(); ++j) targets.push_back(Y(j));
  std::vector<Formula> parts = {Domain(m)};
  for (int64_t j = 0; j < NumY(); ++j) parts.push_back(Formula::Eq(m.flat.results[j], targets[j]));
  Formula body = Formula::And(std::move(parts));
  if (m.flat.num_ranges() == 0) return body;
  if (by_witness) {
    auto witness = FindWitness(m.flat, targets);
    if (!witness) return Formula::False();
    std::vector<Formula> found = {SubstituteFrom(body, m.flat.first_range, *witness)};
    for (int64_t k = 0; k < m.flat.num_ranges(); ++k) {
      found.push_back(Formula::In((*witness)[k], m.flat.ranges[k]));
    }
    return Formula::And(std::move(found));
  }
  std::vector<int64_t> bound;
  bound.reserve(m.flat.num_ranges());
  for (int64_t k = 0; k < m.flat.num_ranges(); ++k) bound.push_back(m.flat.first_range + k);
  return Formula::Exists(std::move(bound), body);
}

// Most relations are equations for the index that is read. With that substituted, a claim often
// becomes an identity, which needs no engine. False does not mean that the claim fails.
bool MapProof::FollowsBySubstitution(const Formula& given, const Formula& conclusion) {
  if (options_.only || options_.cross_check) return false;  // the caller wants an engine
  auto is_y = [&](SymbolicExpr e) {
    return e.kind() == ExprKind::kVariable && e.value() >= FirstY() &&
           e.value() < FirstY() + NumY();
  };
  auto speaks_of_y = [&](SymbolicExpr e) {
    bool found = false;
    e.Walk([&](SymbolicExpr node) { found |= is_y(node); });
    return found;
  };
  std::vector<SymbolicExpr> known(NumY());
  std::vector<Formula> facts = {given};
  if (given.kind() == Formula::Kind::kAnd) facts = given.parts().vec();
  for (const Formula& fact : facts) {
    if (fact.kind() != Formula::Kind::kEq) continue;
    for (auto [y, value] : {std::pair(fact.lhs(), fact.rhs()), std::pair(fact.rhs(), fact.lhs())}) {
      if (!is_y(y) || known[y.value() - FirstY()] || speaks_of_y(value)) continue;
      known[y.value() - FirstY()] = value;
      break;
    }
  }
  std::vector<Formula> all = {Formula::True()};
  for (int64_t j = 0; j < NumY(); ++j) {
    if (known[j]) all.push_back(Formula::In(known[j], variables_[FirstY() + j]));
  }
  auto put = [&](const Formula& f) {
    return Substitute(f, [&](VarKind, int64_t k) {
      bool hit = k >= FirstY() && k < FirstY() + NumY();
      return hit ? known[k - FirstY()] : SymbolicExpr();
    });
  };
  all.push_back(put(given));
  SolverQuery q{.context = context_, .variables = variables_, .names = {}};
  q.claim = Formula::Implies(Formula::And(std::move(all)), put(conclusion));
  return DecideByIntervalAnalysis(q).verdict == Verdict::kProved;
}

Verdict MapProof::IsComplete() {
  Formula reads = Reads();
  bool ranges = llvm::any_of(maps_, [](const BoundMap& m) { return m.flat.num_ranges() > 0; });
  std::vector<Formula> given;
  given.reserve(maps_.size());
  for (const BoundMap& m : maps_) given.push_back(InImage(m, /*by_witness=*/true));
  // The conjuncts of a single map are decided one by one, which is easier.
  std::vector<Formula> parts = {Formula::Or(given)};
  if (given.size() == 1 && given[0].kind() == Formula::Kind::kAnd) parts = given[0].parts().vec();
  bool proved = true;
  for (const Formula& part : parts) {
    if (FollowsBySubstitution(reads, part)) continue;
    SolverResult answer = DecideClaim(Formula::Implies(reads, part));
    proved = proved && answer.verdict == Verdict::kProved;
    if (answer.verdict == Verdict::kRefuted && !ranges)
      return ConfirmCounterexample(answer, 0, /*every_map=*/true);
    if (!proved && ranges) break;
  }
  if (proved) return Verdict::kProved;
  if (!ranges) return Verdict::kUnknown;
  given.clear();
  for (const BoundMap& m : maps_) given.push_back(InImage(m, /*by_witness=*/false));
  SolverResult answer = DecideClaim(Formula::Implies(reads, Formula::Or(std::move(given))));
  if (answer.verdict == Verdict::kRefuted)
    return ConfirmCounterexample(answer, 0, /*every_map=*/true);
  return answer.verdict;
}

MapProofResult MapProof::Run(Context& context) {
  bool exact = false;
  for (const LabeledMap* m : labeled_) {
    if (m->exactness == Exactness::kUnknown || m->map.IsUndefined()) {
      return {.reason = "a map makes no claim"};
    }
    exact = exact || m->exactness == Exactness::kExact;
  }
  // An exact map claims that its elements are read whatever the values are.
  if (exact && relation_.upper_bound) return {.reason = "what the op reads depends on values"};
  if (const char* problem = BindVariables(context)) return {.reason = problem};
  answer_.verdict = IsComplete();
  size_t k = 0;
  for (const LabeledMap* m : labeled_) {
    if (m->map.IsKnownEmpty()) continue;
    if (answer_.verdict == Verdict::kProved) {
      answer_.verdict = m->exactness == Exactness::kExact ? IsSound(k) : StaysInBounds(k);
    }
    ++k;
  }
  if (answer_.verdict != Verdict::kUnknown) answer_.reason.clear();
  return std::move(answer_);
}

namespace {

// The context of the terms of a formula; null when it has none.
Context* FindContext(const Formula& f) {
  if (f.lhs()) return f.lhs().context();
  for (const Formula& part : f.parts()) {
    if (Context* c = FindContext(part)) return c;
  }
  return nullptr;
}

MapProofResult ProveWithinOperand(const AccessRelation& relation, llvm::ArrayRef<LabeledMap> maps,
                                  Direction direction, const DecideOptions& options) {
  // The terms of the relation and of the queries must share a context.
  Context* context = FindContext(relation.reads);
  for (const LabeledMap& m : maps) {
    if (!context) context = m.map.context();
  }
  Context own;
  return MapProof(relation, maps, direction, options).Run(context ? *context : own);
}

// A map to (element, replica); nullopt when its two parts are not over the same variables, or the
// replica is no single number.
std::optional<LabeledMap> WithReplica(const LabeledMap& labeled) {
  const IndexingMap& map = labeled.map;
  const IndexingMap& replica = *labeled.replica_id;
  if (map.IsKnownEmpty()) return LabeledMap{map, labeled.exactness, labeled.leaf, std::nullopt};
  const bool same_variables = map.state() == IndexingMap::State::kNormal &&
                              replica.state() == IndexingMap::State::kNormal &&
                              map.dims() == replica.dims() && map.ranges() == replica.ranges() &&
                              map.runtime().empty() && replica.runtime().empty();
  if (!same_variables || replica.results().size() != 1) return std::nullopt;
  std::vector<SymbolicExpr> results = map.results().vec();
  results.push_back(replica.results()[0]);
  std::vector<Constraint> constraints = map.constraints();
  llvm::append_range(constraints, replica.constraints());
  return LabeledMap{IndexingMap(*map.context(), results, map.dims(), map.ranges(), {}, constraints),
                    labeled.exactness, labeled.leaf, std::nullopt};
}

// Proves what the maps say about replicas; proved when they say nothing.
MapProofResult ProveReplicas(const AccessRelation& relation, llvm::ArrayRef<LabeledMap> maps,
                             Direction direction, const DecideOptions& options) {
  auto names_replica = [](const LabeledMap& m) { return m.replica_id.has_value(); };
  if (llvm::none_of(maps, names_replica)) return {.verdict = Verdict::kProved};
  if (direction != Direction::kOutputToInput || !llvm::all_of(maps, names_replica)) {
    return {.reason = "only some maps name a replica"};
  }
  if (!relation.on_devices) return {.reason = "which replica is read is not known"};
  std::vector<LabeledMap> joined;
  for (const LabeledMap& m : maps) {
    std::optional<LabeledMap> with_replica = WithReplica(m);
    if (!with_replica) return {.reason = "the replica is not given over the variables of the map"};
    joined.push_back(std::move(*with_replica));
  }
  return ProveWithinOperand(*relation.on_devices, joined, direction, options);
}

}  // namespace

MapProofResult ProveMaps(const AccessRelation& relation, llvm::ArrayRef<LabeledMap> maps,
                         Direction direction, const DecideOptions& options) {
  return Timed([&]() -> MapProofResult {
    MapProofResult answer = ProveWithinOperand(relation, maps, direction, options);
    if (answer.verdict != Verdict::kProved) return answer;
    MapProofResult replicas = ProveReplicas(relation, maps, direction, options);
    replicas.engine = std::max(replicas.engine, answer.engine);
    if (replicas.counterexample) {
      replicas.counterexample->note += ", the last coordinate being the replica";
    }
    return replicas;
  });
}

MapProofResult ProveMap(const AccessRelation& relation, const LabeledMap& map, Direction direction,
                        const DecideOptions& options) {
  return ProveMaps(relation, map, direction, options);
}

}  // namespace affirm
