// Each fusion's kernels write every element of their results once, and write what the interpreter
// computes: each part by itself, the parts of a fusion together, and the module as a whole.
#include <chrono>
#include <optional>
#include <utility>

#include "driver/check/kernels_together.h"
#include "driver/check/module_size.h"
#include "driver/check/steps.h"
#include "driver/errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {
namespace {

using Values = llvm::ArrayRef<hlo::Literal>;

// Of a fusion in one run of the module; in further trips of a loop the interpreter's value stands,
// and the run is none of the whole module.
constexpr int64_t kMaxRunsOfFusion = 64;

// A module with more elements (WorkOf) takes minutes on the emulator.
constexpr double kMostWork = 1 << 24;

std::string IndexText(const std::vector<int64_t>& index) {
  std::vector<std::string> parts;
  parts.reserve(index.size());
  for (int64_t i : index) parts.push_back(std::to_string(i));
  return "[" + llvm::join(parts, ", ") + "]";
}

void CheckThreadMaps(State& state, const FusedComputation& part, const emit::Kernel& kernel,
                     KernelCheck& check) {
  for (const emit::ThreadMap& map : kernel.thread_maps()) {
    state.progress("thread map of " + part.name);
    Proof proof = ProofOf(ProveBijection(map.map, map.shape, state.options().decide), map.map);
    std::vector<std::string> sizes;
    sizes.reserve(map.shape.size());
    for (int64_t size : map.shape) sizes.push_back(std::to_string(size));
    std::string sizes_text = llvm::join(sizes, ",");
    state.RecordProof(proof,
                      "thread map of '" + part.name +
                          "' does not send one thread to each element of " + map.what + ", [" +
                          sizes_text + "]",
                      "affirm bijection '" + map.map.ToString() + "' --shape " + sizes_text);
    check.thread_maps.push_back(
        {map.map.ToString(), map.what, "[" + sizes_text + "]", std::move(proof)});
  }
}

// A kernel of the program, and what became of it.
struct Part {
  const FusedComputation* fused;
  const FusedComputation* whole;
  std::optional<emit::Kernel> kernel;
  std::optional<emit::DeviceKernel> device;  // until it is compiled
  std::optional<emit::EmulatedKernel> emulated;
  KernelCheck check;
};

class KernelChecker {
 public:
  explicit KernelChecker(State& state) : state_(state), program_(state.program) {
    for (const FusedComputation& fused : program_.fused_computations()) {
      first_part_.push_back(parts_.size());
      for (const FusedComputation& part : program_.partitions(fused).kernels) {
        parts_.push_back({&part, &fused, std::nullopt, std::nullopt, std::nullopt, {}});
      }
    }
    runs_of_fusion_.resize(program_.fused_computations().size());
    compared_.resize(program_.fused_computations().size());
  }

  void Run() {
    for (Part& part : parts_) Emit(part);
    if (state_.options().target == ExecutionTarget::kCuda && !FitsMemory(state_.module)) {
      state_.report.whole.why_not = "the values of the module do not fit 4 GiB: it is not run";
    } else if (!RunInSamples()) {
      RunWhole();
    }
    for (Part& part : parts_) {
      part.check.fusion_number = part.whole - program_.fused_computations().data();
      state_.report.kernels.push_back(std::move(part.check));
    }
  }

 private:
  void Emit(Part& part) {
    state_.progress("emitting " + part.fused->name);
    part.check.target = state_.options().target;
    part.check.fusion = part.fused->name;
    auto kernel = EmitKernel(*part.fused, state_.context, state_.options().emit);
    if (!kernel) {
      part.check.why_not =
          "no kernel for '" + part.fused->name + "': " + MessageOf(kernel.takeError());
      return;
    }
    part.kernel = std::move(*kernel);
    CheckSlices(part);
    part.check.name = part.kernel->name();
    part.check.emitter = part.kernel->emitter();
    part.check.launch = part.kernel->launch();
    part.check.functions = part.kernel->num_functions();
    CheckThreadMaps(state_, *part.fused, *part.kernel, part.check);
    auto device = emit::DeviceKernelOf(*part.kernel);
    if (!device) {
      part.check.why_not = "the kernel of '" + part.fused->name +
                           "' has no LLVM IR: " + MessageOf(device.takeError());
      return;
    }
    state_.progress("proving the kernel of " + part.fused->name);
    part.check.proof = kernel::ProveKernel(device->ir, device->launch, *part.fused->computation,
                                           {.same_value = {}, .decide = state_.options().decide});
    part.device = std::move(*device);
  }

