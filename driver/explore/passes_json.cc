#include "driver/explore/passes_json.h"

#include <string>

#include "core/hlo/leaves.h"
#include "driver/dump/row_text.h"
#include "driver/explore/refutation_json.h"
#include "driver/input.h"
#include "driver/json_text.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

void AddDiff(const PassRow& row, DiffBudget& budget, Object& json) {
  auto before = ReadInput(row.before, "an HLO module"), after = ReadInput(row.after, "");
  if (!before || !after) {
    if (!before) llvm::consumeError(before.takeError());
    if (!after) llvm::consumeError(after.takeError());
    return;
  }
  if (before->text == after->text) return;
  json["diff"] = DiffJson(AlignLines(before->text, after->text), budget);
}

Object PassJson(const PassRow& row, DiffBudget& budget) {
  Object json{{"pipeline", JsonText(row.pipeline)},
              {"pass", JsonText(row.pass)},
              {"verdict", Name(row.verdict)},
              {"changed", row.changed},
              {"before", JsonText(FileName(row.before))},
              {"after", JsonText(FileName(row.after))}};
  if (!row.reason.empty()) json["reason"] = JsonText(row.reason);
  if (!row.replay.empty()) json["replay"] = JsonText(row.replay);
  AddDiff(row, budget, json);
  return json;
}

// The element that a pass changes: before it, and after it.
Object RefutationJson(const PassRow& row, int64_t pass, const hlo::Module& module) {
  Object json{{"pass", pass},
              {"claim", "the pass keeps the results"},
              {"reason", JsonText(row.pipeline + ", " + row.pass)}};
  const auto& difference = row.equivalence.difference;
  if (!difference) return json;
  json["expected"] = JsonText(difference->a);
  json["actual"] = JsonText(difference->b);
  Array arguments;
  for (const auto& [name, value] : difference->arguments)
    arguments.push_back(JsonText(name + " = " + value));
  json["arguments"] = std::move(arguments);
  const hlo::Shape* shape = hlo::LeafShape(module.entry->root->shape, difference->leaf);
  if (shape && shape->IsArray()) {
    int64_t element = 0;
    for (size_t d = 0; d < difference->index.size() && d < shape->dims.size(); ++d)
      element = element * shape->dims[d] + difference->index[d];
    json["at"] = WrongElement("result " + std::to_string(difference->leaf), *shape, element);
    json["leaf"] = difference->leaf;
  }
  return json;
}

}  // namespace

Array PassesJson(const std::vector<PassRow>& rows, const hlo::Module& module, DiffBudget& budget,
                 Array& refutations) {
  Array passes;
  for (const PassRow& row : rows) {
    if (row.verdict == Verdict::kRefuted)
      refutations.push_back(RefutationJson(row, std::ssize(passes), module));
    passes.push_back(PassJson(row, budget));
  }
  return passes;
}

}  // namespace affirm::driver
