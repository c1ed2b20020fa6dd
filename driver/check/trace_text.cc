// Prints a rewrite step: rule, position, both sides, bindings.
#include "driver/check/trace_text.h"

#include <utility>
#include <vector>

#include "driver/json_text.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

std::string FactsText(const std::vector<Constraint>& facts) {
  std::string text;
  for (const Constraint& fact : facts) {
    if (!text.empty()) text += " and ";
    text += fact.expr.ToString() + " in " + fact.bounds.ToString();
  }
  return text.empty() ? "true" : text;
}

std::pair<std::string, std::string> Sides(const TraceStep& step) {
  if (step.before && step.after) return {step.before.ToString(), step.after.ToString()};
  return {FactsText(step.facts_before), FactsText(step.facts_after)};
}

std::vector<std::pair<std::string, std::string>> Bindings(const TraceStep& step,
                                                          const RuleTable& rules) {
  std::vector<std::pair<std::string, std::string>> out;
  const Rule* rule = rules.Find(step.rule);
  for (size_t i = 0; rule && i < step.bindings.size() && i < rule->metavariables.size(); ++i) {
    const Binding& binding = step.bindings[i];
    if (!binding.bound) continue;
    out.emplace_back(rule->metavariables[i].name, rule->metavariables[i].is_expr && binding.expr
                                                      ? binding.expr.ToString()
                                                      : std::to_string(binding.constant));
  }
  return out;
}

}  // namespace

std::string StepText(const TraceStep& step, const RuleTable& rules) {
  auto [before, after] = Sides(step);
  std::string text = step.rule + " at " + step.place + ": " + before + "  =>  " + after;
  std::vector<std::string> parts;
  for (const auto& [name, value] : Bindings(step, rules)) parts.push_back(name + " = " + value);
  if (!parts.empty()) text += "  [" + llvm::join(parts, ", ") + "]";
  return text;
}

void WriteStep(llvm::json::OStream& json, const TraceStep& step, const RuleTable& rules) {
  auto [before, after] = Sides(step);
  json.object([&] {
    json.attribute("rule", JsonText(step.rule));
    json.attribute("location", JsonText(step.place));
    json.attribute("before", JsonText(before));
    json.attribute("after", JsonText(after));
    json.attributeObject("bindings", [&] {
      for (const auto& [name, value] : Bindings(step, rules)) json.attribute(name, value);
    });
  });
}

}  // namespace affirm::driver