  // A result that was given the memory of an operand is written there and nowhere else.
  void CheckSlices(const Part& part) {
    const llvm::ArrayRef<int64_t> given = part.fused->slices, taken = part.kernel->slices();
    for (size_t result = 0; result < given.size(); ++result) {
      for (size_t leaf = 0; leaf < result; ++leaf) {
        if (given[leaf] != given[result] || taken[leaf] == taken[result]) continue;
        if (result < part.kernel->num_inputs()) continue;  // an operand may have two pointers
        state_.AddFinding(Finding::Kind::kRefuted,
                          "memory: the kernel of '" + part.fused->name +
                              "' does not write result " +
                              std::to_string(result - part.kernel->num_inputs()) +
                              " over the operand whose memory it is given");
      }
    }
  }

  void Compile(Part& part) {
    if (!part.device || part.check.target == ExecutionTarget::kCuda) return;
    auto emulated = emit::EmulatedKernel::Compile(*part.kernel, std::move(*part.device));
    if (emulated) {
      part.emulated = std::move(*emulated);
    } else {
      part.check.why_not = "the kernel of '" + part.fused->name +
                           "' cannot be run: " + MessageOf(emulated.takeError());
    }
  }

  static KernelSubject SubjectOf(const Part& part) {
    return {part.fused->computation, &part.device->ir, part.device->launch};
  }

  // The module through its kernels, and kernels that it did not come to.
  void RunWhole() {
    for (Part& part : parts_) Compile(part);
    CollectOrders();
    RunModuleOnAllKinds();
    for (size_t u = 0; u < program_.fused_computations().size(); ++u) {
      if (!compared_[u]) RunAlone(u);
    }
  }

  // Runs some blocks of the kernels in the place of the module, where it is too large, or where a
  // run would take minutes and its proofs are all there. False where it is to be run instead.
  bool RunInSamples() {
    if (state_.options().target == ExecutionTarget::kCuda) return false;
    const bool too_large = !FitsMemory(state_.module) || llvm::any_of(parts_, [](const Part& part) {
      return part.device && IsTooLargeToRun(SubjectOf(part));
    });
    const bool proved =
        llvm::all_of(parts_, [](const Part& part) { return part.check.is_proved(); });
    if (!too_large && (!proved || WorkOf(state_.module) <= kMostWork)) return false;
    state_.progress("proving that the kernels together are the module");
    const std::string why_not = WhyNotTheModule(state_.module, program_);
    if (!too_large && !why_not.empty()) return false;
    in_samples_ = true;
    if (too_large) {
      RunEachInSamples();
    } else {
      for (Part& part : parts_) RunSample(part);
      in_samples_ = llvm::all_of(parts_, [](const Part& part) {
        return part.check.failed || (part.check.sample && part.check.why_not.empty());
      });
      if (!in_samples_) return ForgetSamples();
    }
    WholeCheck& whole = state_.report.whole;
    whole.proved_by_kernels = why_not.empty();
    if (!why_not.empty()) {
      whole.why_not =
          "the module is too large to run as a whole, and it is not proved that its kernels "
          "together are the module: " +
          why_not;
    }
    return true;
  }

  bool ForgetSamples() {
    for (Part& part : parts_) {
      part.check.sample.reset();
      part.check.why_not.clear();
      part.check.run_ms = 0;
    }
    return false;
  }

  // A sample covers nothing of a kernel that is not proved, a run does: where it can be run.
  void RunEachInSamples() {
    CollectOrders();
    for (size_t u = 0; u < program_.fused_computations().size(); ++u) {
      llvm::MutableArrayRef<Part> parts = PartsOf(u);
      const bool is_open =
          llvm::any_of(parts, [](const Part& part) { return !part.check.is_proved(); });
      const bool runs = is_open && FitsMemory(*program_.fused_computations()[u].computation) &&
                        llvm::none_of(parts, [](const Part& part) {
                          return !part.device || IsTooLargeToRun(SubjectOf(part));
                        });
      for (Part& part : parts) runs ? Compile(part) : RunSample(part);
      if (runs) RunAlone(u);
    }
  }

