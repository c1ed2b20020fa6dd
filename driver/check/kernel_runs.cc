// The module run through its kernels, each of them against the interpreter.
#include <chrono>
#include <utility>

#include "driver/check/comparisons.h"
#include "driver/check/kernel_checker.h"
#include "driver/check/module_size.h"
#include "driver/errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/open_elements.h"

namespace affirm::driver {
namespace {

// Runs of a fusion in one run of the module: kRunsOfFusion, and more for small kernels until
// kThreadsOfFusion threads have run. In further trips of a loop the interpreter's value replaces
// the kernel's. Unless that kernel is proved, the run is then no run of the whole module.
constexpr int64_t kRunsOfFusion = 64;
constexpr int64_t kThreadsOfFusion = int64_t{1} << 18;

// So that a check of a module takes seconds: how many kinds of arguments, all for a small one.
size_t KindsWithin(double work) {
  if (work > 1e7) return 1;
  return work > 5e5 ? 2 : std::size(hlo::kArgumentKinds);
}

}  // namespace

void KernelChecker::AddRunsBesideSamples(std::vector<Unit>& units) {
  for (Part& part : parts_) AddRunOfPart(part, units);
  for (size_t u = 0; u < program_.fused_computations().size(); ++u) {
    units.push_back(RunOfFusion(u, [this, u] { return RunsAloneInSamples(u); }));
  }
}

void KernelChecker::AddRuns(std::vector<Unit>& units) {
  for (size_t k = 0; k < std::size(hlo::kArgumentKinds); ++k) {
    units.push_back({.name = "execution on arguments " + std::to_string(k + 1),
                     .phase = Unit::Phase::kExecution,
                     .end_kernel = parts_.size(),
                     .is_needed =
                         [this, k] {
                           // If the first kind has no value, others that may have none are not
                           // tried.
                           return RunsWhole() && k < Kinds().size() &&
                                  (k == 0 || !state_.report.argument_kinds.empty());
                         },
                     .work =
                         [this, k] {
                           if (k == 0) ForgetSamples();
                           RunModule(Kinds()[k]);
                         },
                     .give_up =
                         [this, k](const std::string& why) {
                           if (k > 0) return;
                           state_.report.whole.given_up = true;
                           state_.report.whole.why_not =
                               "the module as a whole was not run: " + why;
                         }});
  }
  // Large numbers may keep a loop running: the small ones tell whether there is a value at all.
  units.push_back({.name = "execution on small arguments",
                   .phase = Unit::Phase::kExecution,
                   .end_kernel = parts_.size(),
                   .is_needed =
                       [this] {
                         const ModuleReport& report = state_.report;
                         return RunsWhole() && report.argument_kinds.empty() &&
                                !report.whole.given_up;
                       },
                   .work = [this] { RunModule(hlo::ArgumentKind::kSmall); },
                   .give_up =
                       [this](const std::string& why) {
                         state_.report.whole.given_up = true;
                         state_.report.whole.why_not = "the module as a whole was not run: " + why;
                       }});
  // A loop that iterates towards a value may end on none of these, and on ordinary numbers.
  units.push_back({.name = "execution on positive arguments",
                   .phase = Unit::Phase::kExecution,
                   .end_kernel = parts_.size(),
                   .is_needed =
                       [this] {
                         const WholeCheck& whole = state_.report.whole;
                         return RunsWhole() && !whole.left_loops.empty() && whole.ended_runs == 0;
                       },
                   .work = [this] { RunModule(hlo::ArgumentKind::kPositive); },
                   .give_up = [](const std::string&) {}});
  for (size_t k = 0; k < program_.library_ops().size(); ++k) AddRunOfLibraryOp(k, units);
  for (size_t u = 0; u < program_.fused_computations().size(); ++u) {
    units.push_back(RunOfFusion(u, [this, u] {
      const ModuleReport& report = state_.report;
      const bool has_value = !report.argument_kinds.empty() || report.whole.given_up;
      return RunsWhole() && has_value && !WasReached(u);
    }));
  }
}

void KernelChecker::Compile(Part& part) {
  if (part.first != nullptr) return Compile(*part.first);
  if (part.emulated || CheckOf(part).target == ExecutionTarget::kCuda) return;
  EnsureDevice(part);
  if (!part.device) return;
  auto emulated = emit::EmulatedKernel::Compile(*part.kernel, std::move(*part.device));
  part.device.reset();
  if (emulated) {
    part.emulated = std::move(*emulated);
  } else {
    CheckOf(part).why_not = "the kernel of '" + part.fused->name +
                            "' cannot be run: " + MessageOf(emulated.takeError());
  }
}

// The kinds of arguments: all for a module of moderate size, in which rounding decides nothing that
// cannot be computed twice.
std::vector<hlo::ArgumentKind> KernelChecker::Kinds() const {
  using hlo::ArgumentKind;
  if (state_.options().target == ExecutionTarget::kCuda) return {ArgumentKind::kSmall};
  const bool exact = llvm::all_of(
      state_.report.kernels, [](const KernelCheck& check) { return check.unordered_terms == 0; });
  std::vector<ArgumentKind> kinds = {ArgumentKind::kRounding, ArgumentKind::kSpecial,
                                     ArgumentKind::kSmall, ArgumentKind::kWide,
                                     ArgumentKind::kRows};
  // Only sums of small numbers can be compared when their order is not known.
  if (!exact) std::swap(kinds[0], kinds[2]);
  kinds.resize(KindsWithin(work_));
  return kinds;
}

void KernelChecker::RunModule(hlo::ArgumentKind kind) {
  if (!why_open_.empty()) {
    state_.report.whole.why_not = why_open_;
    return;
  }
  for (Part& part : parts_) Compile(part);
  CollectOrders();
  kind_ = kind;
  state_.progress(std::string("interpreting, ") + hlo::Name(kind) + " arguments");
  auto expected = InterpretModule(state_, kind, module_orders_);
  WholeCheck& whole = state_.report.whole;
  if (!expected) {
    const std::string why = MessageOf(expected.takeError());
    if (state_.report.argument_kinds.empty()) {
      whole.why_not = "the interpreter has no value: " + why;
    }
    return;
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
  auto actual =
      RunOnDevices(state_, collectives_, kind, *expected,
                   [&](int64_t device, const FusedComputation& fused, Values values) {
                     device_ = device;
                     const size_t u = NumberOf(fused);
                     const bool runs = llvm::is_contained(state_.report.devices.kernels_on, device);
                     return runs ? RunFusion(u, values)
                                 : hlo::Interpret(*fused.computation, values, &fusion_orders_[u]);
                   });
  for (const CollectiveCheck& collective : whole.collectives) {
    if (!collective.why_not.empty()) NotByKernels(collective.why_not);
  }
  if (actual) {
    CompareWhole(*expected, *actual);
  } else {
    whole.why_not = "the module does not run: " + MessageOf(actual.takeError());
  }
}

void KernelChecker::CompareWhole(const InterpretedModule& given, Values actual) {
  WholeCheck& whole = state_.report.whole;
  if (several_orders_ != nullptr) {
    whole.given_up = whole.several_orders = true;
    whole.why_not = "two kernels take the terms of '" + several_orders_->name +
                    "' in different orders: the module is not compared as a whole";
    return;
  }
  const bool was_wrong = whole.comparison.mismatches > 0;
  const Values expected = given.expected;
  // An open value of one device reaches others through collectives; a loop that is left has an end
  // that the module does not give it.
  const bool asks_open = expected.size() == 1 && given.most_trips == 0;
  for (size_t d = 0; d < expected.size(); ++d) {
    if (!whole.comparison.first) device_ = static_cast<int64_t>(d);
    AddTo(whole.comparison, asks_open
                                ? hlo::CompareResults(*state_.module.entry, given.arguments[d],
                                                      &module_orders_, expected[d], actual[d], 0)
                                : hlo::Compare(expected[d], actual[d], 0));
  }
  // A value that the interpreter lent to both sides is no comparison.
  if (by_kernels_) ++whole.runs;
  // A mismatch in a part is a finding already.
  const bool part_is_wrong = llvm::any_of(
      parts_, [&](const Part& part) { return CheckOf(part).comparison.mismatches > 0; });
  if (!was_wrong && !part_is_wrong) AddMismatch("the module as a whole", whole.comparison);
}

// The value of a fusion by its kernels, each held against the interpreter, and all of them
// together. What is within the tolerance goes on as the interpreter's value, so that errors do
// not add up.
llvm::Expected<hlo::Literal> KernelChecker::RunFusion(size_t u, Values arguments) {
  const FusedComputation& fused = program_.fused_computations()[u];
  auto expected = hlo::Interpret(*fused.computation, arguments, &fusion_orders_[u]);
  if (!expected) return expected;
  const int64_t devices = std::ssize(state_.report.devices.kernels_on);
  if (++runs_of_fusion_[u] > MostRuns(u) * devices)
    return LateTrip(u, arguments, std::move(*expected));
  llvm::MutableArrayRef<Part> parts = PartsOf(u);
  for (Part& part : parts) CheckOf(part).reached = true;
  if (parts.size() == 1) return RunPart(parts.front(), arguments, std::move(*expected));
  auto next = parts.begin();
  auto actual = emit::RunPartitions(
      program_.partitions(fused).split, arguments,
      [&](const hlo::Computation& partition, Values values) -> llvm::Expected<hlo::Literal> {
        Part& part = *next++;
        auto of_part = hlo::Interpret(partition, values, &part.orders);
        if (!of_part) return of_part;
        return RunPart(part, values, std::move(*of_part));
      });
  if (!actual) {
    NotByKernels("");
    KernelCheck& check = CheckOf(next == parts.end() ? parts.back() : *next);
    const std::string why = MessageOf(actual.takeError());
    if (!std::exchange(check.failed, true)) {
      // The fusion has a value, so its parts have.
      state_.AddFinding(Finding::Kind::kMismatch, "run",
                        "the kernels of '" + fused.name + "' together failed: " + why);
    }
    return expected;
  }
  const bool part_is_wrong =
      llvm::any_of(parts, [&](const Part& p) { return CheckOf(p).comparison.mismatches > 0; });
  // No order of the interpreter's is that of two kernels which compute a reduction each.
  if (!part_is_wrong && !has_several_orders_[u]) {
    LiteralComparison together = hlo::CompareResults(*fused.computation, arguments,
                                                     &fusion_orders_[u], *expected, *actual, 0);
    AddMismatch("the kernels of '" + fused.name + "' together", together);
    AddTo(CheckOf(parts.back()).comparison, together);
  }
  return actual;
}

// How often the kernels of a fusion run in one run of the module.
int64_t KernelChecker::MostRuns(size_t u) {
  int64_t threads = 1;
  for (const Part& part : PartsOf(u)) {
    const emit::LaunchShape& launch = CheckOf(part).launch;
    threads = std::max(threads, launch.blocks * launch.threads);
  }
  return std::max(kRunsOfFusion, kThreadsOfFusion / threads);
}

// A proved kernel gives what its computation gives. That those of a fusion together give what the
// fusion does is seen in this trip too.
hlo::Literal KernelChecker::LateTrip(size_t u, Values arguments, hlo::Literal expected) {
  const FusedComputation& fused = program_.fused_computations()[u];
  llvm::MutableArrayRef<Part> parts = PartsOf(u);
  const bool proved = llvm::all_of(
      parts, [&](const Part& part) { return CheckOf(part).is_proved() && CheckOf(part).runs > 0; });
  if (!proved) {
    NotByKernels("the kernel of '" + fused.name + "' is not proved, and was run in the first " +
                 std::to_string(MostRuns(u)) + " trips of a loop alone");
    return expected;
  }
  state_.report.whole.late_trips_proved = true;
  if (parts.size() == 1) return expected;
  auto next = parts.begin();
  auto together = emit::RunPartitions(program_.partitions(fused).split, arguments,
                                      [&](const hlo::Computation& partition, Values values) {
                                        const Part& part = *next++;
                                        return hlo::Interpret(partition, values, &part.orders);
                                      });
  if (!together) {
    NotByKernels("the kernels of '" + fused.name +
                 "' together have no value: " + MessageOf(together.takeError()));
    return expected;
  }
  if (!has_several_orders_[u]) {
    AddMismatch("the kernels of '" + fused.name + "' together",
                hlo::CompareResults(*fused.computation, arguments, &fusion_orders_[u], expected,
                                    *together, 0));
  }
  return std::move(*together);
}

hlo::Literal KernelChecker::RunPart(Part& part, Values arguments, hlo::Literal expected) {
  KernelCheck& check = CheckOf(part);
  const bool on_device = check.target == ExecutionTarget::kCuda;
  Part& with_code = WithCode(part);
  const bool runs = with_code.kernel && (on_device || with_code.emulated) && !check.failed;
  const bool comparable =
      runs && (kind_ == hlo::ArgumentKind::kSmall || with_code.kernel->unordered_terms() == 0);
  if (!comparable) {
    NotByKernels(runs ? "" : "the kernel of '" + check.fusion + "' does not run");
    return expected;
  }
  if (std::string why = hlo::WhyPromiseIsBroken(*part.fused->computation, arguments);
      !why.empty()) {
    if (check.runs == 0) check.why_not = NotRun(part, why);
    NotByKernels("the kernel of '" + check.fusion + "' may do anything on these arguments: " + why);
    return expected;
  }
  state_.progress("running " + part.fused->name);
  auto start = std::chrono::steady_clock::now();
  auto actual = on_device ? emit::RunOnCuda(*with_code.kernel, arguments)
                          : with_code.emulated->Run(arguments, state_.options().seed);
  std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  check.run_ms += ms.count();
  if (!actual) {
    std::error_code code;
    std::string message;
    llvm::handleAllErrors(actual.takeError(), [&](const llvm::ErrorInfoBase& error) {
      code = error.convertToErrorCode();
      message = error.message();
    });
    if (code == std::errc::timed_out) {
      NotByKernels("the kernel of '" + check.fusion + "' does not come to its end: " + message);
      return expected;
    }
    // Nothing was run, for want of a function of libclc, say: that is nothing about the kernel.
    if (code == std::errc::not_supported) {
      NotByKernels("the kernel of '" + check.fusion + "' is not made for the device: " + message);
      return expected;
    }
    check.failed = true;
    state_.AddFinding(Finding::Kind::kMismatch, "run",
                      "kernel of '" + check.fusion + "' failed: " + message);
    return expected;
  }
  if (check.runs++ == 0) check.why_not.clear();
  const LiteralComparison comparison = Compared(part, arguments, expected, *actual);
  if (check.comparison.mismatches == 0) {
    AddMismatch("kernel of '" + check.fusion + "'", comparison);
  }
  AddTo(check.comparison, comparison);
  if (!check.is_tested())
    NotByKernels("the kernel of '" + check.fusion + "' is not tested: " + check.not_tested);
  hlo::Literal value = comparison.mismatches == 0 ? std::move(expected) : std::move(*actual);
  if (const auto& fault = state_.options().faults.handed_on) fault(check.fusion, value);
  return value;
}

LiteralComparison KernelChecker::Compared(Part& part, Values arguments,
                                          const hlo::Literal& expected,
                                          const hlo::Literal& actual) {
  KernelCheck& check = CheckOf(part);
  const hlo::Computation& computation = *part.fused->computation;
  check.to_the_bit = check.target == ExecutionTarget::kEmulator &&
                     WithCode(part).kernel->unordered_terms() == 0 &&
                     !hlo::HasFormulasOfKernels(computation);
  if (check.to_the_bit)
    return hlo::CompareResults(computation, arguments, &part.orders, expected, actual, 0);
  if (!part.enclosed) part.enclosed.emplace(computation, enclosure::kKernelFreedom, &part.orders);
  const LiteralComparison comparison = part.enclosed->Compare(arguments, expected, actual);
  check.not_tested = part.enclosed->WhyNotTested();
  return comparison;
}

// The run that is under way takes a value from the interpreter in the place of a kernel's.
void KernelChecker::NotByKernels(const std::string& why) {
  by_kernels_ = false;
  if (!why.empty() && state_.report.whole.why_not.empty()) state_.report.whole.why_not = why;
}

void KernelChecker::AddMismatch(const std::string& what, const LiteralComparison& comparison) {
  if (!comparison.first) return;
  const Mismatch& first = *comparison.first;
  std::string distance = first.ulp == kFarApart ? "" : " (" + std::to_string(first.ulp) + " ULP)";
  Finding& finding = state_.AddFinding(
      Finding::Kind::kMismatch, "run",
      what + ", output " + std::to_string(first.leaf) + " at " + IndexText(first.index) +
          ": the interpreter says " + first.expected + ", the kernel " + first.actual + distance +
          (first.why.empty() ? "" : ": " + first.why) + "; " +
          std::to_string(comparison.mismatches) + " of " + std::to_string(comparison.elements) +
          " elements differ (" + hlo::Name(kind_) + " arguments" + DeviceText() + ")");
  finding.element = IndexText(first.index);
  finding.expected = first.expected;
  finding.actual = first.actual;
}

// ", device 3"; nothing where there is one device.
std::string KernelChecker::DeviceText() const {
  const bool one = state_.report.devices.devices.count() <= 1;
  return one ? "" : ", device " + std::to_string(device_);
}

}  // namespace affirm::driver
