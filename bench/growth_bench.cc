// How the processor time of the tool grows with its input: for each axis of growth_subjects.h, the
// exponent k of time ~ size^k.
//
//   bench_growth [--benchmark_filter=REGEX] [--write=FOLDER]
//
// An exponent is fitted by least squares to the logarithms of the three largest of four sizes, less
// the time of the smallest input of the same verb. The program fails where an exponent is
// above 1.3, where a run is not proved, and where it does not end in a minute. `--write` only
// writes the inputs there, for perf.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "growth_subjects.h"

namespace affirm::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kMostExponent = 1.3;
constexpr unsigned kMostSeconds = 60;
constexpr double kLeastTime = 1e-3;  // of a measurement that says anything

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Files that are removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "growth-XXXXXX").string();
    if (!mkdtemp(name.data())) std::perror("bench_growth"), std::exit(3);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<std::string> Write(const GrowthInput& input, const fs::path& folder,
                               const std::string& name) {
  std::vector<std::string> paths;
  for (const std::string& text : input.files) {
    paths.push_back((folder / (name + char('a' + paths.size()) + ".txt")).string());
    std::ofstream(paths.back()) << text;
  }
  return paths;
}

// Processor time of the tool and of its workers, in seconds; negative where the tool did not exit
// with 0.
double RunTool(const GrowthInput& input, const std::vector<std::string>& files) {
  std::vector<const char*> arguments = {"affirm"};
  for (const auto* list : {&input.verb, &files})
    for (const std::string& argument : *list) arguments.push_back(argument.c_str());
  arguments.push_back(nullptr);
  const pid_t tool = fork();
  if (tool == 0) {
    alarm(kMostSeconds);
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr))
      _exit(127);
    execv(AFFIRM_BINARY, const_cast<char**>(arguments.data()));
    _exit(127);
  }
  int status = 0;
  rusage usage = {};
  wait4(tool, &status, 0, &usage);
  const double time = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? time : -1;
}

// The least of some runs: what other work on the machine adds is left out.
double Measure(const GrowthInput& input, const fs::path& folder) {
  constexpr double kEnough = 2;
  const std::vector<std::string> files = Write(input, folder, "input");
  double least = RunTool(input, files), all = least;
  for (int k = 0; k < 4 && all >= 0 && all < kEnough; ++k) {
    const double time = RunTool(input, files);
    if (time < 0) return time;
    all += time;
    least = std::min(least, time);
  }
  return least;
}

struct Measured {
  int64_t size = 0;
  double seconds = 0;
};

// The slope of log(seconds) over log(size), by least squares over the larger sizes.
double Exponent(const std::vector<Measured>& series) {
  constexpr size_t kLarger = 3;
  const size_t first = series.size() > kLarger ? series.size() - kLarger : 0;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = first; i < series.size(); ++i) {
    const double log_size = std::log(static_cast<double>(series[i].size));
    const double log_time = std::log(std::max(series[i].seconds, kLeastTime));
    n += 1, x += log_size, y += log_time, xx += log_size * log_size, xy += log_size * log_time;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

class Growth {
 public:
  void Register() {
    for (const GrowthAxis& axis : GrowthAxes()) {
      for (int64_t size : axis.sizes) {
        const std::string name = axis.name + "/" + std::to_string(size);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [this, axis, size](benchmark::State& state) {
                                       for (auto _ : state)
                                         state.SetIterationTime(Run(axis, size, state));
                                     })
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }

  // Prints the exponents; whether all are good.
  bool Report() const {
    bool good = !failed_;
    std::printf("\n%-32s %9s\n", "axis", "exponent");
    for (const auto& [name, series] : measured_) {
      if (series.size() < 2) continue;
      const double exponent = Exponent(series);
      const bool fails = exponent > kMostExponent;
      std::printf("%-32s %9.2f%s\n", name.c_str(), exponent, fails ? "  above 1.3" : "");
      good = good && !fails;
    }
    std::printf("%s\n", good ? "no exponent is above 1.3" : "FAILED");
    return good;
  }

 private:
  double Run(const GrowthAxis& axis, int64_t size, benchmark::State& state) {
    const GrowthInput input = axis.make(size);
    auto [base, is_new] = bases_.try_emplace(input.verb.front());
    if (is_new) base->second = Measure(SmallestInput(input), folder_.path());
    const double seconds = Measure(input, folder_.path());
    if (seconds < 0 || base->second < 0) {
      state.SkipWithError("not proved, or not within a minute");
      failed_ = true;
      return 0;
    }
    measured_[axis.name].push_back({size, seconds - base->second});
    return seconds;
  }

  Folder folder_;
  std::map<std::string, double> bases_;  // by verb
  std::map<std::string, std::vector<Measured>> measured_;
  bool failed_ = false;
};

int WriteInputs(const fs::path& folder) {
  fs::create_directories(folder);
  for (const GrowthAxis& axis : GrowthAxes()) {
    std::string name = axis.name;
    std::replace(name.begin(), name.end(), '/', '_');
    for (int64_t size : axis.sizes) Write(axis.make(size), folder, name + std::to_string(size));
  }
  return 0;
}

}  // namespace
}  // namespace affirm::bench

int main(int argc, char** argv) {
  const std::string write = "--write=";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(write))
      return affirm::bench::WriteInputs(argument.substr(write.size()));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 3;
  affirm::bench::Growth growth;
  growth.Register();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return growth.Report() ? 0 : 1;
}
