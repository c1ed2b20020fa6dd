// Reports of campaigns: as text, as JSON, merged.
#include "core/symbolic/error.h"
#include "driver/campaign/campaign.h"
#include "driver/exit_status.h"
#include "driver/json_text.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

namespace {

constexpr Outcome::Kind kKinds[] = {Outcome::Kind::kFinding, Outcome::Kind::kCrash,
                                    Outcome::Kind::kHang, Outcome::Kind::kUnknown};

}  // namespace

int64_t CampaignReport::Count(Outcome::Kind kind) const {
  if (kind == Outcome::Kind::kFine) return fine;
  int64_t count = 0;
  for (const auto& [key, bucket] : buckets) count += bucket.kind == kind ? bucket.count : 0;
  return count;
}

Verdict CampaignReport::outcome() const {
  Verdict outcome = Verdict::kExecuted;
  for (const auto& [key, bucket] : buckets) {
    outcome = Meet(outcome,
                   bucket.kind == Outcome::Kind::kUnknown ? Verdict::kUnknown : Verdict::kRefuted);
  }
  return outcome;
}

int CampaignReport::status() const { return StatusOf(outcome(), Verdict::kExecuted); }

std::string CampaignReport::ReplayOf(const Bucket& bucket) const {
  return "affirm fuzz " + target + " --seed " + std::to_string(seed) + " --first " +
         std::to_string(bucket.first) + " --runs 1" + asked;
}

void PrintReport(const CampaignReport& report, llvm::raw_ostream& os) {
  os << "fuzz " << report.target << ", seed " << report.seed << ": " << report.runs << " runs, "
     << report.fine << " fine";
  for (Outcome::Kind kind : kKinds) os << ", " << report.Count(kind) << " " << Name(kind);
  os << "\n";
  for (const auto& [note, count] : report.notes) os << "  " << count << " " << note << "\n";
  for (Outcome::Kind kind : kKinds) {
    for (const auto& [key, bucket] : report.buckets) {
      if (bucket.kind != kind) continue;
      os << "\n"
         << Name(kind) << ", " << bucket.count << (bucket.count == 1 ? " time: " : " times: ")
         << key.second << "\n  " << bucket.text << "\n";
      if (!bucket.file.empty()) os << "  reduced: " << bucket.file << "\n";
      os << "  replay: " << report.ReplayOf(bucket) << "\n";
    }
  }
}

RunReport ToRunReport(const CampaignReport& report) {
  RunReport run{.verb = "fuzz",
                .file = report.target,
                .asked = report.asked,
                .headline = "fuzz " + report.target + ", seed " + std::to_string(report.seed),
                .verdict = report.status() == kSuccess ? "fine" : Name(report.outcome()),
                .outcome = report.outcome(),
                .accepted = Verdict::kExecuted};
  std::string text =
      std::to_string(report.runs) + " runs, " + std::to_string(report.fine) + " fine";
  for (Outcome::Kind kind : kKinds)
    text += ", " + std::to_string(report.Count(kind)) + " " + Name(kind);
  run.verdict_line = run.verdict + ": " + text;
  run.coverage.push_back({"inputs", std::move(text)});
  for (const auto& [note, count] : report.notes)
    run.notes.push_back({"note", std::to_string(count) + " " + note});
  if (report.fine > 0) {
    run.records.push_back({.verdict = Verdict::kExecuted,
                           .claim = "input",
                           .text = "inputs of which nothing is wrong",
                           .count = report.fine});
  }
  for (const auto& [key, bucket] : report.buckets) {
    ReportRecord record{
        .verdict = bucket.kind == Outcome::Kind::kUnknown ? Verdict::kUnknown : Verdict::kRefuted,
        .claim = "input",
        .where = {bucket.file},
        .scope = report.target,
        .aspect = key.second,
        .title = llvm::StringRef(Name(bucket.kind)).upper(),
        .text = key.second,
        .replay = report.ReplayOf(bucket),
        .count = bucket.count};
    if (bucket.text != key.second) record.details.push_back(bucket.text);
    run.records.push_back(std::move(record));
  }
  return run;
}

