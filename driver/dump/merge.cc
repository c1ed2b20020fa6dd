// The shards of a run over a dump, as one report.
#include <algorithm>
#include <map>
#include <set>

#include "core/symbolic/error.h"
#include "driver/dump/dump.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

// In which place of the whole each module is.
using ModuleOrder = std::map<std::string, uint64_t>;

std::string ModuleOf(const Value& row) {
  const Object* object = row.getAsObject();
  return object ? object->getString("module").value_or("").str() : "";
}

// The rows of all shards, module after module.
Array RowsInOrder(const std::vector<DumpShard>& shards, llvm::StringRef key,
                  const ModuleOrder& order) {
  std::vector<std::pair<uint64_t, Value>> rows;
  for (const DumpShard& shard : shards) {
    const Array* array = shard.json.getArray(key);
    if (array == nullptr) continue;
    for (const Value& row : *array) {
      const auto place = order.find(ModuleOf(row));
      rows.emplace_back(place == order.end() ? order.size() : place->second, row);
    }
  }
  llvm::stable_sort(rows, [](const auto& a, const auto& b) { return a.first < b.first; });
  Array array;
  for (auto& [place, row] : rows) array.push_back(std::move(row));
  return array;
}

template <typename Rows>
void InOrder(Rows& rows, const ModuleOrder& order) {
  auto place = [&](const auto& row) {
    const auto found = order.find(row.scope);
    return found == order.end() ? order.size() : found->second;
  };
  llvm::stable_sort(rows, [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

// The weakest of the shards that have modules.
Verdict VerdictOf(const std::vector<DumpShard>& shards) {
  std::optional<Verdict> worst;
  for (const DumpShard& shard : shards) {
    const auto verdict =
        VerdictFromName(shard.json.getString("verdict").value_or("")).value_or(Verdict::kUnknown);
    const Array* modules = shard.json.getArray("modules");
    if (!modules || modules->empty()) continue;
    worst = worst ? Meet(*worst, verdict) : verdict;
  }
  return worst.value_or(Verdict::kUnknown);
}

// The strings of an array in any shard, each once, in order.
std::vector<std::string> StringsOf(const std::vector<DumpShard>& shards, llvm::StringRef key) {
  std::set<std::string> strings;
  for (const DumpShard& shard : shards) {
    const Array* array = shard.json.getArray(key);
    for (size_t k = 0; array != nullptr && k < array->size(); ++k)
      strings.insert((*array)[k].getAsString().value_or("").str());
  }
  return {strings.begin(), strings.end()};
}

llvm::Expected<ModuleOrder> OrderOf(const std::vector<DumpShard>& shards, Array& modules) {
  std::vector<std::pair<uint64_t, Value>> found;
  ModuleOrder order;
  for (const DumpShard& shard : shards) {
    const Array* array = shard.json.getArray("modules");
    if (array == nullptr)
      return MakeError("expected the modules of a dump, as `affirm xla` has them");
    for (const auto& [k, module] : llvm::enumerate(*array)) {
      const Object* object = module.getAsObject();
      const std::string name = object ? object->getString("name").value_or("").str() : "";
      const uint64_t place = k * shard.count + shard.index;
      if (!order.emplace(name, place).second)
        return MakeError("module '" + name + "' is in two reports");
      found.emplace_back(place, module);
    }
  }
  llvm::stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [place, module] : found) {
    if (place != modules.size()) {
      return MakeError("reports of different dumps: module " + llvm::Twine(modules.size()) +
                       " of them is in no report, and module " + llvm::Twine(place) + " is in one");
    }
    modules.push_back(std::move(module));
  }
  return order;
}

}  // namespace

llvm::Expected<Object> MergeDumps(const std::vector<DumpShard>& shards) {
  Array modules;
  auto order = OrderOf(shards, modules);
  if (!order) return order.takeError();
  for (const DumpShard& shard : shards) {
    if (shard.json.getString("run") != shards[0].json.getString("run"))
      return MakeError("reports of different runs: \"" +
                       shards[0].json.getString("run").value_or("") + "\" and \"" +
                       shard.json.getString("run").value_or("") + "\"");
  }
  Counts counts;
  const Object* wrong = nullptr;
  std::optional<RunReport> report;
  const uint64_t none = order->size();
  uint64_t first = UINT64_MAX;
  for (const DumpShard& shard : shards) {
    counts.Add(Counts::From(shard.json.getObject("counts")));
    if (const Object* of_shard = shard.json.getObject("first_wrong")) {
      const auto place = order->find(of_shard->getString("module").value_or("").str());
      const uint64_t at = place == order->end() ? none : place->second;
      if (at < first) wrong = of_shard;
      first = std::min(first, at);
    }
    auto reports = ReportsFrom(shard.json);
    if (!reports) return reports.takeError();
    for (RunReport& one : *reports) {
      // Records about a shard without a module are not about the whole.
      llvm::erase_if(one.records, [](const ReportRecord& record) { return record.scope.empty(); });
      if (!report) {
        report = std::move(one);
        continue;
      }
      if (report->file != one.file) return MakeError("reports of different dumps");
      if (report->asked != one.asked) return MakeError("reports of different options");
      report->accepted = std::max(report->accepted, one.accepted);
      llvm::append_range(report->records, one.records);
      llvm::append_range(report->notes, one.notes);
    }
  }
  if (!report) return MakeError("expected a report in \"reports\"");
  InOrder(report->records, *order);
  InOrder(report->notes, *order);
  const Verdict verdict = VerdictOf(shards);
  const std::vector<std::string> assumed = StringsOf(shards, "assumed");
  Array not_covered;
  for (const DumpShard& shard : shards) {
    const Array* texts = shard.json.getArray("not_covered");
    if (texts) llvm::append_range(not_covered, *texts);
  }
  llvm::sort(not_covered, [](const auto& a, const auto& b) {
    return a.getAsString().value_or("") < b.getAsString().value_or("");
  });
  report->coverage.clear();
  AddDumpCoverage(counts, *report);
  report->verdict = Name(verdict);
  report->outcome = verdict;
  report->verdict_line = DumpVerdictLine(
      verdict, wrong ? wrong->getString("part").value_or("") : "",
      wrong ? wrong->getString("module").value_or("") : "", assumed, counts["not covered"] == 0);
  AddUncovered(*report);
  Object merged{{"verdict", Name(verdict)},
                {"assumed", Array(assumed)},
                {"not_covered", std::move(not_covered)},
                {"counts", counts.ToJson()}};
  if (wrong != nullptr) merged["first_wrong"] = Object(*wrong);
  for (const char* key : {"passes", "kernels", "copies", "constants", "emitters"})
    merged[key] = RowsInOrder(shards, key, *order);
  merged["modules"] = std::move(modules);
  merged["reports"] = Array{ToJson(*report)};
  return merged;
}

}  // namespace affirm::driver
