// A check ends within its time, whatever the module is; and one that was interrupted goes on to the
// same report.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <random>
#include <regex>

#include "core/hlo/text.h"
#include "driver/check/check.h"
#include "driver/check/time_shares.h"
#include "driver/process_use.h"
#include "driver/work_limits.h"
#include "driver/worker_process.h"
#include "tests/parse_module.h"
#include "tests/tools/run_affirm.h"

namespace affirm::driver {
namespace {

using testing::ReadFile;
using testing::RunAffirm;
using testing::RunResult;

std::string WithoutTimes(const std::string& text) {
  static const std::regex times(R"re("(time_limit|ms)": ?[0-9.e+-]+|[0-9.]+ s, seed)re");
  return std::regex_replace(text, times, "T");
}

std::string JsonOf(const ModuleReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, 1);
  WriteReport(report, json);
  return WithoutTimes(text);
}

// Keeps what is appended, and knows what it was begun with.
class ListLedger : public UnitLedger {
 public:
  struct Entry {
    size_t unit;
    std::string name;
    llvm::json::Object record;
  };
  explicit ListLedger(std::vector<Entry> known = {}) : entries(std::move(known)) {}
  const llvm::json::Object* Find(size_t unit, llvm::StringRef name) const override {
    for (const Entry& entry : entries) {
      if (entry.unit == unit && entry.name == name) return &entry.record;
    }
    return nullptr;
  }
  llvm::Error Append(size_t unit, llvm::StringRef name, llvm::json::Object record) override {
    entries.push_back({unit, name.str(), std::move(record)});
    ++appended;
    return llvm::Error::success();
  }

  std::vector<Entry> entries;
  size_t appended = 0;
};

llvm::Expected<ModuleReport> CheckWith(const hlo::Module& module, const CheckOptions& options,
                                       UnitLedger* ledger) {
  Checker checker(options);
  return checker.Check(module, "test.hlo", [](llvm::StringRef) {}, ledger, SpentHere());
}

// Affirmed, wrong, and unknown: what records hold is in one of these.
std::vector<std::string> Modules() {
  std::vector<std::string> texts = {
      // Nothing leads to the second branch, and no kernel computes the sort.
      R"(HloModule branches
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT }
f0 { p = f32[6] parameter(0)
  ROOT r0 = f32[6] negate(p) }
f1 { p = f32[6] parameter(0)
  ROOT r1 = f32[6] exponential(p) }
ENTRY e { t = pred[] constant(true)
  p = f32[6] parameter(0)
  s = f32[6] sort(p), dimensions={0}, to_apply=less
  ROOT c = f32[6] conditional(t, s, p), true_computation=f0, false_computation=f1 })",
      // Two fusions with one code.
      R"(HloModule alike
f { p = f32[6] parameter(0)
  ROOT r = f32[6] cosine(p) }
g { p = f32[6] parameter(0)
  ROOT r = f32[6] cosine(p) }
ENTRY e { p = f32[6] parameter(0)
  x = f32[6] fusion(p), kind=kLoop, calls=f
  ROOT y = f32[6] fusion(x), kind=kLoop, calls=g })",
      // Too large to run.
      R"(HloModule large
ENTRY e { p = bf16[65536,65536] parameter(0)
  q = bf16[65536] parameter(1)
  b = bf16[65536,65536] broadcast(q), dimensions={1}
  ROOT t = bf16[65536,65536] multiply(p, b) })"};
  for (const char* name : {"transpose_small_dims", "reduce_argmax", "two_fusions"}) {
    texts.push_back(ReadFile(std::string("corpus/hlo/") + name + ".hlo"));
  }
  return texts;
}

// Interrupted after any unit and resumed, in worker processes or without, the report is that of a
// check that was not.
void ExpectSameWhenResumed(const std::string& text, uint64_t wrong_constant, std::mt19937& random) {
  SCOPED_TRACE(text.substr(0, 40));
  const auto module = testing::ParseOrFail(text);
  const double limits[] = {0, 60};
  ListLedger all;
  CheckOptions options{.time_limit = limits[random() % 2]};
  if (wrong_constant != 0) options.emit.fault_constant = static_cast<int64_t>(wrong_constant);
  auto whole = CheckWith(*module, options, &all);
  ASSERT_TRUE(static_cast<bool>(whole));
  EXPECT_TRUE(whole->given_up.empty());
  const size_t done = random() % (all.entries.size() + 1);
  ListLedger some({all.entries.begin(), all.entries.begin() + static_cast<ptrdiff_t>(done)});
  options.time_limit = limits[random() % 2];
  auto resumed = CheckWith(*module, options, &some);
  ASSERT_TRUE(static_cast<bool>(resumed));
  EXPECT_EQ(some.appended, all.entries.size() - done);
  EXPECT_EQ(JsonOf(*resumed), JsonOf(*whole)) << done << " of " << all.entries.size();
}

