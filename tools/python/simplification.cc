// Simplification of maps, with a trace.
#include <nanobind/stl/string.h>

#include <string>

#include "core/simplify/simplify.h"
#include "driver/check/trace_text.h"
#include "tools/python/binding.h"

namespace affirm::python {
namespace {

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

}  // namespace

void AddSimplification(nb::module_& module) {
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
}

void AddRewrites(nb::class_<Map>& type) {
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
}

}  // namespace affirm::python
