// Batches of maps, what is found in each, and which findings are alike.
#include "driver/oracle/program_audit.h"

#include <algorithm>

#include "core/indexing/map_text.h"
#include "core/symbolic/error.h"
#include "driver/campaign/campaign.h"
#include "driver/exit_status.h"
#include "driver/input.h"
#include "driver/oracle/examine.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// Every step that shows a hang takes the whole timeout.
constexpr int64_t kReductionsOfHangs = 2;

// Enough for nearly every pair of small maps, in milliseconds.
DecideOptions Decide() {
  DecideOptions options;
  options.budget.z3_rlimit = 2'000'000;
  options.budget.isl_operations = 200'000;
  return options;
}

// A map without its numbers: findings of one shape are taken for one cause.
std::string ShapeOf(llvm::StringRef map) {
  std::string shape;
  for (size_t i = 0; i < map.size(); ++i) {
    const bool in_name = !shape.empty() && (llvm::isAlnum(shape.back()) || shape.back() == '_');
    const bool sign = map[i] == '-' && i + 1 < map.size() && llvm::isDigit(map[i + 1]);
    if (sign || (llvm::isDigit(map[i]) && !in_name)) {
      while (i + 1 < map.size() && llvm::isDigit(map[i + 1])) ++i;
      shape += '#';
    } else {
      shape += map[i];
    }
  }
  return shape;
}

// The lines that are no comment: not every program reads those.
std::string WithoutComments(llvm::StringRef text) {
  std::string kept;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (!line.trim().starts_with("//")) kept += line.rtrim().str() + "\n";
    text = rest;
  }
  return llvm::StringRef(kept).trim().str();
}

class ProgramAudit {
 public:
  explicit ProgramAudit(const ProgramAuditOptions& options)
      : options_(options), runner_(options.command, options.limits), batch_(options.batch) {
    examine_ = {.decide = Decide(), .idempotence = options.idempotence, .jobs = options.jobs};
    report_.command = options.command;
    report_.seed = options.seed;
  }

  llvm::Expected<ProgramAuditReport> Run() {
    for (uint64_t next = 0; next < NumMaps() && report_.stopped.empty();) {
      std::vector<std::string> maps;
      for (; maps.size() < batch_ && next < NumMaps(); ++next) maps.push_back(MapOf(next));
      if (llvm::Error error = RunBatch(maps)) return error;
      Show(std::to_string(report_.tried) + " maps, " + std::to_string(report_.NumFindings()) +
           " findings");
    }
    llvm::stable_sort(report_.causes, [](const Cause& a, const Cause& b) {
      return std::pair(a.kind, -a.count) < std::pair(b.kind, -b.count);
    });
    report_.starts = runner_.starts();
    return std::move(report_);
  }

 private:
  uint64_t NumMaps() const {
    return options_.runs > UINT64_MAX - options_.maps.size() ? UINT64_MAX
                                                             : options_.runs + options_.maps.size();
  }

  std::string MapOf(uint64_t number) const {
    if (number < options_.maps.size()) return options_.maps[number];
    return GeneratedMap(options_.seed, number - options_.maps.size(), options_.language);
  }

  llvm::Error RunBatch(llvm::ArrayRef<std::string> maps) {
    auto examination = Examine(runner_, maps, budget_, examine_);
    if (!examination) return examination.takeError();
    for (size_t i = 0; i < maps.size(); ++i) {
      if (examination->judgments[i].verdict == Judgment::Kind::kNotAsked) {
        StopEarly();
        continue;
      }
      ++report_.tried;
      if (llvm::Error error = Record(maps[i], examination->judgments[i])) return error;
    }
    for (const JudgedMap& own : examination->own_answers) {
      if (llvm::Error error = Record(own.map, own.judgment)) return error;
    }
    if (examination->batch_failure) RecordBatch(*examination->batch_failure);
    if (budget_.Spent() || runner_.OutOfTime()) StopEarly();
    return llvm::Error::success();
  }

  void StopEarly() {
    if (!report_.stopped.empty()) return;
    report_.stopped = budget_.hangs <= 0      ? "the program hangs too often"
                      : budget_.failures <= 0 ? "the program fails too often"
                                              : "the time is over";
  }

  llvm::Error Record(const std::string& map, const Judgment& judgment) {
    switch (judgment.verdict) {
      case Judgment::Kind::kNotAsked:
        break;
      case Judgment::Kind::kEqual:
        ++report_.equal;
        break;
      case Judgment::Kind::kUnknown:
        report_.unknown.push_back({map, judgment.answer, judgment.detail});
        break;
      case Judgment::Kind::kFault:
        return RecordFault(map, judgment);
    }
    return llvm::Error::success();
  }

  bool WantsReduction(FaultKind kind) const {
    const auto k = static_cast<size_t>(kind);
    if (kind == FaultKind::kHang && report_.kinds[k] > kReductionsOfHangs) return false;
    if (report_.reduced >= options_.max_reductions) return false;
    return without_news_[k] < options_.reductions_without_news && !runner_.OutOfTime();
  }

