// Batches, and which map of a batch it is that the program fails on.
#include "driver/oracle/simplifier_program.h"

#include <algorithm>

#include "core/symbolic/error.h"
#include "driver/input.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// The most bytes that a batch may print: a simplified map is rarely longer than the map.
size_t OutputLimit(llvm::StringRef input) { return (size_t{1} << 20) + 64 * input.size(); }

// Statuses with which shells report that there is nothing to run.
constexpr int kCannotExecute = 126, kNotFound = 127;

llvm::StringRef FirstLine(llvm::StringRef text) {
  return text.ltrim().take_until([](char c) { return c == '\n'; }).rtrim();
}

Answer FailureOf(const ProgramRunner& runner, const ShellRun& run, size_t asked) {
  Answer answer;
  answer.text = llvm::StringRef(run.output).trim().take_front(2000).str();
  answer.detail = runner.HowItEnded(run);
  switch (run.end) {
    case ShellRun::End::kTimeout:
      answer.kind = Answer::Kind::kHang;
      break;
    case ShellRun::End::kTooMuchOutput:
      answer.kind = Answer::Kind::kTooMuch;
      break;
    case ShellRun::End::kSignal:
      answer.kind = Answer::Kind::kCrash;
      break;
    case ShellRun::End::kExited: {
      answer.kind = Answer::Kind::kCrash;
      if (run.status != 0) break;
      const size_t printed = SplitMaps(run.output).size();
      answer.kind = printed < asked ? Answer::Kind::kMissing : Answer::Kind::kSurplus;
      answer.detail = std::to_string(printed) + (printed == 1 ? " map" : " maps") +
                      " printed for " + std::to_string(asked);
    }
  }
  llvm::StringRef said = FirstLine(run.errors);
  if (!said.empty()) answer.detail += ", and it said: " + said.take_front(200).str();
  return answer;
}

class Asker {
 public:
  Asker(ProgramRunner& runner, FailureBudget& budget, std::optional<BatchFailure>& batch_failure)
      : runner_(runner), budget_(budget), batch_failure_(batch_failure) {}

  // Whether the program did well on all of these maps.
  llvm::Expected<bool> Fill(llvm::ArrayRef<std::string> maps,
                            llvm::MutableArrayRef<Answer> answers) {
    if (maps.empty()) return true;
    if (budget_.Spent() || runner_.OutOfTime()) return false;
    auto run = runner_.Run(maps);
    if (!run) return run.takeError();
    if (!*run) return false;
    std::vector<MapTextPart> parts = SplitMaps((*run)->output);
    if ((*run)->Succeeded() && parts.size() == maps.size()) {
      for (size_t i = 0; i < maps.size(); ++i) {
        answers[i] = {Answer::Kind::kText, parts[i].text.trim().str(), ""};
      }
      return true;
    }
    if (maps.size() == 1) {
      answers[0] = FailureOf(runner_, **run, 1);
      --budget_.failures;
      if (answers[0].kind == Answer::Kind::kHang) --budget_.hangs;
      return false;
    }
    return Divide(maps, answers, **run, parts.size());
  }

 private:
  llvm::Expected<bool> Divide(llvm::ArrayRef<std::string> maps,
                              llvm::MutableArrayRef<Answer> answers, const ShellRun& run,
                              size_t printed) {
    // A program that stops at a map has printed the answers to the maps before it.
    size_t suspect = printed;
    if (suspect > 0 && !llvm::StringRef(run.output).ends_with("\n")) --suspect;
    const bool stopped = !run.Succeeded() && suspect > 0 && suspect < maps.size();
    std::vector<size_t> cuts = {0, maps.size() / 2, maps.size()};
    if (stopped) cuts = {0, suspect, suspect + 1, maps.size()};
    bool well = true;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      const size_t first = cuts[i], count = cuts[i + 1] - first;
      auto part = Fill(maps.slice(first, count), answers.slice(first, count));
      if (!part) return part;
      well &= *part;
    }
    if (well && !batch_failure_) {
      if (llvm::Error error = PinDown(maps, run)) return error;
    }
    return false;
  }

  // The program fails on these maps only together: leaves out all maps that the failure does not
  // need.
  llvm::Error PinDown(llvm::ArrayRef<std::string> maps, const ShellRun& failed) {
    BatchFailure failure{maps.vec(), FailureOf(runner_, failed, maps.size())};
    for (size_t size = maps.size() / 2; size > 0; size /= 2) {
      for (size_t first = 0; first + size <= failure.maps.size() && failure.maps.size() > 2;) {
        if (--budget_.failures <= 0) break;
        std::vector<std::string> fewer = failure.maps;
        auto from = fewer.begin() + static_cast<std::ptrdiff_t>(first);
        fewer.erase(from, from + static_cast<std::ptrdiff_t>(size));
        auto run = runner_.Run(fewer);
        if (!run) return run.takeError();
        if (!*run) break;
        if ((*run)->Succeeded() && SplitMaps((*run)->output).size() == fewer.size()) {
          first += size;
          continue;
        }
        failure = {fewer, FailureOf(runner_, **run, fewer.size())};
      }
    }
    batch_failure_ = std::move(failure);
    return llvm::Error::success();
  }

  ProgramRunner& runner_;
  FailureBudget& budget_;
  std::optional<BatchFailure>& batch_failure_;
};

}  // namespace

double ProgramRunner::TimeLeft() const {
  if (limits_.max_seconds <= 0) return limits_.timeout_seconds;
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return limits_.max_seconds - spent.count();
}

std::string ProgramRunner::HowItEnded(const ShellRun& run) const {
  return run.HowItEnded({.seconds = limits_.timeout_seconds, .bytes = run.output.size()});
}

llvm::Expected<std::optional<ShellRun>> ProgramRunner::Run(llvm::ArrayRef<std::string> maps) {
  const double left = TimeLeft();
  if (left <= 0) return std::nullopt;
  const std::string input = llvm::join(maps, "\n\n") + "\n";
  auto run =
      RunShell(command_, input,
               {.seconds = std::min(left, limits_.timeout_seconds), .bytes = OutputLimit(input)});
  if (!run) return run.takeError();
  const bool cut_short = run->end == ShellRun::End::kTimeout && left < limits_.timeout_seconds;
  if (cut_short) return std::nullopt;
  const bool absent = run->end == ShellRun::End::kExited &&
                      (run->status == kNotFound || run->status == kCannotExecute);
  if (absent && starts_ == 0) {
    return MakeError("the program cannot be started: " + FirstLine(run->errors) + " (exit status " +
                     llvm::Twine(run->status) +
                     "), expected a shell command that reads maps and prints maps");
  }
  ++starts_;
  return std::optional<ShellRun>(std::move(*run));
}

llvm::Expected<BatchAnswers> Ask(ProgramRunner& runner, llvm::ArrayRef<std::string> maps,
                                 FailureBudget& budget) {
  BatchAnswers result;
  result.answers.resize(maps.size());
  auto well = Asker(runner, budget, result.batch_failure).Fill(maps, result.answers);
  if (!well) return well.takeError();
  return result;
}

}  // namespace affirm::driver
