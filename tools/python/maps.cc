// IndexingMap: its makers, its parts, its values and composition.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "core/indexing/range.h"
#include "driver/input.h"
#include "tools/python/map_proofs.h"

namespace affirm::python {
namespace {

using Bounds = std::pair<int64_t, int64_t>;
// A size n stands for the bounds [0, n - 1].
using SizeOrBounds = std::variant<int64_t, Bounds>;
using Numbers = std::vector<int64_t>;

Map ParseMap(const std::string& text) {
  ContextPtr context = NewContext();
  auto map = ParseIndexingMap(text, context->context);
  if (!map) throw PythonError(driver::MessageOf(driver::WithSourceLine(map.takeError(), text)));
  return Owned(context, std::move(*map));
}

std::vector<affirm::Variable> VariablesOf(const std::vector<SizeOrBounds>& given) {
  std::vector<affirm::Variable> variables;
  for (const SizeOrBounds& v : given) {
    affirm::Variable variable;
    if (const auto* bounds = std::get_if<Bounds>(&v)) {
      variable.bounds = {bounds->first, bounds->second};
    } else {
      const int64_t size = std::get<int64_t>(v);
      if (size < 0) Throw("a size of " + llvm::Twine(size));
      variable.bounds = {0, size - 1};
    }
    variables.push_back(std::move(variable));
  }
  return variables;
}

// Every variable of the expression is one of the map's.
void CheckVariables(SymbolicExpr e, const std::vector<affirm::Variable> (&vars)[3]) {
  e.Walk([&](SymbolicExpr part) {
    if (!part.IsVariable()) return;
    if (part.value() < static_cast<int64_t>(vars[static_cast<int>(part.var_kind())].size())) return;
    Throw("the map has no variable " + part.ToString());
  });
}

using ExprOrInteger = std::variant<Expr, int64_t>;

SymbolicExpr TakenTo(const ContextPtr& context, const ExprOrInteger& given) {
  const Expr* expr = std::get_if<Expr>(&given);
  const Turn turn(context, expr ? expr->context : context);
  return expr ? In(context, *expr) : context->context.Constant(std::get<int64_t>(given));
}

// Every quotient has a value in the domain: those of the expressions, and those that their
// constructors dropped.
void RequireQuotients(llvm::ArrayRef<SymbolicExpr> results, llvm::ArrayRef<ReadDivisor> divisors,
                      const std::vector<affirm::Variable> (&vars)[3],
                      llvm::ArrayRef<Constraint> facts) {
  RangeAnalysis ranges;
  ranges.Reset(vars[0], vars[1], vars[2], facts);
  auto require = [](const std::string& problem) {
    if (!problem.empty()) Throw(problem);
  };
  for (const ReadDivisor& d : divisors) require(DivisorProblem(d.expr, d.is_modulus, ranges));
  for (SymbolicExpr e : results) require(DivisorProblem(e, ranges));
  for (const Constraint& fact : facts) require(DivisorProblem(fact.expr, ranges));
}

Map MakeMap(const std::vector<ExprOrInteger>& results, const std::vector<SizeOrBounds>& dims,
            const std::vector<SizeOrBounds>& symbols, const std::vector<SizeOrBounds>& runtime,
            const std::vector<std::pair<Expr, Bounds>>& constraints) {
  ContextPtr context = NewContext();
  std::vector<affirm::Variable> vars[3] = {VariablesOf(dims), VariablesOf(symbols),
                                           VariablesOf(runtime)};
  std::vector<SymbolicExpr> taken;
  taken.reserve(results.size());
  std::vector<ReadDivisor> divisors;
  auto take_divisors = [&](const Expr& e) {
    const Turn turn(context, e.context);
    AppendDivisors(context, e, divisors);
  };
  for (const ExprOrInteger& result : results) {
    taken.push_back(TakenTo(context, result));
    if (const Expr* expr = std::get_if<Expr>(&result)) take_divisors(*expr);
  }
  std::vector<Constraint> facts;
  facts.reserve(constraints.size());
  for (const auto& [expr, bounds] : constraints) {
    facts.push_back({TakenTo(context, expr), {bounds.first, bounds.second}});
    take_divisors(expr);
  }
  for (SymbolicExpr e : taken) CheckVariables(e, vars);
  for (const Constraint& fact : facts) CheckVariables(fact.expr, vars);
  for (const ReadDivisor& divisor : divisors) CheckVariables(divisor.expr, vars);
  const Turn turn(context);
  RequireQuotients(taken, divisors, vars, facts);
  return Owned(context, IndexingMap(context->context, taken, vars[0], vars[1], vars[2], facts));
}

// Indices that a map can be asked for.
void RequirePoint(const Map& map, const Numbers& dims, const Numbers& symbols,
                  const Numbers& runtime) {
  auto check = [](const char* what, size_t given, size_t needed) {
    if (given == needed) return;
    Throw("the map has " + llvm::Twine(needed) + " " + what + ", not " + llvm::Twine(given));
  };
  RequireKnown(map, "a point");
  check("dims", dims.size(), map.map.dims().size());
  check("symbols", symbols.size(), map.map.ranges().size());
  check("runtime variables", runtime.size(), map.map.runtime().size());
}

// The results of all values of the range variables at a point, in order.
std::vector<nb::tuple> Image(const Map& map, const Numbers& dims, const Numbers& runtime,
                             int64_t limit) {
  RequireKnown(map, "an image");
  if (map.map.IsKnownEmpty()) return {};
  RequirePoint(map, dims, Numbers(map.map.ranges().size()), runtime);
  std::vector<Numbers> found;
  {
    const Turn turn(map.context);
    IndexingMap at = map.map;
    auto fix = [&](VarKind kind, const Numbers& values) {
      for (size_t i = 0; i < values.size(); ++i) {
        const Interval now = at.vars(kind)[i].bounds;
        at.SetBounds(kind, static_cast<int64_t>(i), now.Intersect(Interval::Point(values[i])));
        if (at.IsKnownEmpty()) return;
      }
    };
    fix(VarKind::kDim, dims);
    if (!at.IsKnownEmpty()) fix(VarKind::kRuntime, runtime);
    if (at.IsKnownEmpty()) return {};
    llvm::Error failure = llvm::Error::success();
    const bool all = at.ForEachPoint(
        [&](llvm::ArrayRef<int64_t> d, llvm::ArrayRef<int64_t> s, llvm::ArrayRef<int64_t> rt) {
          auto values = at.Evaluate(d, s, rt);
          if (!values) {
            failure = llvm::joinErrors(std::move(failure), values.takeError());
            return false;
          }
          found.push_back(std::move(*values));
          return true;
        },
        limit);
    ThrowIf(std::move(failure));
    if (!all)
      Throw("more than " + llvm::Twine(limit) + " points; `limit` says how many are enumerated");
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<nb::tuple> tuples;
  tuples.reserve(found.size());
  for (const Numbers& values : found) tuples.push_back(nb::tuple(nb::cast(values)));
  return tuples;
}

Map ComposeMaps(const Map& first, const Map& second) {
  if (!first.map.IsUndefined() && !second.map.IsUndefined() && !first.map.IsKnownEmpty() &&
      !second.map.IsKnownEmpty() && first.map.results().size() != second.map.dims().size()) {
    Throw("the first map has " + llvm::Twine(first.map.results().size()) +
          " results, the second one " + llvm::Twine(second.map.dims().size()) + " dims");
  }
  const Turn turn(first.context, second.context);
  const IndexingMap other = In(first.context, second);
  return Owned(first.context, Compose(first.map, other));
}

nb::object BoundsOf(Interval bounds) { return nb::make_tuple(bounds.lower, bounds.upper); }

std::vector<nb::tuple> VariableTuples(const Map& map, VarKind kind) {
  std::vector<nb::tuple> out;
  const auto& vars = map.map.vars(kind);
  out.reserve(vars.size());
  for (size_t i = 0; i < vars.size(); ++i) {
    out.push_back(nb::make_tuple(map.map.VariableName(kind, static_cast<int64_t>(i)),
                                 BoundsOf(vars[i].bounds)));
  }
  return out;
}

bool HasSources(const IndexingMap& map) {
  const auto& runtime = map.runtime();
  return std::any_of(runtime.begin(), runtime.end(),
                     [](const affirm::Variable& v) { return v.source.has_value(); });
}

void AddMakers(nb::class_<Map>& type) {
  type.def(nb::new_([](const std::string& text) { return ParseMap(text); }), "text"_a,
           "The same as IndexingMap.parse.");
  type.def_static("parse", ParseMap, "text"_a, R"(Reads XLA's text form; everything that XLA prints.

>>> IndexingMap.parse('(d0) -> (d0 +), domain: d0 in [0, 3]')
Traceback (most recent call last):
affirm.errors.Error: <map>:1:14: error: expected an expression
  (d0) -> (d0 +), domain: d0 in [0, 3]
               ^)");
  type.def_static(
      "from_parts",
      [](const std::vector<std::variant<Expr, int64_t, std::string>>& results,
         const std::vector<SizeOrBounds>& dims, const std::vector<SizeOrBounds>& symbols,
         const std::vector<SizeOrBounds>& runtime,
         const std::vector<std::pair<std::variant<Expr, std::string>, Bounds>>& constraints) {
        const nb::object parse = nb::type<Expr>().attr("parse");
        auto read = [&](const std::string& text) { return nb::cast<Expr>(parse(text)); };
        std::vector<ExprOrInteger> expressions;
        for (const auto& result : results) {
          if (const auto* text = std::get_if<std::string>(&result)) {
            expressions.emplace_back(read(*text));
          } else if (const auto* number = std::get_if<int64_t>(&result)) {
            expressions.emplace_back(*number);
          } else {
            expressions.emplace_back(std::get<Expr>(result));
          }
        }
        std::vector<std::pair<Expr, Bounds>> facts;
        for (const auto& [expr, bounds] : constraints) {
          const auto* text = std::get_if<std::string>(&expr);
          facts.emplace_back(text ? read(*text) : std::get<Expr>(expr), bounds);
        }
        return MakeMap(expressions, dims, symbols, runtime, facts);
      },
      "results"_a, "dims"_a = std::vector<SizeOrBounds>(),
      "symbols"_a = std::vector<SizeOrBounds>(), "runtime"_a = std::vector<SizeOrBounds>(),
      "constraints"_a = std::vector<std::pair<std::variant<Expr, std::string>, Bounds>>(),
      R"(A map from its parts; a variable is given by its bounds (lower, upper), or by a size n for (0, n - 1).

>>> IndexingMap.from_parts(['d0 * 4 + s0'], dims=[3], symbols=[(0, 3)], constraints=[('d0 + s0', (0, 4))])
IndexingMap('(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 2], s0 in [0, 3], d0 + s0 in [0, 4]')
>>> IndexingMap.from_parts(['1 floordiv d0 * 0'], dims=[3])
Traceback (most recent call last):
affirm.errors.Error: the divisor 'd0' may be zero in the domain: it lies in [0, 2])");
  type.def_static(
      "identity",
      [](const Numbers& shape) {
        for (int64_t size : shape) {
          if (size < 0) Throw("a size of " + llvm::Twine(size));
        }
        ContextPtr context = NewContext();
        return Owned(context, IndexingMap::Identity(context->context, shape));
      },
      "shape"_a, "Each index of an array to itself.");
  type.def_static(
      "known_empty",
      [] {
        ContextPtr context = NewContext();
        return Owned(context, IndexingMap::KnownEmpty(context->context));
      },
      "The map that sends everything to the empty set.");
}

void AddParts(nb::class_<Map>& type) {
  type.def_prop_ro("is_known_empty", [](const Map& self) { return self.map.IsKnownEmpty(); });
  type.def_prop_ro(
      "is_undefined", [](const Map& self) { return self.map.IsUndefined(); },
      "Nothing is known of it.");
  type.def_prop_ro("results", [](const Map& self) {
    std::vector<Expr> results;
    for (SymbolicExpr e : self.map.results()) results.push_back({self.context, e});
    return results;
  });
  type.def_prop_ro(
      "dims", [](const Map& self) { return VariableTuples(self, VarKind::kDim); },
      nb::sig("def dims(self) -> list[tuple[str, tuple[int, int]]]"), "Name and bounds of each.");
  type.def_prop_ro(
      "symbols", [](const Map& self) { return VariableTuples(self, VarKind::kRange); },
      nb::sig("def symbols(self) -> list[tuple[str, tuple[int, int]]]"),
      "Name and bounds of each range variable.");
  type.def_prop_ro(
      "runtime", [](const Map& self) { return VariableTuples(self, VarKind::kRuntime); },
      nb::sig("def runtime(self) -> list[tuple[str, tuple[int, int]]]"),
      "Name and bounds of each runtime variable.");
  type.def_prop_ro(
      "constraints",
      [](const Map& self) {
        std::vector<std::pair<Expr, Bounds>> constraints;
        for (const Constraint& c : self.map.constraints()) {
          constraints.push_back({{self.context, c.expr}, {c.bounds.lower, c.bounds.upper}});
        }
        return constraints;
      },
      "Each an expression and its bounds.");
  type.def_prop_ro(
      "num_points", [](const Map& self) { return self.map.NumPoints(); },
      "How many points the bounds of the variables admit; None where they are not bounded.");
}

void AddPoints(nb::class_<Map>& type) {
  type.def(
      "evaluate",
      [](const Map& self, const Numbers& dims, const Numbers& symbols, const Numbers& runtime) {
        RequirePoint(self, dims, symbols, runtime);
        const Turn turn(self.context);
        return nb::tuple(nb::cast(Unwrap(self.map.Evaluate(dims, symbols, runtime))));
      },
      "dims"_a = Numbers(), "symbols"_a = Numbers(), "runtime"_a = Numbers(),
      nb::sig("def evaluate(self, dims: Sequence[int] = [], symbols: Sequence[int] = [], runtime: "
              "Sequence[int] = []) -> tuple[int, ...]"),
      "The results at a point, whether or not it lies in the domain.");
  type.def(
      "in_domain",
      [](const Map& self, const Numbers& dims, const Numbers& symbols, const Numbers& runtime) {
        if (self.map.IsKnownEmpty()) return false;
        RequirePoint(self, dims, symbols, runtime);
        const Turn turn(self.context);
        return self.map.InDomain(dims, symbols, runtime);
      },
      "dims"_a = Numbers(), "symbols"_a = Numbers(), "runtime"_a = Numbers(),
      "Whether all bounds and constraints hold.");
  type.def("image", Image, "dims"_a = Numbers(), "runtime"_a = Numbers(), "limit"_a = 1 << 16,
           nb::sig("def image(self, dims: Sequence[int] = [], runtime: Sequence[int] = [], limit: "
                   "int = 65536) -> list[tuple[int, ...]]"),
           R"(The set of results at a point over all symbols, sorted; empty outside of the domain.

>>> IndexingMap('(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]').image([3])
[(3,), (4,)])");
  type.def(
      "range_of",
      [](const Map& self, const Expr& e) {
        RequireKnown(self, "a range");
        if (self.map.IsKnownEmpty()) Throw("a range: the map is known to be empty");
        const Turn turn(self.context, e.context);
        const SymbolicExpr expr = In(self.context, e);
        CheckVariables(expr, {self.map.dims(), self.map.ranges(), self.map.runtime()});
        const Interval range = self.map.RangeOf(expr);
        return Bounds(range.lower, range.upper);
      },
      "expression"_a, "Bounds of an expression over the domain, as interval analysis has them.");
}

void AddComposition(nb::class_<Map>& type) {
  type.def("then", ComposeMaps, "second"_a,
           R"(`second` after this map: this one's results feed the other one's dims.

>>> rows = IndexingMap('(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 7]')
>>> transposed = IndexingMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]')
>>> rows.then(transposed) == transposed @ rows
True)");
  type.def(
      "__matmul__", [](const Map& second, const Map& first) { return ComposeMaps(first, second); },
      "first"_a, nb::is_operator(), "`second @ first` is `first.then(second)`.");
}

void AddComparisonAndText(nb::class_<Map>& type) {
  type.def(
      "__eq__",
      [](const Map& self, const Map& other) {
        const Turn turn(self.context, other.context);
        return self.map == In(self.context, other);
      },
      "other"_a, nb::is_operator(), EqualSignature(),
      "Structural: the same text up to names. `prove_equal` says whether two maps mean the same.");
  type.def("__hash__", [](const Map& self) { return self.map.Hash(); });
  type.def(
      "to_string",
      [](const Map& self, bool multi_line) {
        const Turn turn(self.context);
        return self.map.ToString(multi_line);
      },
      "multi_line"_a = false, "XLA's text form; `multi_line` breaks after each bound.");
  type.def("__str__", [](const Map& self) {
    const Turn turn(self.context);
    return self.map.ToString();
  });
  type.def("__repr__", [](const Map& self) {
    const Turn turn(self.context);
    return "IndexingMap('" + self.map.ToString() + "')";
  });
  type.def("__reduce__", [](nb::handle_t<Map> self) {
    const Map& map = nb::cast<const Map&>(self);
    if (map.map.IsUndefined() || HasSources(map.map))
      Throw("the text of the map does not say all of it");
    return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self)));
  });
  type.def("_repr_html_", [](nb::handle_t<Map> self) {
    return nb::cast<std::string>(nb::module_::import_("affirm.html").attr("indexing_map")(self));
  });
}

}  // namespace

