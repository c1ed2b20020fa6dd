// Kernels on a CUDA device against the device's own copies, on arrays well past its caches.
//
//   bench_gpu [--mib N]     N: size of the large arrays, by default 512
//
// The time is the device's, between events. `share` is the bandwidth of a kernel, each element of
// its parameters and results moved once, over that of a copy that moves as many bytes. Without a
// driver or a device the program says so and does nothing.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/hlo/text.h"
#include "emit/codegen/machine_code.h"
#include "emit/kernel.h"
#include "emit/runtime/cuda_session.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

using emit::CudaSession;

// `$R` and `$C` stand for rows and columns of the large array, `$M` and `$N` for those of one of as
// many elements that is 64 columns wide, `$Q` for a quarter of the rows.
struct Case {
  const char* name;
  const char* entry;
};
constexpr Case kCases[] = {
    {"elementwise/add",
     "p = f32[$R,$C] parameter(0)\n q = f32[$R,$C] parameter(1)\n"
     " ROOT r = f32[$R,$C] add(p, q)"},
    {"elementwise/chain",
     "p = f32[$R,$C] parameter(0)\n q = f32[$R,$C] parameter(1)\n"
     " a = f32[$R,$C] multiply(p, q)\n b = f32[$R,$C] maximum(a, p)\n"
     " ROOT r = f32[$R,$C] subtract(b, q)"},
    {"elementwise/to_bf16", "p = f32[$R,$C] parameter(0)\n ROOT r = bf16[$R,$C] convert(p)"},
    {"broadcast/row",
     "p = f32[$R,$C] parameter(0)\n q = f32[$C] parameter(1)\n"
     " b = f32[$R,$C] broadcast(q), dimensions={1}\n"
     " ROOT r = f32[$R,$C] add(p, b)"},
    {"broadcast/column",
     "p = f32[$R,$C] parameter(0)\n q = f32[$R] parameter(1)\n"
     " b = f32[$R,$C] broadcast(q), dimensions={0}\n"
     " ROOT r = f32[$R,$C] add(p, b)"},
    {"broadcast/scalar",
     "q = f32[] parameter(0)\n ROOT r = f32[$R,$C] broadcast(q), dimensions={}"},
    {"transpose/f32",
     "p = f32[$R,$C] parameter(0)\n"
     " ROOT r = f32[$C,$R] transpose(p), dimensions={1,0}"},
    {"transpose/f16",
     "p = f16[$R,$C] parameter(0)\n"
     " ROOT r = f16[$C,$R] transpose(p), dimensions={1,0}"},
    {"transpose/batch",
     "p = f32[4,$Q,$C] parameter(0)\n"
     " ROOT r = f32[4,$C,$Q] transpose(p), dimensions={0,2,1}"},
    {"reduce/rows",
     "p = f32[$R,$C] parameter(0)\n z = f32[] constant(0)\n"
     " ROOT r = f32[$R] reduce(p, z), dimensions={1}, to_apply=sum"},
    {"reduce/short_rows",
     "p = f32[$M,$N] parameter(0)\n z = f32[] constant(0)\n"
     " ROOT r = f32[$M] reduce(p, z), dimensions={1}, to_apply=sum"},
    {"reduce/columns",
     "p = f32[$R,$C] parameter(0)\n z = f32[] constant(0)\n"
     " ROOT r = f32[$C] reduce(p, z), dimensions={0}, to_apply=sum"},
    {"reduce/few_columns",
     "p = f32[$M,$N] parameter(0)\n z = f32[] constant(0)\n"
     " ROOT r = f32[$N] reduce(p, z), dimensions={0}, to_apply=sum"},
};

