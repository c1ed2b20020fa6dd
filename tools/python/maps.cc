// IndexingMap: its parts, composition, simplification with a trace, and proofs about maps.
#include "verify/maps/maps.h"

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
#include "core/simplify/simplify.h"
#include "driver/check/trace_text.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "tools/python/binding.h"

namespace affirm::python {
namespace {

using Bounds = std::pair<int64_t, int64_t>;
// A size n stands for the bounds [0, n - 1].
using SizeOrBounds = std::variant<int64_t, Bounds>;
using Numbers = std::vector<int64_t>;

// What `parse` and the other makers of maps give.
Map Owned(const ContextPtr& context, IndexingMap map) { return {context, std::move(map)}; }

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

void RequireKnown(const Map& map, const char* what) {
  if (map.map.IsUndefined()) Throw(llvm::Twine(what) + ": the map is undefined");
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

// Steps as `affirm simplify --trace --json` has them.
struct Simplification {
  Map before, after;
  std::string steps;  // JSON
};

Map SimplifyMap(const Map& map) {
  const Turn turn(map.context);
  return Owned(map.context, WithoutPython([&] { return Simplify(map.map); }));
}

Simplification SimplifyWithTrace(const Map& map) {
  Simplification result{map, map, ""};
  const Turn turn(map.context);
  WithoutPython([&] {
    const RuleTable& rules = RuleTable::Builtin();
    Trace trace;
    result.after.map = Simplify(map.map, rules, &trace);
    result.steps = Json([&](llvm::json::OStream& json) {
      json.array([&] {
        for (const TraceStep& step : trace.steps) driver::WriteStep(json, step, rules);
      });
    });
  });
  return result;
}

// An answer about maps, with the name of its verdict.
struct Answer {
  std::string verdict;
  MapProofResult result;
  std::string counterexample, text;  // JSON; for people
};

// The words for a verdict on the question that was asked.
using Words = const char* (*)(Verdict verdict);

const char* CoveringName(Verdict verdict) {
  return verdict == Verdict::kProved ? "covers" : EqualityName(verdict);
}

// Asks about maps that are taken to a context of their own, so that a long proof is in nobody's
// way.
template <typename Query>
Answer Ask(Words words, const std::vector<const Map*>& maps, bool cross_check, const Query& query) {
  const ContextPtr context = NewContext();
  std::vector<IndexingMap> taken;
  for (const Map* map : maps) {
    const Turn turn(context, map->context);
    taken.push_back(In(context, *map));
  }
  return WithoutPython([&] {
    DecideOptions options;
    options.cross_check = cross_check;
    Answer answer;
    answer.result = query(taken, options);
    answer.verdict = words(answer.result.verdict);
    if (answer.result.counterexample) {
      answer.text = answer.result.counterexample->ToString(taken.front());
      answer.counterexample = Json([&](llvm::json::OStream& json) {
        driver::WriteCounterexample(json, *answer.result.counterexample);
      });
    }
    return answer;
  });
}

using Maps = std::vector<IndexingMap>;

void RequireShape(const Map& map, const Numbers& shape) {
  RequireKnown(map, "an array");
  if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; })) {
    Throw("a shape with a size below 0");
  }
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

void AddProofs(nb::module_& module) {
  auto answer = nb::class_<Answer>(
      module, "MapProof",
      R"(The answer to a question about maps. It has no truth value, since a verdict has three.

>>> from affirm import IndexingMap
>>> a = IndexingMap('(d0) -> (d0 mod 4), domain: d0 in [0, 7]')
>>> proof = a.prove_equal(IndexingMap('(d0) -> (d0), domain: d0 in [0, 7]'))
>>> proof
<MapProof different: d0 = 4: lhs {(0)}, rhs {(4)}>
>>> proof.counterexample
{'dims': [4], 'runtime': [], 'lhs': [[0]], 'rhs': [[4]]})");
  answer.def_prop_ro(
      "verdict", [](const Answer& self) { return self.verdict; },
      "'equal', 'covers' or 'proved' by the question; 'different' or 'refuted'; 'unknown'.");
  answer.def_prop_ro(
      "counterexample",
      [](const Answer& self) -> nb::object {
        return self.counterexample.empty() ? nb::none() : ParsedJson(self.counterexample);
      },
      nb::sig("def counterexample(self) -> dict[str, list] | None"),
      "Where the claim fails: the point (`dims`, `runtime`) and the sets of results there (`lhs`, "
      "`rhs`; at most 8 each).");
  answer.def_prop_ro(
      "counterexample_text", [](const Answer& self) { return self.text; },
      "The same for people; empty where there is none.");
  answer.def_prop_ro(
      "note",
      [](const Answer& self) {
        return self.result.counterexample ? self.result.counterexample->note : std::string();
      },
      "Of a claim about one map: which points of it refute the claim, or what is missing.");
  answer.def_prop_ro(
      "reason", [](const Answer& self) { return self.result.reason; }, "Why it is unknown.");
  answer.def_prop_ro(
      "engine", [](const Answer& self) { return Name(self.result.engine); },
      "The decider that settled it.");
  answer.def_prop_ro(
      "ms", [](const Answer& self) { return self.result.ms; }, "Milliseconds that it took.");
  answer.def("__bool__", [](const Answer&) -> bool {
    throw nb::type_error(
        "a proof has no truth value, since a verdict has three: compare `proof.verdict`");
  });
  answer.def("__repr__", [](const Answer& self) {
    const std::string& why = self.text.empty() ? self.result.reason : self.text;
    return "<MapProof " + self.verdict + (why.empty() ? "" : ": " + why) + ">";
  });
  answer.def("_repr_html_", [](nb::handle_t<Answer> self) {
    return nb::cast<std::string>(nb::module_::import_("affirm.html").attr("proof")(self));
  });
}

}  // namespace