  llvm::Error RecordFault(const std::string& map, const Judgment& judgment) {
    int64_t& findings = report_.kinds[static_cast<size_t>(judgment.kind)];
    const bool first = ++findings == 1;
    if (!WantsReduction(judgment.kind)) {
      // A map for which the time was too short is not lost.
      if (first && runner_.OutOfTime()) AddCause(judgment.kind, map, map, judgment);
      return llvm::Error::success();
    }
    Show(std::string("reducing: ") + Name(judgment.kind));
    auto reduced = ReduceFault(runner_, map, judgment.kind, examine_);
    if (!reduced) return reduced.takeError();
    if (*reduced) {
      ++report_.reduced;
      AddCause(judgment.kind, map, (*reduced)->map, (*reduced)->judgment);
    } else if (runner_.OutOfTime()) {
      if (first) AddCause(judgment.kind, map, map, judgment);
    } else {
      // Alone it goes well.
      --findings;
      ++report_.kinds[static_cast<size_t>(FaultKind::kDependsOnBatch)];
      Judgment depends = judgment;
      depends.kind = FaultKind::kDependsOnBatch;
      depends.detail = std::string(Name(judgment.kind)) + " when it stands among other maps" +
                       (judgment.detail.empty() ? "" : ": " + judgment.detail);
      AddCause(judgment.kind, map, map, depends);
    }
    return llvm::Error::success();
  }

  void RecordBatch(const BatchFailure& failure) {
    ++report_.kinds[static_cast<size_t>(FaultKind::kDependsOnBatch)];
    Judgment judgment;
    judgment.kind = FaultKind::kDependsOnBatch;
    judgment.answer = failure.answer.text;
    judgment.detail = std::to_string(failure.maps.size()) +
                      " maps at once, but not on fewer of them: " + failure.answer.detail;
    std::string maps = llvm::join(failure.maps, "\n\n");
    AddCause(judgment.kind, maps, maps, judgment);
    // Smaller batches say more of the maps.
    batch_ = std::clamp<size_t>(failure.maps.size() - 1, 1, batch_);
  }

  // Adds a finding of a kind to the cause that it is of, once it is reduced.
  void AddCause(FaultKind found_as, const std::string& original, const std::string& map,
                const Judgment& judgment) {
    std::string key = Name(judgment.kind);
    if (judgment.kind != FaultKind::kDependsOnBatch) key += ShapeOf(map);
    if (judgment.kind > FaultKind::kDeclaredEmpty && judgment.kind != FaultKind::kNotIdempotent) {
      key += BucketOf(judgment.detail);
    }
    int64_t& without_news = without_news_[static_cast<size_t>(found_as)];
    auto it = llvm::find(keys_, key);
    if (it != keys_.end()) {
      ++report_.causes[static_cast<size_t>(it - keys_.begin())].count;
      ++without_news;
      return;
    }
    without_news = 0;
    keys_.push_back(key);
    report_.causes.push_back(
        {judgment.kind, 1, map, original, judgment.answer, judgment.detail, judgment.witness, ""});
  }

  void Show(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  const ProgramAuditOptions& options_;
  ProgramRunner runner_;
  ExamineOptions examine_;
  FailureBudget budget_;
  size_t batch_;
  ProgramAuditReport report_;
  std::vector<std::string> keys_;                          // of the causes
  std::array<int64_t, kNumFaultKinds> without_news_ = {};  // reductions since the last new cause
};

}  // namespace

int64_t ProgramAuditReport::NumFindings() const {
  int64_t sum = 0;
  for (int64_t findings : kinds) sum += findings;
  return sum;
}

Verdict ProgramAuditReport::outcome() const {
  if (NumFindings() > 0) return Verdict::kRefuted;
  return unknown.empty() && tried > 0 ? Verdict::kProved : Verdict::kUnknown;
}

int ProgramAuditReport::status() const { return StatusOf(outcome()); }

llvm::Expected<ProgramAuditReport> AuditProgram(const ProgramAuditOptions& options) {
  return ProgramAudit(options).Run();
}

std::string GeneratedMap(uint64_t seed, uint64_t number, fuzz::TermLanguage language) {
  Context context;
  const std::vector<uint8_t> bytes = BytesOf(seed, number);
  fuzz::Choices choices(bytes);
  return ToString(fuzz::GenerateSimplifierInput(choices, context, language));
}

llvm::Expected<std::vector<std::string>> MapTexts(llvm::StringRef text, llvm::StringRef name) {
  std::vector<std::string> maps;
  for (const MapTextPart& part : SplitMaps(text)) {
    Context context;
    auto map = ParseIndexingMap(part.text, context, name, part.line);
    if (!map) return map.takeError();
    maps.push_back(WithoutComments(part.text));
  }
  if (maps.empty()) return MakeError(name + ":1:1: error: holds no map, expected a map");
  return maps;
}

}  // namespace affirm::driver
