// Streams pairs of maps through `affirm equiv --jsonl`, and reports throughput and memory as it
// goes.
//
//   bench_equiv_stream [PAIRS] [JOBS]      (100000 pairs, 1 thread)
//
// Pairs are random maps (fuzz/generators/map_generator.h) against their simplified forms, one in
// four of them with a result that is off by one: a thousand different ones, over and over.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/simplify/simplify.h"
#include "fuzz/generators/map_generator.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

// {"lhs": .., "rhs": ..} without the opening brace.
std::vector<std::string> MakePairs(size_t count) {
  std::vector<std::string> pairs;
  for (uint64_t seed = 1; pairs.size() < count; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 400);
    fuzz::Choices choices(bytes);
    IndexingMap map = fuzz::GenerateMap(choices, context);
    if (map.state() != IndexingMap::State::kNormal) continue;
    IndexingMap other = Simplify(map);
    if (other.state() != IndexingMap::State::kNormal) continue;
    if (seed % 4 == 0) {
      std::vector<SymbolicExpr> results = other.results().vec();
      results[0] = results[0] + 1;
      other.SetResults(results);
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    os << llvm::json::Value(llvm::json::Object{{"lhs", map.ToString()}, {"rhs", other.ToString()}});
    pairs.push_back(text.substr(1));
  }
  return pairs;
}

// Resident memory of a process, in MiB.
double ResidentMib(pid_t pid) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/statm").c_str(), "r");
  long size = 0, resident = 0;
  bool ok = file && std::fscanf(file, "%ld %ld", &size, &resident) == 2;
  if (file) std::fclose(file);
  return ok ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20)
            : 0;
}

int Run(int64_t count, const char* jobs) {
  std::vector<std::string> pairs = MakePairs(1000);
  int to_tool[2], from_tool[2];
  if (pipe(to_tool) != 0 || pipe(from_tool) != 0) return 1;
  pid_t tool = fork();
  if (tool == 0) {
    dup2(to_tool[0], 0);
    dup2(from_tool[1], 1);
    for (int end : {to_tool[0], to_tool[1], from_tool[0], from_tool[1]}) close(end);
    execl(AFFIRM_BINARY, "affirm", "equiv", "--jsonl", "-j", jobs, nullptr);
    _exit(127);
  }
  close(to_tool[0]);
  close(from_tool[1]);
  auto start = std::chrono::steady_clock::now();
  std::thread writer([&] {
    std::FILE* out = fdopen(to_tool[1], "w");
    for (int64_t i = 0; i < count; ++i) {
      std::fprintf(out, "{\"id\": %ld, %s\n", static_cast<long>(i),
                   pairs[i % pairs.size()].c_str());
    }
    std::fclose(out);
  });
  std::FILE* in = fdopen(from_tool[0], "r");
  std::map<std::string, int64_t> verdicts;
  int64_t answered = 0;
  char* line = nullptr;
  size_t capacity = 0;
  std::printf("  answered  seconds   pairs/s   resident MiB\n");
  while (getline(&line, &capacity, in) > 0) {
    auto answer = llvm::json::parse(line);
    const llvm::json::Object* object = answer ? answer->getAsObject() : nullptr;
    if (!answer) llvm::consumeError(answer.takeError());
    ++verdicts[object ? object->getString("verdict").value_or("error").str() : "error"];
    if (++answered % std::max<int64_t>(count / 10, 1) != 0) continue;
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    std::printf("%10ld %8.1f %9.0f %14.1f\n", static_cast<long>(answered), spent.count(),
                static_cast<double>(answered) / spent.count(), ResidentMib(tool));
    std::fflush(stdout);
  }
  std::free(line);
  writer.join();
  int status = 0;
  rusage usage = {};
  wait4(tool, &status, 0, &usage);
  double user = static_cast<double>(usage.ru_utime.tv_sec) +
                static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
  std::printf("user time of the tool %.1f s (%.0f pairs/s), peak memory %.1f MiB\n", user,
              static_cast<double>(answered) / user, static_cast<double>(usage.ru_maxrss) / 1024);
  for (const auto& [verdict, n] : verdicts) {
    std::printf("%s: %ld\n", verdict.c_str(), static_cast<long>(n));
  }
  return answered == count ? 0 : 1;
}

}  // namespace
}  // namespace affirm

int main(int argc, char** argv) {
  return affirm::Run(argc > 1 ? std::atol(argv[1]) : 100'000, argc > 2 ? argv[2] : "1");
}