  void RunSample(Part& part) {
    if (!part.device) return;
    state_.progress("running blocks of " + part.fused->name);
    CheckSample(state_, SubjectOf(part), part.check);
  }

  // In which orders the reductions of the module, and of each fusion, are evaluated by kernels.
  void CollectOrders() {
    fusion_orders_.resize(program_.fused_computations().size());
    for (const Part& part : parts_) {
      if (!part.kernel) continue;
      const size_t u = part.whole - program_.fused_computations().data();
      const auto& originals = program_.partitions(*part.whole).split.originals;
      for (const auto& [reduction, order] : part.kernel->evaluation_orders()) {
        const hlo::Instruction* of_fusion = originals.lookup(reduction);
        fusion_orders_[u][of_fusion ? of_fusion : reduction] = order;
        const hlo::Instruction* original = program_.Original(*reduction);
        if (original == nullptr) continue;
        auto [known, is_new] = module_orders_.try_emplace(original, order);
        if (!is_new && !(known->second == order)) several_orders_ = original;
      }
    }
  }

  // Which arguments: all kinds for a module of moderate size, in which rounding decides nothing
  // that cannot be computed twice.
  std::vector<hlo::ArgumentKind> Kinds() const {
    using hlo::ArgumentKind;
    if (state_.options().target == ExecutionTarget::kCuda) return {ArgumentKind::kSmall};
    const bool exact = llvm::all_of(parts_, [](const Part& part) {
      return !part.kernel || part.kernel->unordered_terms() == 0;
    });
    std::vector<ArgumentKind> kinds = {ArgumentKind::kRounding, ArgumentKind::kSpecial,
                                       ArgumentKind::kSmall, ArgumentKind::kWide};
    // Only sums of small numbers can be compared when their order is not known.
    if (!exact) std::swap(kinds[0], kinds[2]);
    kinds.resize(KindsWithin(WorkOf(state_.module)));
    return kinds;
  }

  // So that a check of a module takes seconds: how many kinds of arguments, all for a small one.
  static size_t KindsWithin(double work) {
    if (work > 1e7) return 1;
    return work > 5e5 ? 2 : std::size(hlo::kArgumentKinds);
  }

  void RunModuleOnAllKinds() {
    for (hlo::ArgumentKind kind : Kinds()) {
      if (!RunModule(kind) && state_.report.argument_kinds.empty()) break;
    }
    // Large numbers may keep a loop running: the small ones tell whether there is a value at all.
    if (state_.report.argument_kinds.empty()) RunModule(hlo::ArgumentKind::kSmall);
  }

  // False when the interpreter has no value for the module on these arguments.
  bool RunModule(hlo::ArgumentKind kind) {
    kind_ = kind;
    state_.progress(std::string("interpreting, ") + hlo::Name(kind) + " arguments");
    const hlo::Computation& entry = *state_.module.entry;
    const std::vector<hlo::Literal> arguments =
        hlo::MakeArguments(entry, state_.options().seed, kind);
    auto expected = hlo::Interpret(entry, arguments, &module_orders_);
    WholeCheck& whole = state_.report.whole;
    if (!expected) {
      const std::string why = MessageOf(expected.takeError());
      if (state_.report.argument_kinds.empty()) {
        whole.why_not = "the interpreter has no value: " + why;
      }
      return false;
    }
    whole.why_not.clear();
    state_.report.argument_kinds.push_back(hlo::Name(kind));
    llvm::fill(runs_of_fusion_, 0);
    by_kernels_ = true;
    for (const hlo::Computation* computation : program_.host_computations()) {
      for (const auto& op : computation->instructions) {
        if (program_.RoleOf(*op) == HostRole::kLibrary) NotByKernels("");
      }
    }
    hlo::InterpretOptions options;
    options.run_fusion = [&](const hlo::Instruction& fusion,
                             llvm::ArrayRef<const hlo::Literal*> operands)
        -> std::optional<llvm::Expected<hlo::Literal>> {
      const FusedComputation* fused = program_.FindFused(fusion);
      if (fused == nullptr) return std::nullopt;
      std::vector<hlo::Literal> values;
      for (const hlo::Literal* operand : operands) values.push_back(*operand);
      return RunFusion(fused - program_.fused_computations().data(), values);
    };
    auto actual = hlo::Interpret(program_.entry(), arguments, options);
    if (actual) {
      CompareWhole(*expected, *actual);
    } else {
      whole.why_not = "the module does not run: " + MessageOf(actual.takeError());
    }
    return true;
  }