llvm::json::Value ToJson(const CampaignReport& report) {
  llvm::json::Array buckets;
  for (const auto& [key, bucket] : report.buckets) {
    buckets.push_back(llvm::json::Object{{"kind", Name(bucket.kind)},
                                         {"cause", JsonText(key.second)},
                                         {"count", bucket.count},
                                         {"first", static_cast<int64_t>(bucket.first)},
                                         {"text", JsonText(bucket.text)},
                                         {"file", JsonText(bucket.file)},
                                         {"replay", JsonText(report.ReplayOf(bucket))}});
  }
  llvm::json::Object object{{"target", report.target},
                            {"seed", report.seed},
                            {"runs", report.runs},
                            {"fine", report.fine}};
  if (!report.asked.empty()) object["asked"] = JsonText(report.asked);
  for (Outcome::Kind kind : kKinds) object[Name(kind)] = report.Count(kind);
  if (!report.notes.empty()) {
    llvm::json::Object notes;
    for (const auto& [note, count] : report.notes) notes[JsonText(note)] = count;
    object["notes"] = std::move(notes);
  }
  object["causes"] = std::move(buckets);
  object["status"] = report.status();
  object["reports"] = llvm::json::Array{ToJson(ToRunReport(report))};
  return object;
}

llvm::Expected<CampaignReport> CampaignFromJson(const llvm::json::Object& object) {
  CampaignReport report;
  auto target = object.getString("target");
  const std::optional<uint64_t> seed = UnsignedMember(object, "seed");
  auto runs = object.getInteger("runs"), fine = object.getInteger("fine");
  const llvm::json::Array* buckets = object.getArray("causes");
  if (!target || !seed || !runs || !fine || !buckets) {
    return MakeError(
        "expected target, seed, runs, fine and causes, as `affirm fuzz --json` prints");
  }
  report.target = target->str();
  report.asked = object.getString("asked").value_or("").str();
  report.seed = *seed;
  report.runs = *runs;
  report.fine = *fine;
  if (const llvm::json::Object* notes = object.getObject("notes")) {
    for (const auto& [note, count] : *notes)
      report.notes[note.str()] = count.getAsInteger().value_or(0);
  }
  for (const llvm::json::Value& value : *buckets) {
    const llvm::json::Object* entry = value.getAsObject();
    auto name = entry ? entry->getString("kind") : std::nullopt;
    auto bucket = entry ? entry->getString("cause") : std::nullopt;
    if (!name || !bucket) return MakeError("expected a cause with its kind");
    for (Outcome::Kind kind : kKinds) {
      if (*name != Name(kind)) continue;
      report.buckets[{kind, bucket->str()}] = {
          kind, entry->getInteger("count").value_or(0),
          static_cast<uint64_t>(entry->getInteger("first").value_or(0)),
          entry->getString("text").value_or("").str(), entry->getString("file").value_or("").str()};
    }
  }
  return report;
}

llvm::Error Merge(CampaignReport& report, const CampaignReport& other) {
  if (report.target != other.target || report.seed != other.seed || report.asked != other.asked) {
    return MakeError("reports of different runs: " + report.target + report.asked + " with seed " +
                     llvm::Twine(report.seed) + ", " + other.target + other.asked + " with seed " +
                     llvm::Twine(other.seed));
  }
  report.runs += other.runs;
  report.fine += other.fine;
  for (const auto& [note, count] : other.notes) report.notes[note] += count;
  for (const auto& [key, bucket] : other.buckets) {
    auto [it, is_new] = report.buckets.try_emplace(key, bucket);
    if (is_new) continue;
    int64_t count = it->second.count + bucket.count;
    if (bucket.first < it->second.first) it->second = bucket;
    it->second.count = count;
  }
  return llvm::Error::success();
}

}  // namespace affirm::driver