void AddMaps(nb::module_& module) {
  AddProofs(module);
  AddSimplification(module);
  auto type =
      nb::class_<Map>(module, "IndexingMap",
                      R"(A map of XLA's indexing analysis: expressions over variables with a domain.

It sends each point of dims and runtime variables to the set of results over its symbols. Immutable.

>>> m = IndexingMap('(d0)[s0] -> (d0, s0), domain: d0 in [0, 19], s0 in [0, 9], d0 + s0 in [0, 24]')
>>> m.image([17])
[(17, 0), (17, 1), (17, 2), (17, 3), (17, 4), (17, 5), (17, 6), (17, 7)]
>>> m.constraints
[(SymbolicExpr('d0 + s0'), (0, 24))]
>>> swap = IndexingMap.from_parts(['d1', 'd0'], dims=[20, 10])
>>> swap
IndexingMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 19], d1 in [0, 9]')
>>> m.then(swap).simplify()
IndexingMap('(d0)[s0] -> (s0, d0), domain: d0 in [0, 19], s0 in [0, 9], d0 + s0 in [0, 24]'))");
  AddMakers(type);
  AddParts(type);
  AddPoints(type);
  AddComposition(type);
  AddRewrites(type);
  AddQuestions(type);
  AddComparisonAndText(type);
}

}  // namespace affirm::python
