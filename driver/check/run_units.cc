// Units in order: from the ledger, in a worker process, or here.
#include <chrono>
#include <utility>

#include "core/symbolic/error.h"
#include "driver/check/records.h"
#include "driver/check/time_shares.h"
#include "driver/check/unit.h"
#include "driver/errors.h"
#include "driver/json_text.h"
#include "driver/process_use.h"
#include "driver/worker_process.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// A unit is not begun with less: a process takes as long to start.
constexpr double kLeastShare = 0.05;

// The messages of a worker: what it is doing now, and the record of a unit when it is finished.
constexpr char kProgress = 'p', kRecord = 'r';

// Where a report stood before a unit.
struct Mark {
  explicit Mark(const State& state)
      : maps(state.report.maps.size()),
        composed(state.report.composed.size()),
        findings(state.report.findings.size()),
        verdicts(state.recorded_maps.size()),
        simplification(state.report.simplification),
        certificates(state.report.certificates) {}

  size_t maps, composed, findings, verdicts;
  SimplificationCheck simplification;
  std::optional<CertificatesCheck> certificates;
};

template <typename T>
std::vector<T> From(const std::vector<T>& list, size_t first) {
  return std::vector<T>(list.begin() + static_cast<ptrdiff_t>(first), list.end());
}

SimplificationCheck Difference(const SimplificationCheck& after,
                               const SimplificationCheck& before) {
  SimplificationCheck difference;
  difference.compositions = after.compositions - before.compositions;
  difference.proved = after.proved - before.proved;
  difference.ms = after.ms - before.ms;
  difference.steps = after.steps - before.steps;
  difference.replayed = after.replayed - before.replayed;
  for (const auto& [rule, uses] : after.uses) {
    const auto known = before.uses.find(rule);
    const int64_t more = uses - (known == before.uses.end() ? 0 : known->second);
    if (more > 0) difference.uses[rule] = more;
  }
  for (const auto& [rule, proof] : after.rules) {
    if (!before.rules.contains(rule)) difference.rules[rule] = proof;
  }
  return difference;
}

void Add(SimplificationCheck& all, const SimplificationCheck& more) {
  all.compositions += more.compositions;
  all.proved += more.proved;
  all.ms += more.ms;
  all.steps += more.steps;
  all.replayed += more.replayed;
  for (const auto& [rule, uses] : more.uses) all.uses[rule] += uses;
  for (const auto& [rule, proof] : more.rules) all.rules[rule] = proof;
}

// `whole`: of the module as a whole, as the record before had it; then as this one has it. It names
// all collectives, and most units have nothing to do with it.
UnitRecord RecordSince(const Mark& mark, const State& state, const Unit& unit, WholeCheck& whole) {
  const ModuleReport& report = state.report;
  UnitRecord record;
  for (const auto& [instruction, verdict] : From(state.recorded_maps, mark.verdicts)) {
    // A tuple of hundreds of arrays has a verdict for each array and operand.
    const MapVerdict next{instruction->id, verdict};
    if (record.map_verdicts.empty() || record.map_verdicts.back() != next) {
      record.map_verdicts.push_back(next);
    }
  }
  record.maps = From(report.maps, mark.maps);
  record.composed = From(report.composed, mark.composed);
  record.simplification = Difference(report.simplification, mark.simplification);
  if (report.certificates) record.certificates = report.certificates->Since(*mark.certificates);
  record.memory = report.memory;
  record.first_kernel = static_cast<int64_t>(unit.first_kernel);
  record.kernels.assign(report.kernels.begin() + static_cast<ptrdiff_t>(unit.first_kernel),
                        report.kernels.begin() + static_cast<ptrdiff_t>(unit.end_kernel));
  if (!(report.whole == whole)) record.whole = whole = report.whole;
  record.argument_kinds = report.argument_kinds;
  record.findings = From(report.findings, mark.findings);
  return record;
}

class UnitRunner {
 public:
  UnitRunner(State& state, std::vector<Unit> units, UnitLedger* ledger, const SpentHere& spent)
      : state_(state),
        spent_(spent),
        units_(std::move(units)),
        ledger_(ledger),
        isolated_((state.options().time_limit > 0 ||
                   state.options().memory_limit != WorkLimits().memory) &&
                  state.options().target != ExecutionTarget::kCuda),
        shares_(isolated_ ? state.options().time_limit : 0),
        show_(state.progress) {
    state_.progress = [this](llvm::StringRef what) { Show(what); };
    for (const auto& computation : state.module.computations) {
      for (const auto& instruction : computation->instructions) {
        instructions_[instruction->id] = instruction.get();
      }
    }
  }

  llvm::Error Run() {
    for (size_t number = 0; number < units_.size(); ++number) {
      if (units_[number].phase == Unit::Phase::kExecution) {
        if (llvm::Error error = RunAgain()) return error;
      }
      now_ = number;
      if (llvm::Error error = RunOne()) return error;
    }
    return RunAgain();
  }

