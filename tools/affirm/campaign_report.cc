// Reports of campaigns: as text, as JSON, merged.
#include "core/symbolic/error.h"
#include "tools/affirm/campaign.h"
#include "tools/affirm/cli.h"

namespace affirm::cli {

namespace {

constexpr Outcome::Kind kKinds[] = {Outcome::Kind::kFinding, Outcome::Kind::kCrash,
                                    Outcome::Kind::kHang, Outcome::Kind::kUnknown};

}  // namespace

int64_t CampaignReport::Count(Outcome::Kind kind) const {
  if (kind == Outcome::Kind::kFine) return fine;
  int64_t count = 0;
  for (const auto& [key, cause] : causes) count += cause.kind == kind ? cause.count : 0;
  return count;
}

int CampaignReport::status() const {
  int status = kAllWell;
  for (const auto& [key, cause] : causes) {
    status = Worse(status, cause.kind == Outcome::Kind::kUnknown ? kUnknown : kDifferent);
  }
  return status;
}

std::string CampaignReport::ReplayOf(const Cause& cause) const {
  return "affirm fuzz " + target + " --seed " + std::to_string(seed) + " --first " +
         std::to_string(cause.first) + " --runs 1";
}

void PrintReport(const CampaignReport& report, llvm::raw_ostream& os) {
  os << "fuzz " << report.target << ", seed " << report.seed << ": " << report.runs << " runs, "
     << report.fine << " fine";
  for (Outcome::Kind kind : kKinds) os << ", " << report.Count(kind) << " " << Name(kind);
  os << "\n";
  for (Outcome::Kind kind : kKinds) {
    for (const auto& [key, cause] : report.causes) {
      if (cause.kind != kind) continue;
      os << "\n"
         << Name(kind) << ", " << cause.count << (cause.count == 1 ? " time: " : " times: ")
         << key.second << "\n  " << cause.text << "\n";
      if (!cause.file.empty()) os << "  reduced: " << cause.file << "\n";
      os << "  replay: " << report.ReplayOf(cause) << "\n";
    }
  }
}

llvm::json::Value ToJson(const CampaignReport& report) {
  llvm::json::Array causes;
  for (const auto& [key, cause] : report.causes) {
    causes.push_back(llvm::json::Object{{"kind", Name(cause.kind)},
                                        {"cause", JsonText(key.second)},
                                        {"count", cause.count},
                                        {"first", static_cast<int64_t>(cause.first)},
                                        {"text", JsonText(cause.text)},
                                        {"file", JsonText(cause.file)},
                                        {"replay", JsonText(report.ReplayOf(cause))}});
  }
  llvm::json::Object object{{"target", report.target},
                            {"seed", static_cast<int64_t>(report.seed)},
                            {"runs", report.runs},
                            {"fine", report.fine}};
  for (Outcome::Kind kind : kKinds) object[Name(kind)] = report.Count(kind);
  object["causes"] = std::move(causes);
  object["status"] = report.status();
  return object;
}

llvm::Expected<CampaignReport> CampaignFromJson(const llvm::json::Object& object) {
  CampaignReport report;
  auto target = object.getString("target");
  auto seed = object.getInteger("seed"), runs = object.getInteger("runs"),
       fine = object.getInteger("fine");
  const llvm::json::Array* causes = object.getArray("causes");
  if (!target || !seed || !runs || !fine || !causes) {
    return MakeError(
        "expected target, seed, runs, fine and causes, as `affirm fuzz --json` prints");
  }
  report.target = target->str();
  report.seed = static_cast<uint64_t>(*seed);
  report.runs = *runs;
  report.fine = *fine;
  for (const llvm::json::Value& value : *causes) {
    const llvm::json::Object* entry = value.getAsObject();
    auto name = entry ? entry->getString("kind") : std::nullopt;
    auto cause = entry ? entry->getString("cause") : std::nullopt;
    if (!name || !cause) return MakeError("expected a cause with its kind");
    for (Outcome::Kind kind : kKinds) {
      if (*name != Name(kind)) continue;
      report.causes[{kind, cause->str()}] = {
          kind, entry->getInteger("count").value_or(0),
          static_cast<uint64_t>(entry->getInteger("first").value_or(0)),
          entry->getString("text").value_or("").str(), entry->getString("file").value_or("").str()};
    }
  }
  return report;
}

llvm::Error Merge(CampaignReport& report, const CampaignReport& other) {
  if (report.target != other.target || report.seed != other.seed) {
    return MakeError("reports of different runs: " + report.target + " with seed " +
                     llvm::Twine(report.seed) + ", " + other.target + " with seed " +
                     llvm::Twine(other.seed));
  }
  report.runs += other.runs;
  report.fine += other.fine;
  for (const auto& [key, cause] : other.causes) {
    auto [it, is_new] = report.causes.try_emplace(key, cause);
    if (is_new) continue;
    int64_t count = it->second.count + cause.count;
    if (cause.first < it->second.first) it->second = cause;
    it->second.count = count;
  }
  return llvm::Error::success();
}

}  // namespace affirm::cli
