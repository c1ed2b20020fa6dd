// Each unit's kernel writes every element of its results once, and writes what the interpreter
// computes.
#include <chrono>

#include "core/hlo/leaves.h"
#include "llvm/ADT/StringExtras.h"
#include "tools/affirm/check_steps.h"
#include "tools/affirm/cli.h"
#include "verify/reference/interpreter.h"

namespace affirm::check {
namespace {

std::string IndexText(const std::vector<int64_t>& index) {
  std::vector<std::string> parts;
  for (int64_t i : index) parts.push_back(std::to_string(i));
  return "[" + llvm::join(parts, ", ") + "]";
}

void CheckThreadMaps(State& state, const cli::Unit& unit, const emit::Kernel& kernel,
                     KernelCheck& check) {
  for (const emit::ThreadMap& map : kernel.thread_maps()) {
    state.progress("thread map of " + unit.name);
    Proof proof = ProofOf(ProveBijection(map.map, map.shape, state.options().decide), map.map);
    std::vector<std::string> sizes;
    for (int64_t size : map.shape) sizes.push_back(std::to_string(size));
    std::string sizes_text = llvm::join(sizes, ",");
    state.Judge(proof,
                "thread map of '" + unit.name + "' does not send one thread to each element of " +
                    map.what + ", [" + sizes_text + "]",
                "affirm bijection '" + map.map.ToString() + "' --shape " + sizes_text);
    check.thread_maps.push_back(
        {map.map.ToString(), map.what, "[" + sizes_text + "]", std::move(proof)});
  }
}

void JudgeComparison(State& state, const cli::Unit& unit, const KernelCheck& check) {
  const Comparison& comparison = check.comparison;
  if (!comparison.first) return;
  const Mismatch& first = *comparison.first;
  std::string distance = first.ulp == kFarApart ? "" : " (" + std::to_string(first.ulp) + " ULP)";
  state.Find(Finding::Kind::kMismatch,
             "kernel of '" + unit.name + "', output " + std::to_string(first.leaf) + " at " +
                 IndexText(first.index) + ": the interpreter says " + first.expected +
                 ", the kernel " + first.actual + distance + "; " +
                 std::to_string(comparison.mismatches) + " of " +
                 std::to_string(comparison.elements) + " elements differ");
}

void RunAndCompare(State& state, const cli::Unit& unit, const emit::Kernel& kernel,
                   llvm::ArrayRef<hlo::Literal> arguments, const hlo::Literal& expected,
                   KernelCheck& check) {
  state.progress("running " + unit.name);
  auto start = std::chrono::steady_clock::now();
  auto actual = check.place == Place::kCuda
                    ? emit::RunOnCuda(kernel, arguments)
                    : emit::RunOnHost(kernel, arguments, state.options().seed);
  std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  check.run_ms = ms.count();
  if (!actual) {
    state.Find(Finding::Kind::kMismatch,
               "kernel of '" + unit.name + "' failed: " + cli::MessageOf(actual.takeError()));
    return;
  }
  check.ran = true;
  llvm::Expected<hlo::Literal> ordered = expected;
  if (!kernel.fold_orders().empty()) {
    ordered = hlo::Interpret(*unit.computation, arguments, &kernel.fold_orders());
    if (!ordered) {
      state.Find(Finding::Kind::kUnknown, "the interpreter has no value for '" + unit.name +
                                              "': " + cli::MessageOf(ordered.takeError()));
      return;
    }
  }
  check.tolerance = hlo::ToleranceOf(*unit.computation, check.place, kernel.unordered_terms());
  check.comparison = hlo::Compare(*ordered, *actual, check.tolerance);
  JudgeComparison(state, unit, check);
}

void CheckUnit(State& state, const cli::Unit& unit, llvm::ArrayRef<hlo::Literal> arguments,
               const hlo::Literal& expected) {
  state.progress("emitting " + unit.name);
  auto kernel = emit::EmitKernel(*unit.computation, state.context, state.options().emit);
  if (!kernel) {
    state.Find(Finding::Kind::kUnknown,
               "no kernel for '" + unit.name + "': " + cli::MessageOf(kernel.takeError()));
    return;
  }
  KernelCheck check;
  check.place = state.options().place;
  check.unit = unit.name;
  check.name = kernel->name();
  check.emitter = kernel->emitter();
  check.launch = kernel->launch();
  check.functions = kernel->num_functions();
  CheckThreadMaps(state, unit, *kernel, check);
  RunAndCompare(state, unit, *kernel, arguments, expected, check);
  state.report.kernels.push_back(std::move(check));
}

// Whether the values of the entry's instructions fit memory together.
bool FitsMemory(const hlo::Module& module) {
  constexpr int64_t kMaxBytes = int64_t{4} << 30;
  int64_t total = 0;
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) {
      for (const hlo::Shape* leaf : LeafShapes(instruction->shape)) {
        auto bytes = hlo::CheckedByteSize(*leaf);
        if (!bytes || *bytes > kMaxBytes - total) return false;
        total += *bytes;
      }
    }
  }
  return true;
}

}  // namespace

void CheckKernels(State& state) {
  if (!FitsMemory(state.module)) {
    state.Find(Finding::Kind::kUnknown, "the values of the module do not fit 4 GiB: it is not run");
    return;
  }
  state.progress("interpreting");
  std::vector<hlo::Literal> arguments =
      hlo::MakeArguments(*state.module.entry, state.options().seed);
  auto result =
      cli::RunEntry(state.module, arguments,
                    [&](const cli::Unit& unit,
                        llvm::ArrayRef<hlo::Literal> values) -> llvm::Expected<hlo::Literal> {
                      state.progress("interpreting " + unit.name);
                      auto expected = hlo::Interpret(*unit.computation, values);
                      if (expected) CheckUnit(state, unit, values, *expected);
                      return expected;
                    });
  if (!result) {
    state.Find(Finding::Kind::kUnknown,
               "the interpreter has no value: " + cli::MessageOf(result.takeError()));
  }
}

}  // namespace affirm::check