 private:
  llvm::Error RunOne() {
    const Unit& unit = units_[now_];
    if (unit.is_needed && !unit.is_needed()) return llvm::Error::success();
    at_ = unit.name;
    auto known = FromLedger();
    if (!known) return known.takeError();
    if (*known) return llvm::Error::success();
    const Mark mark(state_);
    const bool is_here = !isolated_ || unit.is_copy;
    UnitRecord record = is_here ? Here(mark) : InWorker();
    if (record.given_up && unit.phase == Unit::Phase::kMaps && left_again_ == 0) {
      shares_.Spend(record.seconds);
      open_.emplace_back(now_, std::move(record));
      return llvm::Error::success();
    }
    return Finish(record, is_here);
  }

  llvm::Error Finish(const UnitRecord& record, bool is_here) {
    if (!is_here) {
      if (llvm::Error error = Take(record)) return error;
    }
    if (ledger_ == nullptr) return llvm::Error::success();
    return ledger_->Append(now_, units_[now_].name, ToJson(record));
  }

  // The maps that were given up get half of what is left, before kernels are run: without them the
  // module is not affirmed, and without samples of kernels that are proved it is.
  llvm::Error RunAgain() {
    const auto open = std::exchange(open_, {});
    for (left_again_ = open.size(); left_again_ > 0; --left_again_) {
      const auto& [number, first] = open[open.size() - left_again_];
      now_ = number;
      worker_.reset();  // it is elsewhere
      CountSpentHere();
      const bool has_time = ShareNow() > first.seconds;
      UnitRecord record = has_time ? InWorker() : first;
      if (!has_time) shares_.Spend(-record.seconds);  // they are counted
      if (llvm::Error error = Finish(record, /*is_here=*/false)) return error;
      worker_.reset();
    }
    return llvm::Error::success();
  }

  double ShareNow() const {
    return left_again_ > 0 ? shares_.Of(Unit::Phase::kExecution, left_again_)
                           : shares_.Of(units_[now_].phase, UnitsLeft());
  }

  // Whether the ledger has the unit.
  llvm::Expected<bool> FromLedger() {
    if (ledger_ == nullptr) return false;
    const llvm::json::Object* json = ledger_->Find(now_, units_[now_].name);
    if (json == nullptr) return false;
    worker_.reset();  // it would do what it has not seen done
    auto record = UnitRecordFrom(*json);
    llvm::Error error = record ? Take(*record) : record.takeError();
    if (!error) return true;
    return MakeError("the ledger's record of '" + units_[now_].name +
                     "' cannot be used: " + llvm::toString(std::move(error)));
  }

  llvm::Error Take(const UnitRecord& record) {
    shares_.Spend(record.seconds);
    if (!record.given_up) return AddRecord(record, units_[now_]);
    state_.report.given_up.push_back({units_[now_].name, *record.given_up, record.seconds});
    units_[now_].give_up(*record.given_up);
    return llvm::Error::success();
  }

  llvm::Error AddRecord(const UnitRecord& record, const Unit& unit) {
    ModuleReport& report = state_.report;
    const auto first = static_cast<size_t>(record.first_kernel);
    if (first != unit.first_kernel || record.kernels.size() != unit.end_kernel - first) {
      return MakeError("it is of other kernels");
    }
    for (const MapVerdict& verdict : record.map_verdicts) {
      const auto instruction = instructions_.find(verdict.instruction);
      if (instruction == instructions_.end()) {
        return MakeError("it names an instruction that is not there");
      }
      state_.RecordMap(*instruction->second, verdict.verdict);
    }
    llvm::append_range(report.maps, record.maps);
    llvm::append_range(report.composed, record.composed);
    Add(report.simplification, record.simplification);
    if (record.certificates && report.certificates) report.certificates->Add(*record.certificates);
    if (record.memory) report.memory = *record.memory;
    llvm::copy(record.kernels, report.kernels.begin() + static_cast<ptrdiff_t>(first));
    if (record.whole) report.whole = recorded_whole_ = *record.whole;
    report.argument_kinds = record.argument_kinds;
    for (const auto& [rule, proof] : record.simplification.rules)
      state_.checker.Remember(rule, proof);
    llvm::append_range(report.findings, record.findings);
    return llvm::Error::success();
  }

  UnitRecord Here(const Mark& mark) {
    const auto start = std::chrono::steady_clock::now();
    units_[now_].work();
    UnitRecord record = RecordSince(mark, state_, units_[now_], recorded_whole_);
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return record;
  }