TEST(Resumed, ReportsAreThoseOfUninterruptedChecks) {
  std::mt19937 random(7);
  for (const std::string& text : Modules()) {
    for (uint64_t wrong_constant : {0, 1, 2}) ExpectSameWhenResumed(text, wrong_constant, random);
  }
}

// A record that is not as it was written is an error that names the unit.
TEST(Resumed, RecordsOfAnotherFormAreRefused) {
  const auto module = testing::ParseOrFail(
      "HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT n = f32[8] negate(p)\n}");
  ListLedger all;
  ASSERT_TRUE(static_cast<bool>(CheckWith(*module, {}, &all)));
  for (const auto& [key, value] :
       {std::pair<const char*, llvm::json::Value>("maps", 7),
        {"first_kernel", 3},
        {"map_verdicts", llvm::json::Array{llvm::json::Object{{"instruction", 99}}}}}) {
    ListLedger damaged({all.entries.front()});
    damaged.entries.front().record[key] = value;
    auto report = CheckWith(*module, {}, &damaged);
    ASSERT_FALSE(static_cast<bool>(report)) << key;
    EXPECT_NE(llvm::toString(report.takeError()).find("'maps of e'"), std::string::npos);
  }
}

constexpr const char* kNegate =
    "HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT n = f32[8] negate(p)\n}\n";

// The file: cut anywhere, also within a line, it leads to the same report.
TEST(LedgerFile, GoesOnFromAnyPlace) {
  const testing::TemporaryFolder folder(testing::TemporaryFolder::Files{{"m.hlo", kNegate}});
  const std::string module = folder.path() + "/m.hlo", ledger = folder.path() + "/m.jsonl";
  const std::vector<std::string> check = {"check", "--json", "--ledger", ledger, module};
  const RunResult whole = RunAffirm(check);
  EXPECT_EQ(whole.status, 0) << whole.err;
  const std::string lines = ReadFile(ledger);
  ASSERT_GT(lines.size(), 1000U);
  for (size_t size = 0; size <= lines.size(); size += lines.size() / 7) {
    folder.Add("m.jsonl", lines.substr(0, size));
    const RunResult resumed = RunAffirm(check);
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(WithoutTimes(resumed.out), WithoutTimes(whole.out)) << size;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'),
              std::ranges::count(ReadFile(ledger), '\n'));
  }
}

// Interrupted again and again, wherever it is, a check comes to the report of one that was not.
void ExpectSameWhenInterrupted(const std::string& module, std::ptrdiff_t step) {
  SCOPED_TRACE(module);
  const testing::TemporaryFolder folder(testing::TemporaryFolder::Files{});
  const std::string ledger = folder.path() + "/ledger.jsonl";
  // So much that no unit is given up, however slow the machine is.
  const std::vector<std::string> plain = {"check", "--json", "--time-limit", "3000", module};
  std::vector<std::string> kept = plain;
  kept.insert(kept.end(), {"--ledger", ledger});
  const RunResult whole = RunAffirm(plain);
  int interruptions = 0;
  for (std::ptrdiff_t lines = 2; interruptions < 6; lines += step, ++interruptions) {
    const int signal = interruptions % 2 == 0 ? SIGKILL : SIGINT;
    if (testing::InterruptAffirm(kept, ledger, lines, signal) != 128 + signal) break;
  }
  EXPECT_GE(interruptions, 3);
  const RunResult resumed = RunAffirm(kept);
  EXPECT_EQ(resumed.status, whole.status) << resumed.err;
  EXPECT_EQ(WithoutTimes(resumed.out), WithoutTimes(whole.out));
}

TEST(Interrupted, ChecksGoOnToTheSameReport) {
  ExpectSameWhenInterrupted("corpus/hlo/layer_norm_gradient.hlo", 3);
}

TEST(Interrupted, ChecksOfAModelGoOnToTheSameReport) {
  const std::string module =
      "../shared/cases/modules/"
      "xla__backends__cpu__benchmarks__hlo__dlrm_keras_jax_f32_test_step.hlo";
  if (ReadFile(module).empty()) GTEST_SKIP() << module << " is not there";
  ExpectSameWhenInterrupted(module, 12);
}