  void CompareWhole(const hlo::Literal& expected, const hlo::Literal& actual) {
    WholeCheck& whole = state_.report.whole;
    if (several_orders_ != nullptr) {
      whole.why_not = "two kernels take the terms of '" + several_orders_->name +
                      "' in different orders: the module is not compared as a whole";
      return;
    }
    const bool was_wrong = whole.comparison.mismatches > 0;
    Add(whole.comparison, hlo::Compare(expected, actual, 0));
    // A value that the interpreter lent to both sides is no comparison.
    if (by_kernels_) ++whole.runs;
    // What is wrong in a part is a finding already.
    const bool part_is_wrong =
        llvm::any_of(parts_, [](const Part& part) { return part.check.comparison.mismatches > 0; });
    if (!was_wrong && !part_is_wrong) AddMismatch("the module as a whole", whole.comparison);
  }

  // Fusions that no arguments of the module led to: branches that were not taken.
  void RunAlone(size_t u) {
    const FusedComputation& fused = program_.fused_computations()[u];
    state_.progress("running " + fused.name + " alone");
    for (hlo::ArgumentKind kind : Kinds()) {
      if (state_.report.argument_kinds.empty() && !in_samples_) return;
      kind_ = kind;
      runs_of_fusion_[u] = 0;
      auto arguments = hlo::MakeArguments(*fused.computation, state_.options().seed, kind);
      ShareSlices(fused, arguments);
      auto value = RunFusion(u, arguments);
      if (!value) llvm::consumeError(value.takeError());
    }
    for (Part& part : PartsOf(u)) part.check.ran_alone = true;
  }

  llvm::MutableArrayRef<Part> PartsOf(size_t u) {
    const size_t count = program_.partitions(program_.fused_computations()[u]).kernels.size();
    return llvm::MutableArrayRef(parts_).slice(first_part_[u], count);
  }

  // The value of a fusion by its kernels, each held against the interpreter, and all of them
  // together. What is within the tolerance goes on as the interpreter's value, so that errors do
  // not add up.
  llvm::Expected<hlo::Literal> RunFusion(size_t u, Values arguments) {
    const FusedComputation& fused = program_.fused_computations()[u];
    auto expected = hlo::Interpret(*fused.computation, arguments, &fusion_orders_[u]);
    if (!expected) return expected;
    if (++runs_of_fusion_[u] > kMaxRunsOfFusion) {
      NotByKernels("the kernel of '" + fused.name + "' was run in the first " +
                   std::to_string(kMaxRunsOfFusion) + " trips of a loop alone");
      return expected;
    }
    compared_[u] = true;
    llvm::MutableArrayRef<Part> parts = PartsOf(u);
    if (parts.size() == 1) return RunPart(parts.front(), arguments, std::move(*expected));
    auto next = parts.begin();
    auto actual = emit::RunPartitions(
        program_.partitions(fused).split, arguments,
        [&](const hlo::Computation& partition, Values values) -> llvm::Expected<hlo::Literal> {
          Part& part = *next++;
          auto of_part = hlo::Interpret(partition, values,
                                        part.kernel ? &part.kernel->evaluation_orders() : nullptr);
          if (!of_part) return of_part;
          return RunPart(part, values, std::move(*of_part));
        });
    if (!actual) {
      NotByKernels("");
      KernelCheck& check = (next == parts.end() ? parts.back() : *next).check;
      const std::string why = MessageOf(actual.takeError());
      if (!std::exchange(check.failed, true)) {
        // The fusion has a value, so its parts have.
        state_.AddFinding(Finding::Kind::kMismatch,
                          "the kernels of '" + fused.name + "' together failed: " + why);
      }
      return expected;
    }
    const bool part_is_wrong =
        llvm::any_of(parts, [](const Part& p) { return p.check.comparison.mismatches > 0; });
    if (!part_is_wrong) {
      LiteralComparison together = hlo::Compare(*expected, *actual, 0);
      AddMismatch("the kernels of '" + fused.name + "' together", together);
      Add(parts.back().check.comparison, together);
    }
    return actual;
  }

