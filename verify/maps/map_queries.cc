// Writes questions about maps as closed formulas, with quantifiers over the range variables.
#include "verify/maps/map_queries.h"

#include <utility>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// Builds one query from several maps, whose variables are numbered anew.
class QueryBuilder {
 public:
  explicit QueryBuilder(Context& context) { query_.context = &context; }

  std::vector<SymbolicExpr> Variables(llvm::ArrayRef<Interval> bounds) {
    std::vector<SymbolicExpr> list;
    for (Interval b : bounds) {
      list.push_back(query_.context->Dim(static_cast<int64_t>(query_.variables.size())));
      query_.variables.push_back(b);
    }
    return list;
  }

  // The map's domain holds, and its results are `results`, with these outer variables and ranges.
  Formula Gives(const FlattenedMap& map, llvm::ArrayRef<SymbolicExpr> outer,
                llvm::ArrayRef<SymbolicExpr> ranges, llvm::ArrayRef<SymbolicExpr> results) {
    if (map.empty) return Formula::False();
    auto bind = [&](SymbolicExpr e) {
      return Rename(e, *query_.context, [&](VarKind, int64_t k) {
        return map.IsRange(k) ? ranges[k - map.first_range] : outer[k];
      });
    };
    std::vector<Formula> parts;
    parts.reserve(outer.size());
    for (size_t k = 0; k < outer.size(); ++k) {
      parts.push_back(Formula::In(outer[k], map.outer[k]));
    }
    for (const Constraint& c : map.constraints) {
      parts.push_back(Formula::In(bind(c.expr), c.bounds));
    }
    for (size_t i = 0; i < map.results.size(); ++i) {
      parts.push_back(Formula::Eq(bind(map.results[i]), results[i]));
    }
    return Formula::And(std::move(parts));
  }

  // Some range variables of some map give the results.
  Formula SomeGives(llvm::ArrayRef<FlattenedMap> maps, llvm::ArrayRef<SymbolicExpr> outer,
                    llvm::ArrayRef<SymbolicExpr> results) {
    std::vector<Formula> any;
    for (const FlattenedMap& map : maps) {
      std::vector<SymbolicExpr> ranges = Variables(map.ranges);
      Formula gives = Gives(map, outer, ranges, results);
      std::vector<int64_t> bound;
      bound.reserve(ranges.size());
      for (SymbolicExpr r : ranges) bound.push_back(r.value());
      any.push_back(bound.empty() ? gives : Formula::Exists(std::move(bound), std::move(gives)));
    }
    return Formula::Or(std::move(any));
  }

  SolverQuery Claim(Formula claim) {
    query_.claim = std::move(claim);
    return std::move(query_);
  }

 private:
  SolverQuery query_;
};

}  // namespace

SolverQuery InclusionQuery(llvm::ArrayRef<FlattenedMap> a, llvm::ArrayRef<FlattenedMap> b,
                           bool equal) {
  const FlattenedMap& first = a.empty() ? b.front() : a.front();
  QueryBuilder builder(*first.context);
  std::vector<Interval> hull = first.outer;
  for (llvm::ArrayRef<FlattenedMap> side : {a, b}) {
    for (const FlattenedMap& map : side) {
      for (size_t k = 0; k < hull.size(); ++k) hull[k] = hull[k].Hull(map.outer[k]);
    }
  }
  std::vector<SymbolicExpr> outer = builder.Variables(hull);
  std::vector<SymbolicExpr> results = builder.Variables(
      std::vector<Interval>(first.results.size(), Interval{kInt64Min, kInt64Max}));
  auto implies = [&](llvm::ArrayRef<FlattenedMap> from, llvm::ArrayRef<FlattenedMap> to) {
    Formula given = builder.SomeGives(from, outer, results);
    return Formula::Implies(std::move(given), builder.SomeGives(to, outer, results));
  };
  std::vector<Formula> claims = {implies(b, a)};
  if (equal) claims.push_back(implies(a, b));
  return builder.Claim(Formula::And(std::move(claims)));
}

SolverQuery InjectivityQuery(const FlattenedMap& map) {
  QueryBuilder builder(*map.context);
  llvm::ArrayRef<Interval> all(map.outer);
  std::vector<SymbolicExpr> runtime = builder.Variables(all.drop_front(map.num_dims));
  std::vector<SymbolicExpr> results =
      builder.Variables(std::vector<Interval>(map.results.size(), Interval{kInt64Min, kInt64Max}));
  std::vector<Formula> given, same;
  std::vector<SymbolicExpr> points[2];
  for (std::vector<SymbolicExpr>& point : points) {
    point = builder.Variables(all.take_front(map.num_dims));
    std::vector<SymbolicExpr> outer = point, ranges = builder.Variables(map.ranges);
    llvm::append_range(outer, runtime);
    given.push_back(builder.Gives(map, outer, ranges, results));
    llvm::append_range(point, ranges);
  }
  for (size_t k = 0; k < points[0].size(); ++k) {
    same.push_back(Formula::Eq(points[0][k], points[1][k]));
  }
  return builder.Claim(
      Formula::Implies(Formula::And(std::move(given)), Formula::And(std::move(same))));
}

SolverQuery SurjectivityQuery(const FlattenedMap& map, llvm::ArrayRef<int64_t> shape) {
  QueryBuilder builder(*map.context);
  llvm::ArrayRef<Interval> all(map.outer);
  std::vector<SymbolicExpr> runtime = builder.Variables(all.drop_front(map.num_dims));
  std::vector<Interval> sizes;
  for (int64_t size : shape) sizes.push_back({0, size - 1});
  std::vector<SymbolicExpr> index = builder.Variables(sizes);
  std::vector<SymbolicExpr> outer = builder.Variables(all.take_front(map.num_dims));
  std::vector<SymbolicExpr> ranges = builder.Variables(map.ranges);
  std::vector<int64_t> bound;
  for (const auto* list : {&outer, &ranges}) {
    for (SymbolicExpr e : *list) bound.push_back(e.value());
  }
  llvm::append_range(outer, runtime);
  Formula gives = builder.Gives(map, outer, ranges, index);
  return builder.Claim(bound.empty() ? gives : Formula::Exists(std::move(bound), std::move(gives)));
}

}  // namespace affirm
