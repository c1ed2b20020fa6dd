// Reading, verifying and analysing HLO: whole files, and graphs made to grow.
//
//   bench_hlo [--hlo FILE] [--once]     --once: one pass over the file, for perf and callgrind
//
// `read` parses and verifies; `analyze` makes the maps of every instruction from every output and
// every operand. The grown graphs report the time per instruction: it stays level where the cost is
// linear.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

using Modules = std::vector<std::unique_ptr<hlo::Module>>;

Modules Read(llvm::StringRef text, llvm::StringRef where) {
  auto modules = hlo::ParseModules(text, where);
  if (!modules) {
    llvm::errs() << llvm::toString(modules.takeError()) << "\n";
    exit(3);
  }
  return std::move(*modules);
}

int64_t CountMaps(const InstructionIndexing& indexing) {
  int64_t count = 0;
  for (const auto& list : indexing.maps) count += static_cast<int64_t>(list.size());
  return count;
}

// Every instruction, in both directions, each in a context of its own.
int64_t Analyze(const Modules& modules) {
  int64_t maps = 0;
  for (const auto& module : modules) {
    for (const auto& computation : module->computations) {
      for (const auto& op : computation->instructions) {
        const int64_t outputs = NumLeaves(op->shape);
        for (int64_t id = 0; id < outputs; ++id) {
          Context context;
          maps += CountMaps(OutputToInput(*op, id, context));
        }
        for (size_t id = 0; id < op->operands.size(); ++id) {
          Context context;
          maps += CountMaps(InputToOutput(*op, static_cast<int64_t>(id), context));
        }
      }
    }
  }
  return maps;
}

void RegisterFile(llvm::StringRef text, llvm::StringRef where) {
  benchmark::RegisterBenchmark("read", [=](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(Read(text, where));
    state.SetBytesProcessed(static_cast<int64_t>(text.size() * state.iterations()));
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("analyze", [=](benchmark::State& state) {
    const Modules modules = Read(text, where);
    for (auto _ : state) benchmark::DoNotOptimize(Analyze(modules));
  })->Unit(benchmark::kMillisecond);
}

std::string Fusion(int64_t size, llvm::StringRef (*step)(int64_t)) {
  std::string text = "HloModule m\nfused {\n  i0 = f32[64,64] parameter(0)\n";
  for (int64_t i = 1; i <= size; ++i) {
    const std::string in = "i" + std::to_string(i - 1);
    std::string line = step(i).str();
    for (size_t at; (at = line.find('$')) != std::string::npos;) line.replace(at, 1, in);
    text += (i == size ? "  ROOT i" : "  i") + std::to_string(i) + " = f32[64,64] " + line + "\n";
  }
  return text +
         "}\nENTRY e {\n  p = f32[64,64] parameter(0)\n"
         "  ROOT f = f32[64,64] fusion(p), kind=kLoop, calls=fused\n}\n";
}

// Elementwise ops and transposes, one after another.
llvm::StringRef ChainStep(int64_t i) {
  return i % 5 == 0   ? "transpose($), dimensions={1,0}"
         : i % 3 == 0 ? "reverse($), dimensions={0}"
                      : "negate($)";
}
// Every node has two users.
llvm::StringRef LadderStep(int64_t) { return "add($, $)"; }
// Every other node is used at its index and at the next one: the number of distinct maps doubles
// with every pair until it meets its bound.
llvm::StringRef ShiftStep(int64_t i) { return i % 2 == 1 ? "dynamic-slice" : ""; }

void Grown(benchmark::State& state, llvm::StringRef (*step)(int64_t)) {
  const Modules modules = Read(Fusion(state.range(0), step), "grown.hlo");
  const hlo::Instruction& fusion = *modules[0]->entry->root;
  for (auto _ : state) {
    Context context;
    benchmark::DoNotOptimize(OutputToInput(fusion, 0, context));
    benchmark::DoNotOptimize(InputToOutput(fusion, 0, context));
  }
  state.counters["per_instruction"] =
      benchmark::Counter(static_cast<double>(state.range(0) * state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
void BM_Chain(benchmark::State& state) { Grown(state, ChainStep); }
void BM_Ladder(benchmark::State& state) { Grown(state, LadderStep); }
BENCHMARK(BM_Chain)->RangeMultiplier(2)->Range(250, 4000);
BENCHMARK(BM_Ladder)->RangeMultiplier(2)->Range(15, 120);

}  // namespace
}  // namespace affirm

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  bool once = false;
  for (int i = 1; i < argc; ++i) {
    if (llvm::StringRef(argv[i]) == "--once") once = true;
    if (llvm::StringRef(argv[i]) != "--hlo" || i + 1 == argc) continue;
    auto read = llvm::MemoryBuffer::getFile(argv[++i]);
    if (!read) {
      llvm::errs() << argv[i] << ": error: " << read.getError().message() << "\n";
      return 3;
    }
    buffer = std::move(*read);
  }
  if (buffer && once) {
    llvm::outs() << affirm::Analyze(affirm::Read(buffer->getBuffer(), "file")) << " maps\n";
    return 0;
  }
  if (buffer) affirm::RegisterFile(buffer->getBuffer(), buffer->getBufferIdentifier());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