  UnitRecord InWorker() {
    CountSpentHere();
    const double share = ShareNow();
    UnitRecord record;
    if (share < kLeastShare || ClockLeft() < kLeastShare) {
      record.given_up = std::string(kOutOfTime) + ": not begun";
      worker_.reset();  // it would do this unit next
      return record;
    }
    if (!worker_) {
      auto started = WorkerProcess::Start([&](const WorkerProcess::Send& send) { Work(send); });
      if (!started) {
        record.given_up = MessageOf(started.takeError());
        return record;
      }
      worker_.emplace(std::move(*started));
    }
    const double start = worker_->CpuSeconds();
    const WorkLimits limits = {.cpu_seconds = start + share,
                               .clock_seconds = worker_->ClockSeconds() + ClockLeft(),
                               .memory = MemoryOfWorker()};
    while (auto message = worker_->Next(limits)) {
      if (message->kind == kProgress) {
        at_ = message->text;
        show_(Estimate() + at_);
        continue;
      }
      record = Decode(message->text);
      record.seconds = worker_->CpuSeconds() - start;
      if (record.given_up) worker_.reset();
      return record;
    }
    record.given_up = WhyEnded(*worker_, limits) + ", at: " + at_;
    record.seconds = worker_->CpuSeconds() - start;
    worker_.reset();
    return record;
  }

  double ClockLeft() const {
    const double limit = state_.options().time_limit * kClockPerCpu;
    if (limit <= 0) return WorkLimits::kNone;
    return limit - std::chrono::duration<double>(Clock::now() - begun_).count();
  }

  // The memory that this process leaves. A sixteenth is kept, so that a worker exceeds its limit
  // before the process of the file does.
  uint64_t MemoryOfWorker() const {
    const uint64_t all = state_.options().memory_limit;
    if (all == WorkLimits().memory) return all;
    const uint64_t here = std::min(MemoryHere(), all / 2);
    return all - all / 16 - here;
  }

  // A message is the number of the unit, and its record behind a colon.
  UnitRecord Decode(llvm::StringRef text) const {
    UnitRecord lost;
    size_t number = 0;
    if (text.consumeInteger(10, number) || !text.consume_front(":") || number != now_) {
      lost.given_up = "its record was lost: it is of another unit";
      return lost;
    }
    auto json = llvm::json::parse(text);
    auto record = !json                  ? llvm::Expected<UnitRecord>(json.takeError())
                  : !json->getAsObject() ? MakeError("it is no object")
                                         : UnitRecordFrom(*json->getAsObject());
    if (record) return std::move(*record);
    lost.given_up = "its record was lost: " + MessageOf(record.takeError());
    return lost;
  }

  // In the worker: the unit that is next here, and all that follow it.
  void Work(const WorkerProcess::Send& send) {
    state_.progress = [&](llvm::StringRef what) { send(kProgress, what); };
    for (; now_ < units_.size(); ++now_) {
      const Unit& unit = units_[now_];
      if (unit.is_needed && !unit.is_needed()) continue;
      const Mark mark(state_);
      unit.work();
      if (unit.is_copy) continue;
      std::string text;
      llvm::raw_string_ostream(text)
          << now_ << ":"
          << llvm::json::Value(ToJson(RecordSince(mark, state_, unit, recorded_whole_)));
      send(kRecord, text);
    }
  }

  void CountSpentHere() {
    const double seconds = spent_.seconds();
    shares_.Spend(seconds - counted_);
    counted_ = seconds;
  }

  size_t UnitsLeft() const {
    const Unit::Phase phase = units_[now_].phase;
    return static_cast<size_t>(
        std::count_if(units_.begin() + static_cast<ptrdiff_t>(now_), units_.end(),
                      [&](const Unit& unit) { return unit.phase == phase; }));
  }

  void Show(llvm::StringRef what) {
    at_ = what.str();
    show_(Estimate() + at_);
  }

  // "[12 of 40, at most 48 s] ": the unit, and what is left of the time.
  std::string Estimate() const {
    std::string text = "[" + std::to_string(now_ + 1) + " of " + std::to_string(units_.size());
    if (isolated_) {
      const double left = std::max(0.0, state_.options().time_limit - shares_.spent());
      text += ", at most " + std::to_string(static_cast<int64_t>(left + 1)) + " s";
    }
    return text + "] ";
  }

  using Clock = std::chrono::steady_clock;

  State& state_;
  const SpentHere& spent_;
  const Clock::time_point begun_ = Clock::now();
  double counted_ = 0;  // of it, in shares_
  std::vector<Unit> units_;
  UnitLedger* ledger_;
  const bool isolated_;
  TimeShares shares_;
  std::function<void(llvm::StringRef)> show_;
  llvm::DenseMap<int64_t, const hlo::Instruction*> instructions_;  // by id
  std::optional<WorkerProcess> worker_;
  // In the worker as in the process that reads its records.
  WholeCheck recorded_whole_ = state_.report.whole;
  size_t now_ = 0;
  std::string at_;                                   // what was being done last
  std::vector<std::pair<size_t, UnitRecord>> open_;  // given up for now
  size_t left_again_ = 0;                            // of those, while they are done again
};

}  // namespace

llvm::Error RunUnits(State& state, std::vector<Unit> units, UnitLedger* ledger,
                     const SpentHere& spent) {
  return UnitRunner(state, std::move(units), ledger, spent).Run();
}

}  // namespace affirm::driver
