// Makes a map small while the program has the same kind of fault on it.
#include "core/indexing/map_text.h"
#include "driver/input.h"
#include "driver/oracle/examine.h"
#include "fuzz/reducer/map_edits.h"
#include "llvm/ADT/StringSet.h"

namespace affirm::driver {
namespace {

// Bounds of one reduction that do not depend on the clock.
constexpr int64_t kMaxStarts = 400, kMaxHangs = 12;
// Candidates of one start of the program: the first of them that still shows the fault is taken.
constexpr size_t kCandidates = 64;
// The same for faults that stop the batch: when it stops, its maps are asked about one by one.
constexpr size_t kStoppingCandidates = 16;

bool StopsTheBatch(FaultKind kind) {
  switch (kind) {
    case FaultKind::kCrash:
    case FaultKind::kTooMuch:
    case FaultKind::kMissing:
    case FaultKind::kSurplus:
      return true;
    default:
      return false;
  }
}

class Reducer {
 public:
  Reducer(ProgramRunner& runner, FaultKind kind, const ExamineOptions& options)
      : runner_(runner),
        kind_(kind),
        options_(options),
        last_start_(runner.starts() + kMaxStarts) {}

  llvm::Expected<std::optional<JudgedMap>> Run(const std::string& map) {
    auto found = FirstWithFault({map});
    if (!found || !*found) return found;
    JudgedMap best = std::move(**found);

    while (true) {
      auto smaller = Step(best.map);
      if (!smaller) return smaller;
      if (!*smaller) return best;
      best = std::move(**smaller);
    }
  }

 private:
  bool Spent() const {
    return budget_.Spent() || runner_.OutOfTime() || runner_.starts() >= last_start_;
  }

  bool HasFault(const Judgment& judgment) const {
    return judgment.verdict == Judgment::Verdict::kFault && AreAlike(judgment.kind, kind_);
  }

  // The first of the maps that has the fault.
  llvm::Expected<std::optional<JudgedMap>> FirstWithFault(const std::vector<std::string>& maps) {
    if (kind_ == FaultKind::kNotIdempotent) return FirstThatIsNotIdempotent(maps);
    if (maps.size() > 1 && StopsTheBatch(kind_)) return FirstThatStops(maps);
    auto asked = Ask(runner_, maps, budget_);
    if (!asked) return asked.takeError();
    for (size_t i = 0; i < maps.size(); ++i) {
      Judgment judgment = Judge(maps[i], asked->answers[i], options_.decide);
      if (HasFault(judgment)) return JudgedMap{maps[i], std::move(judgment)};
    }
    return std::nullopt;
  }

  llvm::Expected<std::optional<JudgedMap>> FirstThatIsNotIdempotent(
      const std::vector<std::string>& maps) {
    auto examination = Examine(runner_, maps, budget_, options_);
    if (!examination) return examination.takeError();
    for (size_t i = 0; i < maps.size(); ++i) {
      Judgment& judgment = examination->judgments[i];
      if (HasFault(judgment)) return JudgedMap{maps[i], std::move(judgment)};
    }
    return std::nullopt;
  }

  llvm::Expected<std::optional<JudgedMap>> FirstThatStops(const std::vector<std::string>& maps) {
    auto run = runner_.Run(maps);
    if (!run) return run.takeError();
    if (!*run || ((*run)->Succeeded() && SplitMaps((*run)->output).size() == maps.size())) {
      return std::nullopt;
    }
    for (const std::string& map : maps) {
      if (Spent()) break;
      auto found = FirstWithFault({map});
      if (!found || *found) return found;
    }
    return std::nullopt;
  }

  // A map that is one edit simpler and has the fault; nullopt when there is none, or no budget.
  llvm::Expected<std::optional<JudgedMap>> Step(const std::string& map) {
    Context context;
    auto written = ParseWrittenMap(map, context);
    if (!written) {
      llvm::consumeError(written.takeError());
      return std::nullopt;
    }
    const size_t at_once = kind_ == FaultKind::kHang ? 1
                           : StopsTheBatch(kind_)    ? kStoppingCandidates
                                                     : kCandidates;
    std::vector<std::string> candidates;
    auto ask = [&]() { return FirstWithFault(std::exchange(candidates, {})); };
    for (const WrittenMap& simpler : fuzz::SimplerMaps(*written, context)) {
      std::string text = ToString(simpler);
      if (!seen_.insert(text).second || !IsLegal(text)) continue;
      candidates.push_back(std::move(text));
      if (candidates.size() < at_once) continue;
      if (Spent()) return std::nullopt;
      auto found = ask();
      if (!found || *found) return found;
    }
    if (candidates.empty() || Spent()) return std::nullopt;
    return ask();
  }

  static bool IsLegal(const std::string& text) {
    Context context;
    auto map = ParseIndexingMap(text, context);
    if (map) return true;
    llvm::consumeError(map.takeError());
    return false;
  }

  ProgramRunner& runner_;
  const FaultKind kind_;
  const ExamineOptions& options_;
  const int64_t last_start_;
  FailureBudget budget_{.failures = kMaxStarts, .hangs = kMaxHangs};
  llvm::StringSet<> seen_;
};

}  // namespace

llvm::Expected<std::optional<JudgedMap>> ReduceFault(ProgramRunner& runner, const std::string& map,
                                                     FaultKind kind,
                                                     const ExamineOptions& options) {
  return Reducer(runner, kind, options).Run(map);
}

}  // namespace affirm::driver