  hlo::Literal RunPart(Part& part, Values arguments, hlo::Literal expected) {
    KernelCheck& check = part.check;
    const bool on_device = check.target == ExecutionTarget::kCuda;
    const bool runs = part.kernel && (on_device || part.emulated) && !check.failed;
    const bool comparable =
        runs && (kind_ == hlo::ArgumentKind::kSmall || part.kernel->unordered_terms() == 0);
    if (!comparable) {
      NotByKernels(runs ? "" : "the kernel of '" + check.fusion + "' does not run");
      return expected;
    }
    state_.progress("running " + part.fused->name);
    auto start = std::chrono::steady_clock::now();
    auto actual = on_device ? emit::RunOnCuda(*part.kernel, arguments)
                            : part.emulated->Run(arguments, state_.options().seed);
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    check.run_ms += ms.count();
    if (!actual) {
      check.failed = true;
      state_.AddFinding(Finding::Kind::kMismatch, "kernel of '" + check.fusion +
                                                      "' failed: " + MessageOf(actual.takeError()));
      return expected;
    }
    ++check.runs;
    check.tolerance =
        hlo::ToleranceOf(*part.fused->computation, check.target, part.kernel->unordered_terms());
    LiteralComparison comparison = hlo::Compare(expected, *actual, check.tolerance);
    if (check.comparison.mismatches == 0) {
      AddMismatch("kernel of '" + check.fusion + "'", comparison);
    }
    Add(check.comparison, comparison);
    hlo::Literal value = comparison.mismatches == 0 ? std::move(expected) : std::move(*actual);
    if (const auto& fault = state_.options().faults.handed_on) fault(check.fusion, value);
    return value;
  }

  // The run that is under way takes a value from the interpreter in the place of a kernel's.
  void NotByKernels(const std::string& why) {
    by_kernels_ = false;
    if (!why.empty() && state_.report.whole.why_not.empty()) state_.report.whole.why_not = why;
  }

  void AddMismatch(const std::string& what, const LiteralComparison& comparison) {
    if (!comparison.first) return;
    const Mismatch& first = *comparison.first;
    std::string distance = first.ulp == kFarApart ? "" : " (" + std::to_string(first.ulp) + " ULP)";
    state_.AddFinding(Finding::Kind::kMismatch,
                      what + ", output " + std::to_string(first.leaf) + " at " +
                          IndexText(first.index) + ": the interpreter says " + first.expected +
                          ", the kernel " + first.actual + distance + "; " +
                          std::to_string(comparison.mismatches) + " of " +
                          std::to_string(comparison.elements) + " elements differ (" +
                          hlo::Name(kind_) + " arguments)");
  }

  static void Add(LiteralComparison& all, const LiteralComparison& one) {
    all.elements = std::max(all.elements, one.elements);
    all.mismatches += one.mismatches;
    all.max_ulp = std::max(all.max_ulp, one.max_ulp);
    all.max_absolute = std::max(all.max_absolute, one.max_absolute);
    if (!all.first) all.first = one.first;
  }

  State& state_;
  const Program& program_;
  std::vector<Part> parts_;
  std::vector<size_t> first_part_;       // by fusion
  std::vector<int64_t> runs_of_fusion_;  // with the arguments that run now
  std::vector<bool> compared_;           // by fusion: has run
  std::vector<hlo::EvaluationOrders> fusion_orders_;
  hlo::EvaluationOrders module_orders_;
  const hlo::Instruction* several_orders_ = nullptr;
  bool in_samples_ = false;
  bool by_kernels_ = true;  // the run that is under way
  hlo::ArgumentKind kind_ = hlo::ArgumentKind::kSmall;
};

}  // namespace

void CheckKernels(State& state) { KernelChecker(state).Run(); }

}  // namespace affirm::driver
