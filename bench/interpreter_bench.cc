// The reference interpreter: time per element of one op on large arrays, with the allocation of its
// result from memory that the process has.
//
//   bench_interpreter --benchmark_filter=add
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <array>
#include <string>

#include "core/hlo/text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {
namespace {

// An op on parameters a, b, c of the types. The combiner `sum` adds two f32.
struct OpCase {
  const char* name;
  std::array<const char*, 3> parameters;  // then nullptr
  const char* root;
  int64_t elements = 1 << 20;  // that the time is given for
};

constexpr OpCase kCases[] = {
    {"add_f32", {"f32[1048576]", "f32[1048576]"}, "f32[1048576] add(a, b)"},
    {"add_f64", {"f64[1048576]", "f64[1048576]"}, "f64[1048576] add(a, b)"},
    {"add_s32", {"s32[1048576]", "s32[1048576]"}, "s32[1048576] add(a, b)"},
    {"add_s4", {"s4[1048576]", "s4[1048576]"}, "s4[1048576] add(a, b)"},
    {"add_f16", {"f16[1048576]", "f16[1048576]"}, "f16[1048576] add(a, b)"},
    {"add_bf16", {"bf16[1048576]", "bf16[1048576]"}, "bf16[1048576] add(a, b)"},
    {"add_c64", {"c64[1048576]", "c64[1048576]"}, "c64[1048576] add(a, b)"},
    {"and_pred", {"pred[1048576]", "pred[1048576]"}, "pred[1048576] and(a, b)"},
    {"maximum_f32", {"f32[1048576]", "f32[1048576]"}, "f32[1048576] maximum(a, b)"},
    {"divide_s32", {"s32[1048576]", "s32[1048576]"}, "s32[1048576] divide(a, b)"},
    {"negate_f32", {"f32[1048576]"}, "f32[1048576] negate(a)"},
    {"exponential_f32", {"f32[1048576]"}, "f32[1048576] exponential(a)"},
    {"compare_f32", {"f32[1048576]", "f32[1048576]"}, "pred[1048576] compare(a, b), direction=LT"},
    {"select_f32",
     {"pred[1048576]", "f32[1048576]", "f32[1048576]"},
     "f32[1048576] select(a, b, c)"},
    {"clamp_f32", {"f32[]", "f32[1048576]", "f32[]"}, "f32[1048576] clamp(a, b, c)"},
    {"convert_f32_s32", {"f32[1048576]"}, "s32[1048576] convert(a)"},
    {"convert_s32_f32", {"s32[1048576]"}, "f32[1048576] convert(a)"},
    {"convert_f32_bf16", {"f32[1048576]"}, "bf16[1048576] convert(a)"},
    {"convert_bf16_f32", {"bf16[1048576]"}, "f32[1048576] convert(a)"},
    {"iota", {}, "s32[1024,1024] iota(), iota_dimension=1"},
    {"reshape", {"f32[1048576]"}, "f32[1024,1024] reshape(a)"},
    {"broadcast", {"f32[1024]"}, "f32[1024,1024] broadcast(a), dimensions={1}"},
    {"broadcast_rows", {"f32[1024]"}, "f32[1024,1024] broadcast(a), dimensions={0}"},
    {"transpose", {"f32[1024,1024]"}, "f32[1024,1024] transpose(a), dimensions={1,0}"},
    {"reverse", {"f32[1024,1024]"}, "f32[1024,1024] reverse(a), dimensions={0,1}"},
    {"slice", {"f32[1024,2048]"}, "f32[1024,1024] slice(a), slice={[0:1024],[0:2048:2]}"},
    {"pad", {"f32[1000,1000]", "f32[]"}, "f32[1024,1024] pad(a, b), padding=12_12x24_0"},
    {"concatenate",
     {"f32[1024,512]", "f32[1024,512]"},
     "f32[1024,1024] concatenate(a, b), dimensions={1}"},
    {"gather_rows",
     {"f32[512,1024]", "s32[1024]"},
     "f32[1024,1024] gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,1024}"},
    {"gather_elements",
     {"f32[512]", "s32[1048576]"},
     "f32[1048576] gather(a, b), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={1}"},
    {"reduce_rows",
     {"f32[1024,1024]", "f32[]"},
     "f32[1024] reduce(a, b), dimensions={1}, to_apply=sum"},
    {"reduce_columns",
     {"f32[1024,1024]", "f32[]"},
     "f32[1024] reduce(a, b), dimensions={0}, to_apply=sum"},
    {"reduce_all", {"f32[1048576]", "f32[]"}, "f32[] reduce(a, b), dimensions={0}, to_apply=sum"},
    {"reduce_window",
     {"f32[1024,1024]", "f32[]"},
     "f32[1022,1022] reduce-window(a, b), window={size=3x3}, to_apply=sum",
     9 * 1022 * 1022},
    {"dot",
     {"f32[512,512]", "f32[512,512]"},
     "f32[512,512] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     512 * 512 * 512},
    {"add_scalar", {"f32[]", "f32[]"}, "f32[] add(a, b)", 1},
    {"multiply_chain",
     {"f32[1048576]", "f32[1048576]"},
     "f32[1048576] multiply(b, b)\n  m2 = f32[1048576] multiply(m, b)\n"
     "  m3 = f32[1048576] multiply(m2, b)\n  m4 = f32[1048576] multiply(m3, b)",
     4 << 20},
};

void BM_Interpret(benchmark::State& state, const OpCase& op) {
  std::string text =
      "HloModule m\nsum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(x, y)\n}\nENTRY e {\n";
  for (size_t k = 0; k < op.parameters.size() && op.parameters[k] != nullptr; ++k) {
    const std::string number = std::to_string(k);
    text += "  " + std::string(1, static_cast<char>('a' + k)) + " = " + op.parameters[k] +
            " parameter(" + number + ")\n";
  }
  auto module = ParseModule(text + "  m = " + op.root + "\n}\n", op.name);
  if (!module) return state.SkipWithError(llvm::toString(module.takeError()).c_str());
  const Computation& entry = *(*module)->entry;
  const std::vector<Literal> arguments = MakeArguments(entry, 0);
  for (auto _ : state) {
    auto value = Interpret(entry, arguments);
    if (!value) return state.SkipWithError(llvm::toString(value.takeError()).c_str());
    benchmark::DoNotOptimize(value->data());
  }
  state.counters["ns_per_element"] =
      benchmark::Counter(static_cast<double>(op.elements * state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace
}  // namespace affirm::hlo

int main(int argc, char** argv) {
  // Memory stays with the process: page faults would take longer than most ops.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  for (const affirm::hlo::OpCase& op : affirm::hlo::kCases) {
    benchmark::RegisterBenchmark((std::string("BM_Interpret/") + op.name).c_str(),
                                 affirm::hlo::BM_Interpret, op)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