TEST(LedgerFile, OfAnotherCheckIsRefused) {
  const testing::TemporaryFolder folder({{"m.hlo", kNegate}, {"text", "no ledger"}});
  const std::string module = folder.path() + "/m.hlo", ledger = folder.path() + "/m.jsonl";
  ASSERT_EQ(RunAffirm({"check", "--ledger", ledger, module}).status, 0);
  const std::string lines = ReadFile(ledger);
  auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const RunResult result = RunAffirm(arguments);
    EXPECT_EQ(result.status, 3) << why;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  };
  refused({"check", "--ledger", ledger, "--seed", "1", module}, "with other options");
  refused({"check", "--ledger", ledger, "corpus/hlo/add.hlo"}, "of other files");
  refused({"check", "--ledger", folder.path() + "/text", module}, "no ledger of a check");
  refused({"check", "--ledger", folder.path(), module}, "Is a directory");
  folder.Add("m.jsonl",
             std::regex_replace(lines, std::regex("\"affirm\":\"[0-9a-f]*\""), "\"affirm\":\"0\""));
  refused({"check", "--ledger", ledger, module}, "another build of affirm");
  // One figure of a record.
  folder.Add("m.jsonl",
             std::regex_replace(lines, std::regex("\"exactness\":0"), "\"exactness\":1"));
  refused({"check", "--ledger", ledger, module}, "as it was written");
  folder.Add("m.jsonl", lines);
  folder.Add("m.hlo", std::string(kNegate) + "\n");
  refused({"check", "--ledger", ledger, module}, "of another text of");
}

// No order of units, and nothing that they take, makes more of the limit.
RC_GTEST_PROP(TimeShares, AddUpToTheLimitAtMost, ()) {
  const double limit = *rc::gen::inRange(1, 100);
  TimeShares shares(limit);
  for (auto phase : {Unit::Phase::kMaps, Unit::Phase::kKernels, Unit::Phase::kExecution}) {
    const auto units = *rc::gen::inRange<size_t>(1, 30);
    for (size_t left = units; left > 0; --left) {
      const double share = shares.Of(phase, left);
      // The last unit still has a share, unless a unit of its own kind took it.
      RC_ASSERT(share > 0 || left < units);
      shares.Spend(share * *rc::gen::inRange(0, 101) / 100);
      RC_ASSERT(shares.spent() <= limit * 1.000001);
    }
  }
}

