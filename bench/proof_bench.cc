// The time of the proof of a kernel: on a grid of 64 blocks and on one of 2^24, and with few
// iterations of a loop and with a thousand times as many. All claims are proved, from its LLVM IR.
// A proof covers all blocks and all iterations at once, so both should take the same time. On a
// shared machine the column CPU is the one to read.
#include <benchmark/benchmark.h>

#include <string>

#include "core/hlo/text.h"
#include "emit/kernel.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/proof/prove_kernel.h"

namespace affirm {
namespace {

// A kernel by the size of its grid: `blocks` is what stands for BLOCKS in the text, with FACTOR
// times as many for ELEMENTS.
struct Subject {
  const char* name;
  int64_t factor;
  const char* hlo;
};

constexpr Subject kSubjects[] = {
    {"elementwise", 512, R"(
ENTRY e {
  p = f32[ELEMENTS] parameter(0)
  q = f32[ELEMENTS] parameter(1)
  s = f32[ELEMENTS] add(p, q)
  ROOT r = f32[ELEMENTS] tanh(s)
})"},
    {"broadcast_of_slice", 4, R"(
ENTRY e {
  p = f32[ELEMENTS,256] parameter(0)
  s = f32[ELEMENTS,128] slice(p), slice={[0:ELEMENTS], [64:192]}
  v = f32[128] parameter(1)
  b = f32[ELEMENTS,128] broadcast(v), dimensions={1}
  ROOT r = f32[ELEMENTS,128] multiply(s, b)
})"},
    {"transpose", 32, R"(
ENTRY e {
  p = f32[ELEMENTS,32] parameter(0)
  ROOT t = f32[32,ELEMENTS] transpose(p), dimensions={1,0}
})"},
    {"row_reduction", 1, R"(
ENTRY e {
  p = f32[ELEMENTS,4096] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[ELEMENTS] reduce(p, zero), dimensions={1}, to_apply=add
})"},
    {"column_reduction", 1, R"(
ENTRY e {
  p = f32[ELEMENTS,512,32] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[ELEMENTS,32] reduce(p, zero), dimensions={1}, to_apply=add
})"},
};

// By the elements that are reduced: of rows each thread takes one in 256 (and four at once), of
// columns one in 8, but for the last ones of lengths that are no multiples.
constexpr Subject kLoops[] = {
    {"long_rows", 1, R"(
ENTRY e {
  p = f32[64,ELEMENTS] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[64] reduce(p, zero), dimensions={1}, to_apply=add
})"},
    {"long_columns", 1, R"(
ENTRY e {
  p = f32[ELEMENTS,64] parameter(0)
  least = f32[] constant(-inf)
  ROOT r = f32[64] reduce(p, least), dimensions={0}, to_apply=larger
})"},
};

template <typename T>
T Take(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  llvm::errs() << llvm::toString(value.takeError()) << "\n";
  exit(1);
}

// The text before each of them.
constexpr const char* kBefore = R"(
HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
larger {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b)
}
)";

std::string TextOf(const Subject& subject, int64_t blocks) {
  std::string text = std::string(kBefore) + subject.hlo;
  const std::string elements = std::to_string(blocks * subject.factor), name = "ELEMENTS";
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
    text.replace(at, name.size(), elements);
  }
  return text;
}

void BM_Proof(benchmark::State& state, const Subject& subject) {
  auto module = Take(hlo::ParseModule(TextOf(subject, state.range(0)), subject.name));
  Context context;
  emit::Kernel kernel = Take(emit::EmitKernel(*module->entry, context));
  emit::DeviceKernel device = Take(emit::DeviceKernelOf(kernel));
  int64_t proved = 0;
  for (auto _ : state) {
    const kernel::KernelProof proof =
        kernel::ProveKernel(device.ir, device.launch, *module->entry, {});
    proved = 0;
    for (const kernel::ClaimProof& claim : proof.claims)
      proved += claim.verdict == Verdict::kProved;
  }
  state.counters["blocks"] = static_cast<double>(kernel.launch().blocks);
  state.counters["proved"] = static_cast<double>(proved);
}

void Register() {
  for (const Subject& subject : kSubjects) {
    benchmark::RegisterBenchmark(subject.name, BM_Proof, subject)
        ->Arg(64)
        ->Arg(int64_t{1} << 24)
        ->MeasureProcessCPUTime()  // a proof runs on a thread of its own
        ->Unit(benchmark::kMillisecond);
  }
  for (const Subject& subject : kLoops) {
    for (int64_t length : {int64_t{1} << 16, int64_t{1} << 24})
      benchmark::RegisterBenchmark(subject.name, BM_Proof, subject)
          ->Args({length})
          ->Args({length - 3})
          ->MeasureProcessCPUTime()  // a proof runs on a thread of its own
          ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace affirm

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  affirm::Register();
  benchmark::RunSpecifiedBenchmarks();
}
