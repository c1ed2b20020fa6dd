// Reports of campaigns of mutants: as text, as JSON, merged.
#include <set>
#include <tuple>

#include "core/symbolic/error.h"
#include "driver/campaign/mutants.h"
#include "driver/exit_status.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace affirm::driver {

namespace {

constexpr MutantFate kVerdicts[] = {MutantFate::kKilled, MutantFate::kEquivalent,
                                    MutantFate::kSurvivor, MutantFate::kContradiction,
                                    MutantFate::kFailure};

std::optional<MutantFate> VerdictOf(llvm::StringRef name) {
  const auto* found = llvm::find_if(kVerdicts, [&](MutantFate v) { return name == Name(v); });
  if (found == std::end(kVerdicts)) return std::nullopt;
  return *found;
}

// A kernel that is refuted without a fault, which each shard finds that draws it.
bool IsOfKernel(const MutantReport::Listed& listed) { return listed.kind == kNoMutation; }

// In the order in which one run lists them.
auto PlaceOf(const MutantReport::Listed& listed) {
  return std::tuple(!IsOfKernel(listed), listed.number);
}

}  // namespace

const char* Name(MutantFate verdict) {
  static constexpr const char* kNames[] = {"killed", "equivalent", "survivor", "contradiction",
                                           "failure"};
  return kNames[static_cast<size_t>(verdict)];
}

int64_t MutantReport::Of(MutantFate verdict) const {
  int64_t count = 0;
  for (const auto& [kind, by_verdict] : counts) {
    auto found = by_verdict.find(verdict);
    if (found != by_verdict.end()) count += found->second;
  }
  return count;
}

Verdict MutantReport::outcome() const {
  if (Of(MutantFate::kContradiction) + Of(MutantFate::kFailure) > 0) return Verdict::kRefuted;
  return Of(MutantFate::kSurvivor) > 0 ? Verdict::kUnknown : Verdict::kProved;
}

int MutantReport::status() const { return StatusOf(outcome()); }

void PrintReport(const MutantReport& report, llvm::raw_ostream& os) {
  os << llvm::formatv(
      "{0} mutants of {1} kernels (seed {2}): {3} killed, {4} equivalent by proof, {5} survivors, "
      "{6} contradictions, {7} failures\n",
      report.runs, report.kernels, report.seed, report.Of(MutantFate::kKilled),
      report.Of(MutantFate::kEquivalent), report.Of(MutantFate::kSurvivor),
      report.Of(MutantFate::kContradiction), report.Of(MutantFate::kFailure));
  os << llvm::formatv("  {0,-16} {1,8} {2,11} {3,10} {4,14}\n", "kind", "killed", "equivalent",
                      "survivors", "contradictions");
  for (const auto& [kind, by_verdict] : report.counts) {
    auto count = [&](MutantFate v) {
      auto found = by_verdict.find(v);
      return found == by_verdict.end() ? 0 : found->second;
    };
    os << llvm::formatv("  {0,-16} {1,8} {2,11} {3,10} {4,14}\n", kind, count(MutantFate::kKilled),
                        count(MutantFate::kEquivalent), count(MutantFate::kSurvivor),
                        count(MutantFate::kContradiction));
  }
  auto by_claim = [&](const char* what, const std::map<std::string, int64_t>& claims) {
    os << what;
    for (const auto& [claim, count] : claims) os << " " << claim << ": " << count;
    os << "\n";
  };
  by_claim("killed by", report.killed_by);
  if (!report.survived_by.empty()) by_claim("survivors, by what is open:", report.survived_by);
  for (const MutantReport::Listed& m : report.listed) {
    os << llvm::formatv("{0} {1}: {2} of {3}, line {4}: {5}\n    {6}\n", Name(m.verdict), m.number,
                        m.kind, m.file + ", " + m.kernel, m.line, m.before, m.why);
  }
}

