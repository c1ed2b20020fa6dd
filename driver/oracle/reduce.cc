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
// Candidates of one start of the program: the simplest of them that still shows the fault is taken.
constexpr size_t kCandidates = 64;
// The same for faults that stop the batch: when it stops, its maps are asked about one by one.
constexpr size_t kStoppingCandidates = 16;

// A candidate that is hard to judge is not the simple map that is looked for.
Budget Quick() {
  Budget budget;
  budget.enumeration_points = 1 << 13;
  budget.z3_rlimit = 50'000;
  budget.isl_operations = 20'000;
  budget.isl_seconds = 1;
  return budget;
}

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
  Reducer(ProgramRunner& runner, FaultKind kind, ExamineOptions options)
      : runner_(runner),
        kind_(kind),
        options_(std::move(options)),
        last_start_(runner.starts() + kMaxStarts) {
    options_.idempotence = kind == FaultKind::kNotIdempotent;
  }

  llvm::Expected<std::optional<JudgedMap>> Run(const std::string& map) {
    auto found = SimplestWithFault({map});
    if (!found || !*found) return found;
    JudgedMap best = std::move(**found);
    options_.decide.budget = Quick();

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

  // The simplest of the maps that has the fault.
  llvm::Expected<std::optional<JudgedMap>> SimplestWithFault(const std::vector<std::string>& maps) {
    if (maps.size() > 1 && StopsTheBatch(kind_)) return FirstThatStops(maps);
    auto examination = Examine(runner_, maps, budget_, options_);
    if (!examination) return examination.takeError();
    std::optional<JudgedMap> best;
    fuzz::MapComplexity least;
    for (size_t i = 0; i < maps.size(); ++i) {
      Judgment& judgment = examination->judgments[i];
      if (judgment.verdict != Judgment::Kind::kFault || !AreAlike(judgment.kind, kind_)) continue;
      const fuzz::MapComplexity complexity = ComplexityOf(maps[i]);
      if (best && least <= complexity) continue;
      best = JudgedMap{maps[i], std::move(judgment)};
      least = complexity;
    }
    return best;
  }

  static fuzz::MapComplexity ComplexityOf(const std::string& text) {
    Context context;
    auto map = ParseWrittenMap(text, context);
    if (map) return fuzz::ComplexityOf(*map);
    llvm::consumeError(map.takeError());
    return {};
  }

  llvm::Expected<std::optional<JudgedMap>> FirstThatStops(const std::vector<std::string>& maps) {
    auto run = runner_.Run(maps);
    if (!run) return run.takeError();
    if (!*run || ((*run)->Succeeded() && SplitMaps((*run)->output).size() == maps.size())) {
      return std::nullopt;
    }
    // A program that stops at a map has most likely printed the answers to the maps before it.
    const size_t suspect = std::min(SplitMaps((*run)->output).size(), maps.size() - 1);
    for (size_t i = 0; i < maps.size(); ++i) {
      if (Spent()) break;
      auto found = SimplestWithFault({maps[(suspect + i) % maps.size()]});
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
    auto ask = [&]() { return SimplestWithFault(std::exchange(candidates, {})); };
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
  ExamineOptions options_;
  const int64_t last_start_;
  FailureBudget budget_{.failures = kMaxStarts, .hangs = kMaxHangs};
  llvm::StringSet<> seen_;
};

}  // namespace

llvm::Expected<std::optional<JudgedMap>> ReduceFault(ProgramRunner& runner, const std::string& map,
                                                     FaultKind kind, ExamineOptions options) {
  return Reducer(runner, kind, std::move(options)).Run(map);
}

}  // namespace affirm::driver
