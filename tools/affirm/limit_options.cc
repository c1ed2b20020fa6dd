// Verbs in a process of their own, under limits.
#include "tools/affirm/limit_options.h"

#include <csignal>

#include "driver/work_limits.h"
#include "tools/affirm/cli.h"

namespace affirm::cli {
namespace {

// The last message of the worker.
constexpr char kStatus = 's';

void Work(const std::function<int()>& work, const driver::WorkerProcess::Send& send) {
  // A reader that has enough ends the verb, as it would without this process.
  signal(SIGPIPE, SIG_DFL);
  const int status = Written(work());
  llvm::errs().flush();
  send(kStatus, std::to_string(status));
}

}  // namespace

void AddMemoryLimit(Verb& verb, std::string& memory) {
  verb.Option("--memory-limit", memory,
              "Memory of all processes together, as 6G or 512M; what needs more is unknown "
              "(default: half of the machine's)");
}

void LimitFlags::AddTo(Verb& verb, bool with_time) {
  if (with_time) {
    verb.Option("--time-limit", time_,
                "Seconds of processor time for each of -j, and at most half as much again of the "
                "clock; what does not end in them is unknown (0: no limit)")
        .AtLeast(0)
        .ShowDefault();
  }
  AddMemoryLimit(verb, memory_);
}

LimitFlags LimitFlags::OfMemory() const {
  LimitFlags memory = *this;
  memory.time_ = 0;
  return memory;
}

int LimitFlags::Run(const std::string& verb, const std::string& file, unsigned threads,
                    ReportFlags& report, const std::function<int()>& work) const {
  auto memory = driver::ParseMemoryLimit(memory_);
  if (!memory) return report.Complete(verb, Report(memory.takeError()));
  const driver::WorkLimits limits = driver::LimitsOf(time_, threads, *memory);
  llvm::outs().flush();
  auto worker = driver::WorkerProcess::Start([&](const driver::WorkerProcess::Send& send) {
    Work([&] { return report.Complete(verb, work()); }, send);
  });
  if (!worker) return report.Complete(verb, Report(worker.takeError()));
  int status = kUnknown;
  if (auto message = worker->Next(limits)) {
    llvm::StringRef(message->text).getAsInteger(10, status);
    return status;
  }
  if (worker->signal() == SIGPIPE) return kUnknown;
  if (llvm::Error error = report.Begin()) return report.Complete(verb, Report(std::move(error)));
  const std::string why = driver::WhyEnded(*worker, limits);
  return report.Print(
      {driver::GivenUpReport(verb, file, why)},
      [&](llvm::raw_ostream& os) { os << "verdict: unknown (" << why << ")\n"; },
      [&](llvm::json::OStream& json) {
        json.attribute("verdict", "unknown");
        json.attribute("reason", JsonText(why));
      });
}

}  // namespace affirm::cli