llvm::json::Value ToJson(const MutantReport& report) {
  llvm::json::Object counts, killed_by, survived_by;
  for (const auto& [kind, by_verdict] : report.counts) {
    llvm::json::Object row;
    for (const auto& [verdict, count] : by_verdict) row[Name(verdict)] = count;
    counts[kind] = std::move(row);
  }
  for (const auto& [claim, count] : report.killed_by) killed_by[claim] = count;
  for (const auto& [claim, count] : report.survived_by) survived_by[claim] = count;
  llvm::json::Array listed;
  for (const MutantReport::Listed& m : report.listed) {
    listed.push_back(llvm::json::Object{{"verdict", Name(m.verdict)},
                                        {"number", m.number},
                                        {"file", m.file},
                                        {"kernel", m.kernel},
                                        {"kind", m.kind},
                                        {"line", m.line},
                                        {"before", m.before},
                                        {"why", m.why}});
  }
  llvm::json::Object object{{"target", "mutants"},
                            {"seed", report.seed},
                            {"runs", report.runs},
                            {"kernels", report.kernels},
                            {"counts", std::move(counts)},
                            {"killed_by", std::move(killed_by)},
                            {"survived_by", std::move(survived_by)},
                            {"listed", std::move(listed)},
                            {"status", report.status()},
                            {"reports", llvm::json::Array{ToJson(ToRunReport(report))}}};
  if (!report.asked.empty()) object["asked"] = JsonText(report.asked);
  return object;
}

RunReport ToRunReport(const MutantReport& report) {
  RunReport run{.verb = "fuzz",
                .file = "mutants",
                .asked = report.asked,
                .headline = "fuzz mutants, seed " + std::to_string(report.seed),
                .coverage = {{"mutants", std::to_string(report.runs) + " of " +
                                             std::to_string(report.kernels) + " kernels"}},
                .outcome = report.outcome()};
  for (const MutantReport::Listed& m : report.listed) {
    const bool open = m.verdict == MutantFate::kSurvivor;
    run.records.push_back({.verdict = open ? Verdict::kUnknown : Verdict::kRefuted,
                           .claim = "mutant",
                           .where = {m.file},
                           .scope = m.kernel,
                           .subject = m.kind + " " + std::to_string(m.number),
                           .aspect = m.before,
                           .title = llvm::StringRef(Name(m.verdict)).upper(),
                           .text = m.kind + " in line " + std::to_string(m.line) + " of kernel '" +
                                   m.kernel + "', " + m.before + ": " + m.why});
  }
  for (const auto& [kind, by_verdict] : report.counts) {
    int64_t count = 0;
    std::string text;
    for (MutantFate verdict : {MutantFate::kKilled, MutantFate::kEquivalent}) {
      const auto found = by_verdict.find(verdict);
      if (found == by_verdict.end() || found->second == 0) continue;
      count += found->second;
      text += (text.empty() ? "" : ", ") + std::to_string(found->second) + " " + Name(verdict);
    }
    if (count == 0) continue;
    run.records.push_back({.verdict = Verdict::kProved,
                           .claim = "mutant",
                           .subject = kind,
                           .text = text,
                           .count = count});
  }
  const int status = run.status();
  run.verdict = status == kSuccess ? "killed" : status == kUnknown ? "survivors" : "failed";
  run.verdict_line = run.verdict + ": " + std::to_string(report.Of(MutantFate::kKilled)) +
                     " killed, " + std::to_string(report.Of(MutantFate::kEquivalent)) +
                     " equivalent, " + std::to_string(report.Of(MutantFate::kSurvivor)) +
                     " survivors";
  return run;
}

namespace {

// The numbers of an object, by name.
llvm::Error ReadCounts(const llvm::json::Object& object, std::map<std::string, int64_t>& counts) {
  for (const auto& [name, value] : object) {
    std::optional<int64_t> count = value.getAsInteger();
    if (!count) return MakeError("expected a number for '" + name.str() + "'");
    counts[name.str()] = *count;
  }
  return llvm::Error::success();
}

llvm::Expected<MutantReport::Listed> ReadListed(const llvm::json::Value& value) {
  const llvm::json::Object* entry = value.getAsObject();
  auto verdict = entry ? VerdictOf(entry->getString("verdict").value_or("")) : std::nullopt;
  auto number = entry ? entry->getInteger("number") : std::nullopt;
  if (!verdict || !number) return MakeError("expected a mutant with its verdict and number");
  auto text = [&](const char* name) { return entry->getString(name).value_or("").str(); };
  return MutantReport::Listed{.file = text("file"),
                              .kernel = text("kernel"),
                              .kind = text("kind"),
                              .before = text("before"),
                              .why = text("why"),
                              .verdict = *verdict,
                              .line = static_cast<int>(entry->getInteger("line").value_or(0)),
                              .number = *number};
}

}  // namespace

