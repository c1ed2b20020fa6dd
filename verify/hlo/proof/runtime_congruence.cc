// Congruence of runtime values: which pairs of reads may be of one element, and whether a
// counterexample gives such pairs one value.
#include "verify/hlo/proof/runtime_congruence.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// Whether the sets of a map depend on a runtime variable: because a result or constraint names it,
// or the producer index of another variable on which they depend. A variable that is clamped to a
// single value does not matter.
bool Needs(const IndexingMap& map, int64_t variable) {
  auto in = [&](SymbolicExpr e) { return e.Uses(VarKind::kRuntime, variable); };
  const Variable& v = map.runtime()[variable];
  if (v.source && v.source->clamp.IsPoint()) return false;
  if (llvm::any_of(map.results(), in) ||
      llvm::any_of(map.constraints(), [&](const Constraint& c) { return in(c.expr); }) ||
      (v.source && v.bounds.Intersect(v.source->clamp) != v.source->clamp)) {
    return true;
  }
  for (int64_t k = 0; k < std::ssize(map.runtime()); ++k) {
    const std::optional<RuntimeSource>& other = map.runtime()[k].source;
    const bool names = k != variable && other && other->map && IsNormal(*other->map) &&
                       llvm::any_of(other->map->results(), in);
    if (names && Needs(map, k)) return true;
  }
  return false;
}

const IndexingMap* IndexIn(const RuntimeSource& source) {
  return source.map && IsNormal(*source.map) ? source.map.get() : nullptr;
}

// A read of a producer: a map and one of its runtime variables, by number in the list that the maps
// have in common.
struct ProducerRead {
  const IndexingMap* map = nullptr;
  int64_t variable = 0;
  const RuntimeSource* source = nullptr;
};

// Calls fn for each two reads of one producer by different variables, in both orders, until fn
// returns false.
bool ForEachPair(llvm::ArrayRef<IndexingMap> maps,
                 llvm::function_ref<bool(const ProducerRead&, const ProducerRead&)> fn) {
  std::vector<ProducerRead> reads;
  for (const IndexingMap& map : maps) {
    for (int64_t v = 0; IsNormal(map) && v < std::ssize(map.runtime()); ++v) {
      if (const RuntimeSource* source = UsedSource(map, v)) reads.push_back({&map, v, source});
    }
  }
  for (const ProducerRead& a : reads) {
    for (const ProducerRead& b : reads) {
      if (a.variable == b.variable || a.source->producer != b.source->producer) continue;
      if (!fn(a, b)) return false;
    }
  }
  return true;
}

// The values that are clamped to `value`.
Interval Unclamped(int64_t value, Interval clamp) {
  return {value <= clamp.lower ? Interval::All().lower : value,
          value >= clamp.upper ? Interval::All().upper : value};
}

// Whether the two reads are of different elements at these dims, by interval analysis.
bool AreDistinct(const ProducerRead& a, const ProducerRead& b, llvm::ArrayRef<int64_t> dims) {
  const IndexingMap *index_a = IndexIn(*a.source), *index_b = IndexIn(*b.source);
  if (!index_a || !index_b) return false;
  auto at_dims = [&](IndexingMap map) {
    for (auto [d, value] : llvm::enumerate(dims)) {
      map.SetBounds(VarKind::kDim, static_cast<int64_t>(d), Interval::Point(value));
    }
    return map;
  };
  const IndexingMap map_a = at_dims(*a.map), map_b = at_dims(*b.map);
  if (!IsNormal(map_a) || !IsNormal(map_b)) return true;  // nothing is read
  return llvm::any_of(llvm::zip(index_a->results(), index_b->results()),
                      [&](const auto& coordinate) {
                        const auto& [p, q] = coordinate;
                        return map_a.RangeOf(p).Intersect(map_b.RangeOf(q)).IsEmpty();
                      });
}

// Whether the runtime values of a counterexample are congruent: some contents of the producers have
// them all.
bool IsCongruent(llvm::ArrayRef<IndexingMap> maps, const MapCounterexample& at) {
  return ForEachPair(maps, [&](const ProducerRead& a, const ProducerRead& b) {
    const Interval both = Unclamped(at.runtime[a.variable], a.source->clamp)
                              .Intersect(Unclamped(at.runtime[b.variable], b.source->clamp));
    return !both.IsEmpty() || AreDistinct(a, b, at.dims);
  });
}

// The maps, constrained to producers that have the same value everywhere.
std::vector<IndexingMap> WithConstantProducers(std::vector<IndexingMap> maps) {
  std::vector<Constraint> constraints;
  ForEachPair(maps, [&](const ProducerRead& a, const ProducerRead& b) {
    const Interval clamp = a.source->clamp;
    if (clamp.Intersect(b.source->clamp) != clamp)
      return true;  // the pair in the other order adds it
    if (clamp == b.source->clamp && a.variable > b.variable) return true;
    Context& context = *a.map->context();
    const SymbolicExpr clamped = context.Runtime(b.variable)
                                     .Min(context.Constant(clamp.upper))
                                     .Max(context.Constant(clamp.lower));
    constraints.push_back({context.Runtime(a.variable) - clamped, Interval{0, 0}});
    return true;
  });
  for (IndexingMap& map : maps) {
    for (const Constraint& c : constraints) {
      if (IsNormal(map)) map.AddConstraint(c.expr, c.bounds);
    }
  }
  return maps;
}

}  // namespace

const RuntimeSource* UsedSource(const IndexingMap& map, int64_t variable) {
  if (!IsNormal(map) || !Needs(map, variable)) return nullptr;
  const std::optional<RuntimeSource>& source = map.runtime()[variable].source;
  return source ? &*source : nullptr;
}

const IndexingMap* ProducerIndexOf(const IndexingMap& map, int64_t variable) {
  const RuntimeSource* source = UsedSource(map, variable);
  return source ? IndexIn(*source) : nullptr;
}

MapProofResult ProveUnderCongruence(
    std::vector<IndexingMap> maps,
    llvm::function_ref<MapProofResult(llvm::ArrayRef<IndexingMap>)> prove) {
  auto is_genuine = [&](const MapProofResult& answer) {
    return answer.verdict == Verdict::kRefuted && answer.counterexample &&
           IsCongruent(maps, *answer.counterexample);
  };
  MapProofResult answer = prove(maps);
  if (answer.verdict != Verdict::kRefuted || is_genuine(answer)) return answer;
  MapProofResult uniform = prove(WithConstantProducers(maps));
  if (is_genuine(uniform)) return uniform;
  return {.engine = answer.engine,
          .reason = "the maps differ for runtime values that may contradict each other"};
}

}  // namespace affirm
