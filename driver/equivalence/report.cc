// An equivalence as JSON and for people.
#include "driver/equivalence/equivalence.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

namespace {

using How = ResultEquivalence::How;

std::string Plural(int64_t count, llvm::StringRef what) {
  return std::to_string(count) + " " + what.str() + (count == 1 ? "" : "s");
}

std::string IndexText(llvm::ArrayRef<int64_t> index) {
  std::vector<std::string> numbers;
  for (int64_t i : index) numbers.push_back(std::to_string(i));
  return "[" + llvm::join(numbers, ",") + "]";
}

}  // namespace

std::string OriginOfArguments(const ExecutedDifference& difference) {
  if (difference.set < 0) return "on arguments that terms gave";
  return "on set " + std::to_string(difference.set) + " (" + difference.kind + ") of the arguments";
}

void WriteCounterexample(llvm::json::OStream& json, const ExecutedDifference& difference,
                         const char* a, const char* b) {
  json.attribute("result", difference.leaf);
  json.attributeArray("index", [&] {
    for (int64_t i : difference.index) json.value(i);
  });
  json.attribute(a, JsonText(difference.a));
  json.attribute(b, JsonText(difference.b));
  json.attribute("set", difference.set);
  json.attribute("kind", difference.kind);
  json.attributeObject("arguments", [&] {
    for (const auto& [name, value] : difference.arguments)
      json.attribute(JsonText(name), JsonText(value));
  });
  if (!difference.terms.empty()) json.attribute("terms", JsonText(difference.terms));
  if (!difference.note.empty()) json.attribute("note", difference.note);
}

void WriteJson(llvm::json::OStream& json, const ModuleEquivalence& equivalence,
               const std::string& replay) {
  json.object([&] {
    json.attribute("verdict", Name(equivalence.verdict));
    json.attributeArray("results", [&] {
      for (const ResultEquivalence& of : equivalence.results) {
        json.object([&] {
          json.attribute("result", of.leaf);
          json.attribute("shape", of.shape);
          json.attribute("how", Name(of.how));
          json.attributeBegin("ms");
          json.rawValue(Fixed(of.ms, 3));
          json.attributeEnd();
          if (!of.reason.empty()) json.attribute("reason", JsonText(of.reason));
        });
      }
    });
    if (equivalence.difference) {
      json.attributeObject("counterexample",
                           [&] { WriteCounterexample(json, *equivalence.difference, "a", "b"); });
    }
    json.attributeObject("executed", [&] {
      json.attribute("sets", equivalence.sets);
      json.attribute("elements", equivalence.elements);
      json.attribute("largest_ulp", equivalence.largest_ulp);
      if (!equivalence.not_executed.empty())
        json.attribute("reason", JsonText(equivalence.not_executed));
    });
    json.attributeArray("laws", [&] {
      for (const std::string& law : equivalence.laws) json.value(law);
    });
    if (!equivalence.effect.empty()) json.attribute("effect", JsonText(equivalence.effect));
    json.attribute("replay", JsonText(replay));
  });
}

void PrintReport(llvm::raw_ostream& os, const ModuleEquivalence& equivalence,
                 const std::string& replay) {
  for (const ResultEquivalence& of : equivalence.results) {
    os << "result " << of.leaf << "  " << of.shape << "  " << Name(of.how);
    if (of.how == How::kProved) os << " (terms, " << Fixed(of.ms, 1) << " ms)";
    if (!of.reason.empty()) os << "  not proved: " << of.reason;
    os << "\n";
  }
  if (!equivalence.laws.empty()) os << "laws: " << llvm::join(equivalence.laws, ", ") << "\n";
  if (equivalence.sets > 0) {
    os << "executed: " << Plural(equivalence.sets, "set") << " of arguments, "
       << Plural(equivalence.elements, "element")
       << " compared, largest difference among equal ones " << equivalence.largest_ulp << " ULP\n";
  }
  if (!equivalence.not_executed.empty()) os << "not executed: " << equivalence.not_executed << "\n";
  if (!equivalence.effect.empty())
    os << "not compared: what " << equivalence.effect << " does beside the results\n";
  if (equivalence.results.empty()) os << "there is no result that has values\n";
  if (const auto& difference = equivalence.difference) {
    os << "element " << IndexText(difference->index) << " of result " << difference->leaf << " is "
       << difference->a << " in A and " << difference->b << " in B, "
       << OriginOfArguments(*difference) << "\n";
    for (const auto& [name, value] : difference->arguments)
      os << "  " << name << " = " << value << "\n";
    if (!difference->terms.empty()) os << "  terms: " << difference->terms << "\n";
    if (!difference->note.empty()) os << "  " << difference->note << "\n";
    os << "replay: " << replay << "\n";
  }
  os << "verdict: " << Name(equivalence.verdict) << "\n";
}

}  // namespace affirm::driver
