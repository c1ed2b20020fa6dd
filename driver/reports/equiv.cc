// What `affirm equiv` asks of a pair of maps, and the lines in which it answers.
#include "driver/reports/equiv.h"

#include "driver/json_text.h"

namespace affirm::driver {

MapProofResult EquivQuery::Ask(const IndexingMap& a, const IndexingMap& b) const {
  return relation == "covers" ? ProveSuperset(a, b, decide) : ProveEqual(a, b, decide);
}

const char* EquivQuery::VerdictName(Verdict verdict) const {
  switch (verdict) {
    case Verdict::kProved:
      return relation == "covers" ? "covers" : "equal";
    case Verdict::kRefuted:
      return "different";
    case Verdict::kUnknown:
      break;
  }
  return "unknown";
}

std::string AnswerLine(const llvm::json::Value& id, const EquivQuery& query,
                       const MapProofResult& answer, int64_t line) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("id", id);
    json.attribute("verdict", query.VerdictName(answer.verdict));
    if (answer.counterexample) {
      json.attributeBegin("counterexample");
      WriteCounterexample(json, *answer.counterexample);
      json.attributeEnd();
    }
    if (answer.verdict == Verdict::kUnknown) json.attribute("reason", JsonText(answer.reason));
    json.attribute("engine", Name(answer.engine));
    json.attributeBegin("ms");
    json.rawValue(Fixed(answer.ms, 3));
    json.attributeEnd();
    if (line > 0) json.attribute("line", line);
  });
  return text + "\n";
}

std::string ErrorLine(const llvm::json::Value& id, llvm::StringRef message, int64_t line) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("id", id);
    json.attribute("error", JsonText(message));
    if (line > 0) json.attribute("line", line);
  });
  return text + "\n";
}

}  // namespace affirm::driver