TEST(WorkerProcess, SendsWhatItFinds) {
  auto worker = WorkerProcess::Start([](const WorkerProcess::Send& send) {
    for (size_t size : {0, 1, 100'000}) send('a', std::string(size, 'x'));
  });
  ASSERT_TRUE(static_cast<bool>(worker));
  for (size_t size : {0, 1, 100'000}) {
    auto message = worker->Next(60);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->kind, 'a');
    EXPECT_EQ(message->text, std::string(size, 'x'));
  }
  EXPECT_FALSE(worker->Next(60));
  EXPECT_FALSE(worker->is_out_of_time());
  EXPECT_EQ(worker->how_it_ended(), "exit status 0");
}

void WorkForEver() {
  for (volatile int i = 0;;) i = i + 1;
}

TEST(WorkerProcess, IsEndedWhenItsTimeIsOver) {
  auto worker = WorkerProcess::Start([](const WorkerProcess::Send& send) {
    send('a', "first");
    WorkForEver();
  });
  ASSERT_TRUE(static_cast<bool>(worker));
  EXPECT_TRUE(worker->Next(0.3));
  EXPECT_FALSE(worker->Next(0.3));
  EXPECT_TRUE(worker->is_out_of_time());
  EXPECT_LT(worker->CpuSeconds(), 2);
}

TEST(WorkerProcess, ThatCrashesSaysHow) {
  auto worker = WorkerProcess::Start([](const WorkerProcess::Send&) { std::abort(); });
  ASSERT_TRUE(static_cast<bool>(worker));
  EXPECT_FALSE(worker->Next(60));
  EXPECT_FALSE(worker->is_out_of_time());
  EXPECT_EQ(worker->how_it_ended(), "signal Aborted");
}

void HoldMemory(size_t bytes) {
  std::vector<char> held(bytes, 1);
  for (volatile int i = 0;;) i = i + held[static_cast<size_t>(i) % bytes];
}

// In a process that the worker started.
void InChild(const std::function<void()>& work) {
  auto child = WorkerProcess::Start([&](const WorkerProcess::Send&) { work(); });
  if (child) child->Next(1e9);
}

TEST(WorkerProcess, IsEndedWithItsChildren) {
  struct Case {
    WorkLimits limits;
    std::function<void()> work;
    WorkerProcess::Exceeded exceeded;
  };
  constexpr size_t kMuch = 300'000'000;
  const WorkLimits memory = {.memory = 200'000'000};
  const Case cases[] = {
      {memory, [] { HoldMemory(kMuch); }, WorkerProcess::Exceeded::kMemory},
      {memory, [] { InChild([] { HoldMemory(kMuch); }); }, WorkerProcess::Exceeded::kMemory},
      {{.cpu_seconds = 0.3}, [] { InChild(WorkForEver); }, WorkerProcess::Exceeded::kTime},
      {{.clock_seconds = 0.3}, [] { pause(); }, WorkerProcess::Exceeded::kTime},
      {{.clock_seconds = 0.3}, WorkForEver, WorkerProcess::Exceeded::kTime},
  };
  for (const Case& c : cases) {
    auto worker = WorkerProcess::Start([&](const WorkerProcess::Send& send) {
      send('a', "begins");
      c.work();
    });
    ASSERT_TRUE(static_cast<bool>(worker));
    EXPECT_TRUE(worker->Next(c.limits));
    EXPECT_FALSE(worker->Next(c.limits));
    EXPECT_EQ(worker->exceeded(), c.exceeded);
    EXPECT_LT(worker->ClockSeconds(), 60);
  }
}

// A process may end between any two steps of the reading.
TEST(ProcessUse, OfProcessesThatEndMeanwhile) {
  constexpr int kProcesses = 2000;
  const pid_t parent = fork();
  if (parent == 0) {
    for (int i = 0; i < kProcesses; ++i) {
      if (fork() == 0) _exit(0);
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
    }
    while (wait(nullptr) > 0) {
    }
    _exit(0);
  }
  ASSERT_GT(parent, 0);
  size_t seen = 0;
  for (int status = 0; waitpid(parent, &status, WNOHANG) == 0;) {
    const std::vector<pid_t> processes = ProcessTree(parent);
    seen = std::max(seen, processes.size());
    EXPECT_GE(CpuSecondsOf(processes), 0);
    EXPECT_FALSE(HoldMoreThan(std::numeric_limits<uint64_t>::max(), processes));
  }
  EXPECT_GT(seen, 1U);
}

// A worker may end by itself while it is looked at: what it sent is there, though it is then ended
// for a limit.
TEST(WorkerProcess, WhatWasSentBeforeTheEndIsKept) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  auto worker = WorkerProcess::Start([](const WorkerProcess::Send& send) { send('a', "done"); });
  ASSERT_TRUE(static_cast<bool>(worker));
  // The worker has the other end of the pipe until it has ended.
  close(ends[1]);
  char none = 0;
  EXPECT_EQ(read(ends[0], &none, 1), 0);
  close(ends[0]);
  worker->End();
  auto message = worker->Next(WorkLimits{});
  ASSERT_TRUE(message) << worker->how_it_ended();
  EXPECT_EQ(message->text, "done");
}

// Memory that a process shares with the one that it was copied from counts once.
TEST(WorkerProcess, SharedMemoryCountsOnce) {
  auto worker = WorkerProcess::Start([](const WorkerProcess::Send& send) {
    std::vector<char> held(150'000'000, 1);
    InChild([&] {
      for (size_t i = 0; i < 2'000'000'000; ++i) {
        if (held[i % held.size()] != 1) std::abort();
      }
    });
    send('a', "done");
  });
  ASSERT_TRUE(static_cast<bool>(worker));
  auto message = worker->Next(WorkLimits{.memory = 250'000'000});
  ASSERT_TRUE(message) << worker->how_it_ended();
  EXPECT_EQ(message->text, "done");
}

TEST(MemoryLimit, IsRead) {
  auto read = [](const char* text) {
    auto bytes = ParseMemoryLimit(text);
    if (bytes) return std::to_string(*bytes);
    return llvm::toString(bytes.takeError()).substr(0, 14);
  };
  EXPECT_EQ(read("6G"), "6442450944");
  EXPECT_EQ(read("6 GiB"), "6442450944");
  EXPECT_EQ(read("6"), "6442450944");
  EXPECT_EQ(read("0.5gb"), "536870912");
  EXPECT_EQ(read("512M"), "536870912");
  for (const char* bad : {"x", "-1G", "63M", "6Q", "6GG", "1e3G", "nanG", "999999999999T"}) {
    EXPECT_EQ(read(bad), "--memory-limit") << bad;
  }
  EXPECT_GT(llvm::cantFail(ParseMemoryLimit("")), 100'000'000U);
}

// A module whose emission, proof or run needs more than it may have is unknown, and says why.
TEST(MemoryLimit, WhatIsGivenUpIsUnknown) {
  const auto module = testing::ParseOrFail(kNegate);
  FaultInjection heavy;
  heavy.op_map = [](auto&&...) { HoldMemory(600'000'000); };
  const ModuleReport report =
      llvm::cantFail(CheckWith(*module, {.memory_limit = 400'000'000, .faults = heavy}, nullptr));
  EXPECT_EQ(report.status(), 2);
  ASSERT_FALSE(report.given_up.empty());
  EXPECT_EQ(report.given_up.front().why.substr(0, 14), "out of memory ");
}

// Each verb that can work long ends in its time, in each format, with a verdict.
TEST(VerbLimits, EndTheWork) {
  const testing::TemporaryFolder folder(testing::TemporaryFolder::Files{{"m.hlo", kNegate}});
  const std::string module = folder.path() + "/m.hlo";
  // Reading what never comes.
  ASSERT_EQ(mkfifo((folder.path() + "/pipe").c_str(), 0600), 0);
  const std::string pipe = folder.path() + "/pipe";
  const std::vector<std::vector<std::string>> verbs = {
      {"check", pipe},
      {"validate", "--hlo", pipe, "--kernel", pipe},
      {"equiv", "--hlo", module, pipe}};
  for (std::vector<std::string> arguments : verbs) {
    arguments.insert(arguments.end(), {"--time-limit", "0.5"});
    RunResult run = RunAffirm(arguments);
    EXPECT_EQ(run.status, 2) << arguments[0] << run.err;
    EXPECT_NE(run.out.find("verdict: unknown (out of time"), std::string::npos) << run.out;
    arguments.emplace_back("--json");
    run = RunAffirm(arguments);
    EXPECT_EQ(run.status, 2) << arguments[0];
    auto json = llvm::json::parse(run.out);
    ASSERT_TRUE(static_cast<bool>(json)) << run.out;
    EXPECT_NE(json->getAsObject()->getArray("reports"), nullptr) << run.out;
  }
  EXPECT_EQ(RunAffirm({"check", module, "--memory-limit", "lots"}).status, 3);
}

// Parts that a check does not reach are unknown: if its time is over, and if its process dies.
TEST(TimeLimit, WhatIsGivenUpIsUnknown) {
  const auto module = testing::ParseOrFail(
      "HloModule m\nf { p = f32[8] parameter(0)\n  ROOT n = f32[8] negate(p) }\n"
      "ENTRY e {\n  p = f32[8] parameter(0)\n"
      "  ROOT x = f32[8] fusion(p), kind=kLoop, calls=f\n}");
  for (bool dies : {false, true}) {
    auto end = [dies](auto&&...) {
      if (dies) std::abort();
      WorkForEver();
    };
    FaultInjection maps, compositions, inverses, runs;
    maps.op_map = end;
    compositions.composition = end;
    inverses.input_to_output = end;
    runs.handed_on = end;
    for (const FaultInjection& faults : {maps, compositions, inverses, runs}) {
      const ModuleReport report =
          llvm::cantFail(CheckWith(*module, {.time_limit = 0.6, .faults = faults}, nullptr));
      EXPECT_EQ(report.status(), 2);
      ASSERT_FALSE(report.given_up.empty());
      // On a machine with much else to do the time may be over before the work begins.
      const std::string why = dies ? "its process ended (signal Aborted), at: " : "out of time";
      EXPECT_EQ(report.given_up.front().why.substr(0, why.size()), why);
      for (const GivenUp& unit : report.given_up) {
        // It keeps no module from being affirmed, where the kernel is run.
        if (llvm::StringRef(unit.unit).starts_with("proof of")) continue;
        EXPECT_TRUE(std::ranges::any_of(report.findings,
                                        [&](const Finding& finding) {
                                          return finding.kind == Finding::Kind::kUnknown &&
                                                 finding.text.find(unit.why) != std::string::npos;
                                        }))
            << unit.unit << ": " << unit.why;
      }
    }
  }
}

// A loop that never ends, and arrays that no memory holds: the check says what it did not do.
std::string EndlessLoop(const std::string& shape) {
  const std::string state = "(s32[], " + shape + ")";
  return "HloModule loop\nbody { s = " + state +
         " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  x = " + shape +
         " get-tuple-element(s), index=1\n  y = " + shape + " sine(x)\n  ROOT r = " + state +
         " tuple(i, y) }\ncondition { s = " + state +
         " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
         "  ROOT r = pred[] compare(i, i), direction=EQ }\n"
         "ENTRY e { i = s32[] parameter(0)\n  x = " +
         shape + " parameter(1)\n  s = " + state + " tuple(i, x)\n  ROOT w = " + state +
         " while(s), condition=condition, body=body }";
}

TEST(TimeLimit, EndsWhatWouldNotEnd) {
  // The first trips of a loop are run, of more elements on some of the arguments alone.
  const testing::TemporaryFolder folder({{"loop.hlo", EndlessLoop("f32[4]")},
                                         {"long_loop.hlo", EndlessLoop("f32[20000]")},
                                         {"dots.hlo", R"(HloModule dots
ENTRY e { p = f32[8192,8192] parameter(0)
  q = f32[8192,8192] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  s = f32[8192,8192] sort(q), dimensions={1}, to_apply=less
  ROOT r = f32[8192,8192] dot(s, p), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
)"}});
  const std::string less =
      "less { a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = pred[] compare(a, b), direction=LT }\n";
  std::string dots = ReadFile(folder.path() + "/dots.hlo");
  folder.Add("dots.hlo", dots.insert(dots.find("ENTRY"), less));
  for (const char* file : {"/loop.hlo", "/long_loop.hlo", "/dots.hlo"}) {
    const RunResult result =
        RunAffirm({"check", "--json", "--time-limit", "1", folder.path() + file});
    // The limit is one second of processor time; the machine may be busy.
    EXPECT_LT(result.seconds, 60) << file;
    EXPECT_EQ(result.status, 2) << result.out << result.err;
    // Whether the longer loop ends its first trips in time depends on the machine.
    if (std::string(file) == "/long_loop.hlo") continue;
    EXPECT_EQ(result.out.find("'w' ended on none of the arguments") != std::string::npos,
              std::string(file) == "/loop.hlo")
        << result.out.substr(result.out.find("\"findings\""));
  }
}

// Units that are not begun, as the time of their phase is over, are left out by the process that
// does those of the next phase too.
TEST(TimeLimit, OfOnePhaseLeavesTheNextOneItsUnits) {
  std::string text = "HloModule m\n", entry = "ENTRY e {\n  p = f32[30,20,50] parameter(0)\n";
  std::string last = "p";
  for (int k = 0; k < 60; ++k) {
    const std::string n = std::to_string(k), rows = std::to_string(30 + k);
    text += "c" + n + " {\n  x = f32[30,20,50] parameter(0)\n  z = f32[] constant(" + n +
            ")\n  a = f32[" + rows + ",20,50] pad(x, z), padding=0_" + n + "x0_0x0_0\n  b = f32[" +
            std::to_string((30 + k) * 20) + ",50] reshape(a)\n  t = f32[50," +
            std::to_string((30 + k) * 20) + "] transpose(b), dimensions={1,0}\n  r = f32[50," +
            rows + ",20] reshape(t)\n  u = f32[" + rows +
            ",20,50] transpose(r), dimensions={1,2,0}\n  ROOT s = f32[30,20,50] slice(u), "
            "slice={[0:30], [0:20], [0:50]}\n}\n";
    entry += "  v" + n + " = f32[30,20,50] call(" + last + "), to_apply=c" + n + "\n";
    last = "v" + n;
  }
  const auto module =
      testing::ParseOrFail(text + entry + "  ROOT w = f32[30,20,50] negate(" + last + ")\n}");
  ASSERT_NE(module, nullptr);
  for (double limit : {0.2, 0.4, 0.8, 1.6}) {
    CheckOptions options;
    options.time_limit = limit;
    auto report =
        Checker(options).Check(*module, "m.hlo", [](llvm::StringRef) {}, nullptr, SpentHere());
    ASSERT_TRUE(!!report) << llvm::toString(report.takeError());
    bool begun = true;
    for (const GivenUp& unit : report->given_up) {
      EXPECT_EQ(unit.why.find("lost"), std::string::npos) << unit.unit << ": " << unit.why;
      begun = begun && unit.why.find("not begun") == std::string::npos;
    }
    EXPECT_EQ(limit < 0.3 && begun, false);
  }
}

}  // namespace
}  // namespace affirm::driver
