// A loop fusion of many instructions on its way to machine code, stage by stage. With `math` every
// other instruction is a mathematical function, for which devices need libclc. On a shared machine
// the column CPU is the one to read.
#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>

#include "core/hlo/text.h"
#include "emit/codegen/device_math.h"
#include "emit/codegen/lower_to_llvm.h"
#include "emit/codegen/machine_code.h"
#include "emit/kernel.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

enum Stage : int64_t { kEmit, kLower, kLink, kOptimize, kGenerate, kAll };
constexpr const char* kStages[] = {"emit", "lower", "link", "optimize", "generate", "all"};

template <typename T>
T Take(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  llvm::errs() << llvm::toString(value.takeError()) << "\n";
  exit(1);
}

// Each instruction reads the one before, and every other one an older one as well.
std::string Chain(int64_t size, bool math) {
  constexpr const char* kMath[] = {"exponential", "tanh",  "sine", "log",
                                   "cosine",      "cbrt",  "tan",  "exponential-minus-one",
                                   "logistic",    "rsqrt", "erf",  "log-plus-one"};
  constexpr const char* kPlain[] = {"add", "multiply", "divide", "maximum"};
  std::string text = "HloModule m\nENTRY e {\n  v0 = f32[64,128] parameter(0)\n";
  for (int64_t i = 1; i <= size; ++i) {
    std::string before = "v" + std::to_string(i - 1);
    std::string older = "v" + std::to_string(std::max<int64_t>(0, i - 1 - i % 5));
    text += (i == size ? "  ROOT v" : "  v") + std::to_string(i) + " = f32[64,128] ";
    if (math && i % 2 == 0) {
      text += kMath[i / 2 % std::size(kMath)] + ("(" + before) + ")\n";
    } else {
      text += kPlain[i / 2 % std::size(kPlain)] + ("(" + before) + ", " + older + ")\n";
    }
  }
  return text + "}\n";
}

// From the graph as far as `last`. Returns how much there is then, so that nothing is left out.
size_t RunTo(const hlo::Computation& computation, int64_t last, emit::Target target,
             const std::function<void(int64_t stage)>& enter) {
  enter(kEmit);
  Context context;
  emit::Kernel kernel = Take(emit::EmitKernel(computation, context));
  enter(kLower);
  if (last < kLower) return kernel.num_functions();
  llvm::LLVMContext llvm_context;
  auto module = Take(emit::LowerToLlvm(kernel.impl(), target, llvm_context));
  enter(kLink);
  if (last < kLink) return module->size();
  auto machine = Take(emit::MakeTargetMachine(target));
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  llvm::cantFail(emit::LinkDeviceMath(*module, target));
  enter(kOptimize);
  if (last < kOptimize) return module->size();
  emit::Optimize(*module, *machine);
  enter(kGenerate);
  if (last < kGenerate) return module->size();
  return Take(emit::PrintMachineCode(*module, *machine, /*object=*/false)).size();
}

// Times one stage alone, or all of them.
void Measure(benchmark::State& state, emit::Target target) {
  const int64_t stage = state.range(0);
  state.SetLabel(std::string(kStages[stage]) + (state.range(2) ? ", math" : ""));
  auto module = Take(hlo::ParseModule(Chain(state.range(1), state.range(2)), "chain"));
  for (auto _ : state) {
    if (stage != kAll) state.PauseTiming();
    benchmark::DoNotOptimize(RunTo(*module->entry, stage, target, [&](int64_t entered) {
      if (stage == entered) state.ResumeTiming();
      if (stage + 1 == entered) state.PauseTiming();
    }));
    if (stage < kGenerate) state.ResumeTiming();
  }
}

void BM_Ptx(benchmark::State& state) { Measure(state, emit::Target::kNvptx); }
void BM_Gcn(benchmark::State& state) { Measure(state, emit::Target::kAmdgpu); }

void Grid(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{kEmit, kLower, kLink, kOptimize, kGenerate, kAll}, {200}, {0, 1}})
      ->ArgNames({"stage", "size", "math"})
      ->Iterations(10)
      ->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_Ptx)->Apply(Grid);
BENCHMARK(BM_Gcn)->Apply(Grid);

}  // namespace
}  // namespace affirm

BENCHMARK_MAIN();