std::string TextOf(const Case& bench, int64_t mib) {
  constexpr int64_t kColumns = 8192, kNarrow = 64;
  const int64_t elements = mib * 1024 * 1024 / 4;
  std::string text = std::string(
                         "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) "
                         "ROOT s = f32[] add(a, b) }\nENTRY e {\n ") +
                     bench.entry + "\n}\n";
  auto fill = [&](const char* what, int64_t value) {
    for (size_t at; (at = text.find(what)) != std::string::npos;) {
      text.replace(at, 2, std::to_string(value));
    }
  };
  fill("$R", elements / kColumns);
  fill("$Q", elements / kColumns / 4);
  fill("$C", kColumns);
  fill("$M", elements / kNarrow);
  fill("$N", kNarrow);
  return text;
}

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// The milliseconds of a copy that reads and writes `bytes` together.
llvm::Expected<double> CopyTime(const emit::CudaDriver& driver, int64_t bytes) {
  CudaSession run(driver);
  if (auto error = run.Start()) return error;
  auto from = run.Allocate(bytes / 2, nullptr), to = run.Allocate(bytes / 2, nullptr);
  if (!from || !to) return llvm::joinErrors(from.takeError(), to.takeError());
  auto times = run.TimeCopies(*to, *from, bytes / 2, 20);
  if (!times) return times.takeError();
  return Median(*times);
}

llvm::Error Measure(benchmark::State& state, const Case& bench, int64_t mib) {
  auto driver = emit::OpenCudaDriver();
  if (!driver) return driver.takeError();
  auto module = hlo::ParseModule(TextOf(bench, mib), bench.name);
  if (!module) return module.takeError();
  Context context;
  auto kernel = emit::EmitKernel(*(*module)->entry, context);
  if (!kernel) return kernel.takeError();
  const emit::Kernel::Impl& impl = kernel->impl();
  int64_t bytes = 0;
  for (const auto* buffers : {&impl.inputs, &impl.outputs}) {
    for (const emit::Buffer& buffer : *buffers) bytes += buffer.bytes();
  }
  auto copy = CopyTime(*driver, bytes);
  if (!copy) return copy.takeError();
  CudaSession run(*driver);
  if (auto error = run.Start()) return error;
  auto ptx = emit::MachineCode(impl, emit::Target::kNvptx, run.machine());
  if (!ptx) return ptx.takeError();
  if (auto error = run.Load(*ptx, impl.name)) return error;
  for (const auto* buffers : {&impl.inputs, &impl.outputs}) {
    for (const emit::Buffer& buffer : *buffers) {
      if (auto number = run.Allocate(buffer.bytes(), nullptr); !number) return number.takeError();
    }
  }
  if (auto error = run.Launch(impl.launch)) return error;
  std::vector<double> times;
  for (auto _ : state) {
    auto time = run.TimeLaunches(impl.launch, 1);
    if (!time) return time.takeError();
    times.push_back(time->front());
    state.SetIterationTime(times.back() / 1e3);
  }
  state.SetLabel(kernel->emitter() + ", " + run.machine());
  state.counters["GB/s"] = static_cast<double>(bytes) / Median(times) / 1e6;
  state.counters["copy_GB/s"] = static_cast<double>(bytes) / *copy / 1e6;
  state.counters["share"] = *copy / Median(times);
  return llvm::Error::success();
}

}  // namespace
}  // namespace affirm

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  int64_t mib = 512;
  for (int i = 1; i + 1 < argc; ++i) {
    if (llvm::StringRef(argv[i]) == "--mib") mib = std::max(1, std::atoi(argv[i + 1]));
  }
  std::string why;
  if (!affirm::emit::CudaAvailable(&why)) {
    llvm::outs() << "no benchmark ran: " << why << "\n";
    return 0;
  }
  for (const affirm::Case& bench : affirm::kCases) {
    benchmark::RegisterBenchmark(bench.name,
                                 [&bench, mib](benchmark::State& state) {
                                   auto error = affirm::Measure(state, bench, mib);
                                   if (error)
                                     state.SkipWithError(llvm::toString(std::move(error)).c_str());
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(50);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