llvm::Expected<MutantReport> MutantsFromJson(const llvm::json::Object& object) {
  MutantReport report;
  const std::optional<uint64_t> seed = UnsignedMember(object, "seed");
  auto runs = object.getInteger("runs"), kernels = object.getInteger("kernels");
  const llvm::json::Object *counts = object.getObject("counts"),
                           *killed_by = object.getObject("killed_by"),
                           *survived_by = object.getObject("survived_by");
  const llvm::json::Array* listed = object.getArray("listed");
  if (!seed || !runs || !kernels || !counts || !killed_by || !survived_by || !listed) {
    return MakeError(
        "expected seed, runs, kernels, counts, killed_by, survived_by and listed, as `affirm fuzz "
        "mutants --json` prints");
  }
  report.seed = *seed;
  report.asked = object.getString("asked").value_or("").str();
  report.runs = *runs;
  report.kernels = *kernels;
  for (const auto& [kind, row] : *counts) {
    std::map<std::string, int64_t> by_name;
    if (!row.getAsObject()) return MakeError("expected the counts of '" + kind.str() + "'");
    if (llvm::Error error = ReadCounts(*row.getAsObject(), by_name)) return error;
    for (const auto& [name, count] : by_name) {
      auto verdict = VerdictOf(name);
      if (!verdict) return MakeError("'" + name + "' is no verdict of a mutant");
      report.counts[kind.str()][*verdict] = count;
    }
  }
  if (llvm::Error error = ReadCounts(*killed_by, report.killed_by)) return error;
  if (llvm::Error error = ReadCounts(*survived_by, report.survived_by)) return error;
  for (const llvm::json::Value& value : *listed) {
    auto entry = ReadListed(value);
    if (!entry) return entry.takeError();
    report.listed.push_back(std::move(*entry));
  }
  return report;
}

llvm::Error Merge(MutantReport& report, const MutantReport& other) {
  if (report.seed != other.seed || report.kernels != other.kernels || report.asked != other.asked) {
    auto name = [](const MutantReport& r) {
      return "mutants of " + std::to_string(r.kernels) + " kernels with seed " +
             std::to_string(r.seed) + r.asked;
    };
    return MakeError("reports of different runs: " + name(report) + ", " + name(other));
  }
  std::set<int64_t> numbers;
  std::set<std::pair<std::string, std::string>> kernels;
  for (const MutantReport::Listed& m : report.listed) {
    if (IsOfKernel(m)) {
      kernels.emplace(m.file, m.kernel);
    } else {
      numbers.insert(m.number);
    }
  }
  report.runs += other.runs;
  for (const auto& [kind, by_verdict] : other.counts) {
    if (kind == kNoMutation) continue;  // counted below
    for (const auto& [verdict, count] : by_verdict) report.counts[kind][verdict] += count;
  }
  for (const auto& [claim, count] : other.killed_by) report.killed_by[claim] += count;
  for (const auto& [claim, count] : other.survived_by) report.survived_by[claim] += count;
  for (const MutantReport::Listed& m : other.listed) {
    if (IsOfKernel(m)) {
      if (!kernels.emplace(m.file, m.kernel).second) continue;
      ++report.counts[kNoMutation][m.verdict];
    } else if (numbers.contains(m.number)) {
      return MakeError("mutant " + std::to_string(m.number) + " is in two reports");
    }
    report.listed.push_back(m);
  }
  llvm::stable_sort(report.listed,
                    [](const MutantReport::Listed& a, const MutantReport::Listed& b) {
                      return PlaceOf(a) < PlaceOf(b);
                    });
  return llvm::Error::success();
}

}  // namespace affirm::driver
