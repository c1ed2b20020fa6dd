// An equivalence as JSON and for people.
#include "driver/equivalence/equivalence.h"
#include "driver/json_text.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

namespace {

std::string Plural(int64_t count, llvm::StringRef what) {
  return std::to_string(count) + " " + what.str() + (count == 1 ? "" : "s");
}

std::string IndexText(llvm::ArrayRef<int64_t> index) {
  std::vector<std::string> numbers;
  for (int64_t i : index) numbers.push_back(std::to_string(i));
  return "[" + llvm::join(numbers, ",") + "]";
}

}  // namespace

std::string VerdictLine(const ModuleEquivalence& equivalence) {
  std::string line = EqualityName(equivalence.verdict);
  if (equivalence.verdict == Verdict::kExecuted)
    line +=
        " (executed without a difference on " + Plural(equivalence.sets, "set") + " of arguments)";
  if (equivalence.verdict == Verdict::kProved && !equivalence.rests_on.empty())
    line += " (rests on " + equivalence.rests_on + ")";
  if (equivalence.verdict != Verdict::kProved || equivalence.assumed.empty()) return line;
  const bool several = equivalence.assumed.size() > 1;
  return line + ", assuming " + llvm::join(equivalence.assumed, " and ") +
         (several ? " are functions" : " is a function");
}

std::string OriginOfArguments(const ExecutedDifference& difference) {
  if (difference.set == kEnumeratedSet) return "on one of all arguments, which are enumerated";
  if (difference.set < 0) return "on arguments that terms gave";
  return "on set " + std::to_string(difference.set) + " (" + difference.kind + ") of the arguments";
}

void WriteCounterexample(llvm::json::OStream& json, const ExecutedDifference& difference,
                         const char* a, const char* b) {
  json.attribute("result", difference.leaf);
  WriteValues(json, "index", difference.index);
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
  json.object([&] { WriteAttributes(json, equivalence, replay); });
}

void WriteAttributes(llvm::json::OStream& json, const ModuleEquivalence& equivalence,
                     const std::string& replay) {
  json.attribute("verdict", EqualityName(equivalence.verdict));
  WriteRows(json, "results", equivalence.results, [&](const ResultEquivalence& of) {
    json.attribute("result", of.leaf);
    json.attribute("shape", of.shape);
    json.attribute("how", HowName(of));
    WriteFixed(json, "ms", of.ms, 3);
    if (!of.reason.empty()) json.attribute("reason", JsonText(of.reason));
  });
  if (equivalence.difference) {
    json.attributeObject("counterexample",
                         [&] { WriteCounterexample(json, *equivalence.difference, "a", "b"); });
  }
  json.attributeObject("executed", [&] {
    json.attribute("sets", equivalence.sets);
    json.attribute("elements", equivalence.elements);
    json.attribute("largest_ulp", equivalence.largest_ulp);
    if (equivalence.widest > 0) json.attribute("within", equivalence.widest);
    if (!equivalence.special.empty()) json.attribute("special", JsonText(equivalence.special));
    if (!equivalence.not_executed.empty())
      json.attribute("reason", JsonText(equivalence.not_executed));
  });
  WriteValues(json, "laws", equivalence.laws);
  if (!equivalence.rests_on.empty()) json.attribute("rests_on", equivalence.rests_on);
  if (!equivalence.oracles.empty()) json.attribute("oracles", equivalence.oracles);
  if (!equivalence.effect.empty()) json.attribute("effect", JsonText(equivalence.effect));
  if (!equivalence.promise.empty()) json.attribute("promise", JsonText(equivalence.promise));
  if (!equivalence.devices.empty()) json.attribute("devices", equivalence.devices);
  if (!equivalence.assumed.empty()) {
    WriteValues(json, "assumed", equivalence.assumed);
  }
  json.attribute("replay", JsonText(replay));
}