void AddMaps(nb::module_& module) {
  AddProofs(module);

  auto trace = nb::class_<Simplification>(module, "Simplification",
                                          R"(A map before and after the rule table, with each step.

>>> s = IndexingMap('(d0) -> (d0 mod 8), domain: d0 in [0, 6]').simplify_with_trace()
>>> s.after
IndexingMap('(d0) -> (d0), domain: d0 in [0, 6]')
>>> s.rules
['mod.period']
>>> s.steps[0]['before'], s.steps[0]['after'], s.steps[0]['bindings']
('d0 mod 8', 'd0', {'x': 'd0', 'm': '8', 'k': '0'}))");
  trace.def_prop_ro("before", [](const Simplification& self) { return self.before; });
  trace.def_prop_ro("after", [](const Simplification& self) { return self.after; });
  trace.def_prop_ro(
      "steps", [](const Simplification& self) { return ParsedJson(self.steps); },
      nb::sig("def steps(self) -> list[dict]"),
      "Each a dict: 'rule', 'location', 'before', 'after', and 'bindings', what its variables "
      "stood for.");
  trace.def_prop_ro(
      "rules",
      [](const Simplification& self) {
        nb::list rules;
        for (nb::handle step : ParsedJson(self.steps)) rules.append(step["rule"]);
        return rules;
      },
      nb::sig("def rules(self) -> list[str]"), "The name of the rule of each step.");
  trace.def("__len__", [](const Simplification& self) { return nb::len(ParsedJson(self.steps)); });
  trace.def("__repr__", [](nb::handle_t<Simplification> self) {
    return "<Simplification of " + std::to_string(nb::len(self)) + " steps>";
  });
  trace.def("_repr_html_", [](nb::handle_t<Simplification> self) {
    return nb::cast<std::string>(nb::module_::import_("affirm.html").attr("simplification")(self));
  });

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

  type.def("then", ComposeMaps, "second"_a,
           R"(`second` after this map: this one's results feed the other one's dims.

>>> rows = IndexingMap('(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 7]')
>>> transposed = IndexingMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]')
>>> rows.then(transposed) == transposed @ rows
True)");
  type.def(
      "__matmul__", [](const Map& second, const Map& first) { return ComposeMaps(first, second); },
      "first"_a, nb::is_operator(), "`second @ first` is `first.then(second)`.");
  type.def("simplify", SimplifyMap,
           R"(Rewritten by the rule table until no rule applies; means the same at every point.

>>> IndexingMap('(d0) -> ((d0 * 8) floordiv 4), domain: d0 in [0, 9]').simplify()
IndexingMap('(d0) -> (d0 * 2), domain: d0 in [0, 9]'))");
  type.def("simplify_with_trace", SimplifyWithTrace, "The same with each step.");
  type.def(
      "remove_unused_variables",
      [](const Map& self) {
        const Turn turn(self.context);
        return Owned(self.context, RemoveUnusedVariables(self.map));
      },
      "Without the symbols and runtime variables that nothing uses.");

  type.def(
      "prove_equal",
      [](const Map& self, const Map& other, bool cross_check) {
        return Ask(EqualityName, {&self, &other}, cross_check,
                   [](const Maps& maps, const DecideOptions& options) {
                     return ProveEqual(maps[0], maps[1], options);
                   });
      },
      "other"_a, nb::kw_only(), "cross_check"_a = false,
      R"(Are the sets the same at every point? `cross_check` asks every decider, and does not settle for the first.

>>> a = IndexingMap('(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 3]')
>>> b = IndexingMap('(d0)[s0] -> (d0 * 4 + 3 - s0), domain: d0 in [0, 3], s0 in [0, 3]')
>>> a.prove_equal(b).verdict
'equal')");
  type.def(
      "prove_covers",
      [](const Map& self, const Map& other, bool cross_check) {
        return Ask(CoveringName, {&self, &other}, cross_check,
                   [](const Maps& maps, const DecideOptions& options) {
                     return ProveSuperset(maps[0], maps[1], options);
                   });
      },
      "other"_a, nb::kw_only(), "cross_check"_a = false,
      "Does this map give at least the other one's results, everywhere?");
  type.def(
      "prove_empty",
      [](const Map& self, bool cross_check) {
        return Ask(Name, {&self}, cross_check, [](const Maps& maps, const DecideOptions& options) {
          return ProveEmpty(maps[0], options);
        });
      },
      nb::kw_only(), "cross_check"_a = false, "Is the domain empty?");
  type.def(
      "prove_injective",
      [](const Map& self, bool cross_check) {
        return Ask(Name, {&self}, cross_check, [](const Maps& maps, const DecideOptions& options) {
          return ProveInjective(maps[0], options);
        });
      },
      nb::kw_only(), "cross_check"_a = false,
      "Do no two points (dims, symbols) give the same result?");
  type.def(
      "prove_surjective",
      [](const Map& self, const Numbers& shape, bool cross_check) {
        RequireShape(self, shape);
        return Ask(Name, {&self}, cross_check, [&](const Maps& maps, const DecideOptions& options) {
          return ProveSurjective(maps[0], shape, options);
        });
      },
      "shape"_a, nb::kw_only(), "cross_check"_a = false,
      "Is every index of an array of this shape a result?");
  type.def(
      "prove_bijection",
      [](const Map& self, const Numbers& shape, bool cross_check) {
        RequireShape(self, shape);
        return Ask(Name, {&self}, cross_check, [&](const Maps& maps, const DecideOptions& options) {
          return ProveBijection(maps[0], shape, options);
        });
      },
      "shape"_a, nb::kw_only(), "cross_check"_a = false,
      R"(Is every element of an array of this shape written exactly once?

>>> IndexingMap('(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 1], d1 in [0, 3]').prove_bijection([8]).verdict
'proved')");

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

}  // namespace affirm::python
