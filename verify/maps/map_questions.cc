// Writes questions about maps as closed formulas, with quantifiers over the range variables.
#include "verify/maps/map_questions.h"

#include <utility>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// Builds one question from several maps, whose variables are numbered anew.
class Asker {
 public:
  explicit Asker(Context& context) { question_.context = &context; }

  std::vector<SymbolicExpr> Variables(llvm::ArrayRef<Interval> bounds) {
    std::vector<SymbolicExpr> list;
    for (Interval b : bounds) {
      list.push_back(question_.context->Dim(static_cast<int64_t>(question_.variables.size())));
      question_.variables.push_back(b);
    }
    return list;
  }

  // The map's domain holds, and its results are `results`, with these outer variables and ranges.
  Formula Gives(const FlatMap& map, llvm::ArrayRef<SymbolicExpr> outer,
                llvm::ArrayRef<SymbolicExpr> ranges, llvm::ArrayRef<SymbolicExpr> results) {
    if (map.empty) return Formula::False();
    auto bind = [&](SymbolicExpr e) {
      return Rename(e, *question_.context, [&](VarKind, int64_t k) {
        return map.IsRange(k) ? ranges[k - map.first_range] : outer[k];
      });
    };
    std::vector<Formula> parts;
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
  Formula SomeGives(llvm::ArrayRef<FlatMap> maps, llvm::ArrayRef<SymbolicExpr> outer,
                    llvm::ArrayRef<SymbolicExpr> results) {
    std::vector<Formula> any;
    for (const FlatMap& map : maps) {
      std::vector<SymbolicExpr> ranges = Variables(map.ranges);
      Formula gives = Gives(map, outer, ranges, results);
      std::vector<int64_t> bound;
      for (SymbolicExpr r : ranges) bound.push_back(r.value());
      any.push_back(bound.empty() ? gives : Formula::Exists(std::move(bound), std::move(gives)));
    }
    return Formula::Or(std::move(any));
  }

  Question Claim(Formula claim) {
    question_.claim = std::move(claim);
    return std::move(question_);
  }

 private:
  Question question_;
};

}  // namespace

Question InclusionQuestion(llvm::ArrayRef<FlatMap> a, llvm::ArrayRef<FlatMap> b, bool equal) {
  const FlatMap& first = a.empty() ? b.front() : a.front();
  Asker asker(*first.context);
  std::vector<Interval> hull = first.outer;
  for (llvm::ArrayRef<FlatMap> side : {a, b}) {
    for (const FlatMap& map : side) {
      for (size_t k = 0; k < hull.size(); ++k) hull[k] = hull[k].Hull(map.outer[k]);
    }
  }
  std::vector<SymbolicExpr> outer = asker.Variables(hull);
  std::vector<SymbolicExpr> results =
      asker.Variables(std::vector<Interval>(first.results.size(), Interval{kInt64Min, kInt64Max}));
  auto implies = [&](llvm::ArrayRef<FlatMap> from, llvm::ArrayRef<FlatMap> to) {
    Formula given = asker.SomeGives(from, outer, results);
    return Formula::Implies(std::move(given), asker.SomeGives(to, outer, results));
  };
  std::vector<Formula> claims = {implies(b, a)};
  if (equal) claims.push_back(implies(a, b));
  return asker.Claim(Formula::And(std::move(claims)));
}

Question InjectiveQuestion(const FlatMap& map) {
  Asker asker(*map.context);
  llvm::ArrayRef<Interval> all(map.outer);
  std::vector<SymbolicExpr> runtime = asker.Variables(all.drop_front(map.num_dims));
  std::vector<SymbolicExpr> results =
      asker.Variables(std::vector<Interval>(map.results.size(), Interval{kInt64Min, kInt64Max}));
  std::vector<Formula> given, same;
  std::vector<SymbolicExpr> points[2];
  for (std::vector<SymbolicExpr>& point : points) {
    point = asker.Variables(all.take_front(map.num_dims));
    std::vector<SymbolicExpr> outer = point, ranges = asker.Variables(map.ranges);
    llvm::append_range(outer, runtime);
    given.push_back(asker.Gives(map, outer, ranges, results));
    llvm::append_range(point, ranges);
  }
  for (size_t k = 0; k < points[0].size(); ++k) {
    same.push_back(Formula::Eq(points[0][k], points[1][k]));
  }
  return asker.Claim(
      Formula::Implies(Formula::And(std::move(given)), Formula::And(std::move(same))));
}

Question OntoQuestion(const FlatMap& map, llvm::ArrayRef<int64_t> shape) {
  Asker asker(*map.context);
  llvm::ArrayRef<Interval> all(map.outer);
  std::vector<SymbolicExpr> runtime = asker.Variables(all.drop_front(map.num_dims));
  std::vector<Interval> sizes;
  for (int64_t size : shape) sizes.push_back({0, size - 1});
  std::vector<SymbolicExpr> index = asker.Variables(sizes);
  std::vector<SymbolicExpr> outer = asker.Variables(all.take_front(map.num_dims));
  std::vector<SymbolicExpr> ranges = asker.Variables(map.ranges);
  std::vector<int64_t> bound;
  for (const auto* list : {&outer, &ranges}) {
    for (SymbolicExpr e : *list) bound.push_back(e.value());
  }
  llvm::append_range(outer, runtime);
  Formula gives = asker.Gives(map, outer, ranges, index);
  return asker.Claim(bound.empty() ? gives : Formula::Exists(std::move(bound), std::move(gives)));
}

}  // namespace affirm