void PrintReport(llvm::raw_ostream& os, const ModuleEquivalence& equivalence,
                 const std::string& replay) {
  for (const ResultEquivalence& of : equivalence.results) {
    os << "result " << of.leaf << "  " << of.shape << "  " << HowName(of);
    if (of.verdict == Verdict::kProved && !of.same_graph)
      os << " (" << of.engine << ", " << Fixed(of.ms, 1) << " ms)";
    if (!of.reason.empty()) os << "  not proved: " << of.reason;
    os << "\n";
  }
  if (!equivalence.laws.empty()) os << "laws: " << llvm::join(equivalence.laws, ", ") << "\n";
  if (!equivalence.rests_on.empty()) os << "lemmas: " << equivalence.rests_on << "\n";
  if (!equivalence.oracles.empty()) os << "oracles: " << equivalence.oracles << "\n";
  if (equivalence.sets > 0) {
    os << "executed: " << Plural(equivalence.sets, "set") << " of arguments, "
       << Plural(equivalence.elements, "element")
       << " compared, largest difference among equal ones " << equivalence.largest_ulp << " ULP";
    os << WithinText(equivalence.widest);
    os << "\n";
  }
  if (!equivalence.special.empty())
    os << "special values alone differ: " << equivalence.special << "\n";
  if (!equivalence.not_executed.empty()) os << "not executed: " << equivalence.not_executed << "\n";
  if (!equivalence.effect.empty())
    os << "not compared: what " << equivalence.effect << " does beside the results\n";
  if (!equivalence.promise.empty())
    os << "not proved: what is said of " << equivalence.promise << "\n";
  if (!equivalence.devices.empty()) os << "not compared: " << equivalence.devices << "\n";
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
  os << "verdict: " << VerdictLine(equivalence) << "\n";
}

RunReport ToRunReport(const ModuleEquivalence& equivalence, const std::string& file_a,
                      const std::string& file_b, const std::string& replay) {
  RunReport run{.verb = "equiv",
                .file = file_b,
                .headline = file_a + " and " + file_b,
                .verdict = EqualityName(equivalence.verdict),
                .verdict_line = VerdictLine(equivalence),
                .outcome = equivalence.verdict};
  double ms = 0;
  int64_t proved = 0;
  for (const ResultEquivalence& of : equivalence.results) {
    ms += of.ms;
    proved += of.verdict == Verdict::kProved;
    ReportRecord record{.verdict = of.verdict,
                        .claim = "result",
                        .where = {file_b},
                        .subject = "result " + std::to_string(of.leaf),
                        .text = of.reason,
                        .engine = HowName(of),
                        .ms = of.ms,
                        .replay = replay};
    // A result that was executed without a difference is not proved.
    if (of.verdict == Verdict::kExecuted)
      record.text = "executed without a difference: " + of.reason;
    if (const auto& difference = equivalence.difference;
        difference && difference->leaf == of.leaf && of.verdict == Verdict::kRefuted) {
      record.element = IndexText(difference->index);
      record.expected = difference->a;
      record.actual = difference->b;
      record.text = "element " + record.element + " is " + difference->a + " in A and " +
                    difference->b + " in B, " + OriginOfArguments(*difference);
      for (const auto& [name, value] : difference->arguments)
        record.details.push_back(name + " = " + value);
      if (!difference->terms.empty()) record.details.push_back("terms: " + difference->terms);
      if (!difference->note.empty()) record.details.push_back(difference->note);
    }
    run.records.push_back(std::move(record));
  }
  auto add_unknown = [&](const std::string& text) {
    run.records.push_back({.verdict = Verdict::kUnknown,
                           .claim = "coverage",
                           .where = {file_b},
                           .text = text,
                           .replay = replay});
  };
  if (equivalence.results.empty())
    run.notes.push_back({"results", "there is no result that has values"});
  if (!equivalence.effect.empty())
    add_unknown("not compared: what " + equivalence.effect + " does beside the results");
  if (!equivalence.promise.empty())
    add_unknown("not proved: what is said of " + equivalence.promise);
  if (!equivalence.devices.empty()) add_unknown("not compared: " + equivalence.devices);
  run.coverage.push_back({"results",
                          std::to_string(proved) + " of " +
                              std::to_string(equivalence.results.size()) + " are proved equal",
                          ms});
  if (equivalence.sets > 0) {
    run.coverage.push_back({"executed", Plural(equivalence.sets, "set") + " of arguments, " +
                                            Plural(equivalence.elements, "element") + " compared"});
  }
  if (!equivalence.laws.empty())
    run.coverage.push_back({"laws", llvm::join(equivalence.laws, ", ")});
  if (!equivalence.rests_on.empty()) run.coverage.push_back({"lemmas", equivalence.rests_on});
  if (!equivalence.oracles.empty()) run.coverage.push_back({"oracles", equivalence.oracles});
  if (!equivalence.not_executed.empty())
    run.notes.push_back({"not executed", equivalence.not_executed});
  if (!equivalence.special.empty())
    run.notes.push_back({"special values alone differ", equivalence.special});
  return run;
}

}  // namespace affirm::driver
