// Which variables of a query the variables of each map are: its dims and ranges, and those of its
// runtime variables that name the element from which the op takes its value.
#include <utility>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/map_proof.h"

namespace affirm {

bool MapProof::NamesSameElement(const RuntimeOperand& operand, const RuntimeSource& source,
                                const IndexingMap& map) const {
  if (operand.producer != source.producer) return false;
  if (!source.map) return operand.index.empty();
  llvm::ArrayRef<SymbolicExpr> results = source.map->results();
  if (results.size() != operand.index.size()) return false;
  // Over the variables of the map: its dims, then ranges, then runtime variables. The index of the
  // result is what the map starts from, or what it leads to.
  SolverQuery q{.context = context_, .variables = {}, .names = {}};
  int64_t first[3];
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    first[static_cast<int>(kind)] = std::ssize(q.variables);
    for (const Variable& v : map.vars(kind)) q.variables.push_back(v.bounds);
  }
  auto flat = [&](SymbolicExpr e) {
    return Rename(e, *context_, [&](VarKind kind, int64_t k) {
      return context_->Dim(first[static_cast<int>(kind)] + k);
    });
  };
  std::vector<Formula> domain;
  for (const Constraint& c : map.constraints()) {
    domain.push_back(Formula::In(flat(c.expr), c.bounds));
  }
  std::vector<SymbolicExpr> out;
  out.reserve(relation_.output.size());
  for (int64_t k = 0; k < std::ssize(relation_.output); ++k) {
    out.push_back(ToInput() ? context_->Dim(k) : flat(map.results()[k]));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const SymbolicExpr named = flat(results[i]);
    const SymbolicExpr taken =
        Rename(operand.index[i], *context_, [&](VarKind, int64_t k) { return out[k]; });
    // A dimension of size one may be written as its only index.
    q.claim = Formula::Implies(Formula::And(domain), Formula::Eq(named, taken));
    if (named != taken && Decide(q, options_).verdict != Verdict::kProved) return false;
  }
  return true;
}

// A runtime variable of a map is matched with the first unmatched one of the relation that has the
// same source. One without a match may have any value, independently of all others.
void MapProof::BindRuntimeVariables(const IndexingMap& map, BoundMap& bound,
                                    std::vector<bool>& matched) {
  bool by_order =
      map.runtime().size() == relation_.runtime.size() &&
      llvm::none_of(map.runtime(), [](const Variable& v) { return v.source.has_value(); });
  std::vector<bool> taken(relation_.runtime.size());
  for (size_t r = 0; r < map.runtime().size(); ++r) {
    int64_t to = -1;
    for (size_t k = 0; k < relation_.runtime.size() && to < 0; ++k) {
      if (taken[k]) continue;
      const std::optional<RuntimeSource>& source = map.runtime()[r].source;
      bool same = by_order ? k == r
                           : source && source->clamp == relation_.runtime[k] &&
                                 NamesSameElement(relation_.runtime_operands[k], *source, map);
      if (!same) continue;
      taken[k] = matched[k] = true;
      to = FirstRuntime() + static_cast<int64_t>(k);
    }
    if (to < 0) {
      to = static_cast<int64_t>(variables_.size());
      variables_.push_back(map.runtime()[r].bounds);
    }
    bound.runtime.push_back(to);
  }
}

// Brings the maps and the relation to common variables. Returns what is wrong, null if nothing is.
const char* MapProof::BindVariables(Context& context) {
  context_ = &context;
  for (const Interval& values : relation_.runtime) {
    if (values.IsEmpty()) return "a value that the op takes as an index has no values";
  }
  variables_ = relation_.output;
  for (const auto* more : {&relation_.input, &relation_.runtime, &relation_.extra}) {
    llvm::append_range(variables_, *more);
  }
  std::vector<bool> matched(relation_.runtime.size());
  for (const LabeledMap* labeled : labeled_) {
    const IndexingMap& map = labeled->map;
    if (map.IsKnownEmpty()) continue;
    bool fits = static_cast<int64_t>(map.dims().size()) == NumX() &&
                static_cast<int64_t>(map.results().size()) == NumY();
    if (!fits) return "a map does not have the ranks of the arrays";
    BoundMap bound;
    BindRuntimeVariables(map, bound, matched);
    // The ranges of the flat map are renumbered behind all other variables afterwards.
    int64_t num_outer = static_cast<int64_t>(map.dims().size() + map.runtime().size());
    FlattenedMap flat = Flatten(map, num_outer, context);
    int64_t first_range = static_cast<int64_t>(variables_.size());
    llvm::append_range(variables_, flat.ranges);
    auto rename = [&](SymbolicExpr e) {
      return Rename(e, context, [&](VarKind, int64_t k) {
        if (k < flat.num_dims) return context.Dim(FirstX() + k);
        if (k < num_outer) return context.Dim(bound.runtime[k - flat.num_dims]);
        return context.Dim(first_range + k - num_outer);
      });
    };
    for (SymbolicExpr& e : flat.results) e = rename(e);
    for (Constraint& c : flat.constraints) c.expr = rename(c.expr);
    flat.first_range = first_range;
    for (int64_t k = 0; k < NumX(); ++k) {
      Interval& bounds = variables_[FirstX() + k];
      bounds = bounds.Hull(flat.outer[k]);
    }
    bound.flat = std::move(flat);
    maps_.push_back(std::move(bound));
  }
  for (size_t k = 0; k < matched.size(); ++k) {
    if (matched[k]) continue;
    if (SymbolicExpr known = relation_.runtime_operands[k].known_value) {
      SymbolicExpr variable = context.Dim(FirstRuntime() + static_cast<int64_t>(k));
      known_ = Formula::And({known_, Formula::Eq(variable, known)});
    } else if (!labeled_.empty()) {
      folded_ = true;
    }
  }
  return nullptr;
}

}  // namespace affirm
